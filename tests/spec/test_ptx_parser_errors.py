"""What the PTX parser refuses: each message, at its line and column, with the caret under it.

In the texts below `@@` marks the place that the error must point at; it is taken out before parsing.
"""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spec.errors import PtxSyntaxError
from spec.ptx.parser import parse
from tests.fuzz_ptx import accepts, texts, words

HEAD = ".version 8.0\n.target sm_90\n.address_size 64\n"
REGISTERS = "\t.reg .b32 %r<4>;\n\t.reg .b64 d;\n\t.reg .pred p;\n"

FILES = [
    ("@@", "expected '.version' at the start of the file, found the end of the file"),
    ("@@.target sm_90", "expected '.version' at the start of the file, found '.target'"),
    (".version @@8", "expected a version, such as 8.0, found '8'"),
    (".version @@8.70", "expected a version, such as 8.0, found '8.70'"),
    (".version @@5.0", "PTX version 5.0 is not read; 6.0 to 9.x are"),
    (".version @@10.0", "PTX version 10.0 is not read; 6.0 to 9.x are"),
    (".version 8.0 @@.entry", "expected '.target' after '.version', found '.entry'"),
    (".version 8.0 .target @@compute_90", "expected an architecture, such as sm_90, found 'compute_90'"),
    (".version 8.0 .target sm_90, @@fast", "expected one of debug, map_f64_to_f32, texmode_independent, "
     "texmode_raw, texmode_unified, found 'fast'"),
    (".version 8.0 .target sm_90 .address_size @@16", "expected an address size of 32 or 64, found '16'"),
    (HEAD + "// caf@@\xe9", "non-ASCII character U+00E9; PTX is ASCII text"),
    (HEAD + "@@\udc80", "non-ASCII character U+DC80; PTX is ASCII text"),
    (HEAD + "/* */ @@/* open", "comment is not closed; expected '*/'"),
    (HEAD + '.pragma @@"open\n;', "string is not closed; expected '\"' on the same line"),
    (HEAD + "@@\v", "unexpected character '\\x0b'"),
    (HEAD + "@@#", "unexpected character '#'"),
    (HEAD + ".global .u32 x = @@0x;", "malformed number '0x'"),
    (HEAD + ".global .u32 x = @@08;", "malformed number '08'"),
    (HEAD + ".global .u32 x = @@" + "9" * 900 + ";", "number of 900 characters; at most 800"),
    (HEAD + "@@.version 8.0", "'.version' stands once, at the start of the file"),
    (HEAD + "@@.reg .u32 x;", "registers are declared inside functions"),
    (HEAD + "@@.local .u32 x;", "'.local' variables are declared inside functions"),
    (HEAD + "@@.unknown", "unknown directive '.unknown'"),
    (HEAD + ".visible @@x", "expected a variable, '.entry' or '.func', found 'x'"),
    (HEAD + ".entry k() {\n.loc @@1 1 1\nret; }",
     "file 1 is not declared; expected a '.file 1' in this module, often at its end: is the file whole?"),
    (HEAD + '.pragma @@x;', "expected the text of a '.pragma', found 'x'"),
    (HEAD + '.pragma "x"@@', "expected ';' after a '.pragma', found the end of the file"),
    (HEAD + ".func f() { ret; }\n.alias @@g, f;", "'g' is not a function declared before"),
    (HEAD + ".func f() { ret; }\n.alias f@@;", "expected ',' between the names of an '.alias', found ';'"),
    (HEAD + ".func f();\n.alias f, f@@", "expected ';' after an '.alias', found the end of the file"),
    (HEAD + ".file @@x", "expected a file index, an integer, found 'x'"),
    (HEAD + ".file 1 @@x", "expected the name of a file, found 'x'"),
    (HEAD + '.file 1 "a", @@x', "expected the time of a file, an integer, found 'x'"),
    (HEAD + '.file 1 "a", 5, @@x', "expected the size of a file, an integer, found 'x'"),
    (HEAD + '.file 1 "a"\n.file @@1 "b"', "file 1 is already declared"),
    (HEAD + ".section @@x", "expected the name of a section, found 'x'"),
    (HEAD + ".section .debug_x @@;", "expected '{' before the data of a section, found ';'"),
    (HEAD + ".section .debug_x @@{ .b8 1", "section is not closed; expected '}'"),
    # variables
    (HEAD + ".global @@x;", "expected a type, such as '.u32', found 'x'"),
    (HEAD + ".global @@.u33 x;", "unknown type '.u33'"),
    (HEAD + ".global @@.pred x;", "only registers may be '.pred'"),
    (HEAD + ".global @@.texref x;",
     "opaque type '.texref' is not supported; pass textures and surfaces as .u64 handles"),
    (HEAD + ".global .u32 @@5;", "expected the name of a variable, found '5'"),
    (HEAD + ".global .u32 @@%laneid;", "'%laneid' is predefined and cannot be declared"),
    (HEAD + ".global .u32 x@@\n.global .u32 y;", "expected ';' after a variable declaration, found '.global'"),
    (HEAD + ".global .u32 x;\n.global .u32 @@x;", "'x' is already declared as a variable"),
    (HEAD + ".func x();\n.global .u32 @@x;", "'x' is already declared as a function"),
    (HEAD + ".extern .global .u32 x;\n.global .f32 @@x;", "'x' was declared with other types before"),
    (HEAD + ".common @@.const .u32 x;", "only '.global' variables may be '.common'"),
    (HEAD + ".global .align @@3 .u32 x;", "alignment 3 is not a power of two"),
    (HEAD + ".global .align @@0 .u32 x;", "an alignment must be at least 1, not 0"),
    (HEAD + ".global .align @@.u32 x;", "expected an alignment, an integer, found '.u32'"),
    (HEAD + ".global .v4 @@.f64 x;", "vector type '.v4 .f64' is wider than 128 bits"),
    (HEAD + ".global .u32 x[@@0];", "an array extent must be at least 1, not 0"),
    (HEAD + ".global .u32 x[@@0x8000000000000000];", "array extent is not below 2^63"),
    (HEAD + ".global .u32 x[@@y];", "expected an array extent, an integer, found 'y'"),
    (HEAD + ".global .u32 x[2@@;", "expected ']' after an array extent, found ';'"),
    (HEAD + ".global .u32 @@x[];", "array 'x' has an open extent but is neither .extern nor initialised"),
    (HEAD + ".global .u32 x<@@y>;", "expected the number of names in 'x<', an integer, found 'y'"),
    (HEAD + ".global .u32 x<@@0>;", "the number of names in 'x<' must be at least 1, not 0"),
    (HEAD + ".global .u32 x<2@@;", "expected '>' after the number of names in 'x<', found ';'"),
    (HEAD + ".global .u32 x<@@9999999>;", "names declared by '<N>' have more than 4194304 characters in this file"),
    (HEAD + ".global .attribute @@x", "expected '(' after '.attribute', found 'x'"),
    (HEAD + ".global .attribute(@@.x)", "unknown attribute '.x'; there are .managed and .unified"),
    (HEAD + ".global .attribute(.managed @@.u32", "expected ')' after an attribute, found '.u32'"),
    (HEAD + ".global .attribute(.unified @@)", "expected '(' after '.unified', found ')'"),
    (HEAD + ".global .attribute(.unified(@@))", "expected the first half of an identifier, an integer, found ')'"),
    (HEAD + ".global .attribute(.unified(1@@))", "expected ',' between the halves of an identifier, found ')'"),
    (HEAD + ".global .attribute(.unified(1,@@))", "expected the second half of an identifier, an integer, found ')'"),
    (HEAD + ".global .attribute(.unified(1,2@@;", "expected ')' after the identifier of '.unified', found ';'"),
    # initialisers
    (HEAD + ".shared .u32 x @@= 4;", "a '.shared' variable cannot be initialised; '.global' and '.const' can"),
    (HEAD + ".global .f16 x = @@1.0;",
     "a variable of type '.f16' cannot be initialised; declare it '.b16' or '.b32'"),
    (HEAD + ".global .u32 x[2] = @@4;", "expected '{' before the elements of an array, found '4'"),
    (HEAD + ".global .v2 .u32 x = @@4;", "expected '{' before the elements of a vector, found '4'"),
    (HEAD + ".global .u32 x[2] = {1, 2@@;", "expected '}' after the elements of an initialiser, found ';'"),
    (HEAD + ".global .u32 x[2] = {1, 2, @@3};", "initialiser has more elements than the extent 2"),
    (HEAD + ".global .u32 x[] = @@{};", "an array with an open extent needs at least one element"),
    (HEAD + ".global .v2 .u32 x = {1@@};", "a vector of 2 components is initialised with 1"),
    (HEAD + ".global .u32 x[9][600000] = {{1}, {2}, @@{3}};",
     "initialisers of this file leave out more than 1048576 elements in braces"),
    (HEAD + ".global .u32 x" + "[1]" * 65 + " = @@1;", "initialised array has more than 64 extents"),
    (HEAD + ".global .u32 x = @@1.0;", "this value does not initialise the type '.u32'"),
    (HEAD + ".global .f32 x = @@1;", "this value does not initialise the type '.f32'"),
    (HEAD + ".global .u32 x = @@;", "expected a constant or a symbol, found ';'"),
    (HEAD + ".global .u64 x = @@y;", "'y' is not a variable or function declared before"),
    (HEAD + ".global .u64 y, x = generic(y@@;", "expected ')' after the symbol of 'generic(', found ';'"),
    (HEAD + ".global .u64 y; .global .u8 x = 0xFF(y@@;", "expected ')' after a masked symbol, found ';'"),
    (HEAD + ".global .u64 y, x = y @@- 4;", "an offset follows '+'; write a negative one as '+-8'"),
    # heads of functions
    (HEAD + ".entry @@{", "expected the name of a kernel, found '{'"),
    (HEAD + ".func @@{", "expected the name of a function, found '{'"),
    (HEAD + ".func f()@@", "expected ';' after the declaration of 'f', found the end of the file"),
    (HEAD + ".func f(@@.u32 x)", "expected '.param' or '.reg', found '.u32'"),
    (HEAD + ".func f(.param .u32 x@@;", "expected ')' after the parameters of 'f', found ';'"),
    (HEAD + ".func f(.param .u32 @@;", "expected the name of a parameter, found ';'"),
    (HEAD + ".func f(.param .u32 @@_);", "only a call prototype may leave a parameter unnamed"),
    (HEAD + ".entry f(@@.reg .u32 x)", "a kernel takes '.param' parameters only"),
    (HEAD + ".entry f(.param .u32 x, .param .u32 @@x)", "parameter 'x' is declared twice"),
    (HEAD + ".entry f(.param .u32 @@x[2][2])", "parameter 'x' has more than one extent"),
    (HEAD + ".entry f(.param .b8 @@x[])", "parameter 'x' of a kernel has an open extent"),
    (HEAD + ".entry f(.param .u64 x, @@.param .b8 y[32757])",
     "the parameters of 'f' take 32765 bytes, at most 32764 are allowed"),
    (HEAD + ".func f(.param .b8 x[]@@, .param .b8 y)", "only the last parameter may have an open extent"),
    (HEAD + ".func f(.reg .b32 @@x[2])", "register 'x' cannot be an array"),
    (HEAD + ".func (.param .u32 a, .param .u32 b@@) f()", "several results must be '.reg'"),
    (HEAD + ".func f(.param .u32 x);\n.func @@f(.param .f32 x) { ret; }", "'f' was declared with other types before"),
    (HEAD + ".func f() { ret; }\n.func @@f() { ret; }", "'f' is already declared as a function"),
    (HEAD + ".entry f @@.noreturn", "directive '.noreturn' does not stand in the head of a kernel"),
    (HEAD + ".func f @@.maxntid 4", "directive '.maxntid' does not stand in the head of a function"),
    (HEAD + ".entry f .maxnreg 4 @@.maxnreg 4", "directive '.maxnreg' stands twice in the head of this function"),
    (HEAD + ".entry f .maxnreg @@{", "expected a value of '.maxnreg', an integer, found '{'"),
    (HEAD + ".entry f .maxntid @@0", "a value of '.maxntid' must be at least 1, not 0"),
    (HEAD + ".entry f @@{ ret;", "body of 'f' is not closed; expected '}'"),
]  # fmt: skip

