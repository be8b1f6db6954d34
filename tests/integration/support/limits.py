# SPDX-License-Identifier: Apache-2.0
"""Time limits, and the seed of everything random. The limits only bound a failing test: nothing here is waited for when all is
well.
"""
import os
import random
import time

SLOW = float(os.environ.get("HEADWAY_SLOW", "1"))
LONG = os.environ.get("HEADWAY_LONG", "") not in ("", "0")


def _seed() -> int:
    """HEADWAY_SEED; the same for everybody without it, a new one for HEADWAY_SEED=new."""
    given = os.environ.get("HEADWAY_SEED", "20261122")
    return random.SystemRandom().randrange(1, 1 << 31) if given == "new" else int(given)


SEED = _seed()


def patient(seconds: float) -> float:
    """A limit in seconds, stretched for sanitizers and for machines that are slow beside all the other tests."""
    return seconds * max(SLOW, 3)


class Deadline:
    """A moment after which a test gives up."""

    def __init__(self, seconds: float):
        self._end = time.monotonic() + patient(seconds)

    def left(self) -> float:
        return max(0.01, self._end - time.monotonic())

    def passed(self) -> bool:
        return time.monotonic() >= self._end


def eventually(condition, seconds: float = 40, what: str = "the condition"):
    """Polls until `condition()` is truthy and returns that; for what no long poll can tell."""
    deadline = Deadline(seconds)
    while True:
        value = condition()
        if value:
            return value
        if deadline.passed():
            raise AssertionError(f"{what} did not come true in {patient(seconds)} s; last: {value!r}")
        time.sleep(0.02)
