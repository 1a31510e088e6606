"""Queries and the store: lemmas are tautologies, text is reproducible, edits are noticed, old answers not misused."""

from __future__ import annotations

import json
import pickle
import random
import re
import shutil
from itertools import product
from pathlib import Path

import pytest

from proofs import verify as verifying
from proofs.artifacts import sha256
from proofs.decide import decide
from proofs.lemmas import atom_lemmas, factor_lemmas, multiple_lemmas, product_lemmas, split_lemmas
from proofs.query import Hypothesis, build
from proofs.store import MANIFEST, read_record, read_store, sealed
from proofs.terms import (
    THREAD,
    Poly,
    Symbol,
    combine,
    divide,
    eq,
    ge,
    ite,
    lt,
    modulo,
    negate,
    quotient,
    same,
)
from proofs.verify import ARTIFACTS, PTX, verify_stem
from verifier.terms import evaluate, read_term

ROOT = Path(__file__).resolve().parents[2]
STEM = "silu"
A, B, C = (Symbol(n, "opaque", THREAD, low, None) for n, low in (("a", 0), ("b'x", -5), ("c@L1", None)))


# --- text --------------------------------------------------------------------------------------------------------


def _decides(declarations: str, lemma: str) -> str:
    return decide(f"(set-logic QF_NIA)\n{declarations}\n(assert (not {lemma}))\n(check-sat)").status


def _declared(lemma: str) -> str:
    names = set(re.findall(r"\|[^|]*\||[A-Za-z_][\w.]*", lemma)) - {"and", "or", "not", "div", "mod", "ite"}
    return "\n".join(f"(declare-const {n} Int)" for n in sorted(names))


def test_lemmas_are_tautologies() -> None:
    """They are asserted without proof, so they must hold of all integers, whatever the ranges."""
    a, b, c = (Poly.symbol(s) for s in (A, B, C))
    polys = [a * b - c * b, a * a + b * 3, ite(ge(a * c - 7), a * b, c), divide(a * b, 7), modulo(c * b + 1, 4) * a]
    lemmas = [*product_lemmas(polys), *split_lemmas([a * 4096 + b * 256 + c * 8 - 5], [a - b])]
    assert len(lemmas) > 10
    for lemma in lemmas:
        assert _decides(_declared(lemma), lemma) == "unsat", lemma


def test_lemmas_about_sums_quotients_and_bits_are_tautologies() -> None:
    a, b, c = (Poly.symbol(s) for s in (A, B, C))
    q = quotient(a - c - 1, b * 256)
    found = [
        *factor_lemmas([a * b * 4 + b * 8 - c * b, a * c + b * c, q * 3]),
        *atom_lemmas([q + 5]),
        *multiple_lemmas([eq(modulo(a, 8))], [modulo(a * c * 2 + b, 16)]),
    ]
    assert len(found) > 15
    assert sum("(div a 8)" in lemma for lemma in found) == 1
    for lemma in found:
        assert _decides(_declared(lemma), lemma) == "unsat", lemma


def test_lemmas_about_exclusive_ors_are_tautologies() -> None:
    a, b, c = (Poly.symbol(s) for s in (A, B, C))
    joined = [combine("xor", modulo(a, 4), modulo(b, 4)), combine("xor", modulo(c, 4), modulo(b + 1, 4))]
    found = atom_lemmas([j * 16 for j in joined if j is not None])
    assert len(found) == 4
    for lemma in found:
        term = read_term(lemma, "lemma")
        for x, y, z in product(range(5), range(-1, 4), range(5)):
            assert evaluate(term, {"a": x, "b'x": y, "c@L1": z}), lemma


def test_an_unrolled_stride_loop_is_decided_by_its_lemmas() -> None:
    """x + s*(m + j + 4*k) of two threads, x < s: equal only for one x, and then for one m, j and k."""
    s = Poly.symbol(Symbol("s", "opaque", THREAD, 1, 2**31))
    n = Poly.symbol(Symbol("n", "opaque", THREAD, 1, 2**40))
    x1, x2 = (Poly.symbol(Symbol(f"x{i}", "opaque", THREAD, 0, None)) for i in "12")
    k1, k2 = (Poly.symbol(Symbol(f"k{i}", "opaque", THREAD, 0, None)) for i in "12")
    m1, m2 = (modulo(quotient(n - x - 1, s) + 1, 4) for x in (x1, x2))
    first, second = x1 + s * (m1 + 1 + k1 * 4), x2 + s * (m2 + 2 + k2 * 4)
    known = [lt(x1, s), lt(x2, s), lt(x1, n), lt(x2, n)]
    hypotheses = [Hypothesis("fact", c.text, c) for c in known]
    goal = negate(same(first, second))
    query = build("q", (), hypotheses, goal.text, [goal], compared=[first - second])
    assert decide(query.text, 1_000_000).status == "unsat"
    second = x2 + s * (m2 + 1 + k2 * 4)
    goal = negate(same(first, second))
    query = build("q", (), hypotheses, goal.text, [goal], compared=[first - second])
    assert decide(query.text).status != "unsat", "two threads with one x write one byte"


