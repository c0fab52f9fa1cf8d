"""The students of a course, from a table of Canvas, Moodle, Gradescope, GitHub Classroom or a spreadsheet."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping, Sequence

from grader.model.base import Model
from grader.model.counted import listed
from grader.model.gradebook import CourseSystem
from grader.model.letters import letters

MAX_STUDENTS = 50_000
MAX_HEADS = 5
MAX_DIFFERENT = 200
"""Students among whom most first names differ."""
MAX_HEADER_CHARS = 200
"""The longest header that a message quotes."""
_SNIFFED = (",", ";", "\t")

_FIELDS: Mapping[str, tuple[str, ...]] = {
    "name": ("name", "full name", "student", "student name"),
    "first": ("first name", "given name", "firstname"),
    "last": ("last name", "surname", "family name", "lastname"),
    "email": ("email", "email address", "e mail", "e mail address", "mail"),
    "id": (
        "sid",
        "student id",
        "id",
        "id number",
        "number",
        "student number",
        "roster identifier",
        "matriculation number",
        "canvas user id",
    ),
    "sis": ("sis user id", "user id"),
    "canvas": ("sis login id", "sis user id", "canvas user id"),
    "login": ("login", "sis login id", "login id", "username", "user name", "github username", "github"),
    "identifier": ("identifier",),
    "section": ("section", "sections", "group", "groups", "section name", "tutorial"),
    "group": ("group", "groups", "group name", "team", "teams", "team name"),
    "role": ("role", "roles"),
    "submitted": ("submission time", "last modified submission", "submission timestamp"),
    "repository": ("student repository name",),
}
"""The columns that are used, each with the heads that it has in exports, without punctuation."""

_STAFF = {"instructor", "ta", "teaching assistant", "reader", "teacher", "non editing teacher", "manager", "observer"}
_ONCE = ("login", "repository", "submitted")
"""Fields that one row of a student is enough for."""

_PARTICIPANT = "participant "
_TEST_STUDENT = ("Student, Test", "Test Student")
_NO_TABLE = "is not a CSV table"
_SPREADSHEETS = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0")
_SEPARATOR_LINE = re.compile(r"sep=.")
_AS_TEXT = re.compile(r'="(.*)"')
"""How tables keep spreadsheets from dropping the zeros of a number."""

_FOREIGN = (
    "does not seem to say in English which columns have the names, addresses and numbers of students; they may be in "
    "{heads}. Export it again with the course system in English, or call such columns first name, last name, name, "
    "email, id and group in the first line, and leave the others out"
)
_OF_OTHERS = {
    *("advisor", "assistant", "grader", "instructor", "partner", "professor", "supervisor", "ta", "teacher", "tutor"),
    *(
        "class",
        "college",
        "course",
        "department",
        "faculty",
        "lab",
        "project",
        "room",
        "school",
        "seat",
        "university",
    ),
    *("concentration", "degree", "major", "minor", "program", "programme", "subject", "topic", "track"),
    *("enrollment", "grade", "level", "semester", "standing", "status", "term", "type", "year"),
    *("city", "country", "gender", "hometown", "language", "nationality", "pronouns", "state", "time", "title"),
    *("comment", "comments", "note", "notes", "remark", "remarks"),
}
"""Words in English heads of columns that have words and names, but not those of the student."""

_ADDRESS = re.compile(r"[^@\s]+@[^@\s]+")
_UTF16 = (b"\xff\xfe", b"\xfe\xff")


class RosterError(ValueError):
    """The table cannot be used; `line` counts from 1."""

    def __init__(self, message: str, line: int | None = None) -> None:
        self.line = line
        super().__init__(message)


class Student(Model):
    """A student of the course; `ids` are their numbers, `submitted` a time of the table as it is written there.

    `number` is the one by which `system` finds the student, if it is a table of that system.
    """

    name: str = ""
    email: str = ""
    ids: tuple[str, ...] = ()
    login: str = ""
    repository: str = ""
    section: str = ""
    group: str = ""
    submitted: str = ""
    system: CourseSystem | None = None
    number: str = ""
    line: int = 0

    @property
    def label(self) -> str:
        """What people know the student by."""
        return self.name or self.email or self.login or (self.ids[0] if self.ids else "")

    @property
    def institution_id(self) -> str:
        """The number at the institution, or one of a course system if the table has no other."""
        return next((number for number in self.ids if number != self.number), self.number)

    @property
    def sections(self) -> tuple[str, ...]:
        """The sections; a table may name several in one cell, or in several rows."""
        return _in_cell(self.section)

    @property
    def groups(self) -> tuple[str, ...]:
        """The groups that the student hands in with; Moodle's list of participants has commas between them."""
        whole = _in_cell(self.group)
        parts = (part.strip() for cell in whole for part in cell.split(","))
        return tuple(dict.fromkeys(filter(None, (*whole, *parts))))


