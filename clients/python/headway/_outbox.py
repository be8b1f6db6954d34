# SPDX-License-Identifier: Apache-2.0
"""What is reported without waiting for it: one thread sends it, in its order, and again after the daemon was away."""
from __future__ import annotations

import collections
import os
import threading
import time
import weakref
from typing import Any, Callable, Optional

from ._wire import LOG, Away, Wire

ITEMS_MAX = 256  # the oldest give way
BYTES_MAX = 8 << 20
_ALL: "weakref.WeakSet[Outbox]" = weakref.WeakSet()


class Item:
    __slots__ = ("method", "path", "body", "headers", "then", "opens")

    def __init__(self, method: str, path: str, body: str, headers: dict[str, str], then: Optional[Callable[[dict[str, Any]], None]],
                 opens: bool = False) -> None:
        self.method, self.path, self.body, self.headers, self.then, self.opens = method, path, body, headers, then, opens


class Outbox:
    def __init__(self, wire: Wire) -> None:
        self.wire = wire
        self.beats: "weakref.WeakSet[Any]" = weakref.WeakSet()  # sessions that beat
        self._reset()
        _ALL.add(self)

    def _reset(self) -> None:
        self._changed = threading.Condition(threading.Lock())
        self._items: collections.deque[Item] = collections.deque()
        self._bytes = 0
        self._lost = 0
        self._thread: Optional[threading.Thread] = None

    def forked(self) -> None:
        """What waits is the parent's to send."""
        self._reset()
        self.wire.forked()

    def add(self, item: Item) -> None:
        with self._changed:
            self._items.append(item)
            self._bytes += len(item.body)
            while len(self._items) > ITEMS_MAX or (self._bytes > BYTES_MAX and len(self._items) > 1):
                self._give_way()
            self._wake()

    def _give_way(self) -> None:
        at = 1 if self._items[0].opens and len(self._items) > 1 else 0
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
        with self._changed:
            self._wake()

    def idle(self) -> bool:
        return not self._items

    def drain(self, seconds: float) -> bool:
        """Waits until all is sent, but not for a daemon that is away. True if all is."""
        if not self._items:
            return True
        end = time.monotonic() + seconds
        with self._changed:
            while self._items:
                left = end - time.monotonic()
                if left <= 0 or self.wire.away() or self._thread is None:
                    return False
                self._changed.wait(left)
        return True

    def close(self) -> None:
        with self._changed:
            self._changed.notify_all()

    # its thread

    def _run(self) -> None:
        me = threading.current_thread()
        try:
            while True:
                with self._changed:
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
                LOG.warning("the daemon refuses a report: %s", str(got.body.get("detail", got.status))[:300])
        except Away:
            with self._changed:
                self._changed.notify_all()  # those who wait in vain
            return
        if item.then is not None:
            item.then(answer)
        with self._changed:
            if self._items and self._items[0] is item:
                self._items.popleft()
                self._bytes -= len(item.body)
            self._changed.notify_all()


def _after_fork() -> None:
    for outbox in list(_ALL):
        outbox.forked()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
