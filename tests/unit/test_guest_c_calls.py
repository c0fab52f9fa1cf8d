from __future__ import annotations

import pytest

from grader.guest.c_calls import calls_in, hides_lines, uses_in

NAMES = ("getchar", "getc")


def body(statements: str) -> str:
    return f'# 1 "a.c"\nint main(void)\n{{\n{statements}\n}}\n'


@pytest.mark.parametrize(
    "statement",
    [
        "getchar();",
        "getchar ( ) ;",
        "c = getchar();",
        "return getchar();",
        "if (0) getchar();",
        "else getchar();",
        "x = 0 && getchar();",
        "(void)sizeof(getchar());",
        "(getchar)(), getchar();",
        "-getchar();",
        "'\\'' + getchar();",
        'L"\\"" [getchar()];',
        "again: getchar();",
        "{ { getchar(); } }",
    ],
)
def test_calls(statement: str) -> None:
    assert calls_in(body(statement), NAMES) == {"getchar": 3}


@pytest.mark.parametrize(
    "statement",
    [
        "int getchar(void);",
        "extern int getchar();",
        "s.getchar();",
        "p->getchar();",
        '"getchar()";',
        'u8"\\"getchar()";',
        "'getchar()';",
        'R"x(")" getchar() )x";',
        "my_getchar(); getchar_unlocked(); getchar$();",
        "0xgetchar();",
        "1e+getchar();",
        "int getchar = 0;",
        "f(getchar);",
    ],
)
def test_what_is_not_a_call(statement: str) -> None:
    assert calls_in(body(statement), NAMES) == {}


def test_a_raw_string_of_two_lines() -> None:
    assert calls_in(body('R"x(getchar();\n)" getchar(); )x"; getchar();'), NAMES) == {"getchar": 4}


def test_a_declaration_outside_functions_is_not_a_call() -> None:
    assert calls_in("int getchar(void);\nint (getchar)(void);\n", NAMES) == {}


def test_the_line_is_that_of_the_source() -> None:
    header = '# 0 "a.c"\n# 1 "/usr/include/stdio.h" 1 3 4\nint f(void) { return getchar(); }\n'
    own = '# 7 "a.c" 2\n\nint g(void)\n{\ngetc(\n# 11 "a.c" 3 4\nstdin\n# 11 "a.c"\n);\ngetchar();\n}\n'
    assert calls_in(header + own, NAMES) == {"getc": 10, "getchar": 12}


def test_a_line_that_claims_to_be_of_another_file_is_the_students() -> None:
    assert calls_in('# 1 "/usr/include/stdio.h"\nint f(void) { return getchar(); }\n', NAMES) == {"getchar": 1}


@pytest.mark.parametrize("pattern", ['R"(', "'", "'\\", '"', "{", "1e+"])
@pytest.mark.timeout(20)
def test_text_that_is_no_c_ends(pattern: str) -> None:
    assert calls_in(pattern * 100_000, NAMES) == {}


def test_a_line_number_of_thousands_of_digits_is_text() -> None:
    # gcc -E leaves the newlines in R"(…)" as they are.
    forged = f'const char *s = R"(\n# {"9" * 6_000} "a.c"\n)";\nint f(void)\n{{\ngetchar();\n}}\n'
    assert calls_in(forged, NAMES) == {"getchar": 6}


@pytest.mark.parametrize(
    "text",
    [
        body("strlen(s);"),
        body("n = __builtin_strlen(s);"),
        body("__builtin___strlen_chk(s);"),
        body("f = strlen;"),
        "size_t (*f)(const char *) = strlen;\n",
        "size_t (*f)(const char *) = IS_FAST ? strlen : own;\n",
        "#pragma redefine_extname own strlen\n",
        '#pragma R"(\n' + body("strlen(s);"),
        # A name can be put together where no word shows it.
        'size_t own(const char *) __asm__("str" "len");\n',
        '__asm__("jmp str" "len");\n',
        'static size_t own(const char *) __attribute__((weakref("str" "len")));\n',
    ],
)
def test_uses(text: str) -> None:
    assert uses_in(text, ("strlen",)) == {"strlen"}


@pytest.mark.parametrize(
    "text",
    [
        "extern size_t strlen(const char *s);\n",
        '# 1 "string.h" 1 3 4\nint f(const char *s) { return strlen(s); }\n# 2 "a.c" 2\n',
        body("s.strlen(s); p->strlen = 0;"),
        body('puts("strlen()");'),
        body("my_strlen(s); strlen_(s);"),
    ],
)
def test_what_is_no_use(text: str) -> None:
    assert uses_in(text, ("strlen",)) == set()


@pytest.mark.parametrize(
    ("source", "hides"),
    [
        (b'#include "own.h"\n/* # 1 */ int main(void) { return 0; } // item #1\n', False),
        (b'puts("# 1 is not a mark");\n', False),
        (b'# 1 "x.h" 3\n', True),
        (b'  #line 1 "x.h"\n', True),
        (b'/* text\n*/ # 1 "x.h" 3\n', True),
        (b'#/**/1 "x.h" 3\n', True),
        (b'#\\\n1 "x.h" 3\n', True),
        (b'??=1 "x.h" 3\n', True),
        (b'%: 1 "x.h" 3\n', True),
        (b'R"(\n# 1 "x.h" 3\n)"', True),
        (b'R"(\\\n# 1 "x.h" 3\n)"', True),
        (b"#pragma GCC system_header\n", True),
        (b"#pragma GCC system_\\\nheader\n", True),
        (b'_Pragma("GCC poison")\n', True),
    ],
)
def test_a_source_that_may_hide_its_own_lines(source: bytes, *, hides: bool) -> None:
    assert hides_lines(source) == hides
