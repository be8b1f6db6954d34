#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Adapters of clients/python with stubs of the frameworks' base classes: advice, refusals, edits, stops, use and failures."""
import asyncio
import logging
import subprocess
import sys
import threading
import types
import unittest

from support import framework_stubs as stubs
from support.case import SharedDaemonCase, unique
from support.daemon import PROJECT
from support.limits import eventually

sys.path.insert(0, str(PROJECT / "clients/python"))
import headway  # noqa: E402
import headway.crewai  # noqa: E402
import headway.langchain  # noqa: E402
import headway.openai_agents  # noqa: E402
import headway.pydantic_ai  # noqa: E402

CREW = stubs.install()
logging.getLogger("headway").setLevel(logging.CRITICAL)


def kinds(journal, kind) -> list:
    return [event["data"] for event in journal if event["type"] == kind]


class AdapterCase(SharedDaemonCase):
    settings = {"approvals.require_tools": "deploy"}

    def setUp(self):
        self.client = self.daemon.operator()
        self.addCleanup(self.client.close)

    def session(self):
        return headway.Session("x", id=unique("a"), url=self.daemon.url)

    def decides(self, session, meanwhile=lambda: None, **decision):
        """A person, beside the agent and with a connection of their own."""
        def run():
            person = self.daemon.operator()

            def look():
                reply = person.get("/v1/approvals?status=pending&session=" + session.id)
                return reply.json().get("approvals") if reply.status == 200 else None
            approval = eventually(look)[0]["id"]
            meanwhile()
            assert person.post(f"/v1/approvals/{approval}/decision", decision).status == 200
            person.close()
        thread = threading.Thread(target=run)
        thread.start()
        self.addCleanup(thread.join)
        return thread

    def check_journal(self, session, finished):
        journal = self.client.journal(session.id)
        self.assertEqual([(d["tool"], d["ok"]) for d in kinds(journal, "tool.finished")], finished)
        return journal

    def loop(self, session, call):
        """A failing call five times; what advice came with it."""
        for _ in range(4):
            call()
        return session


class LangChain(AdapterCase):
    def test_sync(self):
        with self.session() as s:
            hw = headway.langchain.middleware()
            self.assertIsInstance(hw, stubs.AgentMiddleware)

            def request(args, name="deploy"):
                return stubs.Request(tool_call={"name": name, "args": args, "id": "c1"})
            seen = []

            def handler(given):
                seen.append(given.tool_call["args"])
                return stubs.ToolMessage(content="done", tool_call_id="c1")
            person = self.decides(s, decision="edit", edited_args={"to": "canary"})
            self.assertEqual(hw.wrap_tool_call(request({"to": "all"}), handler).content, "done")
            person.join()
            self.decides(s, decision="reject", reason="use another way instead")
            refused = hw.wrap_tool_call(request({"to": "all"}), handler)
            self.assertEqual((refused.status, refused.tool_call_id), ("error", "c1"))
            self.assertIn("another way", refused.content)
            self.assertEqual(seen, [{"to": "canary"}])
            with self.assertRaises(ValueError):
                hw.wrap_tool_call(request({}, "bash"), lambda given: (_ for _ in ()).throw(ValueError("no")))
            fails = stubs.ToolMessage(content="Error: no such file", status="error")
            for _ in range(4):
                self.assertIs(hw.wrap_tool_call(request({"x": 1}, "bash"), lambda given: fails), fails)
            (words,) = hw.wrap_model_call(stubs.Request(messages=[]), lambda given: given.messages)
            self.assertIn("4 times in a row", words.content)
            self.assertEqual(hw.wrap_model_call(stubs.Request(messages=[]), lambda given: given.messages), [])
            hw.after_model({"messages": [stubs.AIMessage("x", {"input_tokens": 7, "output_tokens": 2})]}, None)
            self.assertIsNone(hw.before_model({}, None))
            self.client.post(f"/v1/sessions/{s.id}/cancel", {"reason": "enough"})
            stopped = hw.wrap_tool_call(request({"x": 2}, "bash"), handler)
            self.assertIn("enough", stopped.content)
            self.assertEqual(hw.before_model({}, None), {"jump_to": "end"})
            self.assertEqual(hw.before_model.__can_jump_to__, ["end"])
        journal = self.check_journal(s, [("deploy", True), ("deploy", False)] + [("bash", False)] * 6)
        self.assertEqual([d["usage"]["input_tokens"] for d in kinds(journal, "heartbeat") if "usage" in d], [7])

    def test_async(self):
        async def main():
            async with self.session() as s:
                hw = headway.langchain.middleware(s)

                async def handler(given):
                    return stubs.ToolMessage(content="done")
                request = stubs.Request(tool_call={"name": "bash", "args": {}, "id": "c"})
                self.assertEqual((await hw.awrap_tool_call(request, handler)).content, "done")

                async def model(given):
                    return given.messages
                self.assertEqual(await hw.awrap_model_call(stubs.Request(messages=["m"]), model), ["m"])
                return s
        self.check_journal(asyncio.run(main()), [("bash", True)])


