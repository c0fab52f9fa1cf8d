"""Students from tables as course systems and spreadsheets write them, and the submissions that are theirs."""

from __future__ import annotations

from itertools import product
from time import process_time
from typing import Any, Literal
from unicodedata import normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.course.people import ClassList, class_list, owner_of, people_index
from grader.course.roster import RosterError, Student, read_roster
from grader.model.gradebook import CourseSystem, Origin, Person

# As in the files that the systems export. Gradescope: Roster, and Download grades. GitHub Classroom: Download grades.
# Canvas: Gradebook, Export, as lib/gradebook_exporter.rb of canvas-lms writes it: a line may say which grades are not
# posted, the next has the points, and the student that Canvas makes up comes last. There is no column `SIS User ID`
# for those who may not see numbers of the student information system, and names may be in two columns.
# Moodle: Download grading worksheet, with the columns that mod/assign/feedback/offline/importgradeslib.php looks for.
CANVAS = """\
Student,ID,SIS User ID,SIS Login ID,Section,Lab 2 (123)
    Points Possible,,,,,100
"Doe, Jane",501,0123,jdoe,Section A,
"Roe, Rick",502,0124,rroe,"Section B",93
"Student, Test",503,,0a1b2c,Section A,
"""
CANVAS_OF_AN_ASSISTANT = """\
Student,ID,SIS Login ID,Section,Lab 2 (123)
,,,,Manual Posting
    Points Possible,,,,100
"Doe, Jane",501,jdoe,Section A,EX
"Student, Test",503,0a1b2c,Section A,
"""
CANVAS_IN_TWO_COLUMNS = """\
LastName,FirstName,ID,SIS User ID,SIS Login ID,Section,Lab 2 (123)
    Points Possible,,,,,,100
Doe,Jane,501,0123,jdoe,Section A,
Student,Test,503,,0a1b2c,Section A,
"""
MOODLE = """\
\ufeffIdentifier,"Full name","Email address",Status,Grade,"Maximum Grade","Last modified (submission)"
"Participant 501","Jane Doe",jane@example.edu,"Submitted",,100.00,"Monday, 4 May 2026, 11:59 PM"
"Participant 502","Rick Roe",rick@example.edu,"No submission",,100.00,-
"""
GRADESCOPE = """\
First Name,Last Name,SID,Email,Sections,Role,Total Score,Submission Time
Jane,Doe,0123,jane@example.edu,A,Student,1.0,2026-05-04 13:16:26 -0600
Tina,Ay,9,ta@example.edu,,TA,,
"""
GITHUB = """\
assignment_name,student_repository_name,github_username,roster_identifier,submission_timestamp
tr2,tr2-janed,janed,0123,2026-05-04 20:00:00 UTC
"""
PLAIN = "Name;E-Mail;Student number;Group\r\nJane Doe;jane@example.edu;0123;A\r\nRick Roe;;0124;B\r\n"


CANVAS_GROUPS = """\
name,canvas_user_id,user_id,login_id,sections,group_name,canvas_group_id,group_id
"Aye, Ann",101,s101,aye,A,Team A,55,
"Bee, Bob",102,s102,bee,A,Team A,55,
"Cee, Cy",103,s103,cee,B,,,
"""
CANVAS_SECTIONS = """\
Student,ID,SIS User ID,SIS Login ID,Section,Lab 2 (123)
"Aye, Ann",101,s101,aye,A,
"Bee, Bob",102,s102,bee,A,
"Cee, Cy",103,s103,cee,B,
"""
WORKSHEET = """\
Identifier,"Full name","Email address",Status,Group,Grade,"Last modified (grade)"
"Participant 17","Zed Other",zed@x,-,"Team B",,-
"Participant 501","Ann Aye",ann@x,-,"Team A",,-
"Participant 502","Bob Bee",bob@x,-,"Team A",,-
"Participant 503","Cy Cee",cy@x,-,"Default group",,-
"""
FOREIGN = "in English which columns"


def students(text: str) -> list[Student]:
    return [student.model_copy(update={"line": 0}) for student in read_roster(text.encode()).students]


def canvas(number: str) -> dict[str, Any]:
    return {"system": "canvas", "number": number}


def test_tables_of_each_system() -> None:
    assert students(CANVAS) == [
        Student(name="Doe, Jane", ids=("501", "0123"), login="jdoe", section="Section A", **canvas("501")),
        Student(name="Roe, Rick", ids=("502", "0124"), login="rroe", section="Section B", **canvas("502")),
    ]
    assert students(CANVAS_OF_AN_ASSISTANT) == [
        Student(name="Doe, Jane", ids=("501",), login="jdoe", section="Section A", **canvas("501"))
    ]
    assert students(CANVAS_IN_TWO_COLUMNS) == [
        Student(name="Jane Doe", ids=("501", "0123"), login="jdoe", section="Section A", **canvas("501"))
    ]
    jane, rick = students(MOODLE)
    assert jane == Student(
        name="Jane Doe",
        ids=("501",),
        email="jane@example.edu",
        submitted="Monday, 4 May 2026, 11:59 PM",
        system="moodle",
        number="501",
    )
    assert rick.ids == ("502",)
    assert students(GRADESCOPE) == [
        Student(
            name="Jane Doe",
            ids=("0123",),
            email="jane@example.edu",
            section="A",
            submitted="2026-05-04 13:16:26 -0600",
        )
    ]
    (jane,) = students(GITHUB)
    assert (jane.ids, jane.login, jane.repository) == (("0123",), "janed", "tr2-janed")
    assert [(one.name, one.ids, one.section) for one in students(PLAIN)] == [
        ("Jane Doe", ("0123",), "A"),
        ("Rick Roe", ("0124",), "B"),
    ]
    assert read_roster(PLAIN.encode("utf-16")) == read_roster(PLAIN.encode())


