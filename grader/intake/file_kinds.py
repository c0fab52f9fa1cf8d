"""Kinds of files that students hand in under the name of a source, by their first bytes."""

from __future__ import annotations

import re
from typing import NamedTuple

LOOKED_AT_BYTES = 4000
"""Bytes at the beginning of a file by which its kind is recognised."""

_BLANK = rb"(?:\xef\xbb\xbf)?\s*"
"""What may come first in text."""

_COMMENTS = rb"(?:\xef\xbb\xbf)?(?:\s|//[^\\?\n]*\n|/\*(?:[^*\\]|\*(?!/))*\*/)*"
"""Comments of C and its relatives, without what may move their ends: a backslash, or the trigraph for it."""

_DIRECTIVES = (
    rb"(?:if\w*|el\w+|endif|include\w*|import|define|undef|line|error|warning|pragma|ident|sccs|(?:un)?assert|embed)"
)
_COLOURS = rb"(?:\x1b\[[\d;]*m)*"
"""What programs write before coloured text."""

_HASHES = _BLANK + rb"(?:#(?!\s*" + _DIRECTIVES + rb"\b|[^\n]*(?:/\*|\\))[^\n]*\n\s*)*"
"""Comments of scripts, which preprocessors refuse, or which define nothing."""

_TEXT = "save its text in a file of that name, as plain text in UTF-8"
_PAGE = "download the file itself, and not the page that shows it"
_UNPACK = "unpack it, and hand in the source that is in it"
_OVERWRITTEN = "hand in the source; the name after -o, when you compile, must be another one"
_WHOLE = "hand in the whole source"
_IN_UTF8 = "save it in UTF-8"
_ITSELF = "hand in the file itself"
_ITS_SOURCE = "hand in the source itself"
_IN_LANGUAGE = "hand in the program in {language}"


class FileKind(NamedTuple):
    """A kind of file: a pattern of how it begins, what it is, and what to do. No C and no C++ begins like that."""

    begins: re.Pattern[bytes]
    name: str
    advice: str


def _kinds(*rows: tuple[bytes, str, str]) -> tuple[FileKind, ...]:
    return tuple(FileKind(re.compile(begins, re.IGNORECASE), name, advice) for begins, name, advice in rows)


PACKED = _kinds(
    (rb"PK\x03\x04|PK\x05\x06", "a zip archive", _UNPACK),
    (rb"\x1f\x8b|\x1f\x9d|BZh[1-9]1AY&SY|\xfd7zXZ\0|\x28\xb5\x2f\xfd", "a compressed file", _UNPACK),
    (rb"7z\xbc\xaf|Rar!\x1a|[\s\S]{257}ustar", "an archive", _UNPACK),
)
"""Files in which something is packed, except documents of office programs, which are zip archives, too."""