BODIES = [
    ("@@5;", "expected a statement, found '5'"),
    ("@@;", "expected a statement, found ';'"),
    ("@@.section .x {}", "directive '.section' does not stand in the body of a function"),
    ("@@.extern .shared .b8 s[];", "directive '.extern' does not stand in the body of a function"),
    (".reg @@.v2 .u32 x;", "vector registers are not supported; declare one register for each component"),
    (".reg @@.f31 x;", "unknown type '.f31'"),
    (".reg .u32 @@;", "expected the name of a register, found ';'"),
    (".reg .u32 @@x[2];", "register 'x' cannot be an array"),
    (".reg .u32 x@@ y;", "expected ';' after a '.reg' declaration, found 'y'"),
    (".reg .u32 x, @@x;", "'x' is already declared in this scope as a register"),
    (".reg .u32 @@%r2;", "'%r2' is already declared in this scope as a register"),
    (".reg .u32 @@n;", "'n' is already declared in this scope as a parameter"),
    (".shared .u32 x; .reg .u32 @@x;", "'x' is already declared in this scope as a variable"),
    ("L: @@L: ret;", "'L' is already declared in this scope as a label"),
    ("{ ret; } }\n@@}", "expected a variable, '.entry' or '.func', found '}'"),
    ("@@WARP_SZ: ret;", "'WARP_SZ' cannot be a label"),
    ("@@a.b: ret;", "'a.b' cannot be a label"),
    ("{" * 63 + "@@{", "scopes are nested deeper than 64"),
    ("@@MOV.u32 %r1, %r2;", "expected an instruction, found 'MOV.u32'"),
    ("@p @@;", "expected an instruction, found ';'"),
    ("@@@5 ret;", "expected a predicate register, found '5'"),
    ("@@@%r1 ret;", "a guard must be a predicate register; '%r1' is not"),
    ("@!@@q ret;", "'q' is not declared"),
    ("mov.u32 %r1, %r2@@\n\tret;", "expected ';' after 'mov.u32', found 'ret'"),
    ("bar.sync 0@@ }", "expected ';' after 'bar.sync', found '}'"),
    ("mov.u32 @@%r9, %r2;", "register '%r9' is not declared"),
    ("mov.u32 %r1, @@x;", "'x' is not declared"),
    ("{ .reg .u32 x; } mov.u32 %r1, @@x;", "'x' is not declared"),
    ("mov.u32 %r1, @@x; .reg .u32 x;", "'x' is not declared"),
    ("mov.u32 %r1, @@;", "expected an operand, found ';'"),
    ("mov.u32 %r1, @@[[d]];".replace("@@[[", "[@@["),
     "expected a register, a symbol or a constant in an address, found '['"),
    ("ld.global.u32 %r1, [@@x];", "'x' is not declared"),
    ("ld.global.u32 %r1, [@@1.0];", "an absolute address must be an integer"),
    ("ld.global.u32 %r1, [d@@;", "expected ']' after an address, found ';'"),
    ("ld.global.u32 %r1, [d@@-8];", "an offset follows '+'; write a negative one as '+-8'"),
    ("ld.global.u32 %r1, [d+@@1.0];", "an address offset must be an integer"),
    ("ld.global.u32 %r1, [d+@@%r1];", "expected a constant, found '%r1'"),
    ("ld.param.u32 %r1, n@@[0];", "indexing an array is not supported; write its byte offset, 'a+4'"),
    ("mov.b64 {%r1, %r2@@;", "expected '}' after a vector, found ';'"),
    ("mov.b64 {%r1, @@{%r2}}, d;", "expected an operand, found '{'"),
    ("call @@f, (%r1);", "'f' is not declared"),
    ("call d, (%r1@@;", "expected ')' after the list of a call, found ';'"),
    ("elect.sync %r1|@@5, -1;", "the second of two results must be a register or '_'"),
    ("elect.sync 5|@@p, -1;", "expected a constant, found 'p'"),
    ("mov.b32 %r1, @@%r2.b9;", "a register has no part '.b9'"),
    ("mov.b32 %r1, @@n.b1;", "'n' is a parameter, which has no part '.b1'"),
    ("setp.eq.and.u32 p, %r1, 0, !@@%r2;", "operand of '!' must be a predicate register; '%r2' is not"),
    # labels
    ("bra @@L;", "label 'L' is not defined in this scope"),
    ("{ L: ret; } bra @@L;", "label 'L' is not defined in this scope"),
    ("bra @@%r1;", "expected a label; '%r1' is a register"),
    ("bra @@5;", "expected a label, found '5'"),
    ("bra L@@+4; L:", "expected ';' after 'bra', found '+'"),
    ("t: .branchtargets @@x;", "label 'x' is not defined in this scope"),
    ("t: .branchtargets t2@@ t2; t2:", "expected ';' after '.branchtargets', found 't2'"),
    ("t: .calltargets @@x;", "function 'x' is not defined before this line"),
    ("t: .calltargets @@n;", "expected a function; 'n' is a parameter"),
    ("brx.idx %r1, @@t; L: t: .branchtargets L;", "'t' is not declared"),
    ("t: .callprototype @@x ();", "expected '_' for the name of a '.callprototype', found 'x'"),
    ("t: .callprototype (.param .u32 _@@; ",
     "expected ')' after the parameters of the results of a '.callprototype', found ';'"),
    ("t: .callprototype _ (.param .u32 _@@; ", "expected ')' after the parameters of a '.callprototype', found ';'"),
    ("t: .callprototype _ ()@@ ret;", "expected ';' after a '.callprototype', found 'ret'"),
    # source positions
    (".loc @@x", "expected a file index, an integer, found 'x'"),
    (".loc @@7 1 1", "file 7 is not declared; expected a '.file 7' in this module"),
    (".loc 1 @@x", "expected a line of a '.loc', an integer, found 'x'"),
    (".loc 1 2 @@ret;", "expected a column of a '.loc', an integer, found 'ret'"),
    (".loc 1 2 3, @@x", "expected 'function_name' after ',' in a '.loc', found 'x'"),
    (".loc 1 2 3, function_name @@5", "expected the label of a function's name, found '5'"),
    (".loc 1 2 3, function_name x+@@y", "expected the offset of a function's name, an integer, found 'y'"),
    (".loc 1 2 3, function_name x @@y", "expected ',' after the function's name in a '.loc', found 'y'"),
    (".loc 1 2 3, function_name x, @@y", "expected 'inlined_at' after the function's name in a '.loc', found 'y'"),
    # constant expressions
    ("mov.u32 %r1, @@0x10000000000000000;", "integer constant does not fit in 64 bits"),
    ("mov.f32 %r1, @@1e999;", "floating constant is larger than any double"),
    ("mov.u32 %r1, 1 @@/ 0;", "division by zero in a constant expression"),
    ("mov.u32 %r1, 1 @@% 0;", "division by zero in a constant expression"),
    ("mov.f32 %r1, 1.0 @@/ 0.0;", "division by zero in a constant expression"),
    ("mov.f32 %r1, 1.0 @@% 2.0;", "'%' needs integers"),
    ("mov.f32 %r1, 1.0 @@&& 2.0;", "'&&' needs integers"),
    ("mov.f32 %r1, 1 @@+ 2.0;", "'+' needs two integers or two doubles (0f literals take part in none)"),
    ("mov.f32 %r1, 0f3F800000 @@+ 2.0;", "'+' needs two integers or two doubles (0f literals take part in none)"),
    ("mov.f32 %r1, @@-0f3F800000;", "'-' does not apply to this constant"),
    ("mov.f32 %r1, @@~1.0;", "'~' does not apply to this constant"),
    ("mov.u32 %r1, @@1.0 ? 2 : 3;", "the condition of '?' must be an integer"),
    ("mov.u32 %r1, 1 @@? 2 : 3.0;", "the cases of '?' must be both integers or both doubles"),
    ("mov.u32 %r1, 1 ? 2@@;", "expected ':' between the cases of '?', found ';'"),
    ("mov.u32 %r1, (1@@;", "expected ')' after a constant expression, found ';'"),
    ("mov.u32 %r1, (.u64 @@1;", "expected ')' after the type of a cast, found '1'"),
    ("mov.u32 %r1, (.s64) @@1.0;", "a cast needs an integer"),
    ("mov.u32 %r1, " + "(" * 64 + "@@(1", "constant expression is nested deeper than 64"),
    ("mov.u32 %r1, 1 + @@;", "expected a constant, found ';'"),
    ("mov.u32 %r1, " + "-" * 64 + "@@-1;", "constant expression is nested deeper than 64"),
]  # fmt: skip

