"""Say what to do about the errors that beginners' programs most often do not compile with: a table of messages."""

from __future__ import annotations

import re
from difflib import get_close_matches
from typing import NamedTuple

_UNISTD = "read write close lseek fsync isatty pause sleep getpid STDIN_FILENO STDOUT_FILENO STDERR_FILENO ssize_t"
_STDIO = "getchar getc fgetc fgets fread putchar putc fputc fputs fwrite puts printf fprintf perror fflush"
_STDLIB = "exit abort atoi strtol malloc calloc realloc free EXIT_SUCCESS EXIT_FAILURE"
_STRING = "strlen strcmp strncmp strchr strrchr strstr memcpy memset memchr strerror"
_FCNTL = "open creat fcntl O_RDONLY O_WRONLY O_RDWR O_CREAT O_TRUNC O_APPEND O_EXCL O_NONBLOCK F_GETFL F_SETFL"
_SIGNAL = "signal sigaction kill raise SIGINT SIGTERM SIGKILL SIGPIPE SIGCHLD SIGALRM SIGUSR1 SIGUSR2 SIG_DFL SIG_IGN"
_STAT = "stat fstat mkdir S_IRUSR S_IWUSR S_IRGRP S_IROTH S_ISDIR S_ISREG"
_TYPES = "pid_t mode_t off_t uid_t gid_t"
_WAIT = "wait waitpid WNOHANG WIFEXITED WEXITSTATUS WIFSIGNALED WTERMSIG"
_HEADER_OF = {
    name: header
    for header, names in (
        *(("unistd.h", _UNISTD), ("stdio.h", _STDIO), ("stdlib.h", _STDLIB), ("string.h", _STRING)),
        *(("fcntl.h", _FCNTL), ("signal.h", _SIGNAL), ("sys/stat.h", _STAT), ("sys/types.h", _TYPES)),
        ("sys/wait.h", _WAIT),
    )
    for name in names.split()
}
"""Headers of names that gcc does not know, or for which not every version proposes one."""

_OTHERS = "assert.h ctype.h errno.h limits.h math.h pthread.h stdbool.h stddef.h stdint.h time.h"
_HEADERS = sorted({*_HEADER_OF.values(), *_OTHERS.split()})
_CLOSE = 0.75
"""How similar the name of a header must be to that of another to be a misspelling (difflib)."""

_MISSING = re.compile(r"(\.c)?:\d+:\d+: fatal error: ([\w./+-]{1,100}): No such file or directory")
_MISSING_HEADER = "Check the name of this header: it is not on the machine that compiles."


class CompileError(NamedTuple):
    """An error of gcc's, what to do about it, with `{0}` for what is in parentheses, and code that has it.

    The pattern may go on in the notes below the error. `is_outside`: it is only about code outside of functions.
    """

    pattern: str
    advice: str
    example: str
    is_outside: bool = False


_NAME = r"'(\w{1,60})'"