_NOT_PACKED = _kinds(
    (rb"\xff\xfe\0\0|\0\0\xfe\xff", "in UTF-32, which compilers do not read", _IN_UTF8),
    (rb"\xff\xfe|\xfe\xff", "in UTF-16, which compilers do not read", _IN_UTF8),
    (_BLANK + rb"\{\\rtf", "a document in RTF", _TEXT + " (TextEdit: Format, Make Plain Text)"),
    (_BLANK + rb"<(?:!doctype html|html|head|body|script)\b", "a page in HTML", _PAGE),
    (_BLANK + rb"<[!?a-z]", "a page or document in XML", _PAGE),
    (_BLANK + rb"%(?:PDF-|!PS)", "a document in PDF or PostScript", _TEXT),
    (rb"PK\x03\x04[\s\S]*(?:\[Content_Types\]\.xml|word/)", "a document of Word", _TEXT),
    (rb"PK\x03\x04[\s\S]*application/vnd\.oasis", "a document of LibreOffice", _TEXT),
    (rb"\xd0\xcf\x11\xe0", "a document of Word", _TEXT),
    (rb"\x7fELF|!<arch>\n|MZ[\s\S]{1,62}\0", "a compiled program", _OVERWRITTEN),
    (rb"[\xce\xcf]\xfa\xed\xfe|\xfe\xed\xfa[\xce\xcf]|\xca\xfe\xba\xbe", "a compiled program", _OVERWRITTEN),
    (
        rb"\x89PNG|\xff\xd8\xff|GIF8[79]a[\s\S]{2,4}\0|RIFF[\s\S]{4}WEBP",
        "a picture",
        "hand in the text of the source",
    ),
    (
        rb"version https://git-lfs\.github\.com/",
        "a pointer of Git LFS, and not the file itself",
        "take the source out of Git LFS, and commit it again",
    ),
    (
        rb"(?:\.\./|\.git/|/)*annex/objects/",
        "a pointer of git-annex, and not the file itself",
        "`git annex unlock` puts the file in its place",
    ),
    (
        _BLANK
        + _COLOURS
        + rb"(?:diff --(?:git|cc|combined) |(?:diff [^\n]*\n)?(?:--- [^\n]*\n\+\+\+ |\*\*\* [^\n]*\n--- "
        rb"|\d+(?:,\d+)?[acd]\d+(?:,\d+)?\r?\n[<>])|@@ -\d[\d,]* \+\d[\d,]* @@|Index: [^\n]*\n={20}"
        rb"|From [0-9a-f]{40,64} |commit [0-9a-f]{7,64}\b[^\n]*\n(?:Merge|Author): |# HG changeset patch)",
        "a diff",
        _WHOLE,
    ),
    (_BLANK + rb"\{\s*\"(?:cells|metadata|nbformat)\"\s*:", "a Jupyter notebook", _TEXT),
    (rb"#!", "a script", _WHOLE),
    (_BLANK + rb"\\(?:documentclass|begin)\b", "a document in LaTeX", _TEXT),
    (rb"bplist0", "a web archive", _PAGE),
    (rb"\0\x05\x16[\0\7]", "what macOS keeps about a file (AppleDouble), and not the file itself", _ITSELF),
    (rb"b0VIM ", "a swap file of vim", _ITS_SOURCE),
    (rb"SQLite format 3\0", "a database", _ITS_SOURCE),
    (
        _BLANK + rb"(?:\xe2\x80[\x8b-\x8f\xa8-\xaf]|\xe2\x81[\xa0-\xaf]|\xc2[\xa0\xad]|\xe3\x80\x80)",
        "text that begins with an invisible character",
        "delete it, or type the first line again",
    ),
    (
        rb"L\0\0\0\x01\x14\x02\0|" + _BLANK + rb"(?:\[(?:InternetShortcut\]|Desktop Entry\]|\{000214A0-)|https?://"
        rb"|(?:\.{0,2}/)?(?:[\w.-]+/)*[\w.-]+\.(?:c|h|cc|cpp|cxx)\s*\Z)",
        "a link",
        "hand in the file that it leads to",
    ),
    (_BLANK + rb"(?:\{\s*\"|\[\s*[{\"])", "data in JSON", _ITSELF),
    (
        _BLANK + rb"(?:(?:from|to|subject|date|received|return-path|delivered-to|mime-version|message-id): \S"
        rb"|begin 0?[0-7]{3} \S)",
        "an e-mail, or a part of one",
        "save the source that is in it, and hand in that",
    ),
    (
        _BLANK + rb"(?!\S*//)(?=\S*(?-i:[a-z]))(?=\S*(?-i:[A-Z]))(?=\S*\d)"
        rb"[a-z0-9][a-z0-9+/]{58,}(?:\r?\n(?!//)[a-z0-9+/]+)*={0,2}\s*\Z",
        "in base64",
        "decode it, and hand in the source",
    ),
    (_BLANK + rb"0{6,8}:?[ \t]+[0-9a-f]{2,6} ", "a dump of a file in digits", _ITSELF),
    (
        _BLANK
        + rb"(?:>|(?:0*1(?:[.:|)][ \t]*|[ \t]+)|[\w.-]+\.(?:c|h|cc|cpp|cxx):(?:1:)?[ \t]*|\|[ \t]*)(?:#|/[*/]))",
        "a listing with something before each line",
        _ITSELF,
    ),
    (
        _BLANK + rb"(?:[\w.-]+@[\w.-]+[ :][^\n$#%]{0,100}[$#%][ \t]|\[[\w.-]+@[^\]\n]{1,100}\][$#%][ \t]|\$[ \t]+\w"
        rb"|\w{0,4}sh-\d[\w.]*[$#%][ \t]|~[^\s$#%]{0,100}[$#%][ \t]|(?:PS )?[a-z]:\\[^\n>]{0,100}>|Script started\b)",
        "what a terminal has shown",
        _ITSELF,
    ),
    (
        # Sentences before a program: `Here is the code:`.
        _BLANK + rb"[a-z][^\s;{}()=#<>\"\\]*(?:[ \t]+[^\s;{}()=#<>\"\\]+)+[:.!?][ \t]*\r?\n"
        rb"(?:(?!```)[\s\S])*?#[ \t]*include\b",
        "text with a program in it",
        "hand in the program alone",
    ),
    (_BLANK + rb"[45]\d\d:?[ \t]+[a-z][a-z ]*\s*\Z", "an error of a server", "download the file again"),
    (
        _BLANK + rb"#[ \t]+\d+[ \t]+\"[^\"\n]*\"[^\n]*\n#[ \t]+\d+[ \t]+\"<built-in>\"",
        "what the preprocessor (gcc -E) has made",
        _ITS_SOURCE,
    ),
    (rb"\x7b\x89\x95\x83\x93\xa4\x84\x85", "in EBCDIC, which compilers do not read", _IN_UTF8),
    (
        _HASHES + rb"(?:(?-i:CC|CXX|C(?:XX)?FLAGS|LDFLAGS|LDLIBS)[ \t]*[:+?]?=[^;\n]*\n"
        rb"|(?:all|\.PHONY)[ \t]*:[^;{}\n]*\n"
        rb"|[\w.-]+[ \t]*:[^;{}\n]*\n\t[@-]?(?:gcc|g\+\+|cc|clang|rm|\$\(\w+\))[ \t])",
        "a Makefile",
        _ITS_SOURCE,
    ),
    (
        _COMMENTS
        + rb"(?:\.(?:file|text|data|bss|section|globa?l|arch\w*|cpu|code\d\d|(?:intel_|att_)?syntax|build_version"
        rb"|type|p?2?align|def|set)\b"
        rb"|section[ \t]+\.|; ModuleID = [^\n]*\nsource_filename|\w[\w./-]*:[ \t]+file format )",
        "in assembly",
        _IN_LANGUAGE,
    ),
    (
        _HASHES + rb"(?:[rub]?(?:\"\"\"|''')"
        rb"|import[ \t]+(?!(?:javax?|kotlinx?)\.)[a-z_][\w.]*"
        rb"(?:[ \t]*,[ \t]*[a-z_][\w.]*|[ \t]+as[ \t]+\w+)*[ \t]*(?:#[^\n]*)?\r?(?:\n|\Z)"
        rb"|from[ \t]+[\w.]+[ \t]+import\b"
        rb"|(?:async[ \t]+)?def[ \t]+\w+[ \t]*\("
        rb"|class[ \t]+\w[^\n;{}]*:[ \t]*\r?\n\s*(?:def[ \t]|pass\b|[\"'@#]|\w+[ \t]*=)"
        rb"|(?:if\b|for\b|while\b|with[ \t]+\w)[^\n;{}]*:[ \t]*\r?\n|try[ \t]*:"
        rb"|print[ \t]*\(?[ \t]*[rbf]?[\"'])",
        "a program in Python",
        _IN_LANGUAGE,
    ),
    (
        _COMMENTS + rb"(?:package[ \t]+[\w.]+[ \t]*[;\r\n]"
        rb"|import[ \t]+(?:static[ \t]+\w+|javax?|kotlinx?)\.[\w.*]+[ \t]*[;\r\n]"
        rb"|(?:public|final|abstract)[ \t]+(?:\w+[ \t]+)*class\b|using[ \t]+System(?:\.[\w.]+)?[ \t]*;"
        rb"|class[ \t]+\w+[ \t\r\n]*\{\s*(?:(?:public|private|protected)[ \t]+(?!slots\b)\w"
        rb"|static[ \t]+void[ \t]+main[ \t]*\([ \t]*String\b)"
        rb"|fun(?:ction)?[ \t]+\w+[ \t]*\(|[\"']use strict[\"']"
        rb"|(?:const|let|var)[ \t]+\w+[ \t]*=[ \t]*require[ \t]*\("
        rb"|use[ \t]+(?:strict|warnings|v?5[\d.]*)[ \t]*;|require(?:_relative)?[ \t]+[\"']|def[ \t]+\w+[ \t]*\r?\n"
        rb"|(?:pub[ \t]+)?fn[ \t]+\w+[ \t]*[(<]|use[ \t]+\w+::|import[ \t][^\n;]+[ \t]from[ \t]+[\"'])",
        "a program in another language",
        _IN_LANGUAGE,
    ),
)

