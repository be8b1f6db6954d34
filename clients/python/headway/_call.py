# SPDX-License-Identifier: Apache-2.0
"""One call of a tool."""
from __future__ import annotations

import contextlib
import time
from types import TracebackType
from typing import TYPE_CHECKING, Any, Iterator, Optional, Type

from ._errors import Denied, Stop

if TYPE_CHECKING:
    from ._session import Session


class Call:
    """A call of `Session.call()`, as a `with` or `async with` block, or of `Session.begin()`, whose caller reports how it ended.

    `denied` and `stop` are the reasons why it must not run, or ""; `args` are the arguments that it runs with, which a person
    may have edited; `edited` is true then. Set `result` to what the call returns.
    """

    def __init__(self, session: "Session", tool: str, args: Any, require: bool, raises: bool) -> None:
        self.session, self.tool, self.args, self.require, self.raises = session, tool, args, require, raises
        self.id = ""
        self.denied = ""
        self.stop = ""
        self.allowed_by = ""
        self.edited = False
        self.result: Any = None
        self._sent = ""  # the arguments as JSON, once they are made
        self._formless = ""  # the argument of which another value would look the same
        self._over = False
        self._given_up = False  # by its user, before there was a decision
        self._late = False  # its session is over
        self._began = time.monotonic()

    def __bool__(self) -> bool:
        """Whether it may run."""
        return not (self.denied or self.stop)

    def __repr__(self) -> str:
        return f"<headway.Call {self.tool!r} {'denied' if self.denied else 'stopped' if self.stop else 'may run'}>"

    @property
    def refusal(self) -> str:
        """Why it must not run, for the model; or ""."""
        return self.stop or self.denied

    def check(self) -> "Call":
        """Raises Stop or Denied where it must not run."""
        if self.stop:
            raise Stop(self.stop, self.session.id)
        if self.denied:
            raise Denied(self.denied)
        return self

    def done(self, result: Any = None) -> None:
        """It has run. Only the first of `done` and `fail` counts."""
        if not self._over:
            self._over = True
            self.result = result
            self.session._finished(self, None, time.monotonic() - self._began)

    def fail(self, error: Any) -> None:
        """It has failed, by an exception or with a text."""
        if not self._over:
            self._over = True
            self.session._finished(self, error, time.monotonic() - self._began)

    @contextlib.contextmanager
    def running(self) -> Iterator["Call"]:
        """Body of a call that was begun: an exception of the block is its failure."""
        try:
            yield self
        except BaseException as error:
            self._leave(error)
            raise
        self._leave(None)

    def _leave(self, error: Optional[BaseException]) -> None:
        if error is None or isinstance(error, GeneratorExit):
            self.done(self.result)
        else:
            self.fail(error)

    def __enter__(self) -> "Call":
        self.session._begin(self)
        return self.check() if self.raises else self

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]) -> None:
        self._leave(error)

    async def __aenter__(self) -> "Call":
        await self.session._abegin(self)
        return self.check() if self.raises else self

    async def __aexit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException],
                        trace: Optional[TracebackType]) -> None:
        self._leave(error)


class Decision:
    """A person's. True if it was approved; `by` and `reason` are for people, `args` what may run. Where there was no daemon
    to ask, or no decision, it is no approval."""

    def __init__(self, approved: bool, reason: str, args: Any, edited: bool) -> None:
        self.approved, self.reason, self.args, self.edited = approved, reason, args, edited

    def __bool__(self) -> bool:
        return self.approved

    def __repr__(self) -> str:
        return f"<headway.Decision {'approved' if self.approved else 'not approved'}>"
