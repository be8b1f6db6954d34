# SPDX-License-Identifier: Apache-2.0
"""pydantic-ai with capabilities: `Agent(..., capabilities=[headway.pydantic_ai.capability(s)])`.

Tested against stubs of AbstractCapability, ModelRequest and UserPromptPart, which were written by their documentation, and not
against the package itself. A call that must not run returns the reason to the model. A stop raises headway.Stop out of the
run, which ends the `with` block of the session."""
from __future__ import annotations

from typing import Any, Optional

from ._adapting import count, session_of
from ._session import Session


def capability(session: Optional[Session] = None) -> Any:
    """The capability; without a session that of the `with` block around, or one of its own."""
    from pydantic_ai.capabilities import AbstractCapability
    find = session_of(session, "pydantic-ai")

    class Headway(AbstractCapability):  # type: ignore[misc]
        @classmethod
        def get_serialization_name(cls) -> Optional[str]:
            return None

        async def before_model_request(self, ctx: Any, request_context: Any) -> Any:
            here = find()
            here.check()
            words = await here.aadvice()
            if words:
                from pydantic_ai.messages import ModelRequest, UserPromptPart
                request_context.messages = [*request_context.messages, ModelRequest(parts=[UserPromptPart(content=words)])]
            return request_context

        async def after_model_request(self, ctx: Any, *, request_context: Any, response: Any) -> Any:
            use = getattr(response, "usage", None)
            if use is not None:
                find().usage(input_tokens=count(use, "input_tokens", "request_tokens"),
                             output_tokens=count(use, "output_tokens", "response_tokens"))
            return response

        async def wrap_tool_execute(self, ctx: Any, *, call: Any, tool_def: Any = None, args: Any, handler: Any) -> Any:
            begun = await find().abegin(str(call.tool_name), args)
            if begun.stop:
                begun.check()
            if not begun:
                return begun.refusal
            with begun.running():
                result = await handler(begun.args if begun.edited else args)
                begun.done(result)
                return result

    return Headway()