def check(marked: str, message: str) -> None:
    before, _, after = marked.rpartition("@@")
    with pytest.raises(PtxSyntaxError) as caught:
        parse(before + after, name="k.ptx")
    error = caught.value
    line, column = before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1
    assert (error.message, error.file, error.line, error.column) == (message, "k.ptx", line, column)
    head, shown, caret = str(error).split("\n")
    assert head == f"k.ptx:{line}:{column}: {message}"
    source = (before + after).split("\n")[line - 1]
    assert shown == "  " + re.sub(r"[^ -~]", "?", re.sub(r"[\t\v]", " ", source))
    assert caret == " " * (column + 1) + "^"

@pytest.mark.parametrize(("marked", "message"), FILES)
def test_file_is_refused(marked: str, message: str) -> None:
    check(marked, message)

@pytest.mark.parametrize(("marked", "message"), BODIES)
def test_body_is_refused(marked: str, message: str) -> None:
    head = f'{HEAD}.file 1 "k.cu"\n.entry k(.param .u32 n)\n{{\n{REGISTERS}\t'
    check(f"{head}{marked}\n}}\n", message)

# --- hostile texts ----------------------------------------------------------------------------------------------

CHUNK = 60

@pytest.mark.parametrize("seed", range(8))
def test_mutated_samples_end_in_a_module_or_a_syntax_error(seed: int) -> None:
    accepted = sum(accepts(text) for text in texts(CHUNK, seed))
    assert 0 < accepted < CHUNK

