# SPDX-License-Identifier: Apache-2.0
"""Reports that are not waited for: one thread sends them, in order, and again after the daemon was unreachable."""
from __future__ import annotations

import atexit
import collections
import os
import threading
import time
import weakref
from typing import Any, Callable, Optional

from ._wire import LOG, Away, Secret, Wire, silence_seconds

ITEMS_MAX = 1024  # of all sessions; the oldest give way
BYTES_MAX = 32 << 20
BROKEN_MAX = 20  # of one report, so that none stands before the others for good
SAID_MAX = 1000  # sessions
FLUSH_SECONDS = 2.0  # at the end of the process
_ALL: "weakref.WeakValueDictionary[tuple[str, str], Outbox]" = weakref.WeakValueDictionary()
_ALL_LOCK = threading.RLock()


class Item:
    __slots__ = ("number", "method", "path", "body", "headers", "then", "opens", "broken")

    def __init__(self, method: str, path: str, body: str, headers: dict[str, str],
                 then: Optional[Callable[[dict[str, Any]], None]], opens: bool = False) -> None:
        self.method, self.path, self.body, self.headers, self.then, self.opens = method, path, body, headers, then, opens
        self.number = self.broken = 0


def outbox_of(url: Optional[str], token: Optional[str]) -> "Outbox":
    """One for all sessions at a daemon, so that a daemon that is away for long costs one thread and one queue."""
    where = (url or os.environ.get("HEADWAY_URL") or "", Secret(token or os.environ.get("HEADWAY_TOKEN") or ""))
    with _ALL_LOCK:
        found = _ALL.get(where)
        if found is None or found.wire.silence != silence_seconds():
            found = _ALL[where] = Outbox(Wire(url, token))
        return found


class Outbox:
    def __init__(self, wire: Wire) -> None:
        self.wire = wire
        self.beats: "weakref.WeakSet[Any]" = weakref.WeakSet()  # sessions that beat
        self._number = 0
        self._said: set[str] = set()  # the sessions whose refusal is in the log
        self._reset()

    def _reset(self) -> None:
        # Taken by itself and not by the condition, whose methods Ctrl-C could leave halfway; and again by a signal handler that
        # reports while its thread does.
        self._lock = threading.RLock()
        self._changed = threading.Condition(self._lock)  # only its own thread waits for it
        self._gates: list[Any] = []  # locks that those who drain wait for
        self._items: collections.deque[Item] = collections.deque()
        self._bytes = 0
        self._lost = 0
        self._thread: Optional[threading.Thread] = None

    def forked(self) -> None:
        """The parent sends the reports that wait."""
        self._reset()
        self.wire.forked()

    def add(self, item: Item) -> int:
        """The number by which one asks whether it is sent."""
        with self._lock:
            self._number += 1
            item.number = self._number
            self._items.append(item)
            self._bytes += len(item.body)
            while len(self._items) > ITEMS_MAX or (self._bytes > BYTES_MAX and len(self._items) > 1):
                self._give_way()
            self._wake()
            return item.number

    def _give_way(self) -> None:
        """The oldest report goes; the opening of a session only when there is nothing else."""
        at = next((i for i, item in enumerate(self._items) if not item.opens), 0)
        self._bytes -= len(self._items[at].body)
        del self._items[at]
        self._lost += 1
        if self._lost == 1:
            LOG.warning("the daemon at %s is away for long: the oldest reports give way", self.wire.name)

    def _wake(self) -> None:
        if self._thread is None or not self._thread.is_alive():
            try:
                self._thread = threading.Thread(target=self._run, name="headway", daemon=True)
                self._thread.start()
            except RuntimeError:  # no more threads, or the interpreter ends: nothing is sent then
                self._thread = None
        self._changed.notify_all()

    def watch(self, session: Any) -> None:
        self.beats.add(session)
        with self._lock:
            self._wake()

    def sent(self, number: int) -> bool:
        """Whether this one and all before it are sent, or gave way."""
        try:
            return self._items[0].number > number
        except IndexError:
            return True

    def drain(self, number: int, seconds: float) -> bool:
        """Waits for that, but not for a daemon that is away. Later reports are not waited for."""
        if self.sent(number):
            return True
        end = time.monotonic() + seconds
        while not self.sent(number):
            left = end - time.monotonic()
            gate = threading.Lock()
            gate.acquire()
            with self._lock:
                if self.sent(number):
                    break
                if left <= 0 or self.wire.away() or self._thread is None:
                    return False
                self._gates.append(gate)
            gate.acquire(timeout=left)
        return True

    def _open_gates(self) -> None:
        """Locked."""
        gates, self._gates = self._gates, []
        for gate in gates:
            gate.release()

    def flush(self) -> None:
        """At the end of the process."""
        self.drain(self._number, FLUSH_SECONDS)

    def unwatch(self, session: Any) -> None:
        self.beats.discard(session)
        with self._lock:
            self._changed.notify_all()

    # its thread

    def _run(self) -> None:
        me = threading.current_thread()
        try:
            while True:
                with self._lock:
                    if self._thread is not me:
                        return
                    item = self._next(me)
                if item is None:
                    if self._thread is not me:
                        return
                    continue
                self._send(item)
        except Exception:  # of a Python that ends
            pass

    def _next(self, me: threading.Thread) -> Optional[Item]:
        """Locked. The item to send now; None to look again."""
        pause = self.wire.may_try()
        if self._items and pause <= 0:
            return self._items[0]
        sessions = list(self.beats)
        if not self._items and not sessions:
            self._thread = None
            self.wire.close()
            return None
        due = min((s._beat_in() for s in sessions), default=3600.0)
        if due <= 0 and not self.wire.away():
            self._changed.release()
            try:
                for session in sessions:
                    session._beat()
            finally:
                self._changed.acquire()
            return None
        del sessions
        self._changed.wait(min(x for x in (pause if self._items else 3600.0, max(due, 0.05), 60.0)))
        return None

    def _send(self, item: Item) -> None:
        answer: dict[str, Any] = {}
        try:
            got = self.wire.exchange(item.method, item.path, item.body, item.headers, False)
            if got.status < 300:
                answer = got.body
            elif got.status == 400 or got.status == 422:
                LOG.warning("the daemon refuses a report: %s %s", got.body.get("field", ""), str(got.body.get("detail", got.status))[:300])
            elif got.status == 403:
                self._forbidden(item, str(got.body.get("detail", ""))[:300])
        except Away as away:
            item.broken += away.connected
            with self._lock:
                self._open_gates()  # of those who wait in vain
            if item.broken < BROKEN_MAX:
                return
            LOG.warning("a report is given up: the daemon breaks it off each time")
        if item.then is not None:
            item.then(answer)
        with self._lock:
            if self._items and self._items[0] is item:
                self._items.popleft()
                self._bytes -= len(item.body)
            self._open_gates()

    def _forbidden(self, item: Item, why: str) -> None:
        """Said once of a session's opening, and once of its reports: each further one is refused as well."""
        about = item.headers.get("X-Headway-Session", item.path)
        if about in self._said:
            return
        if len(self._said) >= SAID_MAX:
            self._said.clear()
        self._said.add(about)
        LOG.warning("the daemon refuses %s of a session (403): %s", "the opening" if item.opens else "reports", why)


def _after_fork() -> None:
    global _ALL_LOCK
    _ALL_LOCK = threading.RLock()
    for outbox in list(_ALL.values()):
        outbox.forked()


@atexit.register
def _flush() -> None:
    for outbox in list(_ALL.values()):
        outbox.flush()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
