# SPDX-License-Identifier: Apache-2.0
"""OpenAI Agents: `Agent(tools=[headway.openai_agents.tool(t, s)])`, `Runner.run(agent, "...", hooks=headway.openai_agents.hooks(s),
run_config=RunConfig(call_model_input_filter=headway.openai_agents.advice(s)))`.

Tested against stubs of FunctionTool, RunHooks and ModelInputData, which were written by their documentation, and not against
the package itself. Hooks only observe there, so a tool is wrapped: a call that must not run returns the reason to the model. A
stop raises headway.Stop out of `Runner.run`, which ends the `with` block of the session."""
from __future__ import annotations

import dataclasses
import json
from typing import Any, Optional

from ._adapting import arguments, count, session_of
from ._session import Session


def tool(wrapped: Any, session: Optional[Session] = None) -> Any:
    """A FunctionTool as a supervised one."""
    find = session_of(session, "openai-agents")
    invoke = wrapped.on_invoke_tool

    async def supervised(context: Any, given: str) -> Any:
        call = await find().abegin(wrapped.name, arguments(given))
        if call.stop:
            call.check()
        if not call:
            return call.refusal
        with call.running():
            result = await invoke(context, json.dumps(call.args) if call.edited else given)
            call.done(result)
            return result
    return dataclasses.replace(wrapped, on_invoke_tool=supervised)


def hooks(session: Optional[Session] = None) -> Any:
    """RunHooks that report what the model used and said."""
    from agents import RunHooks
    find = session_of(session, "openai-agents")

    class HeadwayHooks(RunHooks):  # type: ignore[misc]
        async def on_llm_end(self, context: Any, agent: Any, response: Any) -> None:
            use = getattr(response, "usage", None)
            if use is not None:
                find().usage(input_tokens=count(use, "input_tokens"), output_tokens=count(use, "output_tokens"))

        async def on_agent_end(self, context: Any, agent: Any, output: Any) -> None:
            if isinstance(output, str):
                find().said(output)

    return HeadwayHooks()


def advice(session: Optional[Session] = None) -> Any:
    """A `call_model_input_filter` that puts advice into the next request."""
    find = session_of(session, "openai-agents")

    async def filtered(data: Any) -> Any:
        here = find()
        here.check()
        words = await here.aadvice()
        if words:
            data.model_data.input = [*data.model_data.input, {"role": "user", "content": words}]
        return data.model_data
    return filtered