@pytest.mark.parametrize(
    ("data", "says", "line"),
    [
        (b"", "has no students", None),
        (b"name\n", "has no students", None),
        (b"a,b\n1,2\n", "no column says who the students are", 1),
        ("name\nZoë".encode("latin-1"), "is not in UTF-8", None),
        (b"name,id\nAda,7\n\nBob,7\n", "Bob has the number 7, which Ada in line 2 has too", 4),
        (b"name,email\nAda,A@x\nBob,a@x\n", "Bob has the e-mail address a@x, which Ada in line 2 has too", 3),
        (b"name,email\nAda,a@x\nDoe, Jane,j@x\n", "has 3 cells, and the first line 2; a name with a comma", 3),
        ("ID,Vollständiger Name,E-Mail-Adresse,Status\nTeilnehmer/in501,Änne Groß,a@x,-\n".encode(), FOREIGN, 1),
        ("ID,Vollständiger Name,E-Mail\nTeilnehmer/in501,Änne Groß,a@x\n".encode(), FOREIGN, 1),
        (b"ID,Status,Bewertung\nTeilnehmer/in501,-,\nTeilnehmer/in502,-,\n", FOREIGN, 1),
        (
            b'Studierende,ID,SIS-Benutzer-ID,Abschnitt\n    Punkte,,,\n"D, J",1,7,A\n"R, R",2,8,A\n',
            FOREIGN,
            1,
        ),
        (b"ID,E-Mailadres,Groep\n1,a@x,A\n2,b@x,A\n", FOREIGN, 1),
        # First and last names are in columns of their own.
        (b"Vorname;Nachname;ID;E-Mail\nRick;Roe;101;r@x\nJane;Doe;102;j@x\n", FOREIGN, 1),
        ("ID,Nom,Prénom,Email\n101,Roe,Rick,r@x\n102,Doe,Zoé,z@x\n".encode(), FOREIGN, 1),
        (b"Voornaam,Achternaam,ID-nummer,Email\nRick,de Roe,101,r@x\nJane,Doe,102,j@x\n", FOREIGN, 1),
        (b"Nome,Cognome,Numero ID,Email\nRick,Roe,101,r@x\nJane,Doe,102,j@x\n", FOREIGN, 1),
        ("学号,姓名,Email\n101,张伟,r@x\n102,王芳,j@x\n".encode(), FOREIGN, 1),
        (b"Nachname\tVorname\tBenutzername\tStudent-ID\nRoe\tRick\tr1\t101\nDoe\tJane\tj1\t102\n", FOREIGN, 1),
        # One part of a name is known, and the other has a column of its own.
        (b"Name;Vorname;ID\nRoe;Rick;1\nDoe;Jane;2\n", "in “Vorname”", 1),
        ("Name,Prénom,Email\nRoe,Rick,r@x\nde Roe,Zoé,z@x\nDoe,Jane,j@x\n".encode(), "in “Prénom”", 1),
        ("Name,名\n王,芳华\n张,伟明\n".encode(), "in “名”", 1),
        (b"First name,Nachname,Email\nRick,Roe,r@x\nJane,Doe,j@x\n", "in “Nachname”", 1),
        (b"Surname,Fornavn\nRoe,Rick\nDoe,Jane\n", "in “Fornavn”", 1),
        (b'ID,Nombre completo,Email\n1,"Roe, Rick",r@x\n2,"Doe, Jane",j@x\n', "in “Nombre completo”", 1),
        (b"ID,\x07" + b"x" * 300 + b',Email\n1,"Roe, Rick",r@x\n2,"Doe, Jane",j@x\n', "in column 2", 1),
        (b"Vorname,Matrikel\nAda,1\n", "name one of name, email, id, and not only Vorname, Matrikel", 1),
        (b"PK\x03\x04 a workbook", "is a spreadsheet; save it as", None),
        (b",,,\n", "no column says who the students are", 1),
        (b'"' + b"x" * 200_000 + b'",id\nAda,1\n', "is not a CSV table (field larger than field limit", 1),
        (b'name,id\n"' + b"x" * 200_000, "is not a CSV table (field larger than field limit", 2),
        (b'name,id\nBob,2\n"Ada,1\nGrace,3\n', "is not a CSV table (unexpected end of data); is a quote not", 3),
        pytest.param(
            b"id\n" + b"".join(b"%d\n" % number for number in range(50_001)),
            "has more than 50,000 students",
            50_002,
            marks=pytest.mark.long,
        ),
    ],
)
def test_a_table_that_cannot_be_used_is_one_sentence(data: bytes, says: str, line: int | None) -> None:
    with pytest.raises(RosterError) as caught:
        read_roster(data)
    assert says in str(caught.value)
    assert caught.value.line == line


@given(st.binary(max_size=300) | st.text(max_size=300).map(lambda text: f"name,id\n{text}".encode()))
def test_any_bytes_are_students_or_one_error(data: bytes) -> None:
    try:
        students = read_roster(data).students
    except RosterError:
        return
    assert all(student.label for student in students)


