# SPDX-License-Identifier: Apache-2.0
"""A supervised run of an agent."""
from __future__ import annotations

import asyncio
import contextvars
import json
import os
import threading
import time
from types import TracebackType
from typing import Any, Callable, Dict, Mapping, Optional, Type, TypeVar, overload

from ._beside import beside
from ._call import Call
from ._errors import Stop, of_a_handler
from ._ids import folder, new_id, process_headers
from ._outbox import Item, Outbox, outbox_of
from ._people import People
from ._plain import CHANGED, amount, attribute, cut, error_text, id_of, json_of, not_shown, same_kind, shown
from ._tools import supervised
from ._wire import LOG, Abort, Away

F = TypeVar("F", bound=Callable[..., Any])
DRAIN_SECONDS = 1.0  # a question waits so long for the reports before it
LEAVE_SECONDS = 2.0  # and the end for what is not sent yet
PARENT_ID_MAX = 100  # an id of 128 bytes has room for what follows it
UNREAD = "The daemon refuses this call, in words that are no text."
AGAIN_SECONDS = 60.0  # a call that a person is asked about waits so long for a daemon that went away meanwhile
AGAIN_EVERY_SECONDS = 0.2
GONE = {"deny": "Headway went away while this call waited for a decision. Do something else, and try it again later."}
BEAT_SECONDS = 240.0
ADVICE_BYTES_MAX = 4000
GOAL_BYTES_MAX = 16_000
# GraphBubbleUp: what LangGraph raises to leave a node, as `interrupt()` does, which waits for a person.
CANCELLED = ("KeyboardInterrupt", "CancelledError", "GeneratorExit", "SystemExit", "GraphBubbleUp")

_current: "contextvars.ContextVar[Optional[Session]]" = contextvars.ContextVar("headway_session", default=None)


def current() -> Optional["Session"]:
    """The innermost session whose `with` block runs here."""
    return _current.get()


def refusal(answer: Mapping[str, Any]) -> str:
    """Why a call is denied; "" where it is not. A `stop` that is no text ends no agent, but its call does not run."""
    unread = any(answer.get(name) is not None and not isinstance(answer[name], str) for name in ("deny", "stop"))
    return cut(answer.get("deny")) or (UNREAD if unread else "")


