# SPDX-License-Identifier: Apache-2.0
"""Many agents at once that play recordings and never give up: what is not acknowledged is sent again."""
import http.client
import queue
import random
import threading
from collections import defaultdict

from .daemon import Daemon
from .http import Client
from .limits import Deadline, patient

RETRIES_WITHOUT_A_KILL = 3


class Oracle:
    """Promises of the daemon: number of every acknowledged event, by session and event id."""

    def __init__(self):
        self.changed = threading.Condition()
        self.acknowledged = defaultdict(dict)
        self.count = 0
        self.contradictions = []

    def note(self, session: str, numbers: dict):
        with self.changed:
            known = self.acknowledged[session]
            for event_id, n in numbers.items():
                self.count += event_id not in known
                if known.setdefault(event_id, n) != n:
                    self.contradictions.append((session, event_id, known[event_id], n))
            self.changed.notify_all()


class Fleet:
    """`threads` agents over one daemon that may die under them."""

    def __init__(self, daemon: Daemon, recordings: list, threads: int, seed: int, leave_open: float = 0.1):
        self.daemon = daemon
        self.oracle = Oracle()
        self.seed, self.leave_open = seed, leave_open
        self.errors = []
        self.retries = 0
        self.open_sessions = set()
        self._work = queue.SimpleQueue()
        for recording in recordings:
            self._work.put(recording)
        self._generation = 0
        self._up = True
        self._local = threading.local()
        self._threads = [threading.Thread(target=self._agent, daemon=True) for _ in range(threads)]

    def start(self):
        for thread in self._threads:
            thread.start()

    def join(self, seconds: float):
        deadline = Deadline(seconds)
        for thread in self._threads:
            thread.join(deadline.left())
        if any(thread.is_alive() for thread in self._threads):
            self.errors.append("agents did not finish in time")

    @property
    def finished(self) -> bool:
        return not any(thread.is_alive() for thread in self._threads)

    def kill_at(self, events: int):
        """Waits until so many events were acknowledged, kills -9 and starts again. False when the agents were done."""
        changed = self.oracle.changed
        with changed:
            reached = changed.wait_for(lambda: self.oracle.count >= events or self.errors or self.finished, patient(60))
            if self.errors or not reached or self.finished:
                return False
            self._up = False
        self.daemon.kill()
        self.daemon.start()  # on another port: this one may be taken by now
        with changed:
            self._up = True
            self._generation += 1
            changed.notify_all()
        return True

    def _agent(self):
        try:
            while True:
                self._play(self._work.get_nowait())
        except queue.Empty:
            pass
        except Exception as e:  # a test reports it; a thread cannot
            self.errors.append(repr(e))
        self._leave()
        with self.oracle.changed:
            self.oracle.changed.notify_all()

    def _play(self, recording):
        dice = random.Random(f"{self.seed}/{recording.name}")
        path = f"/v1/sessions/{recording.name}"
        about = {**recording.about, "policy": {"heartbeat_interval_ms": 3_600_000}}  # only events move them
        self._insist("PUT", path, about)
        events = list(recording.events)
        while events:
            batch = [events.pop(0) for _ in range(min(len(events), dice.choice([1, 1, 1, 2, 5, 20])))]
            alone = len(batch) == 1 and dice.random() < 0.5
            advice = self._insist("POST", path + "/events", batch[0] if alone else batch)
            numbers = [advice["n"]] if alone else [r["n"] for r in advice["results"]]
            self.oracle.note(recording.name, dict(zip((e["event_id"] for e in batch), numbers, strict=True)))
        if dice.random() < self.leave_open:
            self.open_sessions.add(recording.name)
        else:
            self._insist("POST", path + "/end", {"outcome": recording.outcome})

    def _insist(self, method: str, path: str, body) -> dict:
        local = self._local
        failures_here = 0
        while True:
            with self.oracle.changed:
                self.oracle.changed.wait_for(lambda: self._up, patient(60))
                generation, port = self._generation, self.daemon.port
            if getattr(local, "generation", None) != generation:
                self._leave()
                local.client, local.generation = Client(port, timeout=30), generation
            try:
                reply = local.client.request(method, path, body)
            except (OSError, http.client.HTTPException) as e:
                failures_here = self._after_failure(generation, failures_here, e)
                continue
            if reply.status in (200, 201):
                return reply.json()
            if reply.status != 503:
                raise AssertionError(f"{method} {path}: {reply.status} {reply.body[:500]!r}")

    def _leave(self):
        if hasattr(self._local, "client"):
            self._local.client.close()

    def _after_failure(self, generation: int, failures: int, error: Exception) -> int:
        self.retries += 1
        with self.oracle.changed:
            if self._up and self._generation == generation:
                failures += 1
        if failures > RETRIES_WITHOUT_A_KILL:
            raise AssertionError(f"the daemon failed by itself: {error!r}")
        return failures