class OpenAiAgents(AdapterCase):
    def test_tools_hooks_and_advice(self):
        async def main():
            async with self.session() as s:
                ran = []

                async def invoke(context, given):
                    ran.append(given)
                    if given == "{}":
                        raise ValueError("no")
                    return "result"
                wrapped = headway.openai_agents.tool(stubs.FunctionTool("deploy", "", {}, invoke))
                self.assertIsInstance(wrapped, stubs.FunctionTool)
                self.decides(s, decision="edit", edited_args={"to": "canary"})
                self.assertEqual(await wrapped.on_invoke_tool(None, '{"to":"all"}'), "result")
                self.decides(s, decision="reject", reason="use another way instead")
                self.assertIn("another way", await wrapped.on_invoke_tool(None, '{"to":"all"}'))
                self.assertEqual(ran, ['{"to": "canary"}'])
                bash = headway.openai_agents.tool(stubs.FunctionTool("bash", "", {}, invoke))
                for _ in range(4):
                    with self.assertRaises(ValueError):
                        await bash.on_invoke_tool(None, "{}")
                advice = headway.openai_agents.advice()
                data = await advice(stubs.CallModelData(stubs.ModelInputData([])))
                self.assertIn("4 times in a row", data.input[0]["content"])
                hooks = headway.openai_agents.hooks()
                self.assertIsInstance(hooks, stubs.RunHooks)
                await hooks.on_llm_end(None, None, types.SimpleNamespace(usage=types.SimpleNamespace(input_tokens=7, output_tokens=1)))
                await hooks.on_agent_end(None, None, "the answer")
                await s.aadvice()
                self.client.post(f"/v1/sessions/{s.id}/cancel", {"reason": "enough"})
                await bash.on_invoke_tool(None, '{"x":1}')
                raise AssertionError("not reached")
            return s
        s = asyncio.run(main())
        self.assertIn("enough", s.stopped)
        journal = self.check_journal(s, [("deploy", True), ("deploy", False)] + [("bash", False)] * 5)
        self.assertEqual(kinds(journal, "message")[-1]["text"], "the answer")


class PydanticAi(AdapterCase):
    def test_calls_and_requests(self):
        async def main():
            async with self.session() as s:
                hw = headway.pydantic_ai.capability(s)
                self.assertIsInstance(hw, stubs.AbstractCapability)
                ran = []

                async def handler(args):
                    ran.append(args)
                    if not args:
                        raise ValueError("no")
                    return "result"

                def execute(name, args):
                    return hw.wrap_tool_execute(None, call=types.SimpleNamespace(tool_name=name), tool_def=None, args=args, handler=handler)
                self.decides(s, decision="edit", edited_args={"to": "canary"})
                self.assertEqual(await execute("deploy", {"to": "all"}), "result")
                self.decides(s, decision="reject", reason="use another way instead")
                self.assertIn("another way", await execute("deploy", {"to": "all"}))
                self.assertEqual(ran, [{"to": "canary"}])
                for _ in range(4):
                    with self.assertRaises(ValueError):
                        await execute("bash", {})
                request = await hw.before_model_request(None, types.SimpleNamespace(messages=["m"]))
                self.assertIn("4 times in a row", request.messages[1].parts[0].content)
                response = types.SimpleNamespace(usage=types.SimpleNamespace(input_tokens=7, output_tokens=1))
                self.assertIs(await hw.after_model_request(None, request_context=request, response=response), response)
                await s.aadvice()
                self.client.post(f"/v1/sessions/{s.id}/cancel", {"reason": "enough"})
                await execute("bash", {"x": 1})
                raise AssertionError("not reached")
            return s
        s = asyncio.run(main())
        self.assertIn("enough", s.stopped)
        self.check_journal(s, [("deploy", True), ("deploy", False)] + [("bash", False)] * 5)


class CrewAi(AdapterCase):
    def test_hooks(self):
        with self.session() as s:
            uninstall = headway.crewai.install()
            ran = []

            def tool(**given):
                ran.append(given)
                return "Error: no such file"
            self.decides(s, decision="edit", edited_args={"to": "canary"})
            self.assertEqual(CREW.run("deploy", {"to": "all"}, tool), "Error: no such file")
            self.decides(s, decision="reject", reason="use another way instead")
            self.assertIn("another way", CREW.run("deploy", {"to": "all"}, tool))
            self.assertEqual(ran, [{"to": "canary"}])
            given = {"to": "staging"}
            self.decides(s, meanwhile=lambda: given.update(to="production"), decision="approve")
            self.assertIn("have changed since a person was asked", CREW.run("deploy", given, tool))
            self.assertEqual(ran, [{"to": "canary"}])
            said = [CREW.run("bash", {"x": 1}, tool) for _ in range(4)]
            self.assertIn("4 times in a row", said[-1])
            self.client.post(f"/v1/sessions/{s.id}/cancel", {"reason": "enough"})
            CREW.run("bash", {"x": 2}, tool)
            raise AssertionError("not reached")
        uninstall()
        self.assertEqual((CREW.before, CREW.after), ([], []))
        self.assertIn("enough", s.stopped)
        self.check_journal(s, [("deploy", True), ("deploy", False), ("deploy", False)] + [("bash", True)] * 4 + [("bash", False)])


class Lazy(unittest.TestCase):
    def test_no_framework_is_imported_before_it_is_asked_for(self):
        code = ("import sys, headway, headway.langchain, headway.openai_agents, headway.pydantic_ai, headway.crewai\n"
                "print([n for n in ('langchain', 'agents', 'pydantic_ai', 'crewai', 'asyncio.events') if n in sys.modules and n != 'asyncio.events'])\n")
        done = subprocess.run([sys.executable, "-c", code], cwd=PROJECT / "clients/python", capture_output=True, text=True, check=True)
        self.assertEqual(done.stdout.strip(), "[]")


if __name__ == "__main__":
    unittest.main()