def _in_cell(words: str) -> tuple[str, ...]:
    return tuple(filter(None, words.split("; ")))


class Roster(Model):
    """The students in the order of the table; `columns` are the heads of those that are used.

    Those of `unused` columns may be of names, but are more probably of something else.
    """

    students: tuple[Student, ...] = ()
    columns: tuple[str, ...] = ()
    unused: tuple[str, ...] = ()


def read_roster(data: bytes) -> Roster:
    """Return the students in a table.

    Raises:
        RosterError: it is not a table of students, or two of them share a number or an address.
    """
    text = _text(data).replace("\r\n", "\n").replace("\r", "\n")
    if not text.strip():
        raise RosterError("has no students")
    lines = [f"{line}\n" for line in text.split("\n")]
    if _SEPARATOR_LINE.fullmatch(lines[0].strip()):
        # Excel's own line; the number of every other line stays what it is.
        lines[0] = "\n"
    (_, header), *rows = [*_rows(lines, _delimiter(next(filter(str.strip, lines), "")))] or [(0, [])]
    cells = [row for _, row in rows]
    columns = _with_parts_of_names(_columns(header), cells)
    found: list[Student] = []
    for line, row in rows:
        if any(cell.strip() for cell in row[len(header) :]):
            # Otherwise `Doe, Jane` without quotes would be a student called Doe.
            words = f"has {len(row)} cells, and the first line {len(header)}; a name with a comma needs quotes"
            raise RosterError(words, line)
        student = _student(line, columns, row)
        if student is not None:
            found.append(student)
        if len(found) > MAX_STUDENTS:
            raise RosterError(f"has more than {MAX_STUDENTS:,} students", line)
    foreign, is_certain = _foreign(header, cells, columns)
    heads = tuple(_head_words(column, header) for column in foreign[:MAX_HEADS])
    if heads and is_certain:
        raise RosterError(_FOREIGN.format(heads=listed(heads, "or")), 1)
    if not found:
        raise RosterError("has no students")
    used = tuple(header[column].strip() for column in sorted({*columns.values()}))
    return Roster(students=tuple(_merged(found)), columns=used, unused=heads)


def _with_parts_of_names(columns: Mapping[str, int], rows: Sequence[Sequence[str]]) -> Mapping[str, int]:
    """Return the columns, with a column `name` as that of the other part if one part of names has its own column."""
    part, other = ("first", "last") if "first" in columns else ("last", "first")
    if not {"name", part} <= columns.keys() or other in columns:
        return columns
    last = max(columns["name"], columns[part])
    both = [(letters(row[columns["name"]]), letters(row[columns[part]])) for row in rows if last < len(row)]
    if 2 * sum(own in name for name, own in both) > len(both):
        return columns
    return {other if field == "name" else field: column for field, column in columns.items()}


