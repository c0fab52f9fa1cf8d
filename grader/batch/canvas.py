"""Scores, comments and reports of a class in Canvas, through its REST API (decision 0079).

Canvas, "Submissions API" and "Submission Comments API": a score is `posted_grade`, a comment is text or an attached
file, and the students of an assignment are those whom "List assignment submissions" names.
"""

from __future__ import annotations

import hashlib
import html
import re
import tempfile
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from canvasapi import Canvas
from canvasapi.exceptions import (
    CanvasException,
    Forbidden,
    InvalidAccessToken,
    RateLimitExceeded,
    ResourceDoesNotExist,
    Unauthorized,
)
from requests import PreparedRequest, RequestException, Response
from requests.adapters import HTTPAdapter
from urllib3.util.retry import Retry

from grader.errors import GraderError, UsageError
from grader.machine_folders import temporary_root
from grader.render.text.escape import one_line
from grader.render.text.phrases import points_words

TOKEN = "CANVAS_API_TOKEN"  # noqa: S105 - the name of a variable
CONNECT_S, ANSWER_S = 15, 60
THROTTLED = 429
TRIES = 5
"""How often a request is sent that Canvas did not take because there were too many."""

_LOCAL = ("localhost", "127.0.0.1", "::1")
_TAG = re.compile(r"<[^>]*>")


@dataclass(frozen=True)
class StudentResult:
    """What one student is to have in Canvas; `score` is None if the student is excused.

    `page` is the report as the student may see it, None if there is none.
    """

    user_id: str
    name: str
    score: float | None
    comment: str = ""
    page: bytes | None = None

    @property
    def file_name(self) -> str:
        """The name of the attached page, by which the same page is recognized."""
        return f"report-{hashlib.sha256(self.page or b'').hexdigest()[:12]}.html"


@dataclass(frozen=True)
class Change:
    """What differs between Canvas and a result."""

    result: StudentResult
    before: str
    is_new_score: bool
    is_new_comment: bool
    is_new_page: bool

    @property
    def after(self) -> str:
        """The score afterwards, in words."""
        return "excused" if self.result.score is None else points_words(self.result.score)

    def __bool__(self) -> bool:
        return self.is_new_score or self.is_new_comment or self.is_new_page


class CanvasAssignment:
    """An assignment in Canvas, with the submissions that it has of its students."""

    def __init__(self, url: str, token: str, course: int, assignment: int) -> None:
        """Connect to Canvas.

        Raises:
            UsageError: the address or the token cannot be right.
            GraderError: Canvas does not answer, or refuses.
        """
        address, token = _address(url), _checked(token)
        with _errors_in_words(), warnings.catch_warnings():
            # It warns of http, which is only accepted for this machine.
            warnings.simplefilter("ignore", UserWarning)
            canvas = Canvas(address, token)
            # It has no time limits, and no other way to set them.
            session = canvas._Canvas__requester._session  # noqa: SLF001
            for scheme in ("https://", "http://"):
                session.mount(scheme, _Patient())
            self._assignment = canvas.get_course(course, use_sis_id=False).get_assignment(assignment)
            found = self._assignment.get_submissions(include=["submission_comments"], per_page=100)
            self._submissions: Mapping[str, Any] = {str(one.user_id): one for one in found}

    @property
    def title(self) -> str:
        """The name of the assignment."""
        return str(getattr(self._assignment, "name", ""))

    @property
    def points_possible(self) -> float | None:
        """What a submission can get, None if that is not set."""
        points = getattr(self._assignment, "points_possible", None)
        return None if points is None else float(points)

    def change(self, result: StudentResult) -> Change | None:
        """Return what differs; None if the assignment has no such student."""
        submission = self._submissions.get(result.user_id)
        if submission is None:
            return None
        # Canvas takes off points of its own for lateness, and `entered_score` is without them.
        score = getattr(submission, "entered_score", None)
        score = getattr(submission, "score", None) if score is None else score
        is_excused = bool(getattr(submission, "excused", False))
        comments = getattr(submission, "submission_comments", None) or []
        texts = {words for one in comments for words in _readings(str(one.get("comment") or ""))}
        files = {
            str(file.get(key))
            for one in comments
            for file in one.get("attachments") or ()
            for key in ("filename", "display_name")
        }
        return Change(
            result,
            before="excused" if is_excused else points_words(None if score is None else float(score)),
            is_new_score=not is_excused if result.score is None else is_excused or score != result.score,
            is_new_comment=bool(result.comment) and _words(result.comment) not in texts,
            is_new_page=result.page is not None and result.file_name not in files,
        )

    def upload(self, change: Change) -> None:
        """Make the change in Canvas.

        Raises:
            GraderError: Canvas does not answer, or refuses; a part of the change may have been made.
        """
        result, submission = change.result, self._submissions[change.result.user_id]
        with _errors_in_words():
            # The page first: Canvas tells a student about the score, who then looks for the reasons.
            if change.is_new_page and result.page is not None:
                with tempfile.TemporaryDirectory(prefix="iolab-grader-", dir=temporary_root()) as folder:
                    page = Path(folder) / result.file_name
                    page.write_bytes(result.page)
                    is_stored, _ = submission.upload_comment(page, content_type="text/html")
                if not is_stored:
                    raise GraderError("Canvas did not take the report")
            values: dict[str, Any] = {}
            if change.is_new_score:
                new = {"excuse": True} if result.score is None else {"posted_grade": _posted(result.score)}
                values["submission"] = new
            if change.is_new_comment:
                values["comment"] = {"text_comment": result.comment}
            if values:
                submission.edit(**values)


