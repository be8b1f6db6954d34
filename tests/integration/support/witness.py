# SPDX-License-Identifier: Apache-2.0
"""A well-behaved client: a process of its own that asks and reports all the time and measures the durations."""
import multiprocessing
import time

from .http import Client


class Witness:
    """`with Witness(daemon) as witness:` ... `witness.worst()`; any request that fails fails the test."""

    def __init__(self, daemon, pause: float = 0.002):
        self._mine, theirs = multiprocessing.Pipe()
        context = multiprocessing.get_context("fork")
        self._process = context.Process(target=_work, args=(daemon.port, pause, theirs), daemon=True)
        self.seconds = []

    def __enter__(self) -> "Witness":
        self._process.start()
        if self._mine.recv() != "served":
            raise AssertionError("no client was served even before")
        return self

    def __exit__(self, failed, *_):
        self._mine.send("enough")
        outcome = self._mine.recv()
        self._process.join()
        self._mine.close()
        if isinstance(outcome, str) and failed is None:
            raise AssertionError(f"a well-behaved client was not served: {outcome}")
        self.seconds = outcome if isinstance(outcome, list) else []

    def percentile(self, percent: float) -> float:
        """Seconds."""
        return sorted(self.seconds)[min(len(self.seconds) - 1, int(len(self.seconds) * percent / 100))]

    def figures(self) -> str:
        return (f"{len(self.seconds)} requests, median {self.percentile(50) * 1e3:.1f} ms, p99 {self.percentile(99) * 1e3:.1f} ms, "
                f"worst {self.percentile(100) * 1e3:.1f} ms")


def _work(port: int, pause: float, pipe):
    seconds, client = [], Client(port)
    try:
        client.open("witness")
        pipe.send("served")
        while not pipe.poll(pause):
            begin = time.monotonic()
            client.report("witness", "message", text="still here")
            seconds.append(time.monotonic() - begin)
        outcome = seconds
    except Exception as error:  # the test says what
        outcome = f"{type(error).__name__}: {error}"
        pipe.recv()
    pipe.send(outcome)
    client.close()