def test_lemmas_of_the_shipped_queries_are_tautologies() -> None:
    found: dict[str, None] = {}
    for path in sorted((ROOT / ARTIFACTS).glob("*/*.smt2")):
        found |= dict.fromkeys(re.findall(r"^\(assert \(! (.*) :named lemma\.\d+\)\)$", path.read_text(), re.M))
    chosen = random.Random(3).sample(sorted(found, key=len), min(40, len(found)))
    assert chosen
    for lemma in chosen:
        if "ite" not in lemma:
            assert _decides(_declared(lemma), lemma) == "unsat", lemma


def test_a_query_declares_bounds_and_numbers_everything_once() -> None:
    a, b = Poly.symbol(A), Poly.symbol(B)
    first, second = ge(a - 3), lt(b, a * 2)
    hypotheses = [
        Hypothesis("domain", first.text, first), Hypothesis("fact", first.text, first),
        Hypothesis("domain", second.text, second), Hypothesis("domain", "true", ge(Poly({}))),
    ]
    extra = Symbol("unused", "boolean", THREAD, None, None)
    query = build("q", ("one",), hypotheses, second.text, [second], [extra, A])
    labels = [label for label, _ in query.assertions]
    assert len(labels) == len(set(labels))
    assert labels[:4] == ["range.1", "range.2", "domain.1", "domain.2"]
    assert [s.name for s in query.symbols] == ["a", "b'x", "unused"]
    assert query.text.count("(declare-const") == 3
    assert "(declare-const unused Bool)" in query.text
    assert query.text.startswith("; one\n(set-logic QF_NIA)\n")
    assert query.text.endswith("(check-sat)\n")
    assert decide(query.text).status == "unsat"
    assert build("q", ("one",), hypotheses, second.text, [second], [extra, A]).text == query.text


def test_a_query_can_be_narrowed_in_another_process() -> None:
    x = Poly.symbol(Symbol("x", "opaque", THREAD, 0, 9))
    there = pickle.loads(pickle.dumps(build("q", (), [], lt(x, Poly.constant(9)).text, [lt(x, Poly.constant(9))])))
    assert "(assert (! (= x 9) :named candidate.1))" in there.with_more((("candidate.1", "(= x 9)"),)).text


def test_an_unbounded_symbol_gets_no_range() -> None:
    c = Poly.symbol(C)
    query = build("q", (), [], ge(c).text, [ge(c)])
    assert query.assertions == ()
    assert decide(query.text).model["c@L1"] < 0


# --- files -------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with one kernel and its proof, written just now."""
    root = tmp_path_factory.mktemp("checkout")
    (root / PTX).mkdir(parents=True)
    shutil.copy(ROOT / PTX / f"{STEM}.ptx", root / PTX)
    verifying._write(root / ARTIFACTS / STEM, verify_stem(root, STEM, True).files)
    return root


@pytest.fixture
def checkout(made: Path, tmp_path: Path) -> Path:
    """A copy to edit."""
    return Path(shutil.copytree(made, tmp_path / "copy"))


def _plain(text: str) -> object:
    """A manifest without the digests that change with any source file, and the seal over them."""
    manifest = json.loads(text)
    manifest.pop("seal")
    for entry in manifest["entries"].values():
        entry.pop("refinement_inputs")
    return manifest


def test_artifacts_are_regenerated_byte_for_byte(made: Path) -> None:
    ours, shipped = made / ARTIFACTS / STEM, ROOT / ARTIFACTS / STEM
    assert sorted(p.name for p in ours.iterdir()) == sorted(p.name for p in shipped.iterdir())
    for path in shipped.iterdir():
        if path.name == MANIFEST:
            assert _plain(path.read_text()) == _plain((ours / path.name).read_text())
        else:
            assert path.read_bytes() == (ours / path.name).read_bytes(), path.name


def test_a_second_run_takes_the_store_and_writes_the_same(made: Path) -> None:
    again = verify_stem(made, STEM, False)
    assert not any("the store was not used" in words for words in again.assumptions)
    sources = {row.obligation: row.source for row in again.rows}
    assert sources["bounds"] == sources["coverage"] == sources["refinement"] == "taken from the store"
    for name, text in again.files.items():
        assert (made / ARTIFACTS / STEM / name).read_text() == text, name


