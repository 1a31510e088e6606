"""Answers of earlier runs of `fltc check`, by the sha256 of a query's text: one SQLite file in a folder of the user's.

An answer belongs to a text and a version of the solver, to no PTX file: what did not change in a kernel is not decided
again. Only the owner can write the folder, and a row that was edited is not taken; who can write as the owner can forge
both, so that a verdict that must not depend on this file is asked for without it (`--no-store`).
"""

from __future__ import annotations

import json
import os
import sqlite3
import stat
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

from proofs.decide import Answer, solver_version

FILE = "check.sqlite"
MAX_ROWS = 200_000
MAX_MODEL = 100_000  # characters of one row
WAIT = 5.0  # for another process that writes; after it the answers of this run are not kept
_TABLE = """
create table if not exists answers (
    key text primary key, solver text not null, rlimit integer not null, answer text not null, seal text not null
)
"""


class AnswerStore:
    """The answers in one folder. Reading and writing never fail: what cannot be read is decided again.

    `damage` says why nothing is kept, if nothing is.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / FILE
        self.damage = ""
        self.solver = solver_version()
        self._connection: sqlite3.Connection | None = None
        self._process = 0

    def __reduce__(self) -> tuple[type[AnswerStore], tuple[Path]]:
        return AnswerStore, (self.path.parent,)

    def _open(self) -> sqlite3.Connection | None:
        """The connection of this process: one must not be used on both sides of a fork."""
        if self._process == os.getpid() or self.damage:
            return None if self.damage else self._connection
        self._process = os.getpid()
        try:
            self._connection = sqlite3.connect(self.path, timeout=WAIT)
            with self._connection as changes:
                changes.execute(_TABLE)
        except sqlite3.Error as error:
            self._connection, self.damage = None, f"{self.path}: {error}"
        return self._connection

    def get(self, key: str) -> tuple[int, Answer] | None:
        """The limit under which a query was answered, and the answer."""
        connection = self._open()
        if connection is None:
            return None
        try:
            row = connection.execute(
                "select rlimit, answer, seal from answers where key = ? and solver = ?", (key, self.solver)
            ).fetchone()
            if row is None or row[2] != self._seal(key, row[0], row[1]):
                return None
            found = json.loads(row[1])
            return int(row[0]), Answer(found["status"], dict(found["model"]), found["reason"], int(found["used"]))
        except (sqlite3.Error, ValueError, KeyError, TypeError):
            return None

    def put(self, answers: Mapping[str, tuple[int, Answer]]) -> None:
        """Keep answers, all of them or none."""
        connection = self._open()
        if connection is None or not answers:
            return
        rows = []
        for key, (rlimit, a) in answers.items():
            text = json.dumps({"status": a.status, "model": a.model, "reason": a.reason, "used": a.used})
            if len(text) <= MAX_MODEL:
                rows.append((key, self.solver, rlimit, text, self._seal(key, rlimit, text)))
        try:
            with connection as changes:
                changes.executemany("insert or replace into answers values (?, ?, ?, ?, ?)", rows)
                (count,) = changes.execute("select count(*) from answers").fetchone()
                if count > MAX_ROWS:
                    changes.execute(
                        "delete from answers where rowid in (select rowid from answers order by rowid limit ?)",
                        (count - MAX_ROWS // 2,),
                    )
        except sqlite3.Error as error:
            self.damage = f"{self.path}: {error}"

    def _seal(self, key: str, rlimit: int, answer: str) -> str:
        return sha256("\n".join((key, self.solver, str(rlimit), answer)).encode()).hexdigest()


def open_store(folder: Path) -> AnswerStore | str:
    """The store in a folder, which is made if it is missing; or why answers are not kept there.

    A folder of somebody else's, or one that others may write, is left alone: its answers prove nothing.
    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        told = folder.stat()
        if told.st_uid != os.getuid():
            return f"{folder} belongs to another user"
        if stat.S_IMODE(told.st_mode) & 0o022:
            return f"{folder} can be written by others"
        if not os.access(folder, os.W_OK | os.X_OK):
            return f"{folder} cannot be written"
    except OSError as error:
        return f"{folder}: {error.strerror or error}"
    store = AnswerStore(folder)
    store.get("")
    return store.damage or store


def default_folder(environment: Mapping[str, str]) -> Path | None:
    """`$XDG_CACHE_HOME/fltc`, or `~/.cache/fltc`, as the XDG Base Directory Specification says; None without a home."""
    given = Path(environment.get("XDG_CACHE_HOME", ""))
    if given.is_absolute():
        return given / "fltc"
    home = Path(environment.get("HOME", ""))
    return home / ".cache" / "fltc" if home.is_absolute() else None