COMPILE_ERRORS = (
    CompileError(
        r"stray '\\\d{3}' in program|extended character .{1,20} is not valid",
        "This line has a character that does not belong in C, perhaps a space, a quotation mark or a dash that only"
        " looks right: type that part again.",
        "char *s = “a”;",
    ),
    CompileError(
        r"stray '#' in program", "A directive such as #include needs a line of its own.", "int a; #define N 3"
    ),
    CompileError(r"stray '(.|\\)' in program", "{0} has no meaning here: remove it.", "int a = 1 @ 2;"),
    CompileError(
        r"missing terminating ([\"']) character",
        "A {0} is never closed: each {0} needs another one in the same line.",
        'int f(void) { return puts("a); }',
    ),
    CompileError(
        r"'else' without a previous 'if'",
        "The if is already over where this else comes: remove a ; after its condition or after its }}, or put braces"
        " around what it does.",
        "int f(int a) { if (a); a = 1; a = 2; else a = 3; return a; }",
    ),
    CompileError(
        rf"{_NAME} undeclared",
        "Declare {0} before this line, in the same block or one around it, and check how it is written.",
        "int f(void) { for (int i = 0; i < 3; i++) ; return i; }",
    ),
    CompileError(
        rf"unknown type name {_NAME}; use '(\w+)' keyword",
        "Write {1} before {0}.",
        "struct node { int a; }; node *b;",
    ),
    CompileError(
        rf"unknown type name {_NAME}",
        "There is no type {0}: check how it is written, or declare it above.",
        "boolean a;",
    ),
    CompileError(
        rf"redefinition of {_NAME}",
        "{0} is defined twice: remove one of the two, or give it another name. To assign to a variable, leave out its"
        " type.",
        "int f(void) { int a = 1; int a = 2; return a; }",
    ),
    CompileError(
        rf"conflicting types for {_NAME}(?s:.{{1,2000}}?)note: previous implicit declaration of '\1'",
        "Declare {0} above the line that first calls it.",
        "int g(void) { return f(); } double f(void) { return 1; }",
    ),
    CompileError(
        rf"conflicting types for {_NAME}",
        "{0} is declared twice, in different ways. If a header declares the other one, give yours another name.",
        "long f(void); int f(void) { return 1; }",
    ),
    CompileError(
        r"lvalue required as left operand of assignment",
        "Only a variable can be assigned to: compare with ==, and put an assignment in a condition in parentheses.",
        "int f(int a) { return 1 = a; }",
    ),
    CompileError(
        r"assignment to expression with array type",
        "An array cannot be assigned to: assign to its elements, or copy them with memcpy or strcpy.",
        "void f(void) { int a[2]; a = 0; }",
    ),
    CompileError(
        r"(break|continue|case label) (?:statement )?not within (?:a )?(loop or switch|loop|switch)",
        "This {0} is not in a {1}: look for a }} above that ends it too early.",
        "void f(void) { break; }",
    ),
    CompileError(
        rf"too (?:few|many) arguments to function {_NAME}",
        "Compare this call of {0} with how the function is declared: it needs the same number of arguments.",
        "int f(int a) { return f(a, 2); }",
    ),
    CompileError(
        r"void value not ignored",
        "This function returns nothing, so its call cannot be a value: call it in a statement of its own.",
        "void f(void) { int a = f(); }",
    ),
    CompileError(
        rf"called object {_NAME} is not a function",
        "{0} is a variable and cannot be called: an operator may be missing, or a function has the same name.",
        "int f(int a) { return a(); }",
    ),
    CompileError(
        r"request for member '\w{1,60}' in something not a structure",
        "What is left of the . or -> is not a struct: check its type.",
        "int f(int a) { return a.b; }",
    ),
    CompileError(
        r"expected identifier or '\(' before '(?:if|while|for|do|return|switch|\}|\+\+)'",
        "This line is outside of every function: a }} above ends the function too early.",
        "int f(int a) { return a; } return 1;",
        is_outside=True,
    ),
    CompileError(
        r"invalid suffix .{1,60} on integer constant|invalid digit .{1,9} in octal constant",
        "A number has only digits, and does not begin with 0 unless it is octal. A name does not begin with a digit.",
        "int a = 08;",
    ),
)


def advice_on(message: str, messages: str) -> str | None:
    """Return what to do about the first error of a compilation, None if nothing special is known about it."""
    missing = _MISSING.search(message)
    if missing is not None:
        return _advice_on_header(missing[2], messages, is_c=missing[1] is not None)
    text = messages[messages.index(message) :]
    for error in COMPILE_ERRORS:
        found = re.match(rf"[^\n]*?error: (?:{error.pattern})", text)
        if found is not None and not (error.is_outside and _is_in_function(message, messages)):
            return error.advice.format(*found.groups())
    return None


def _is_in_function(message: str, messages: str) -> bool:
    """Return whether the compiler says that it is in a function when it gives a message."""
    places = re.findall(r": (In function '|At top level:)", messages.partition(message)[0])
    return bool(places) and places[-1].startswith("In")


def _advice_on_header(name: str, messages: str, *, is_c: bool) -> str:
    """Say why a header may be missing: it is misspelt, is not one of the lab's files, or is one of C++."""
    is_own = re.search(rf'#[ \t]*include[ \t]*"{re.escape(name)}"', messages) is not None
    close = get_close_matches(name.removesuffix(".h") + ".h", _HEADERS, 1, _CLOSE)
    meant = f"Check the name of this header: did you mean <{close[0]}>?" if close else _MISSING_HEADER
    if is_own:
        own = f"Only the files that the lab asks for are compiled: move what is needed from {name} into the source."
        return f"{meant} {own}" if close else own
    return meant if close or not is_c or "." in name else f"<{name}> is a header of C++: write the program in C."


def header_of(name: str, messages: str) -> str | None:
    """Return the header that gcc proposes for a name, or one that is known to declare it; None if there is none."""
    quoted = re.escape(f"'{name}'")
    # Bounded, because a source can have gcc write a single line of 64 KB.
    header = "'<([^<>]{1,200})>'"
    proposed = re.search(
        f"note: (?:{quoted} is defined in header {header}|include {header} or provide a declaration of {quoted})",
        messages,
    )
    return next(filter(None, proposed.groups()), None) if proposed is not None else _HEADER_OF.get(name)
