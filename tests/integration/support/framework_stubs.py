# SPDX-License-Identifier: Apache-2.0
"""Base classes of frameworks, as their documentation has them, for the adapters of clients/python: PyPI is not reachable here."""
import dataclasses
import sys
import types
from typing import Any


def _module(name: str, **members) -> types.ModuleType:
    module = types.ModuleType(name)
    module.__dict__.update(members)
    sys.modules[name] = module
    return module


# LangChain 1.x

@dataclasses.dataclass
class ToolMessage:
    content: Any
    tool_call_id: str = ""
    name: str = ""
    status: str = "success"


@dataclasses.dataclass
class HumanMessage:
    content: str


@dataclasses.dataclass
class AIMessage:
    content: str
    usage_metadata: Any = None


@dataclasses.dataclass
class Request:
    """A ToolCallRequest or a ModelRequest."""
    tool_call: Any = None
    messages: Any = ()

    def override(self, **more):
        return dataclasses.replace(self, **more)


class AgentMiddleware:
    tools = ()


def hook_config(*, can_jump_to=None):
    def mark(function):
        function.__can_jump_to__ = can_jump_to
        return function
    return mark


# OpenAI Agents

@dataclasses.dataclass
class FunctionTool:
    name: str
    description: str
    params_json_schema: Any
    on_invoke_tool: Any
    strict_json_schema: bool = True


class RunHooks:
    pass


@dataclasses.dataclass
class ModelInputData:
    input: list
    instructions: Any = None


@dataclasses.dataclass
class CallModelData:
    model_data: ModelInputData
    agent: Any = None
    context: Any = None


# pydantic-ai

class AbstractCapability:
    pass


@dataclasses.dataclass
class UserPromptPart:
    content: str


@dataclasses.dataclass
class ModelRequest:
    parts: list


# CrewAI

class CrewHooks(types.ModuleType):
    def __init__(self):
        super().__init__("crewai.hooks")
        self.before, self.after = [], []
        self.register_before_tool_call_hook = self.before.append
        self.register_after_tool_call_hook = self.after.append
        self.unregister_before_tool_call_hook = self.before.remove
        self.unregister_after_tool_call_hook = self.after.remove

    def run(self, name, given, tool):
        """As CrewAI does: a hook that returns False blocks, and those behind the call see that too."""
        context = types.SimpleNamespace(tool_name=name, tool_input=given, tool=None, agent=None, task=None, crew=None, tool_result=None)
        blocked = any([hook(context) is False for hook in self.before])
        context.tool_result = f"Tool execution blocked by hook. Tool: {name}" if blocked else tool(**context.tool_input)
        for hook in self.after:
            said = hook(context)
            if said is not None:
                context.tool_result = said
        return context.tool_result


def install() -> CrewHooks:
    _module("langchain")
    _module("langchain.agents")
    _module("langchain.agents.middleware", AgentMiddleware=AgentMiddleware, hook_config=hook_config)
    _module("langchain.messages", ToolMessage=ToolMessage, HumanMessage=HumanMessage)
    _module("agents", RunHooks=RunHooks)
    _module("pydantic_ai")
    _module("pydantic_ai.capabilities", AbstractCapability=AbstractCapability)
    _module("pydantic_ai.messages", ModelRequest=ModelRequest, UserPromptPart=UserPromptPart)
    crew = CrewHooks()
    _module("crewai", hooks=crew)
    sys.modules["crewai.hooks"] = crew
    return crew
