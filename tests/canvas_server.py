"""A small Canvas for tests.

It follows the published documentation of the Canvas LMS REST API, developerdocs.instructure.com/services/canvas:

- "Courses", "Assignments": GET /api/v1/courses/:id and .../assignments/:id.
- "Submissions", "List assignment submissions": GET .../assignments/:id/submissions, in pages ("Pagination":
  the header `Link` names the next one); "Grade or comment on a submission": PUT .../submissions/:user_id with
  `submission[posted_grade]`, `submission[excuse]`, `comment[text_comment]` and `comment[file_ids][]`.
- "Submission Comments", "Upload a file": POST .../submissions/:user_id/comments/files, and "Uploading Files" for the
  three steps: the address to send the file to, the file without the token, and the file's description.
- "OAuth2": 401 with WWW-Authenticate for a token that is not valid. "Throttling": too many requests are refused.
"""

from __future__ import annotations

import html
import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tests.waits import ENDS_S

TOKEN = "7~q8Zk2"  # noqa: S105 - of this server
COURSE, ASSIGNMENT = 31, 77
PAGE = 2
"""Submissions on a page, however many are asked for: a server may give fewer."""

_SUBMISSION = rf"/api/v1/courses/{COURSE}/assignments/{ASSIGNMENT}/submissions"


@dataclass
class CanvasServer:
    """What the server knows, and how it misbehaves: the next requests are answered with `failures` that are not 0."""

    students: dict[int, dict[str, Any]]
    points_possible: float | None = 100.0
    address: str = ""
    uploads: list[tuple[str, bytes]] = field(default_factory=list)
    changes: list[tuple[int, dict[str, list[str]]]] = field(default_factory=list)
    tokens: list[str | None] = field(default_factory=list)
    failures: list[int] = field(default_factory=list)
    redirect_to: str = ""
    """Address to which every request is sent on."""
    fail_after: int | None = None
    """Number of requests after which every request that changes something fails with 500."""


def student(user_id: int, **values: object) -> dict[str, Any]:
    """Return a submission as the API describes it."""
    empty: dict[str, Any] = {"score": None, "entered_score": None, "excused": False, "submission_comments": []}
    return {"id": user_id + 5000, "user_id": user_id, "assignment_id": ASSIGNMENT, **empty, **values}


@contextmanager
def canvas_server(server: CanvasServer) -> Iterator[CanvasServer]:
    """Answer on a port of this machine."""
    http = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"canvas": server}))
    server.address = f"http://127.0.0.1:{http.server_address[1]}"
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield server
    finally:
        http.shutdown()
        thread.join(ENDS_S)
        http.server_close()


