# SPDX-License-Identifier: Apache-2.0
"""Questions of a session to people."""
from __future__ import annotations

from typing import Any, Optional, Sequence

from ._beside import beside
from ._call import Decision
from ._ids import new_id
from ._plain import CHANGED, cut, not_shown, same_kind, shown
from ._wire import Abort


class People:
    """Part of Session, whose `_ask` waits for the answer."""

    def _ask(self, event: str, sent: Optional[str], abort: Optional[Abort] = None, **members: Any) -> dict[str, Any]:
        raise NotImplementedError

    def approve(self, summary: str, *, tool: str = "approve", args: Any = None) -> Decision:
        """Asks a person, and waits. Without a daemon, or a decision, it is not approved; nor are arguments that have changed since."""
        asked = {} if args is None else args
        sent, formless = shown(asked)
        if formless:
            return Decision(False, not_shown(formless), asked, False)
        return self._decision(self._ask("request", sent, tool=tool, text=str(summary), call=new_id()), asked, sent)

    async def aapprove(self, summary: str, *, tool: str = "approve", args: Any = None) -> Decision:
        asked = {} if args is None else args
        sent, formless = shown(asked)
        if formless:
            return Decision(False, not_shown(formless), asked, False)
        answer = await beside(lambda abort: self._ask("request", sent, abort, tool=tool, text=str(summary), call=new_id()))
        return self._decision(answer or {}, asked, sent)

    def ask(self, question: str, options: Sequence[str] = ()) -> Optional[str]:
        """A person's answer; None without one."""
        return self._answer(self._ask("question", None, text=str(question), options=[str(o) for o in options] or None, call=new_id()))

    async def aask(self, question: str, options: Sequence[str] = ()) -> Optional[str]:
        return self._answer(await beside(lambda abort: self._ask("question", None, abort, text=str(question), call=new_id(),
                                                                  options=[str(o) for o in options] or None)) or {})

    @staticmethod
    def _answer(answer: dict[str, Any]) -> Optional[str]:
        said = answer.get("answer")
        return said if isinstance(said, str) else None

    @staticmethod
    def _decision(answer: dict[str, Any], args: Any, sent: str) -> Decision:
        reason = cut(answer.get("deny") or answer.get("stop") or answer.get("allow") or "no decision was made")
        approved = isinstance(answer.get("allow"), str) and not answer.get("deny") and not answer.get("stop")
        if "edit" in answer and same_kind(answer["edit"], args):
            return Decision(approved, reason, answer["edit"], True)
        if approved and shown(args)[0] != sent:  # the approval is of those that the person saw
            return Decision(False, CHANGED, args, False)
        return Decision(approved, reason, args, False)