@settings(max_examples=500, deadline=None)
@given(st.text(max_size=60))
def test_any_text_ends_in_a_syntax_error(text: str) -> None:
    assert not accepts(text)

@settings(max_examples=500, deadline=None)
@given(st.lists(st.sampled_from(words()), max_size=30))
def test_any_words_end_in_a_module_or_a_syntax_error(found: list[str]) -> None:
    accepts(f"{HEAD}.entry k(.param .u32 n)\n{{\n{REGISTERS}{' '.join(found)}\n}}\n")

MANY = 100_000

@pytest.mark.parametrize(
    "statements",
    [
        "{" * MANY,
        "mov.b32 %r1, " + "(" * MANY,
        "mov.b32 %r1, " + "~" * MANY,
        "mov.b32 %r1, " + "1 ? 1 : " * MANY,
        "mov.b32 %r1, {" + "{" * MANY,
        "mov.b32 %r1, " + "[%r1, " * MANY,
        "call " + "(" * MANY,
        "L:}{" * MANY,
        "/*" * MANY,
        '"' * MANY,
        ".reg .b32 %q<4294967295>;",
    ],
    ids=lambda statements: statements[-12:],
)
def test_deep_and_open_texts_are_refused(statements: str) -> None:
    assert not accepts(f"{HEAD}.entry k()\n{{\n{REGISTERS}{statements}\n}}\n")

def test_long_flat_texts_are_read() -> None:
    statements = "bra.uni L; " * 2000 + "L: mov.b32 %r1, " + "1 + " * 2000 + "1;"
    statements += "{ .reg .b32 x; mov.b32 x, 0; }" * 500
    assert accepts(f"{HEAD}.entry k()\n{{\n{REGISTERS}{statements}\n}}\n")
