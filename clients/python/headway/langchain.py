# SPDX-License-Identifier: Apache-2.0
"""LangChain 1.x and LangGraph: `create_agent(..., middleware=[headway.langchain.middleware(s)])`.

Tested against stubs of AgentMiddleware, ToolCallRequest and ToolMessage, which were written by their documentation, and not
against the packages themselves. Advice is a system message of the next request; a call that must not run is a ToolMessage
with the reason; a stop ends the agent before its next request to the model."""
from __future__ import annotations

from typing import Any, Optional

from ._adapting import count, session_of
from ._call import Call
from ._session import Session


def _refused(call: Call, request: Any) -> Any:
    from langchain.messages import ToolMessage
    return ToolMessage(content=call.refusal, tool_call_id=request.tool_call.get("id"), name=request.tool_call.get("name"), status="error")


def _edited(call: Call, request: Any) -> Any:
    return request.override(tool_call={**request.tool_call, "args": call.args}) if call.edited else request


def _ended(call: Call, result: Any) -> Any:
    """A tool that fails is a message of the status `error`, where the agent handles its errors."""
    content = getattr(result, "content", result)
    if getattr(result, "status", None) == "error":
        call.fail(content if isinstance(content, str) else str(content))
    else:
        call.done(content if isinstance(content, (str, list, dict)) else str(type(content).__name__))
    return result


def _with_advice(request: Any, words: str) -> Any:
    if not words:
        return request
    from langchain.messages import HumanMessage
    return request.override(messages=[*request.messages, HumanMessage(content=words)])


def middleware(session: Optional[Session] = None) -> Any:
    """The middleware; without a session that of the `with` block around, or one of its own."""
    from langchain.agents.middleware import AgentMiddleware, hook_config
    find = session_of(session, "langchain")

    def ends(self: Any, state: Any, runtime: Any) -> Any:
        return {"jump_to": "end"} if find().stopped else None

    class HeadwayMiddleware(AgentMiddleware):  # type: ignore[misc]
        before_model = hook_config(can_jump_to=["end"])(ends)

        def after_model(self, state: Any, runtime: Any) -> Any:
            messages = state.get("messages") or []
            use = getattr(messages[-1], "usage_metadata", None) if messages else None
            if use:
                find().usage(input_tokens=count(use, "input_tokens"), output_tokens=count(use, "output_tokens"))
            return None

        def wrap_model_call(self, request: Any, handler: Any) -> Any:
            return handler(_with_advice(request, find().advice()))

        async def awrap_model_call(self, request: Any, handler: Any) -> Any:
            return await handler(_with_advice(request, await find().aadvice()))

        def wrap_tool_call(self, request: Any, handler: Any) -> Any:
            call = find().begin(str(request.tool_call.get("name")), request.tool_call.get("args"))
            if not call:
                return _refused(call, request)
            with call.running():
                return _ended(call, handler(_edited(call, request)))

        async def awrap_tool_call(self, request: Any, handler: Any) -> Any:
            call = await find().abegin(str(request.tool_call.get("name")), request.tool_call.get("args"))
            if not call:
                return _refused(call, request)
            with call.running():
                return _ended(call, await handler(_edited(call, request)))

    return HeadwayMiddleware()