def test_a_student_in_two_sections_is_one_student() -> None:
    (ada,) = read_roster(b"name,id,section\nAda,7,A\nAda,7,B\n").students
    assert ada.sections == ("A", "B")


class HandedIn:
    def __init__(self, name: str, *people: Person, system: CourseSystem | None = None) -> None:
        self.name = name
        self.origin = Origin(path=name, people=people, system=system)


@pytest.mark.parametrize(
    ("table", "one"),
    [
        (CANVAS, HandedIn("doejane-501", Person(name="doejane", id="501"), system="canvas")),
        (CANVAS, HandedIn("doejane-9", Person(name="doejane", id="9"), system="canvas")),
        (CANVAS, HandedIn("jdoe")),
        (MOODLE, HandedIn("janedoe-501", Person(name="Jane Doe", id="501"), system="moodle")),
        (MOODLE, HandedIn("jane")),
        (GRADESCOPE, HandedIn("janedoe-0123", Person(name="J. D.", id="0123"), system="gradescope")),
        (GRADESCOPE, HandedIn("janedoe", Person(name="J. D.", email="JANE@example.edu"), system="gradescope")),
        (GITHUB, HandedIn("tr2-janed")),
        (GITHUB, HandedIn("lab-janed")),
        (PLAIN, HandedIn("0123")),
        (PLAIN, HandedIn("Jane Doe")),
    ],
)
def test_submissions_find_their_students(table: str, one: HandedIn) -> None:
    roster = read_roster(table.encode())
    known = class_list([one, HandedIn("nobody")], roster)
    assert [student.label for student in known.students[one.name]] == [roster.students[0].label]
    assert known.unknown == ("nobody",)
    assert known.missing == roster.students[1:]


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_accents_may_be_characters_of_their_own(form: Literal["NFC", "NFD"]) -> None:
    roster = read_roster(
        normalize("NFD" if form == "NFC" else "NFC", "name,email\nÉlodie Ångström,é@x.fr\n").encode()
    )
    one = HandedIn("angstrom-501", Person(name=normalize(form, "Élodie Ångström"), id="501"), system="moodle")
    known = class_list([one, HandedIn("a", Person(name="Elodie Angstrom"))], roster)
    assert (known.missing, known.unknown) == ((), ("a",))
    assert people_index([one], known).find(normalize(form, "É@X.fr")) == {"entry angstrom-501"}


@pytest.mark.parametrize(
    ("name", "other"),
    [("นัด", "นิด"), ("मीरा", "मोरा"), ("רָחֵל", "רֹחֵל"), ("سَلَمة", "سِلمة"), ("ကိုကို", "ကောကော"), ("x̂a", "xa")],
)
@pytest.mark.parametrize("system", ["moodle", None])
def test_marks_on_letters_tell_names_apart(name: str, other: str, system: CourseSystem | None) -> None:
    people = [Person(name=name, id="11")] if system else []
    one = HandedIn(name, *people, system=system)
    known = class_list([one], read_roster(f"name,email\n{other},o@x\n{normalize('NFD', name)},n@x\n".encode()))
    assert [student.email for student in known.students[name]] == ["n@x"]
    assert class_list([one], read_roster(f"name,email\n{other},o@x\n".encode())).unknown == (name,)


@pytest.mark.parametrize("written", ["irem", "İREM", "i\u0307rem"])
def test_a_capital_i_with_a_dot_is_an_i(written: str) -> None:
    assert class_list([HandedIn(written)], read_roster("name\nİrem\n".encode())).unknown == ()


def test_a_folder_is_found_by_its_own_name_if_its_results_have_another() -> None:
    one = HandedIn("Gus Smith, Jr-fdbcdd90")
    one.origin = Origin(path="class/Gus Smith, Jr.")
    known = class_list([one], read_roster(b'name,id\n"Gus Smith, Jr.",7\nJane Doe,8\n'))
    assert [student.ids for student in known.students[one.name]] == [("7",)]
    assert [student.ids for student in known.missing] == [("8",)]


def test_a_number_with_thousands_of_digits_is_no_number() -> None:
    table = read_roster(b"name,id\nAda," + b"1" * 5000 + b"\n")
    assert len(class_list([], table).missing) == 1


def test_a_number_of_another_system_is_not_taken_for_a_student_s() -> None:
    roster = read_roster(b"name,id\nBob,501\n")
    known = class_list([HandedIn("doejane-501", Person(name="doejane", id="501"), system="canvas")], roster)
    assert known.unknown == ("doejane-501",)


@pytest.mark.parametrize("system", ["canvas", "moodle"])
@pytest.mark.parametrize("name", ["Jane Doe", ""])
def test_a_number_of_a_system_is_nobody_s_in_a_table_without_names(system: CourseSystem, name: str) -> None:
    one = HandedIn("one-101", Person(name=name, id="101"), system=system)
    known = class_list([one], read_roster(b"ID,Email\n101,rick@x.edu\n102,jane@x.edu\n"))
    assert (labels(known, one.name), known.unknown) == ([], (one.name,))
    assert any("nobody on it has handed in" in note for note in known.notes)


def test_namesakes_are_doubtful_and_nobody_disappears() -> None:
    roster = read_roster(b"name,id\nJane Doe,1\nJane Doe,2\n")
    known = class_list([HandedIn("Jane Doe")], roster)
    assert known.ambiguous == ("Jane Doe",)
    assert len(known.missing) == 2


