# SPDX-License-Identifier: Apache-2.0
"""CrewAI: `headway.crewai.install(s)` before `crew.kickoff()`.

Tested against stubs of crewai.hooks, which were written by its documentation, and not against the package itself. A call that
must not run is blocked, and its result is the reason; advice stands behind the results of tools. A stop raises headway.Stop
out of `kickoff`, which ends the `with` block of the session. CrewAI's hooks hold for all crews of the process, and it calls
none for a tool that fails: such a call ends, as cancelled, when the session does. Report tokens with `s.usage()`."""
from __future__ import annotations

import threading
from typing import Any, Callable, Optional

from ._adapting import session_of
from ._call import Call
from ._session import Session

OPEN_MAX = 256  # calls whose end was not reported


def install(session: Optional[Session] = None) -> Callable[[], None]:
    """Registers the hooks; what it returns takes them out again."""
    from crewai import hooks
    find = session_of(session, "crewai")
    lock = threading.Lock()
    calls: dict[tuple[int, str, int], list[Call]] = {}

    def key(context: Any) -> tuple[int, str, int]:
        return threading.get_ident(), str(context.tool_name), id(context.tool_input)

    def before(context: Any) -> Optional[bool]:
        call = find().begin(str(context.tool_name), context.tool_input or {})
        if call.stop:
            call.check()
        if call.edited:
            context.tool_input.clear()
            context.tool_input.update(call.args)
        with lock:
            if len(calls) >= OPEN_MAX:
                calls.pop(next(iter(calls)))
            calls.setdefault(key(context), []).append(call)
        return None if call else False

    def after(context: Any) -> Optional[str]:
        with lock:
            begun = calls.pop(key(context), [])
        call = begun.pop() if begun else None
        if call is None:
            return None
        if not call:
            return call.refusal
        call.done(context.tool_result)
        words = find().advice()
        return f"{context.tool_result or ''}\n\n{words}" if words else None

    hooks.register_before_tool_call_hook(before)
    hooks.register_after_tool_call_hook(after)

    def uninstall() -> None:
        hooks.unregister_before_tool_call_hook(before)
        hooks.unregister_after_tool_call_hook(after)
    return uninstall