class _Handler(BaseHTTPRequestHandler):
    canvas: CanvasServer

    def log_message(self, *_arguments: object) -> None:
        pass

    def do_GET(self) -> None:
        path, query = self._begin()
        if path is None:
            return
        if path == f"/api/v1/courses/{COURSE}":
            self._answer({"id": COURSE, "name": "Systems"})
        elif path == f"/api/v1/courses/{COURSE}/assignments/{ASSIGNMENT}":
            points = self.canvas.points_possible
            about = {"id": ASSIGNMENT, "course_id": COURSE, "name": "Lab 2", "points_possible": points}
            self._answer(about)
        elif path == _SUBMISSION:
            page = int(query.get("page", ["1"])[0])
            everybody = list(self.canvas.students.values())
            with_comments = "submission_comments" in query.get("include[]", [])
            shown = [
                {key: value for key, value in one.items() if with_comments or key != "submission_comments"}
                for one in everybody[(page - 1) * PAGE : page * PAGE]
            ]
            following = (
                f'<{self.canvas.address}{_SUBMISSION}?include[]=submission_comments&page={page + 1}>; rel="next"'
            )
            self._answer(shown, link=following if page * PAGE < len(everybody) else "")
        else:
            self._answer({"errors": [{"message": "The specified resource does not exist."}]}, 404)

    def do_PUT(self) -> None:
        path, _ = self._begin()
        match = re.fullmatch(rf"{_SUBMISSION}/(\d+)", path or "")
        if path is None or match is None:
            return
        values = parse_qs(self._body.decode("utf-8"))
        submission = self.canvas.students[int(match[1])]
        self.canvas.changes.append((int(match[1]), values))
        if "submission[posted_grade]" in values:
            score = float(values["submission[posted_grade]"][0])
            submission |= {"score": score, "entered_score": score, "excused": False}
        if values.get("submission[excuse]") == ["true"]:
            submission |= {"score": None, "entered_score": None, "excused": True}
        if "comment[text_comment]" in values:
            # The rich text editor of newer versions makes paragraphs.
            text = values["comment[text_comment]"][0]
            submission["submission_comments"].append({"comment": f"<p>{html.escape(text)}</p>"})
        if "comment[file_ids][]" in values:
            names = [self.canvas.uploads[int(number)][0] for number in values["comment[file_ids][]"]]
            files = [{"filename": name, "display_name": name} for name in names]
            submission["submission_comments"].append({"comment": "", "attachments": files})
        self._answer(submission)

    def do_POST(self) -> None:
        if urlsplit(self.path).path == "/upload":
            self._store()
            return
        path, _ = self._begin()
        if path is None:
            return
        assert re.fullmatch(rf"{_SUBMISSION}/(\d+)/comments/files", path), path
        values = parse_qs(self._body.decode("utf-8"))
        name = values["name"][0]
        self._answer({"upload_url": f"{self.canvas.address}/upload", "upload_params": {"key": name}})

    def _store(self) -> None:
        """Take a file: this server may be another one, which must not see the token."""
        assert self.headers["Authorization"] is None
        body = self.rfile.read(int(self.headers["Content-Length"]))
        message = Message()
        message["Content-Type"] = self.headers["Content-Type"]
        boundary = str(message.get_param("boundary")).encode()
        parts = [part.partition(b"\r\n\r\n") for part in body.split(b"--" + boundary)[1:-1]]
        (page,) = [data.removesuffix(b"\r\n") for head, _, data in parts if b'name="file"' in head]
        (name,) = [data.removesuffix(b"\r\n").decode() for head, _, data in parts if b'name="key"' in head]
        # The file comes last.
        assert b'name="file"' in parts[-1][0]
        self.canvas.uploads.append((name, page))
        number = len(self.canvas.uploads) - 1
        self._answer({"id": number, "url": f"{self.canvas.address}/files/{number}", "filename": name}, 201)

    def _begin(self) -> tuple[str | None, dict[str, list[str]]]:
        """Return path and query; None as the path if the request was refused."""
        canvas, parts = self.canvas, urlsplit(self.path)
        self._body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        token = self.headers["Authorization"]
        canvas.tokens.append(token)
        failure = canvas.failures.pop(0) if canvas.failures else 0
        if self.command != "GET" and canvas.fail_after is not None:
            canvas.fail_after -= 1
            failure = 500 if canvas.fail_after < 0 else failure
        if canvas.redirect_to:
            self._answer({}, 302, location=f"{canvas.redirect_to}{self.path}")
            return None, {}
        if token != f"Bearer {TOKEN}":
            self._answer(
                {"errors": [{"message": "Invalid access token."}]}, 401, authenticate='Bearer realm="canvas"'
            )
            return None, {}
        if failure:
            self._answer({"errors": [{"message": "no"}]}, failure)
            return None, {}
        return parts.path, parse_qs(parts.query)

    def _answer(
        self, value: object, status: int = 200, *, link: str = "", authenticate: str = "", location: str = ""
    ) -> None:
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        for name, text in (("Link", link), ("WWW-Authenticate", authenticate), ("Location", location)):
            if text:
                self.send_header(name, text)
        if status == 429:
            self.send_header("Retry-After", "0")
        self.end_headers()
        self.wfile.write(body)