def of_two(system: CourseSystem, *, has_number: bool) -> list[HandedIn]:
    people = [Person(name="Jane Doe", id=number if has_number else "") for number in ("17", "18")]
    return [
        HandedIn(f"janedoe-{number}", one, system=system) for number, one in zip(("17", "18"), people, strict=True)
    ]


JANE_AND_ZED = b"name,email,id\nJane Doe,j@x,1\nZed,z@x,3\n"


@pytest.mark.parametrize("system", ["moodle", "canvas", "gradescope", "blackboard", "d2l"])
def test_people_with_different_numbers_are_not_one_student(system: CourseSystem) -> None:
    entries = of_two(system, has_number=system != "d2l")
    known = class_list(entries, read_roster(JANE_AND_ZED))
    assert known.ambiguous == ("janedoe-17", "janedoe-18")
    assert not any(known.students.values())
    assert len(known.missing) == 2
    assert [known.people_of(one) for one in entries] == [one.origin.people for one in entries]
    owners = [owner_of(one, known) for one in entries]
    assert owners[0] != owners[1] or owners == [None, None]
    (note,) = [note for note in known.notes if "moodle.csv" not in note]
    assert "janedoe-17 (Jane Doe), janedoe-18 (Jane Doe)" in note
    # One of them is who the roster has, whatever else is called so.
    for one in entries:
        assert labels(class_list([one], read_roster(JANE_AND_ZED)), one.name) == ["Jane Doe"]
    same = [entries[0], HandedIn("again", *entries[0].origin.people, system=system)]
    if system != "d2l":
        assert class_list(same, read_roster(JANE_AND_ZED)).ambiguous == ()


@pytest.mark.parametrize(
    ("system", "table"),
    [
        ("canvas", 'Student,ID,SIS Login ID,Section\n"Doe, Jane",17,jdoe,A\n"Roe, Rick",5,rroe,A\nKim,7,kim,A\n'),
        (
            "moodle",
            "Identifier,Full name\nParticipant 17,Jane Doe\nParticipant 5,Rick Roe\nParticipant 7,Kim\n",
        ),
        ("gradescope", "name,sid\nJane Doe,17\nRick Roe,5\nKim,7\n"),
        ("blackboard", "name,username\nJane Doe,17\nRick Roe,5\nKim,7\n"),
    ],
)
@pytest.mark.parametrize("handed_in", [("17", "18"), ("18",)])
def test_a_name_does_not_count_if_the_roster_has_another_number_for_it(
    system: CourseSystem, table: str, handed_in: tuple[str, ...]
) -> None:
    names = {"17": "Jane Doe", "18": "Jane Doe", "5": "Rick Roe", "7": "Kim", "6": "Zoe"}
    entries = [
        HandedIn(number, Person(name=names[number], id=number), system=system)
        for number in (*handed_in, "5", "7", "6")
    ]
    known = class_list(entries, read_roster(table.encode()))
    assert (known.ambiguous, known.unknown) == (("18",), ("6",))
    assert len(known.missing) == 2 - len(handed_in)
    # Spreadsheets drop zeros.
    entries[0] = HandedIn("0017", Person(name="Jane Doe", id="0017"), system=system)
    assert class_list([entries[0], *entries[-3:]], read_roster(table.encode())).ambiguous == ()


def test_an_address_and_a_number_of_different_students_are_doubtful() -> None:
    table = read_roster(b"name,sid,email\nAda,1,a@x\nBob,2,b@x\n")
    both = HandedIn("a", Person(name="Ada", id="1", email="b@x"), system="gradescope")
    assert class_list([both], table).ambiguous == ("a",)
    own = HandedIn("a", Person(name="Ada", id="1", email="ada@home"), system="gradescope")
    assert labels(class_list([own], table), "a") == ["Ada"]


def test_commas_between_groups_of_one_cell_separate_them() -> None:
    roster = read_roster(b'name,groups\nAda,"Team A, Tutorial 1"\nBob,"Team A, Tutorial 2"\nCyd,"Lee, Roe"\n')
    known = class_list([HandedIn("Team A"), HandedIn("Lee, Roe")], roster)
    assert labels(known, "Team A") == ["Ada", "Bob"]
    assert labels(known, "Lee, Roe") == ["Cyd"]


def test_a_number_of_one_student_and_the_name_of_another_are_doubtful() -> None:
    roster = read_roster(b"name,id\nJane Doe,5001\nRick Roe,5002\n")
    one = HandedIn("one", Person(name="Jane Doe", id="5002"), system="gradescope")
    known = class_list([one], roster)
    assert known.ambiguous == ("one",)
    assert not known.students["one"]


def test_what_spreadsheets_add_to_tables() -> None:
    text = 'sep=;\nname;id;;\nAda;="0012";;\nBob;13\n'
    assert [(one.name, one.ids, one.line) for one in read_roster(text.encode()).students] == [
        ("Ada", ("0012",), 3),
        ("Bob", ("13",), 4),
    ]


def test_rows_of_one_student_are_put_together() -> None:
    text = "name,email,id,login,section\nAda,a@x,1,,A\nBob,b@x,3,,A\nAda,a@x,2,ada,B\n"
    ada, bob = read_roster(text.encode()).students
    assert (ada.ids, ada.login, ada.section, ada.line) == (("1", "2"), "ada", "A; B", 2)
    assert bob.ids == ("3",)