def changes(assignment: CanvasAssignment, results: Sequence[StudentResult]) -> tuple[list[Change], list[str]]:
    """Return what has to be changed in Canvas, and the students whom the assignment does not have."""
    found = {result.name: assignment.change(result) for result in results}
    return [change for change in found.values() if change], [name for name, one in found.items() if one is None]


class _Patient(HTTPAdapter):
    """Waits only so long for an answer, and asks again if Canvas says that there are too many requests."""

    def __init__(self) -> None:
        # Such a request was not carried out, whatever it asks for.
        retry = Retry(
            total=TRIES,
            status_forcelist=(THROTTLED,),
            allowed_methods=None,
            backoff_factor=1,
            # It could ask to wait for hours.
            respect_retry_after_header=False,
        )
        retry = retry.new(connect=0, read=0, redirect=0, other=0, raise_on_status=False)
        super().__init__(max_retries=retry)

    def send(self, request: PreparedRequest, *arguments: Any, **options: Any) -> Response:  # noqa: ANN401 - as sent
        options["timeout"] = (CONNECT_S, ANSWER_S)
        return super().send(request, *arguments, **options)


def _address(url: str) -> str:
    """Return the address of a Canvas without its API's path."""
    parts = urlsplit(url if "://" in url else f"https://{url}")
    is_safe = parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in _LOCAL)
    if not parts.hostname or not is_safe or parts.username is not None:
        raise UsageError(f"--url {one_line(url)}: give the address of Canvas as https://canvas.example.edu")
    return f"{parts.scheme}://{parts.netloc}"


def _checked(token: str) -> str:
    """Return the token without blanks around it. It is never shown, not even if it cannot be one."""
    token = token.strip()
    if not token:
        raise UsageError(
            f"set {TOKEN} to an access token, which Canvas makes under Account, Settings, New Access Token"
        )
    if not token.isascii() or not token.isprintable() or " " in token:
        raise UsageError(f"{TOKEN} is not an access token: it has blanks, or characters that are not ASCII")
    return token


@contextmanager
def _errors_in_words() -> Iterator[None]:
    """Say what errors of Canvas and of the network mean."""
    try:
        yield
    except InvalidAccessToken as error:
        raise GraderError(f"Canvas does not accept the access token in {TOKEN}") from error
    except (Unauthorized, Forbidden) as error:
        if isinstance(error, RateLimitExceeded) or "rate limit" in str(error).lower():
            raise GraderError("Canvas takes no more requests for now; run the same command again later") from error
        raise GraderError("this access token may not grade this assignment, says Canvas") from error
    except ResourceDoesNotExist as error:
        raise GraderError("Canvas has no such course, assignment or student") from error
    except CanvasException as error:
        raise GraderError(f"Canvas reports an error: {one_line(str(error))[:200]}") from error
    except RequestException as error:
        raise GraderError(f"Canvas does not answer: {one_line(str(error))[:200]}") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise GraderError("what answers there is not Canvas, or a version that this grader does not know") from error


def _posted(score: float) -> str:
    """Return a score as Canvas reads it, without a separator of thousands."""
    return f"{score:.2f}".rstrip("0").rstrip(".")


def _readings(comment: str) -> tuple[str, str]:
    """Return the words of a comment that Canvas keeps as text or as HTML, which it does not say."""
    return _words(comment), _words(html.unescape(_TAG.sub(" ", comment)))


def _words(text: str) -> str:
    return " ".join(text.split())