KINDS = (*_NOT_PACKED, *PACKED)
"""The first that matches counts. Text is recognised only by what ends every compilation."""

IN_CPLUSPLUS = _kinds(
    (
        _COMMENTS + rb"(?:using[ \t]+namespace[ \t]+\w|template[ \t]*<|(?:class|namespace)[ \t]+\w+\s*\{)",
        "a program in C++",
        _IN_LANGUAGE,
    )
)
"""What no C begins with."""

_FENCE = b"```"
_NOT_SEEN = re.compile(rb"^(?:\xef\xbb\xbf)?\s*(?:#\s*(?:if|include|define)|%:)|/\*|\?\?|R\"|\\\r?$")
"""What may begin a part that compilers do not read as C, up to a later line, or define what leaves it out."""

_CONTROL = bytes({*range(1, 32)} - {*b"\t\n\v\f\r\x1a\x1b"})
MAX_CONTROLS = 0.05
"""Share of control characters in text; zero bytes do not count, because compilers ignore them."""

MIN_ZEROS = 0.25
"""Share of zeros among every fourth byte of text in which they are the upper bytes of most characters."""

_WIDE = {"c0c0": "UTF-16", "0c0c": "UTF-16", "c000": "UTF-32", "000c": "UTF-32"}

_HEADER_BYTES = 16
"""Bytes at the beginning, of which some are no text in a binary file; a source may have such bytes in literals."""