@pytest.mark.parametrize(
    "table",
    [b"id,programme\n1,Computer Science\n2,Computer Science\n", b"id,seat\ns-1,4\ns-2,5\n", b"id\n1\n2\n"],
)
def test_a_table_of_numbers_is_not_in_another_language(table: bytes) -> None:
    assert len(read_roster(table).students) == 2


def labels(known: ClassList, name: str) -> list[str]:
    return [student.label for student in known.students[name]]


def canvas_file(name: str, number: str) -> HandedIn:
    return HandedIn(f"{name}-{number}", Person(name=name, id=number), system="canvas")


def moodle_folder(name: str, number: str = "") -> HandedIn:
    return HandedIn(f"{name}-{number}", Person(name=name, id=number), system="moodle")


def test_a_number_of_canvas_is_believed_whatever_the_name() -> None:
    known = class_list(
        [canvas_file("teama", "101"), canvas_file("marriedname", "103")], read_roster(CANVAS_SECTIONS.encode())
    )
    assert labels(known, "teama-101") == ["Aye, Ann"]
    assert labels(known, "marriedname-103") == ["Cee, Cy"]
    assert known.people["teama-101"] == (Person(name="Aye, Ann", id="101"),)
    assert [student.name for student in known.missing] == ["Bee, Bob"]
    # The other members of a group are not known.
    (note,) = known.notes
    assert "teama-101 (Aye, Ann), marriedname-103 (Cee, Cy)" in note
    assert "column `group`" in note


@pytest.mark.parametrize("number", ["101", "102"])
def test_a_group_of_canvas_has_the_members_of_the_roster(number: str) -> None:
    known = class_list(
        [canvas_file("teama", number), canvas_file("ceecy", "103")], read_roster(CANVAS_GROUPS.encode())
    )
    assert known.people == {
        f"teama-{number}": (Person(name="Aye, Ann", id="101"), Person(name="Bee, Bob", id="102")),
        "ceecy-103": (Person(name="Cee, Cy", id="103"),),
    }
    assert (known.missing, known.unknown, known.notes) == ((), (), ())


def test_a_group_of_moodle_has_the_members_of_the_worksheet_and_never_a_number_of_its_own() -> None:
    entries = [moodle_folder("Team A", "17"), moodle_folder("Team C", "501"), moodle_folder("Default group")]
    known = class_list(entries, read_roster(WORKSHEET.encode()))
    people = {name: [person.id for person in found] for name, found in known.people.items()}
    assert people == {"Team A-17": ["501", "502"], "Team C-501": [""], "Default group-": ["503"]}
    assert known.unknown == ("Team C-501",)
    assert [student.name for student in known.missing] == ["Zed Other"]
    # A roster without Moodle's numbers.
    known = class_list(entries[:1], read_roster(b"name,email,group\nAda,a@x,Team A\nBob,b@x,team a\nCy,c@x,\n"))
    assert known.people["Team A-17"] == (Person(name="Ada", email="a@x"), Person(name="Bob", email="b@x"))


@pytest.mark.parametrize("name", ["Team A-Ann Aye", "Team A-Ann Married"])
@pytest.mark.parametrize("table", [WORKSHEET, WORKSHEET.replace(",Group", ",Other")])
def test_moodle_s_prefix_of_a_group_does_not_hide_the_student(name: str, table: str) -> None:
    entries = [moodle_folder(name, "501"), moodle_folder("Team A-Bob Bee", "502")]
    known = class_list(entries, read_roster(table.encode()))
    if name == "Team A-Ann Aye" or ",Group" in table:
        assert labels(known, f"{name}-501") == ["Ann Aye"]
    assert labels(known, "Team A-Bob Bee-502") == ["Bob Bee"]
    assert class_list(entries[1:], read_roster(b"name,group\nBob Bee,Team A\n")).unknown == ()


@pytest.mark.parametrize("own_prefix", ["", "Team A-"])
@pytest.mark.parametrize("prefix", ["", "Team A-", "Team-B 2-"])
def test_a_changed_name_in_moodle_is_found_by_a_number_only_if_others_agree(prefix: str, own_prefix: str) -> None:
    table = read_roster(MOODLE.encode())
    rick, jane = moodle_folder(f"{prefix}Rick Roe", "502"), moodle_folder(f"{own_prefix}Jane Married", "501")
    known = class_list([rick, jane], table)
    assert labels(known, jane.name) == ["Jane Doe"]
    assert (known.missing, known.unknown) == ((), ())
    assert any(f"{jane.name} (Jane Doe)" in note for note in known.notes)
    assert known.people[jane.name] == (Person(name="Jane Doe", email="jane@example.edu", id="501"),)
    # Nobody agrees: the number may be a group's. Somebody disagrees: it is the worksheet of another assignment.
    agrees = [moodle_folder("Doe, Jane", "501")] if prefix else []
    for number in ("", "501", "9"):
        others = [*agrees, moodle_folder(f"{prefix}Rick Roe", number)] if number else []
        known = class_list([*others, jane], table)
        assert jane.name in known.unknown
        assert known.people[jane.name] == (Person(name=f"{own_prefix}Jane Married"),)