def _foreign(
    header: Sequence[str], rows: Sequence[Sequence[str]], columns: Mapping[str, int]
) -> tuple[Sequence[int], bool]:
    """Return the columns that may have names, addresses or numbers under heads in another language, and if they must.

    Heads like `ID` and `Email` are the same in many languages, so students would have numbers, but no names. In some,
    `Name` is the last name.
    """
    cells = {
        column: [text for row in rows if column < len(row) and (text := row[column].strip())]
        for column in range(max(map(len, rows), default=0))
    }
    numbers = cells.get(columns.get("id", -1))
    if numbers and all(map(_is_participant, numbers)):
        return [columns["id"]], True
    known = {*columns.values(), *(at for at, head in enumerate(_plain(header)) if _OF_OTHERS & {*head.split()})}
    others = {column: texts for column, texts in cells.items() if texts and column not in known}
    named = [column for column, texts in others.items() if _are_names(texts)]
    addresses = [column for column, texts in others.items() if all(map(_ADDRESS.fullmatch, texts))]
    if addresses and not {"name", "last", "login", "email"} & columns.keys():
        return addresses, True
    parts = [field for field in ("name", "last", "first") if field in columns]
    if parts or "login" in columns:
        own = cells.get(columns[parts[0]], []) if parts else []
        is_part = bool(own) and not {"first", "last"} <= columns.keys() and not _are_of_several_words(own)
        return [column for column in named if is_part and all(map(_has_capital, others[column]))], True
    # First and last names are in two columns. A single one of words with an English head may be anything.
    if len(named) == 1 and "".join(header[named[0] : named[0] + 1]).isascii():
        texts = others[named[0]]
        is_list = 2 * sum("," in text for text in texts) > len(texts)
        return (named if _are_of_several_words(texts) else []), is_list
    return named, True


def _head_words(column: int, header: Sequence[str]) -> str:
    head = header[column].strip() if column < len(header) else ""
    is_short = 0 < len(head) <= MAX_HEADER_CHARS and head.isprintable()
    return f"“{head}”" if is_short else f"column {column + 1}"


def _are_names(texts: Sequence[str]) -> bool:
    """Return whether most of the texts may be names: those of a class differ, as far as there are enough of them."""
    names = [*filter(_is_name, texts)]
    return 2 * len(names) > len(texts) and 2 * len({*names}) > min(len(texts), MAX_DIFFERENT)


def _are_of_several_words(texts: Sequence[str]) -> bool:
    """Return whether most of the texts have several words, or are of a script that does not divide names."""
    return 2 * sum(len(re.split(r"[\s,]+", text)) > 1 or _is_caseless(text) for text in texts) > len(texts)


def _is_caseless(text: str) -> bool:
    return len(text) > 1 and any(char.isalpha() and char.lower() == char.upper() for char in text)


def _has_capital(text: str) -> bool:
    """Return whether a word begins like those of a name, which logins and states do not."""
    return any(not word[0].islower() for word in text.split())


def _is_participant(text: str) -> bool:
    """Return whether it is like Moodle's `Participant 501`, and not like a student's number, such as `s-501`."""
    words = text.rstrip("0123456789")
    return words != text and words[:1].isalpha() and not re.fullmatch(r"[a-z._-]+", words, re.ASCII | re.IGNORECASE)


def _is_name(text: str) -> bool:
    """Return whether it may be a name, or a part of one, as first and last names may be in two columns."""
    return sum(map(str.isalpha, text)) > 1 and not any(char.isdigit() or char in "_@:" for char in text)


def _text(data: bytes) -> str:
    if data.startswith(_SPREADSHEETS):
        raise RosterError("is a spreadsheet; save it as “CSV UTF-8”")
    encoding = "utf-16" if data.startswith(_UTF16) else "utf-8-sig"
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        raise RosterError("is not in UTF-8; save it as “CSV UTF-8”") from error


def _delimiter(header: str) -> str:
    try:
        return max(_SNIFFED, key=lambda delimiter: len(_heads(next(csv.reader([header], delimiter=delimiter), []))))
    except csv.Error as error:
        raise RosterError(f"{_NO_TABLE} ({error})", 1) from error


