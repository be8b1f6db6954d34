# SPDX-License-Identifier: Apache-2.0
"""Headway's decisions as exceptions of Python. Nothing else of Headway is ever raised."""
from __future__ import annotations


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