def _edit_verdict(folder: Path) -> str:
    path = folder / MANIFEST
    path.write_text(path.read_text().replace('"verdict": "proved"', '"verdict": "refuted"', 1))
    return "seal"


def _edit_query(folder: Path) -> str:
    path = next(p for p in sorted(folder.glob("*.smt2")) if ".bounds." in p.name)
    path.write_text(path.read_text().replace("(<= 0", "(<= 1", 1))
    return path.name


def _remove_query(folder: Path) -> str:
    path = next(p for p in sorted(folder.glob("*.smt2")) if ".coverage." in p.name)
    path.unlink()
    return path.name


def _break_json(folder: Path) -> str:
    (folder / MANIFEST).write_text("{")
    return MANIFEST


EDITS = {"verdict": _edit_verdict, "query": _edit_query, "missing": _remove_query, "json": _break_json}


@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS)
def test_an_edited_store_is_noticed(checkout: Path, edit: object) -> None:
    assert callable(edit)
    named = edit(checkout / ARTIFACTS / STEM)
    store = read_store(checkout / ARTIFACTS / STEM)
    assert named in store.damage
    assert not store.proved
    assert not store.files
    assert not store.manifest


def test_an_edited_store_is_not_used(checkout: Path) -> None:
    before = {p.name: p.read_text() for p in (checkout / ARTIFACTS / STEM).iterdir()}
    _edit_query(checkout / ARTIFACTS / STEM)
    found = verify_stem(checkout, STEM, False)
    assert any(words.startswith(f"{STEM}: the store was not used: ") for words in found.assumptions)
    assert {row.source for row in found.rows} == {"decided now"}
    assert found.files == before


@pytest.mark.parametrize("text", [None, "", "{}", "[]", "{", "[" * 100_000])
def test_what_is_no_record_says_nothing(text: str | None) -> None:
    assert read_record(text) == {}


def test_a_record_without_a_verdict_is_made_again(checkout: Path) -> None:
    text = '{"verdict": ["proved"]}'
    folder = checkout / ARTIFACTS / STEM
    before = {p.name: p.read_text() for p in folder.iterdir()}
    manifest = json.loads(before[MANIFEST])
    for name in before:
        if name.endswith((".refinement.json", ".resources.json")):
            (folder / name).write_text(text)
            manifest["files"][name] = sha256(text)
    (folder / MANIFEST).write_text(json.dumps(sealed(manifest)))
    found = verify_stem(checkout, STEM, False)
    assert found.files == before


def test_a_folder_in_place_of_a_file_is_damage(checkout: Path) -> None:
    folder = checkout / ARTIFACTS / STEM
    name = _remove_query(folder)
    (folder / name).mkdir()
    assert read_store(folder).damage


def test_no_store_is_no_damage(tmp_path: Path) -> None:
    assert read_store(tmp_path).damage == ""
    assert not read_store(tmp_path).proved


def test_unproved_claims_are_not_taken(checkout: Path) -> None:
    folder = checkout / ARTIFACTS / STEM
    manifest = json.loads((folder / MANIFEST).read_text())
    (entry,) = manifest["entries"].values()
    for claim in (*entry["claims"], *manifest["numerics"], *manifest["scripts"], entry["theorem"]):
        claim["verdict"] = "unknown"
    (folder / MANIFEST).write_text(json.dumps(sealed(manifest)))
    assert read_store(folder).damage == ""
    assert not read_store(folder).proved


@pytest.mark.parametrize("after", [0, 1, 5])
def test_a_killed_run_leaves_the_old_manifest(checkout: Path, monkeypatch: pytest.MonkeyPatch, after: int) -> None:
    """The manifest comes last: until then the old one stands, and files that are newer than it are noticed."""
    folder = checkout / ARTIFACTS / STEM
    old = {p.name: p.read_text() for p in folder.iterdir()}
    done: list[Path] = []

    def killed(path: Path, content: str) -> None:
        if len(done) == after:
            raise KeyboardInterrupt
        done.append(path)
        path.write_text(content)

    monkeypatch.setattr(verifying, "write_atomic", killed)
    with pytest.raises(KeyboardInterrupt):
        verifying._write(folder, {name: text + "\n" for name, text in old.items()})
    assert (folder / MANIFEST).read_text() == old[MANIFEST]
    assert {p.name for p in folder.iterdir()} == set(old)
    store = read_store(folder)
    assert bool(store.damage) == (after > 0)
    assert bool(store.proved) == (after == 0)
