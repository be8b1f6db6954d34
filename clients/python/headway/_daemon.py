# SPDX-License-Identifier: Apache-2.0
"""For test suites: a daemon of their own, and what they read of it. Here, unlike in an agent, what goes wrong is an error."""
from __future__ import annotations

import http.client
import json
import os
import shutil
import subprocess
import tempfile
import urllib.parse
from typing import Any, Iterable, List, Optional, Sequence, Union

from ._address import address_of
from ._session import Session
from ._wire import _token, connection_to

WAIT_SECONDS = 1e6
WAIT = "10m"  # the longest that one request may wait; the loop is without end
SHOWN = 20  # newest events of a timeline
GOOD = {"settled", "ended"}  # sets that a test awaits with `completed` in mind


def _is_wanted(verdict: Any, wanted: str) -> bool:
    """A set stands for `completed`; another verdict has to be named itself."""
    named = {one.strip() for one in wanted.split(",")}
    return verdict == "completed" or verdict in named - GOOD or not named & GOOD


class NoDaemon(Exception):
    """There is no program `headway` and no HEADWAY_URL."""


class Daemon:
    """`headway serve` on a free port, with its state in a folder that is gone afterwards."""

    def __init__(self, *settings: str) -> None:
        binary = os.environ.get("HEADWAY_BINARY") or shutil.which("headway")
        if not binary:
            raise NoDaemon("neither HEADWAY_URL nor HEADWAY_BINARY is set, and there is no headway on PATH")
        self.folder = tempfile.mkdtemp(prefix="headway-pytest-")
        ports = os.path.join(self.folder, "ports.json")
        command = [binary, "serve", "--listen", "127.0.0.1:0", "--state-dir", os.path.join(self.folder, "state"), "--ports-file", ports]
        for setting in settings:
            command += ["--set", setting]
        clean = {name: value for name, value in os.environ.items() if not name.startswith("HEADWAY_")}
        self.log = os.path.join(self.folder, "log")
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(command, cwd=self.folder, env=clean, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log)
        ready = self.process.stdout.readline() if self.process.stdout is not None else b""
        if not ready:
            self.process.wait()
            with open(self.log, encoding="utf-8", errors="replace") as log_text:
                said = log_text.read()[-2000:]
            self.close()
            raise RuntimeError(f"headway serve did not start: {said}")
        with open(ports, encoding="utf-8") as file:
            self.url = "http://" + json.load(file)["http"]

    def operator_token(self) -> str:
        with open(os.path.join(self.folder, "state", "operator.token"), encoding="ascii") as file:
            return file.read().strip()

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.terminate()
            self.process.wait()
        if self.process.stdout is not None:
            self.process.stdout.close()
        shutil.rmtree(self.folder, ignore_errors=True)


class Client:
    """Value of the fixture `headway`."""

    def __init__(self, url: str, token: Optional[str] = None, daemon: Optional[Daemon] = None) -> None:
        address = address_of(url)
        if address is None:
            raise ValueError("HEADWAY_URL is no URL of a daemon; write http://HOST:PORT, https://HOST:PORT or unix:/PATH")
        self.url, self.daemon, self._address = address.name, daemon, address
        self._token = _token(token)
        self.used: List[str] = []  # ids of sessions that the test named

    def __repr__(self) -> str:
        return f"<headway at {self.url}>"

    def request(self, method: str, path: str, body: Any = None) -> Any:
        """The JSON of a 2xx; any other status is a RuntimeError."""
        connection = connection_to(self._address, WAIT_SECONDS)
        headers = {"Content-Type": "application/json"} if body is not None else {}
        if self._token is not None:
            headers["Authorization"] = self._token
        try:
            connection.request(method, self._address.base + path, None if body is None else json.dumps(body), headers)
            reply = connection.getresponse()
            said = reply.read()
        finally:
            connection.close()
        if reply.status >= 300:
            raise RuntimeError(f"{method} {path}: {reply.status} {said[:500].decode('utf-8', 'replace')}")
        if reply.getheader("X-Headway") is None:
            raise RuntimeError(f"{method} {path}: another program listens there, not Headway")
        return json.loads(said) if said else {}

    def session(self, goal: Optional[str] = None, **more: Any) -> Session:
        """A session at this daemon, as headway.Session."""
        made = Session(goal, url=self.url, token=None if self._token is None else self._token[len("Bearer "):], **more)
        self.note(made.id)
        return made

    def note(self, session: str) -> None:
        """Its timeline is shown if the test fails."""
        if session not in self.used:
            self.used.append(session)

    def get(self, session: Union[str, Session]) -> Any:
        """The session document."""
        return self.request("GET", f"/v1/sessions/{_id(session)}")

    def events(self, session: Union[str, Session]) -> List[Any]:
        """All events, oldest first."""
        found: List[Any] = []
        while True:
            after = found[-1]["n"] if found else 0
            page = self.request("GET", f"/v1/sessions/{_id(session)}/events?after={after}&limit=1000")["events"]
            found += page
            if not page:
                return found

    def wait(self, session: Union[str, Session], until: Union[str, Sequence[str]] = "settled", *, after: int = 0) -> Any:
        """Waits until the session has had this verdict since the event `after`; without `until`, until it has settled, and that
        well. Raises AssertionError when that cannot come any more, or when it settled otherwise. It sets no timeout: that is the
        runner's."""
        __tracebackhide__ = True  # pytest shows the test's line
        name, wanted = _id(session), until if isinstance(until, str) else ",".join(until)
        self.note(name)
        query = urllib.parse.urlencode({"until": wanted, "mode": "ever", "missing": "wait", "wait": WAIT, "after": after})
        while True:
            said = self.request("GET", f"/v1/sessions/{name}/wait?{query}")
            if said["met"] and _is_wanted(said.get("matched"), wanted):
                return said
            if said["met"] or said["impossible"]:
                raise AssertionError(self._why(name, wanted, said))

    def _why(self, session: str, wanted: str, said: Any) -> str:
        verdict = said.get("verdict") or {}
        how = "settled" if said["met"] else f"cannot come any more ({said.get('cause')})"
        head = f"{session}: waited for {wanted}: {how}; it is {verdict.get('status', 'not opened')}: {verdict.get('reason', '')}"
        return "\n".join([head, *self.timeline(session)])

    def timeline(self, session: Union[str, Session]) -> List[str]:
        """A line for each of the newest events; never raises."""
        try:
            events = self.events(session)
        except (OSError, RuntimeError, ValueError, KeyError, http.client.HTTPException) as error:
            return [f"(no timeline: {error})"]
        more = [f"({len(events) - SHOWN} older events)"] if len(events) > SHOWN else []
        return more + [_line(event) for event in events[-SHOWN:]]

    def opened(self) -> List[str]:
        """Ids of the newest sessions of the daemon."""
        return [str(one["id"]) for one in self.request("GET", "/v1/sessions?limit=100")["sessions"]]


def _id(session: Union[str, Session]) -> str:
    return session.id if isinstance(session, Session) else session


def _line(event: Any) -> str:
    data = event.get("data") or {}
    said = [f"{name}={_short(data[name])}" for name in _telling(data)]
    return f"#{event['n']} {event['at'][11:23]} {event['type']} {' '.join(said)}".rstrip()


def _telling(data: Any) -> Iterable[str]:
    names = ("tool", "args", "ok", "result", "error", "role", "text", "from", "to", "status", "reason", "state", "outcome", "type", "message")
    return [name for name in names if name in data]


def _short(value: Any, most: int = 120) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    text = " ".join(text.split())
    return text if len(text) <= most else text[:most] + "…"