def kind_problem(name: str, data: bytes, language: str = "C") -> str | None:
    """Return what a file is that is not in the language, C or C++, and what to do; None if nothing shows that.

    Reports have it only if the file does not compile, so no right program depends on these patterns.
    """
    begin = data[:LOOKED_AT_BYTES]
    for kind in (*KINDS, *(IN_CPLUSPLUS if language == "C" else ())):
        if kind.begins.match(begin):
            return f"{name} is {kind.name}: {kind.advice.format(language=language)}"
    wide = _wide(begin)
    if wide is not None:
        return f"{name} is in {wide}, which compilers do not read: {_IN_UTF8}"
    if _is_markdown(begin):
        return f"{name} is text in Markdown: remove the lines with ``` and whatever else is not {language}"
    if any(byte in _CONTROL + b"\0" for byte in begin[:_HEADER_BYTES]):
        controls = len(begin) - len(begin.translate(None, _CONTROL))
        return f"{name} is not text: {_WHOLE}" if controls > MAX_CONTROLS * len(begin) else None
    return None


def packed_kind(data: bytes) -> str | None:
    """Return what a file with these first bytes is if something is packed in it, None if nothing shows that."""
    kind = next((kind for kind in KINDS if kind.begins.match(data)), None)
    return kind.name if kind in PACKED else None


def _wide(begin: bytes) -> str | None:
    """Return the encoding of text whose characters have two or four bytes, without a mark; None for another one."""
    text = begin.rstrip(b"\0")
    return _WIDE.get("".join("0" if text[at::4].count(0) > MIN_ZEROS * len(text) / 4 else "c" for at in range(4)))


def _is_markdown(begin: bytes) -> bool:
    """Return whether a line begins with a fence, where compilers look for C."""
    for line in begin.split(b"\n"):
        if line.lstrip().startswith(_FENCE):
            return True
        if _NOT_SEEN.search(line):
            return False
    return False
