# SPDX-License-Identifier: Apache-2.0
"""The clock of a daemon that is headway-testclock: moved over a socket in its state directory (server/testclock/control.hpp).

It goes on by itself too, so a test takes intervals of minutes: what a slow machine adds is nothing beside them.
"""
import contextlib
import json
import socket
import threading
from pathlib import Path

from .limits import patient


class TestClock:
    NOTICED = 0.25  # seconds, for the engine to notice a step or a suspend

    def __init__(self, file: Path):
        self.file = file
        self.passed = 0.0  # seconds, by us
        self.wall_ahead = 0.0  # of the true time, in seconds; what is added between two starts passes without the daemon

    def _say(self, line: str, busy: bool = False) -> dict:
        with socket.socket(socket.AF_UNIX) as control:
            control.settimeout(patient(60))
            control.connect(str(self.file))
            control.sendall(line.encode() + b"\n")
            answer = json.loads(control.makefile().readline())
        if "error" in answer or not (answer["settled"] or busy):
            raise AssertionError(f"{line}: {answer}")
        return answer

    def _moved(self, steady: float, wall: float):
        self.passed += steady
        self.wall_ahead += wall

    def environment(self) -> dict:
        """Variables of the next process, so that its wall clock goes on from where this one's stood."""
        return {"TESTCLOCK_WALL_AHEAD_MS": str(round(self.wall_ahead * 1000))}

    def advance(self, seconds: float, step: float | None = None, busy: bool = False):
        """Time passes for the daemon, in a hundred steps (or of `step` seconds); what is due by then has happened. `busy` allows
        that the engine hangs."""
        self._moved(seconds, seconds)
        self._say(f"pass {round(seconds * 1000)}" + ("" if step is None else f" {round(step * 1000)}"), busy)

    def step(self, seconds: float):
        """The wall clock alone is set ahead, or back."""
        self._moved(self.NOTICED, seconds + self.NOTICED)
        self._say(f"step {round(seconds * 1000)}")

    def suspend(self, seconds: float):
        self._moved(self.NOTICED, seconds + self.NOTICED)
        self._say(f"suspend {round(seconds * 1000)}")

    def stall(self, seconds: float, step: float | None = None):
        """Time passes while the daemon stands still: an attention gap. In short steps, only of a thread that is held."""
        self._moved(seconds, seconds)
        self._say(f"stall {round(seconds * 1000)}" + ("" if step is None else f" {round(step * 1000)}"))

    def wall(self) -> float:
        return self._say("read", busy=True)["wall_ms"] / 1000

    @contextlib.contextmanager
    def hurry(self, step: float = 0.05):
        """Time passes in steps of so many seconds, as fast as the daemon follows: for a call that waits."""
        done = threading.Event()

        def run():
            while not done.is_set():
                try:
                    self.advance(step, step, busy=True)
                except (OSError, ValueError):  # the daemon is away
                    pass
                done.wait(0.002)
        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        try:
            yield
        finally:
            done.set()
            thread.join()