@pytest.mark.parametrize(
    ("name", "number"),
    [("Ann Aye", "9"), ("Aye, Ann", "501"), ("Team A-Ann Aye", "501"), ("Best-of 2-Ann Aye", "501")],
)
@pytest.mark.parametrize("table", [WORKSHEET, WORKSHEET.replace(",Group", ",Other")])
def test_a_student_of_moodle_has_the_name_and_the_address_of_the_worksheet(
    name: str, number: str, table: str
) -> None:
    one = moodle_folder(name, number)
    known = class_list([one], read_roster(table.encode()))
    assert known.people_of(one) == (Person(name="Ann Aye", email="ann@x", id=number),)
    # The export's own name is still known.
    assert people_index([one], known).find(name) == {f"entry {one.name}"}


def test_an_empty_cell_of_the_worksheet_does_not_hide_what_the_export_says() -> None:
    table = read_roster(MOODLE.replace("Jane Doe", "").replace("jane@example.edu", "").encode())
    one = moodle_folder("Jane Doe", "501")
    assert class_list([one], table).people_of(one) == one.origin.people


def test_a_name_of_many_hyphens_takes_no_time() -> None:
    one = moodle_folder("-" * 1_000_000, "501")
    assert class_list([one], read_roster(MOODLE.encode())).unknown == (one.name,)


def test_students_with_one_repository_or_a_folder_of_their_group_are_a_group() -> None:
    github = "student_repository_name,github_username\nlab-team,ada\nlab-team,bob\nlab-cy,cy\n"
    known = class_list([HandedIn("lab-team")], read_roster(github.encode()))
    assert (labels(known, "lab-team"), known.ambiguous) == (["ada", "bob"], ())
    known = class_list([HandedIn("Team 1")], read_roster(b"name,team\nAda,team 1\nBob,Team 1\nCy,Team 2\n"))
    assert (labels(known, "Team 1"), known.unknown) == (["Ada", "Bob"], ())


def folders(roster: str, *paths: str) -> tuple[dict[str, list[str]], tuple[str, ...]]:
    """Return the logins of those who are found for each folder, and the folders that may be of several students."""
    entries = []
    for path in paths:
        one = HandedIn(path.removesuffix(".zip").removesuffix(".tar.gz"))
        one.origin = Origin(path=f"class/{path}")
        entries.append(one)
    known = class_list(entries, read_roster(roster.encode()))
    found = {name: [student.login for student in students] for name, students in known.students.items()}
    return {name: logins for name, logins in found.items() if logins}, known.ambiguous


@pytest.mark.parametrize(
    ("logins", "names", "expected", "ambiguous"),
    [
        # What is in front is the same for the class, however many hyphens there are.
        ("doe jane-doe", "lab2-doe lab2-jane-doe", {"lab2-doe": "doe", "lab2-jane-doe": "jane-doe"}, ""),
        ("doe jane-doe x", "lab2-jane-doe lab2-x", {"lab2-jane-doe": "jane-doe", "lab2-x": "x"}, ""),
        ("doe x", "lab2-jane-doe lab2-x", {"lab2-x": "x"}, ""),
        (
            "jane-doe doe jane",
            "a-2-jane-doe.zip a-2-jane.tar.gz",
            {"a-2-jane-doe": "jane-doe", "a-2-jane": "jane"},
            "",
        ),
        ("a-b-c c b-c d", "lab-a-b-c Lab-B-C lab-d", {"lab-a-b-c": "a-b-c", "Lab-B-C": "b-c", "lab-d": "d"}, ""),
        ("kim roe", "lab-kim lab-roe roe", {"lab-kim": "kim", "lab-roe": "roe", "roe": "roe"}, ""),
        ("a b c d", "mo-a mo-b tu-c tu-d", {"mo-a": "a", "mo-b": "b", "tu-c": "c", "tu-d": "d"}, ""),
        # Nothing decides.
        ("doe jane-doe", "lab2-jane-doe", {}, "lab2-jane-doe"),
        # Not all folders have it: then it is a name with a hyphen.
        ("jones anna", "anna smith-jones", {"anna": "anna"}, ""),
        ("jones kim", "smith-jones lee-kim", {}, ""),
        ("jones", "smith-jones bob", {}, ""),
        ("lee jones anna kim", "anna kim smith-jones smith-lee", {"anna": "anna", "kim": "kim"}, ""),
        ("jones", "smith-jones", {"smith-jones": "jones"}, ""),
        ("jones anna kim", "anna kim smith-jones", {"anna": "anna", "kim": "kim"}, ""),
    ],
)
def test_the_end_of_a_name_is_a_login_if_the_class_is_called_so(
    logins: str, names: str, expected: dict[str, str], ambiguous: str
) -> None:
    roster = "github_username\n" + logins.replace(" ", "\n")
    found, several = folders(roster, *names.split())
    assert found == {name: [login] for name, login in expected.items()}
    assert several == tuple(ambiguous.split())


@pytest.mark.parametrize(
    ("form", "folded"),
    [
        ("{last}, {first}({login})", False),  # Sakai
        ("{last}_{first}_{login}_{number}", False),  # ILIAS
        ("{first} {last} - 2026-05-0{digit} 22:1{digit}:11", False),  # CodeGrade
        ("{number}_{first}.{last}", True),
        ("lab2 ({login}) {last} {first}.zip", True),
    ],
)
def test_a_part_of_a_name_counts_if_it_has_the_same_place_in_most_of_them(form: str, *, folded: bool) -> None:
    people = [("jdoe", "Jane", "Doe"), ("rroe", "Rick", "van Roe"), ("kim", "Kim Lu", "Lee"), ("no", "Not", "There")]
    names = [
        form.format(login=login, first=first, last=last, number=70 + at, digit=at)
        for at, (login, first, last) in enumerate(people)
    ]
    names = [name.upper() if folded and not name.endswith(".zip") else name for name in names]
    roster = "login,name\n" + "".join(f"{login},{first} {last}\n" for login, first, last in people[:-1])
    found, ambiguous = folders(roster, *names)
    assert list(found.values()) == [[login] for login, _, _ in people[:-1]]
    assert ambiguous == ()
    # Nothing of a class called otherwise.
    assert folders(roster + "a,A B\nb,B C\nc,C D\n", names[0], "a", "b", "c")[0] == {one: [one] for one in "abc"}