class Session(People):
    """`with Session(goal="...") as s:`. It opens the session, ends it, and reports in between. `id` is by default that of
    HEADWAY_SESSION, or a new one; `url` that of HEADWAY_URL, `token` HEADWAY_TOKEN. `budget` and `policy` are those of the
    API. With `require` a call does not run where Headway has not answered."""

    def __init__(self, goal: Optional[str] = None, *, id: Optional[str] = None, agent: str = "python", model: Optional[str] = None,
                 labels: Optional[Mapping[str, str]] = None, budget: Optional[Mapping[str, Any]] = None,
                 policy: Optional[Mapping[str, Any]] = None, complexity: Optional[str] = None, url: Optional[str] = None,
                 token: Optional[str] = None, heartbeat_seconds: float = BEAT_SECONDS, require: bool = False,
                 parent: Optional["Session"] = None) -> None:
        self.agent = id_of(str(agent), 32)
        given = id or (None if parent is not None else os.environ.get("HEADWAY_SESSION"))
        # Below its parent's, so that a token for that covers it.
        above = parent.id + "." if parent is not None and len(parent.id) <= PARENT_ID_MAX else self.agent + "-"
        self.id: str = id_of(str(given)) if given else above + (new_id()[12:] if above.endswith(".") else new_id())
        self.goal, self.model, self.require, self.parent = goal, model, require, parent
        self.stopped = ""  # why the agent has to end
        self._outbox: Outbox = parent._outbox if parent is not None else outbox_of(url, token)
        self._wire = self._outbox.wire
        self._number = 0  # of its newest report
        self._opening: dict[str, Any] = {"goal": cut(goal, GOAL_BYTES_MAX), "labels": labels, "budget": budget, "complexity": complexity}
        self._policy: dict[str, Any] = dict(policy or {})
        self._beat_seconds = max(float(heartbeat_seconds), 0.0)
        self._advice: list[str] = []
        # Tools that a person has decided about. A grant would let a call pass that only looks the same.
        self._asks_a_person: set[str] = set()
        self._decided: set[str] = set()  # tools of which a call was approved, maybe for the session: no answer tells of a grant
        self._lock = threading.RLock()
        self._began = self._over = False
        self._failed = False  # an error ended the turn, and nothing came after it
        self._last = time.monotonic()
        self._owner = os.getpid()
        self._left: list[contextvars.Token[Optional["Session"]]] = []

    def __repr__(self) -> str:
        return f"<headway.Session {self.id!r} at {self._wire.name}>"

    def __copy__(self) -> "Session":
        return self

    def __deepcopy__(self, memo: Any) -> "Session":
        return self  # frameworks copy what they are given

    # life

    def start(self) -> "Session":
        """As the beginning of the `with` block."""
        if self._began:
            return self
        self._began = True
        about = dict(self._opening)
        if self._beat_seconds:
            self._policy.setdefault("heartbeat_interval_ms", int(min(max(self._beat_seconds * 1.25, 0.1), 600) * 1000))
        about["policy"] = self._policy
        about["agent"] = {"type": self.agent, "name": self.agent, **({"model": self.model} if self.model else {})}
        about["parent"] = self.parent.id if self.parent is not None else None
        clean = {name: value for name, value in about.items() if value}
        self._number = self._outbox.add(Item("PUT", "/v1/sessions/" + self.id, json_of(clean), {}, None, opens=True))
        # Not as a prompt, which would end calls that a fork or another thread has begun before it is sent.
        self._tell("turn", model=self.model, cwd=folder())
        if self._beat_seconds:
            self._outbox.watch(self)
        return self

    def end(self, outcome: Optional[str] = None, reason: str = "") -> None:
        """As the end of the `with` block. `outcome`: completed, failed, cancelled or budget_exhausted; by default what the
        daemon makes of it."""
        if not self._began or self._over or os.getpid() != self._owner:
            return
        self._tell("end", outcome=outcome, reason=cut(reason))
        self._over = True
        self._outbox.drain(self._number, LEAVE_SECONDS)
        self._outbox.unwatch(self)

    def __enter__(self) -> "Session":
        self.start()
        self._left.append(_current.set(self))
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]) -> bool:
        self._forget_current()
        outcome, reason = self._outcome(error)
        self.end(outcome, reason)
        return self._is_own_stop(error)

    async def __aenter__(self) -> "Session":
        return self.__enter__()

    async def __aexit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException],
                        trace: Optional[TracebackType]) -> bool:
        self._forget_current()
        outcome, reason = self._outcome(error)
        await beside(lambda abort: self.end(outcome, reason))
        return self._is_own_stop(error)

    def _forget_current(self) -> None:
        if self._left:
            try:
                _current.reset(self._left.pop())
            except ValueError:  # of another task
                _current.set(None)

    def _outcome(self, error: Optional[BaseException]) -> tuple[Optional[str], str]:
        if error is None:  # the daemon knows how a turn ended that was stopped, or that an error ended
            return (None, self.stopped) if self.stopped or self._failed else ("completed", "")
        if self._is_own_stop(error):
            return None, self.stopped
        if isinstance(error, SystemExit) and not error.code:
            return "completed", ""
        cancelled = isinstance(error, (KeyboardInterrupt, asyncio.CancelledError, GeneratorExit))
        return "cancelled" if cancelled else "failed", error_text(error, 1000)

    def _is_own_stop(self, error: Optional[BaseException]) -> bool:
        if isinstance(error, Stop):
            return error.session == self.id
        if error is None or not hasattr(error, "split"):
            return False
        rest = error.split(lambda e: isinstance(e, Stop) and e.session == self.id)[1]  # of a task group
        return rest is None

    def child(self, goal: Optional[str] = None, *, agent: Optional[str] = None, id: Optional[str] = None, **more: Any) -> "Session":
        """A session of a sub-agent, whose use counts in this one's budget."""
        self.start()
        return Session(goal, id=id, agent=agent or self.agent, parent=self, require=more.pop("require", self.require), **more)

    # calls

    @overload
    def tool(self, function: F) -> F: ...

    @overload
    def tool(self, function: None = None, *, name: Optional[str] = None, require: Optional[bool] = None,
             refusal: str = "raise") -> Callable[[F], F]: ...

    def tool(self, function: Any = None, *, name: Optional[str] = None, require: Optional[bool] = None, refusal: str = "raise") -> Any:
        """`@s.tool`, for functions, async functions and generators. A call that must not run raises Denied or Stop; with
        `refusal="return"` the reason is its result."""
        def decorate(real: Any) -> Any:
            return supervised(self, real, name, require, refusal != "return")
        return decorate if function is None else decorate(function)

    def call(self, tool: str, args: Any = None, *, require: Optional[bool] = None, raises: bool = True) -> Call:
        """`with s.call("bash", {"command": "make"}) as c: c.result = run(**c.args)`."""
        return Call(self, str(tool), {} if args is None else args, self.require if require is None else require, raises)

    def begin(self, tool: str, args: Any = None, *, require: Optional[bool] = None) -> Call:
        """A call that is about to run. Never raises: see whether it is true, then say `done` or `fail`."""
        call = self.call(tool, args, require=require, raises=False)
        self._begin(call)
        return call

    async def abegin(self, tool: str, args: Any = None, *, require: Optional[bool] = None) -> Call:
        call = self.call(tool, args, require=require, raises=False)
        await self._abegin(call)
        return call

    # what else there is to tell

    def usage(self, *, input_tokens: int = 0, output_tokens: int = 0, cost_usd: Optional[float] = None, cached_tokens: int = 0,
              cache_write_tokens: int = 0, reasoning_tokens: int = 0, model: Optional[str] = None) -> None:
        """Use of the model since the last report of it. The five counts do not overlap: `input_tokens` is what was neither read from the
        provider's cache nor written to it. Without `cost_usd` the daemon estimates it, if the model has a price."""
        used: Dict[str, Any] = {"input_tokens": int(amount(input_tokens)), "output_tokens": int(amount(output_tokens))}
        for name, count in (("cached_tokens", cached_tokens), ("cache_write_tokens", cache_write_tokens),
                            ("reasoning_tokens", reasoning_tokens)):
            if amount(count) > 0:
                used[name] = int(amount(count))
        if cost_usd is not None and (cost_usd == 0 or amount(cost_usd) > 0):  # what is no number is not known
            used["cost"] = amount(cost_usd)
        self._failed = False
        self._tell("usage", usage=used, model=model)

    def said(self, text: str) -> None:
        """Words of the agent."""
        self._failed = False
        self._tell("said", text=str(text))

    def prompt(self, text: str, *, synthetic: bool = False) -> None:
        """A message to the agent; `synthetic` if no person wrote it."""
        self._failed = False
        self._tell("prompt", text=str(text), synthetic=synthetic or None)

    def turn(self) -> None:
        """The model is asked again."""
        self._failed = False
        self._tell("turn")

    def turn_over(self, text: str = "") -> None:
        """The agent waits for its next prompt."""
        self._failed = False
        self._tell("stop", text=text or None)

    def error(self, error: Any, kind: Optional[str] = None) -> None:
        """The turn ended by an error; `kind` as `error.class` of the API: server_error, rate_limit and so on."""
        more: dict[str, Any] = {"text": error_text(error) if isinstance(error, BaseException) else str(error), "class": kind}
        self._failed = True
        self._tell("error", **more)

    def advice(self) -> str:
        """Words for the model's next request, each given once; "" mostly."""
        if not self._wire.away():
            self._outbox.drain(self._number, DRAIN_SECONDS)
        with self._lock:
            said, self._advice = self._advice, []
        return cut("\n\n".join(said), ADVICE_BYTES_MAX, newest=True)

    async def aadvice(self) -> str:
        if not self._outbox.sent(self._number) and not self._wire.away():
            await beside(lambda abort: self._outbox.drain(self._number, DRAIN_SECONDS))
        with self._lock:
            said, self._advice = self._advice, []
        return cut("\n\n".join(said), ADVICE_BYTES_MAX, newest=True)

    def status(self) -> str:
        """How the session stands and what is left of its budget, for the model; "" where Headway is away."""
        answer = self._question("status", "", None, {}, hold=False)
        return cut(answer.get("context")) if answer else ""

    def budget_block(self) -> str:
        """The part of that which is about the budget, for the system message; "" without one."""
        status = self.status()
        at = status.find("[EXECUTION BUDGET]")
        return status[at:] if at >= 0 else ""

    def check(self) -> None:
        """Raises Stop if the agent has to end."""
        if self.stopped:
            raise Stop(self.stopped, self.id)

    # inside

    def _headers(self) -> dict[str, str]:
        if os.getpid() != self._owner or self.parent is not None:
            return {"X-Headway-Session": self.id}  # the process that the daemon follows is that of the agent
        return {"X-Headway-Session": self.id, **process_headers()}

    def _body(self, event: str, members: Mapping[str, Any], raw: str = "") -> str:
        head = f'{{"event":"{event}","agent":{json.dumps(self.agent)},"session":"{self.id}","event_id":"{new_id()}"'
        said = "".join(f',"{name}":{json_of(value)}' for name, value in members.items() if value is not None)
        return head + said + raw + "}"

    def _tell(self, event: str, raw: str = "", late: bool = False, **members: Any) -> None:
        """Never raises, and does not wait. After the end only what is `late` is sent: the daemon has begun that call."""
        try:
            if self._over and not late:
                return
            if not self._began:
                self.start()
            self._last = time.monotonic()
            then = None if event == "end" else self._take
            self._number = self._outbox.add(Item("POST", "/v1/hooks/generic", self._body(event, members, raw), self._headers(), then))
        except Exception as error:
            LOG.warning("a report could not be made: %s", type(error).__name__)

    def _take(self, answer: dict[str, Any]) -> None:
        """Parts of an answer besides its decision."""
        words, stop = cut(answer.get("context")), cut(answer.get("stop"))
        with self._lock:
            if words:
                self._advice = [*self._advice[-15:], words]
            if stop:
                self.stopped = stop

    def _ask(self, event: str, sent: Optional[str], abort: Optional[Abort] = None, **members: Any) -> dict[str, Any]:
        raw = ',"args":' + sent if sent is not None else ""
        return self._question(event, raw, abort, members) or {}

    def _question(self, event: str, raw: str, abort: Optional[Abort], members: Mapping[str, Any], hold: bool = True,
                  marked: bool = False) -> Optional[dict[str, Any]]:
        """The daemon's answer, maybe after hours; None if it is unreachable. Only KeyboardInterrupt and the like are raised, and what a signal handler raises.

        A question that breaks off is asked again, with the same id, where a person is asked: the daemon was holding it, or its author
        `marked` it as one that may not run unsupervised. A restart is no answer to it, and the approval outlives the daemon. If no
        daemon comes back, the answer is GONE; each one that holds it begins the time again. Any other is as if there were no daemon.

        After the end of the session a call is asked about all the same: what a person has refused stays refused."""
        if self._over and not hold:
            return None
        self.start()
        if self._wire.away():
            return None
        self._outbox.drain(self._number, DRAIN_SECONDS)
        self._last = time.monotonic()
        body, headers = self._body(event, members, raw), self._headers()
        again: Optional[float] = None
        while abort is None or not abort.fired:
            try:
                got = self._wire.exchange("POST", "/v1/hooks/generic", body, headers, hold, abort)
                if hold:
                    self._take(got.body)
                if got.status == 200 or again is None:
                    return got.body if got.status == 200 else None
            except Away as away:
                if again is None and not away.held and not (marked and away.connected):
                    return None
                if again is None or away.held:
                    again = time.monotonic() + AGAIN_SECONDS
            except Exception as error:
                if of_a_handler(error):
                    raise
                LOG.warning("a question could not be asked: %s", type(error).__name__)
                return None if again is None else GONE
            if time.monotonic() > again:
                return GONE
            time.sleep(AGAIN_EVERY_SECONDS)
        return None

    def _begin(self, call: Call, abort: Optional[Abort] = None) -> None:
        call.id = new_id()
        self._failed = False
        answer: Optional[dict[str, Any]] = None
        try:
            away = self._wire.away()
            call._sent, call._formless = shown(call.args, brief=away)
            if call._formless and call.tool in self._asks_a_person:
                call.denied = not_shown(call._formless)
                call.fail(call.denied)
                return
            if not away:
                answer = self._question("pre", ',"args":' + call._sent, abort, {"tool": call.tool, "call": call.id}, marked=call.require)
                call._late = self._over
        except BaseException as error:
            if not isinstance(error, Exception) or of_a_handler(error):  # Ctrl-C or a timeout while it was held: it does not run
                call._given_up = True
                call.fail(error)
                raise
            LOG.warning("a call could not be reported: %s", type(error).__name__)
        self._decide(call, answer)
        call._began = time.monotonic()

    def _decide(self, call: Call, answer: Optional[dict[str, Any]]) -> None:
        if answer is None:
            call.stop = self.stopped
            if call.require and not call.stop:
                call.denied = "Headway did not answer, and this call may not run without it."
                call.fail(call.denied)
        else:
            call.stop, call.denied = cut(answer.get("stop")), refusal(answer)
            self.stopped = call.stop  # a person may have given it more budget since
            call.allowed_by = cut(answer.get("allow"))
            if call.allowed_by:
                self._decided.add(call.tool)
            if "edit" in answer and same_kind(answer["edit"], call.args):
                call.args, call.edited, call._sent = answer["edit"], True, json_of(answer["edit"])
            elif call.allowed_by and call._formless:  # the decision is about any object of the type
                self._asks_a_person.add(call.tool)
                call.denied = not_shown(call._formless)
                call.fail(call.denied)
            elif call and call.tool in self._decided and shown(call.args)[0] != call._sent:
                call.denied = CHANGED
                call.fail(call.denied)
            if answer is GONE:
                call.fail(call.denied)  # the daemon does not know yet that it did not run
        if not call:
            call._over = True  # the daemon has noted its end

    async def _abegin(self, call: Call) -> None:
        if self._wire.away():
            self._begin(call)
            return
        try:
            await beside(lambda abort: self._begin(call, abort))
        except asyncio.CancelledError as error:
            call._given_up = True
            call.fail(error)
            raise
        if not call.id:  # there was no thread for it
            self._decide(call, None)

    def _finished(self, call: Call, error: Any, seconds: float) -> None:
        try:
            brief = self._wire.away()
            raw = ',"args":' + (call._sent or json_of(call.args, brief))
            more: dict[str, Any] = {"tool": call.tool, "call": call.id or new_id(), "duration_ms": int(seconds * 1000)}
            if error is None:
                more["ok"] = True
                raw += ',"result":' + json_of("" if call.result is None else call.result, brief)
            else:
                more["ok"] = False
                more["error"] = error_text(error) if isinstance(error, BaseException) else cut(str(error), 8000)
                named = {kind.__name__ for kind in type(error).__mro__}
                given_up = call._given_up or bool(named.intersection(CANCELLED))
                more["class"] = "cancelled" if given_up else "denied" if call.denied else None
                code = attribute(error, "returncode")
                more["exit_code"] = code if isinstance(code, int) and 0 <= code < 256 else None
            self._tell("post", raw, late=call._late, **more)
        except Exception as broken:
            LOG.warning("a result could not be reported: %s", type(broken).__name__)

    # beats, on the thread of the outbox

    def _beat_in(self) -> float:
        return self._last + self._beat_seconds - time.monotonic() if not self._over else 3600.0

    def _beat(self) -> None:
        if self._beat_in() <= 0:
            self._tell("turn")
