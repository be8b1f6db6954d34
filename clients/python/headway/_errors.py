# SPDX-License-Identifier: Apache-2.0
"""Headway's decisions as exceptions of Python. Nothing else of Headway is ever raised."""
from __future__ import annotations

import signal
import threading


class Denied(Exception):
    """The supervisor or a person decided that this call does not run. `reason` is ready for the model."""

    def __init__(self, reason: str = "") -> None:
        super().__init__(reason)
        self.reason = reason


class Stop(BaseException):
    """The supervisor or a person decided that the agent ends. Like KeyboardInterrupt it passes `except Exception`; the `with`
    block of its session ends by it without an error, and `session.stopped` has the reason."""

    def __init__(self, reason: str = "", session: str = "") -> None:
        super().__init__(reason, session)
        self.reason = reason
        self.session = session

    def __str__(self) -> str:
        return self.reason


def of_a_handler(error: BaseException) -> bool:
    """Whether a signal handler of the program raised it, as timeouts do: it is none of Headway's errors, and its caller gets it."""
    if threading.current_thread() is not threading.main_thread():
        return False
    codes = set()
    for number in signal.valid_signals():
        handler = signal.getsignal(number)
        handler = getattr(handler, "func", handler)  # of a partial
        for function in (handler, getattr(handler, "__func__", None), getattr(type(handler), "__call__", None)):
            codes.add(getattr(function, "__code__", None))
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code in codes:
            return True
        trace = trace.tb_next
    return False