def _rows(lines: Sequence[str], delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows that are not empty, each with the number of its first line."""
    # Strictly: otherwise a quote that is not closed takes all students after it into one cell.
    reader, line = csv.reader(lines, delimiter=delimiter, strict=True), 1
    try:
        for row in reader:
            if any(cell.strip() for cell in row):
                yield line, row
            line = reader.line_num + 1
    except csv.Error as error:
        raise RosterError(f"{_NO_TABLE} ({error}); is a quote not closed?", line) from error


def _plain(header: Sequence[str]) -> list[str]:
    return [re.sub(r"[\W_]+", " ", head.casefold()).strip() for head in header]


def _heads(header: Sequence[str]) -> dict[str, int]:
    """Return where each field is; the first column that may be it counts."""
    plain = _plain(header)
    return {field: plain.index(head) for field, heads in _FIELDS.items() for head in heads[::-1] if head in plain}


def _columns(header: Sequence[str]) -> dict[str, int]:
    columns = _heads(header)
    if not {"name", "last", "email", "id", "sis", "login", "identifier"} & columns.keys():
        named = ", ".join(head.strip() for head in header if head.strip())
        there = f", and not only {named}" if named and len(named) <= MAX_HEADER_CHARS and named.isprintable() else ""
        words = f"no column says who the students are; the first line must name one of name, email, id{there}"
        raise RosterError(words, 1)
    return columns


def _student(line: int, columns: Mapping[str, int], row: Sequence[str]) -> Student | None:
    cell = {
        field: _AS_TEXT.sub(r"\1", row[column].strip()) if column < len(row) else ""
        for field, column in columns.items()
    }
    if re.sub(r"\W+", " ", cell.get("role", "").casefold()).strip() in _STAFF:
        return None
    identifier = cell.get("identifier", "")
    number = identifier[len(_PARTICIPANT) :] if identifier.casefold().startswith(_PARTICIPANT) else identifier
    ids = tuple(dict.fromkeys(filter(None, (cell.get("id", ""), cell.get("sis", ""), number))))
    name = cell.get("name") or " ".join(filter(None, (cell.get("first", ""), cell.get("last", ""))))
    is_canvas = "canvas" in columns
    if is_canvas and not ids:
        # Canvas's own rows: the points of assignments, and how grades are posted.
        return None
    if is_canvas and name in _TEST_STUDENT and not cell.get("sis"):
        # The student that Canvas makes up for instructors.
        return None
    fields = {
        field: cell.get(field, "") for field in ("email", "login", "repository", "section", "group", "submitted")
    }
    student = Student(name=name, ids=ids, line=line, **fields)
    if is_canvas and cell.get("id"):
        student = student.model_copy(update={"system": "canvas", "number": cell["id"]})
    elif number != identifier:
        student = student.model_copy(update={"system": "moodle", "number": number})
    return student if student.label else None


def _merged(students: Sequence[Student]) -> Iterator[Student]:
    """Yield the students, one with several rows once, with all sections."""
    merged: dict[int, Student] = {}
    by_word: dict[tuple[str, str], Student] = {}
    for student in students:
        words = [("number", number) for number in student.ids]
        words += [("e-mail address", student.email.casefold())] if student.email else []
        words += [("login", student.login.casefold())] if student.login else []
        others = {by_word[word].line: (word, by_word[word]) for word in words if word in by_word}
        for (kind, word), other in others.values():
            if not _same(student, other):
                raise RosterError(
                    f"{student.label} has the {kind} {word}, which {other.label} in line {other.line} has too",
                    student.line,
                )
        first = next((other for _, other in others.values()), student)
        before = merged.get(first.line, first)
        several = {
            field: "; ".join(dict.fromkeys((*_in_cell(getattr(before, field)), *_in_cell(getattr(student, field)))))
            for field in ("section", "group")
        }
        # What only a later row has, such as a second number, is the student's too.
        ids = tuple(dict.fromkeys((*before.ids, *student.ids)))
        once = {field: getattr(before, field) or getattr(student, field) for field in _ONCE}
        update = {**once, **several, "ids": ids}
        merged[first.line] = before.model_copy(update=update)
        by_word.update({each: first for each in words if each not in by_word})
    yield from merged.values()


def _same(one: Student, other: Student) -> bool:
    return (one.name.casefold(), one.email.casefold()) == (other.name.casefold(), other.email.casefold())
