"""PTX text to tokens: one regular expression, linear time, and the only place that knows lines and columns.

Source: PTX ISA 4.2 (comments), 4.3 (statements), 4.4 (identifiers), 4.5 (constants).
"""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import Final

from spec.errors import PtxSyntaxError

# The kinds of a token. A directive is `.reg`; a name may carry dotted parts: an opcode, `%tid.x` or `%r1.b0`.
NAME: Final = "name"
DIRECTIVE: Final = "directive"
INTEGER: Final = "integer"
FLOAT: Final = "float"
STRING: Final = "string"
PUNCTUATION: Final = "punctuation"
END: Final = "end"

# Repetitions of a character are possessive (`++`), so that nothing is scanned twice; open comments and strings
# come last. Groups are not: Python 3.11.2 forgets to go back when a possessive group fails midway. They stand where
# nothing follows, so that they are not tried again.
_TOKEN = re.compile(
    r"""
    (?P<blank>(?:[ \t\r\n\f]++|//[^\n]*+|/\*(?s:.*?)\*/)+)
  | (?P<name>(?:[A-Za-z_][\w$]*+|[$%][\w$]++)(?:(?:\.|::)\w++)*)
  | (?P<directive>\.[A-Za-z_]\w*+(?:::\w++)*)
  | (?P<float>(?:0[fF][0-9a-fA-F]{8}|0[dD][0-9a-fA-F]{16}
      |(?:[0-9]++\.[0-9]*+|\.[0-9]++)(?:[eE][+-]?[0-9]++)?|[0-9]++[eE][+-]?[0-9]++)(?![\w$.]))
  | (?P<integer>(?:0[xX][0-9a-fA-F]++|0[bB][01]++|0[0-7]*+|[1-9][0-9]*+)U?+(?![\w$.]))
  | (?P<string>"[^"\n]*+")
  | (?P<punctuation><<|>>|<=|>=|==|!=|&&|\|\||[-+*/%~!<>&|^?:;,(){}\[\]@=])
  | (?P<number>[0-9][\w$.]*+)
  | (?P<bad>(?s:.))
    """,
    re.VERBOSE | re.ASCII,
)
_LONGEST_NUMBER = 800  # more digits than any double needs, few enough to convert at once


class Source:
    """A text with its name; turns an offset into the error that points there."""

    def __init__(self, text: str, name: str) -> None:
        self.text, self.name = text, name
        self._starts = [0, *(m.end() for m in re.finditer("\n", text))]

    def line(self, offset: int) -> int:
        """The 1-based line of an offset."""
        return bisect_right(self._starts, offset)

    def error(self, offset: int, message: str) -> PtxSyntaxError:
        """The error at an offset; the shown line has one plain column a character, so that the caret stands right."""
        line = self.line(offset)
        start = self._starts[line - 1]
        end = self.text.find("\n", start)
        shown = self.text[start : len(self.text) if end < 0 else end].rstrip("\r")
        shown = "".join(c if " " <= c <= "~" else " " if c in "\t\r\f\v" else "?" for c in shown)
        return PtxSyntaxError(message, file=self.name, line=line, column=offset - start + 1, text=shown)


class Tokens:
    """The tokens of a source as three parallel lists, ending in one END token, and the place of the reader.

    Parallel lists instead of objects: a megabyte of PTX has some 300 000 tokens.
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        self.kinds: list[str] = []
        self.texts: list[str] = []
        self.starts: list[int] = []
        self.at = 0
        self._read()

    def _read(self) -> None:
        source, kinds, texts, starts = self.source, self.kinds, self.texts, self.starts
        if not source.text.isascii():
            place = next(i for i, c in enumerate(source.text) if ord(c) > 127)
            raise source.error(place, f"non-ASCII character U+{ord(source.text[place]):04X}; PTX is ASCII text")
        for match in _TOKEN.finditer(source.text):
            kind = match.lastgroup
            if kind == "blank":
                continue
            word = match.group()
            if kind in ("bad", "number", None):
                raise source.error(match.start(), self._complaint(word))
            if kind in (INTEGER, FLOAT) and len(word) > _LONGEST_NUMBER:
                raise source.error(match.start(), f"number of {len(word)} characters; at most {_LONGEST_NUMBER}")
            if kind == PUNCTUATION and word == "/" and source.text.startswith("*", match.end()):
                raise source.error(match.start(), "comment is not closed; expected '*/'")
            kinds.append(kind)
            texts.append(word)
            starts.append(match.start())
        kinds.append(END)
        texts.append("")
        starts.append(len(source.text.rstrip()))

    @staticmethod
    def _complaint(word: str) -> str:
        if word == '"':
            return "string is not closed; expected '\"' on the same line"
        if word[0].isdigit():
            return f"malformed number {word[:40]!r}"
        return f"unexpected character {word!r}"

    # --- reading ------------------------------------------------------------------------------------------------

    @property
    def kind(self) -> str:
        """Kind of the next token."""
        return self.kinds[self.at]

    @property
    def text(self) -> str:
        """Text of the next token; empty at the end."""
        return self.texts[self.at]

    @property
    def line(self) -> int:
        """1-based line of the next token."""
        return self.source.line(self.starts[self.at])

    def shown(self) -> str:
        """The next token in words, for messages."""
        return "the end of the file" if self.kind == END else repr(self.text[:40])

    def error(self, message: str, at: int | None = None) -> PtxSyntaxError:
        """The error at a token, the next one unless told."""
        return self.source.error(self.starts[self.at if at is None else at], message)

    def take(self) -> str:
        """The next token's text; steps over it. Never steps over the end."""
        text = self.texts[self.at]
        if self.kinds[self.at] != END:
            self.at += 1
        return text

    def accept(self, text: str) -> bool:
        """Step over the next token if it is this one. No string or name equals a punctuation or a directive."""
        if self.texts[self.at] == text:
            self.at += 1
            return True
        return False

    def expect(self, text: str, where: str) -> None:
        """Step over this token, or say what was expected."""
        if not self.accept(text):
            raise self.error(f"expected {text!r} {where}, found {self.shown()}")

    def expect_semicolon(self, what: str) -> None:
        """Step over `;`, or point right behind the last token: the next one is often on another line."""
        if self.accept(";"):
            return
        last = self.at - 1
        raise self.source.error(
            self.starts[last] + len(self.texts[last]), f"expected ';' after {what}, found {self.shown()}"
        )

    def expect_kind(self, kind: str, what: str) -> str:
        """The text of the next token, which must be of this kind."""
        if self.kind != kind:
            raise self.error(f"expected {what}, found {self.shown()}")
        return self.take()