def test_a_part_of_a_name_is_not_certain_if_two_folders_have_the_name() -> None:
    names = ["Jane Doe - 1", "Jane Doe - 2", "Rick Roe - 3", "Jane Maria Doe - 4"]
    found, ambiguous = folders("login,name\njdoe,Jane Doe\nrroe,Rick Roe\n", *names)
    assert (found, ambiguous) == ({"Rick Roe - 3": ["rroe"]}, ("Jane Doe - 1", "Jane Doe - 2"))


def test_long_names_with_many_parts_take_no_time() -> None:
    roster = "login,name\n" + "".join(f"a{number},A B{number}\n" for number in range(300))
    names = ["-".join(f"{'x' * (at % 7)}a{(at + number) % 300}" for at in range(2000)) for number in range(300)]
    started = process_time()
    folders(roster, *names)
    assert process_time() - started < 30


def test_a_group_is_called_by_all_of_its_name_and_not_by_a_student_s_login() -> None:
    roster = "login,name,group\nlee,Tom Lee,team-kim\nkim,Anna Kim,team-lee\nx,Xi Xu,team-lee\n"
    assert folders(roster, "team-lee", "team-kim") == ({"team-lee": ["kim", "x"], "team-kim": ["lee"]}, ())
    assert folders(roster.replace("team-", ""), "lee", "kim") == ({}, ("lee", "kim"))


@pytest.mark.parametrize("suffix", ["", ".zip"])
def test_a_name_of_results_that_the_grader_made_up_is_nobody_s(suffix: str) -> None:
    entries = [HandedIn(name) for name in ("ada", "ada-2", "ada-2-2")]
    for one, path in zip(entries, ("A/ada", "B/ada", "B/ada-2"), strict=True):
        one.origin = Origin(path=path + suffix)
    known = class_list(entries, read_roster(b"login\nada\nada-2\n"))
    found = {name: [student.login for student in students] for name, students in known.students.items()}
    assert found == {"ada": ["ada"], "ada-2": ["ada"], "ada-2-2": ["ada-2"]}
    assert class_list(entries, read_roster(b"login\nbob\n")).unknown == ("ada", "ada-2", "ada-2-2")
    here = HandedIn("ada")
    here.origin = Origin(path=".")
    assert class_list([here], read_roster(b"login\nada\n")).unknown == ()


def test_a_roster_of_nobody_is_reported_with_the_columns_that_were_used() -> None:
    known = class_list([HandedIn("x")], read_roster(b"Number,Bemerkung\n1,-\n2,-\n"))
    (note,) = known.notes
    assert "nobody on it has handed in" in note
    assert note.endswith(": Number")


@pytest.mark.parametrize("table", [None, b"name\nJane Doe\n", MOODLE.encode(), b"name,group\nJane,Team A\n"])
@pytest.mark.parametrize("name", ["Jane Doe", "Team A"])
def test_numbers_of_moodle_that_nothing_explains_are_noted(table: bytes | None, name: str) -> None:
    entries = [moodle_folder(name, "501"), moodle_folder("Jane Doe")]
    known = class_list(entries, read_roster(table) if table else None)
    is_explained = table == MOODLE.encode() or (name == "Team A" and table is not None and b"group" in table)
    assert any("give Moodle's grading worksheet" in note for note in known.notes) != is_explained


@pytest.mark.parametrize(
    ("header", "others"),
    [
        ("id,email,major", ["Computer Science", "Political Science", "Physics"]),
        ("id,email,status", ["Enrolled", "Dropped out", "On leave"]),
        ("ID,Email,Status", ["enrolled full time", "auditing only", "visiting student"]),
        ("id,email,Lab TA", ["Tim Lee", "Sue Kim", "Kai Moe"]),
        ("email,tutor", ["Tim Lee", "Sue Kim", "Kai Moe"]),
        ("email,section,notes", ["Comes late", "Needs more time", "Is ill"]),
        ("id,city,country", ["Bern,Switzerland", "Oslo,Norway", "Lima,Peru"]),
        ("name,major", ["Physics", "Law", "Music"]),
        ("name,email,user", ["ada", "bob", "cyd"]),
        ("full name,Rufname", ["Ada", "Bob", "Cyd"]),
        ("login,Vorname", ["Ada", "Bob", "Cyd"]),
        ("first name,last name,Rufname", ["Ada", "Bob", "Cyd"]),
    ],
)
def test_a_column_of_words_is_not_taken_for_names_in_another_language(header: str, others: list[str]) -> None:
    own = {"id": "{0}", "email": "{0}@x.edu", "name": "N{0}", "full name": "N{0} Last", "section": "A"}
    own |= {"login": "u{0}", "first name": "F{0}", "last name": "L{0}"}
    heads = [own[head.lower()] for head in header.split(",") if head.lower() in own]
    rows = [",".join([*heads, other]).format(letter) for letter, other in zip("abc", others, strict=True)]
    assert len(students("\n".join([header, *rows]))) == 3


