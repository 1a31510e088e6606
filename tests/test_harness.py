"""The harness passes the reference and refuses every single thing done wrong, each for its own reason."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import pytest

from backend import ptx
from backend.launch import Descriptor, Prepared, bind
from common.histogram import Histogram
from spec.contracts import STEMS, contracts_of
from spec.contracts.model import ACTIVE
from spec.ptx.parser import parse
from tests.harness.layout import UNWRITTEN, place
from tests.harness.reference_device import ReferenceDevice, Words
from tests.harness.run import DiffRow, Profile, campaign
from tests.harness.strategies import Limits

SMALL = Profile(60, Limits(rows=3, columns=300, elements=600, padding=20), widest=2048)


def descriptor(stem: str) -> Descriptor:
    return bind(contracts_of(stem)[0], parse(ptx.load(stem), name=stem))


def run(
    stem: str, sabotage: Callable[[ReferenceDevice, Prepared, Words], None] | None = None, seed: int = 3
) -> DiffRow:
    return campaign(ReferenceDevice(sabotage), descriptor(stem), SMALL, seed, lambda line: None)


@pytest.mark.parametrize("stem", STEMS)
def test_the_reference_passes(stem: str) -> None:
    row = run(stem)
    assert not row.failures
    assert row.cases > 60
    assert row.worst_ratio == 0.0
    assert row.elements > 1000
    assert row.histogram == Histogram(class_only=row.histogram.class_only, zero=row.histogram.zero)
    assert row.histogram.total == row.elements


@pytest.mark.parametrize("stem", STEMS)
def test_the_same_seed_gives_the_same_campaign(stem: str) -> None:
    assert run(stem) == run(stem)
    assert run(stem).elements != run(stem, seed=4).elements


def _active(prepared: Prepared) -> bool:
    return prepared.values["power_state"] == ACTIVE


def wrong_value(device: ReferenceDevice, prepared: Prepared, output: Words) -> None:
    if _active(prepared) and 0x0400 < output[-1, -1] & 0x7FFF < 0x7B00:
        output[-1, -1] += 2


def wrong_class(device: ReferenceDevice, prepared: Prepared, output: Words) -> None:
    nan = (output & 0x7FFF) > 0x7C00
    output[nan] = 0x7C00


def not_written(device: ReferenceDevice, prepared: Prepared, output: Words) -> None:
    if _active(prepared) and output.size > 8:
        output[-1, -1] = UNWRITTEN


def behind_the_end(device: ReferenceDevice, prepared: Prepared, output: Words) -> None:
    region = next(r for r in prepared.regions if r.buffer.name == "y")
    device.bytes[region.end] ^= 1


def before_the_start(device: ReferenceDevice, prepared: Prepared, output: Words) -> None:
    region = next(r for r in prepared.regions if r.buffer.name == "y")
    device.bytes[region.address - 2] ^= 1


def into_the_padding(device: ReferenceDevice, prepared: Prepared, output: Words) -> None:
    values = prepared.values
    if values["rows"] > 1 and values["y_stride"] > values["columns"]:
        region = next(r for r in prepared.regions if r.buffer.name == "y")
        device.bytes[region.address + 2 * int(values["columns"])] ^= 1


def over_the_input(device: ReferenceDevice, prepared: Prepared, output: Words) -> None:
    device.bytes[prepared.regions[0].address] ^= 1


def despite_the_gate(device: ReferenceDevice, prepared: Prepared, output: Words) -> None:
    if not _active(prepared):
        region = next(r for r in prepared.regions if r.buffer.name == "y")
        device.bytes[region.address] ^= 1


def from_outside(device: ReferenceDevice, prepared: Prepared, output: Words) -> None:
    """A zero result takes its sign from the word behind x: allowed by the bound, seen by the second run."""
    if _active(prepared):
        sign = int(device.bytes[prepared.regions[0].end + 1]) & 0x80
        output[output & 0x7FFF == 0] = sign << 8


def by_neighbours(device: ReferenceDevice, prepared: Prepared, output: Words) -> None:
    """The sign of a zero depends on how many rows there are."""
    zero = output & 0x7FFF == 0
    output[zero] = 0x8000 if prepared.values.get("rows", 1) > 1 else 0


@pytest.mark.parametrize(
    ("sabotage", "stems", "complaint"),
    [
        (wrong_value, STEMS, r"y\[.*\] = 0x.*, expected 0x.*: value outside the bound"),
        (wrong_class, STEMS, r"= 0x7c00 \(inf\), expected 0x7e00 \(nan\): wrong class"),
        (not_written, STEMS, "elements never written"),
        (behind_the_end, STEMS, "y: guard word 1 behind the buffer changed"),
        (before_the_start, STEMS, "y: guard word 1 before the buffer changed"),
        (into_the_padding, ("rmsnorm",), "y: padding word 1 behind row 0 changed"),
        (over_the_input, STEMS, r"\w+: element .* changed"),
        (despite_the_gate, STEMS, "y: element .* changed from 0x7e77"),
        (from_outside, STEMS, "with other bytes around the buffers: [0-9]+ elements differ"),
        (by_neighbours, ("rmsnorm",), "row [0-9]+ alone: "),
    ],
)
def test_what_is_wrong_is_found(sabotage: Callable[..., None], stems: tuple[str, ...], complaint: str) -> None:
    for stem in stems:
        row = run(stem, sabotage)
        assert row.failures, f"{stem}: nothing found"
        assert re.search(complaint, " ".join(row.failures)), row.failures


def test_a_place_knows_its_bytes() -> None:
    buffer = contracts_of("rmsnorm")[0].buffer("y")
    p = place(buffer, {"rows": 3, "columns": 5, "x_stride": 5, "y_stride": 8}, 6)
    assert p.extent == (2 * 8 + 5) * 2
    image = p.image(np.arange(15, dtype=np.uint16).reshape(3, 5))
    assert p.logical(image).tolist() == np.arange(15).reshape(3, 5).tolist()
    assert not p.changed(image, image, ignore_elements=False)
    after = image.copy()
    after[p.start + 2 * 8] ^= 1
    assert "element (1, 0) changed" in p.changed(image, after, ignore_elements=False)
    assert not p.changed(image, after, ignore_elements=True)