@pytest.mark.parametrize("header", ["id,email,Academic Plan", "email,Thesis", "id,Nombre completo"])
def test_a_column_that_may_have_names_or_anything_else_is_noted(header: str) -> None:
    other = header.rpartition(",")[2]
    numbers = ["1,a@x.edu", "2,b@x.edu"] if header.startswith("id,email") else ["1@x.edu", "2@x.edu"]
    rows = [f"{number},{words}" for number, words in zip(numbers, ("Jane Doe", "Rick Roe"), strict=True)]
    roster = read_roster("\n".join([header, *rows]).encode())
    known = class_list([HandedIn(numbers[0].partition(",")[0])], roster)
    assert known.notes == (f"roster: “{other}” is not used; if it has the students' names, call it name",)


@pytest.mark.parametrize("header", ["Name,Vorname,ID", "Nachname,Vorname,ID"])
def test_first_names_of_a_large_class_are_names_though_many_have_the_same(header: str) -> None:
    firsts = ["".join(pair) for pair in product("Abcdefghijkl", repeat=2)]
    rows = [f"Roe{first}{other},Rick{first},{first}{other}" for first in firsts for other in "abcd"]
    with pytest.raises(RosterError, match="“Vorname”"):
        students("\n".join([header, *rows]))


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        ("Name;First Name;ID\nDoe;Jane;1\nDoe;Jim;2\n", ["Jane Doe", "Jim Doe"]),
        ("First name;Name\nJane;Doe\nJim;Roe\n", ["Jane Doe", "Jim Roe"]),
        ("Name,Surname\nJane,Doe\nJim,van Roe\n", ["Jane Doe", "Jim van Roe"]),
        ('Name,First name\n"Doe, Jane",Jane\nJim Roe,Jim\n', ["Doe, Jane", "Jim Roe"]),
        ("Name,Last name\nJane Doe,Doe\nJim Roe,Roe\nKim Married,Lee\n", ["Jane Doe", "Jim Roe", "Kim Married"]),
        ("Name,First name,Last name\nJane Q. Doe,Jane,Doe\n", ["Jane Q. Doe"]),
        ("Name,First name\nDoe,\n,Jane\nRoe,Jim\n", ["Doe", "Jane", "Jim Roe"]),
    ],
)
def test_a_name_and_a_part_of_it_are_one_name(table: str, expected: list[str]) -> None:
    assert [student.name for student in students(table)] == expected


GROUPS = {
    "numbers": ("Team 1-12", "Team 11-2"),
    "signs": ("C++", "C#"),
    "pictures": ("\N{FOX FACE}", "\N{OWL}"),
    "separators": ("Team 1-12", "Team 1 12"),
}


@pytest.mark.parametrize("kind", GROUPS)
def test_groups_with_like_names_are_not_confused(kind: str) -> None:
    one, other = GROUPS[kind]
    moodle = f'Identifier,Full name,Group\nParticipant 501,Ann Aye,"{one}"\nParticipant 502,Bob Bee,"{other}"\n'
    known = class_list([moodle_folder(one, "17")], read_roster(moodle.encode()))
    assert labels(known, f"{one}-17") == ["Ann Aye"]
    assert [student.name for student in known.missing] == ["Bob Bee"]
    assert folders(f'login,group\na,"{one}"\nb,"{other}"\n', one, other) == ({one: ["a"], other: ["b"]}, ())


def test_canvas_groups_of_the_same_letters_are_told_apart_by_who_handed_in() -> None:
    table = read_roster(
        b"name,canvas_user_id,user_id,login_id,sections,group_name,canvas_group_id\n"
        b"Ann Aye,101,s1,aa,A,Team 1-12,9\nBob Bee,102,s2,bb,A,Team 1-12,9\nDi Dee,104,s4,dd,A,Team 11-2,11\n"
    )
    known = class_list([canvas_file("team112", "102"), canvas_file("team112", "104")], table)
    assert labels(known, "team112-102") == ["Ann Aye", "Bob Bee"]
    assert labels(known, "team112-104") == ["Di Dee"]
    # A number of nobody leaves it open.
    known = class_list([canvas_file("team112", "9")], table)
    assert (known.students["team112-9"], known.ambiguous) == ((), ("team112-9",))


def test_a_member_of_two_groups_does_not_keep_the_others_from_their_grade() -> None:
    table = read_roster(
        b'Identifier,Full name,Group\nParticipant 501,Ann Aye,"Team A, Team B"\nParticipant 502,Bob Bee,Team A\n'
        b"Participant 503,Cy Cee,Team B\nParticipant 18,Zed Other,Team C\n"
    )
    teams = [moodle_folder("Team A", "17"), moodle_folder("Team B", "18")]
    known = class_list(teams, table)
    assert labels(known, "Team A-17") == ["Ann Aye", "Bob Bee"]
    assert labels(known, "Team B-18") == ["Ann Aye", "Cy Cee"]
    # Two groups that are called alike are not known, and no number of theirs is a student's.
    known = class_list([teams[0], moodle_folder("Team A", "18")], table)
    assert {*known.ambiguous} == {"Team A-17", "Team A-18"}
    assert [person.id for name in known.ambiguous for person in known.people[name]] == ["", ""]
