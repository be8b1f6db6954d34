#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Agents of which no texts are kept: what is on the disk, and what Headway still sees."""
import sys
import unittest
from pathlib import Path

from support.case import OwnDaemonCase

MARK = "marigold-7731"  # in every text that an agent reports


class Capture(OwnDaemonCase):
    def hook(self, client, event, **members):
        reply = client.post("/v1/hooks/claude", {"hook_event_name": event, "session_id": "n", **members})
        self.assertEqual(reply.status, 200, reply.body)
        return reply.json()

    def work(self, client):
        """A loop of failing calls, with a prompt and messages."""
        self.hook(client, "UserPromptSubmit", prompt=f"fix {MARK}")
        for n in range(6):
            call = {"tool_name": "Bash", "tool_input": {"command": f"make {MARK}"}, "tool_use_id": f"c{n}"}
            self.hook(client, "PreToolUse", **call)
            self.hook(client, "PostToolUseFailure", **call, error=f"Exit code 2\n{MARK}: no rule")
            self.hook(client, "PostToolBatch", tool_calls=[{**call, "tool_response": f"Exit code 2\n{MARK}: no rule"}])
        self.hook(client, "PostToolUse", tool_name="Write", tool_input={"file_path": "a.txt", "content": MARK}, tool_use_id="w",
                  tool_response={"filePath": "a.txt", "content": MARK})
        self.hook(client, "Stop", last_assistant_message=f"done with {MARK}")

    def stored(self, daemon) -> int:
        daemon.stop()
        folder = Path(daemon.state_dir)
        return sum(path.read_bytes().count(MARK.encode()) for path in folder.rglob("*") if path.is_file())

    def test_no_text_of_such_an_agent_is_on_the_disk_and_its_loop_is_found(self):
        daemon = self.start({"redaction.digest_agents": "claude"})
        client = self.client(daemon)
        self.work(client)
        session = client.get("/v1/sessions/claude-n").json()
        self.assertNotIn(MARK, str(session))
        self.assertIsNone(session["goal"])
        self.assertTrue([event for event in client.journal("claude-n") if event["type"] == "directive.issued"], "no loop was found")
        finished = [event["data"] for event in client.journal("claude-n") if event["type"] == "tool.finished"]
        self.assertEqual({call["tool"] for call in finished}, {"Bash", "Write"})
        self.assertEqual([change["path"] for change in finished[-1]["mutated"]], ["a.txt"])
        self.assertTrue(all(len(call["args_digest"]) > 31 for call in finished))
        self.assertEqual(self.stored(daemon), 0)

    def test_other_agents_are_kept_whole(self):
        daemon = self.start({"redaction.digest_agents": "codex"})
        self.work(self.client(daemon))
        self.assertGreater(self.stored(daemon), 5)

    def test_hooks_of_such_an_agent_are_digested_in_a_session_that_something_else_opened(self):
        daemon = self.start({"redaction.digest_agents": "claude"})
        client = self.client(daemon)
        self.assertEqual(client.put("/v1/sessions/run", {"agent": {"type": "command", "name": "python3"}}).status, 201)
        client.report("run", "message", role="assistant", text="kept")
        call = {"tool_name": "Bash", "tool_input": {"command": MARK}, "tool_use_id": "c1"}
        for event, members in (("UserPromptSubmit", {"prompt": MARK}), ("PreToolUse", call),
                               ("PostToolUse", {**call, "tool_response": MARK})):
            reply = client.post("/v1/hooks/claude", {"hook_event_name": event, "session_id": "n", **members}, {"X-Headway-Session": "run"})
            self.assertEqual(reply.status, 200)
        # Its lines as `headway run` reports them, also after a restart, and in what goes on from it.
        client.report("run", "message", role="assistant", text=MARK)
        daemon.restart()
        client = self.client(daemon)
        client.report("run", "message", role="assistant", text=MARK)
        self.assertEqual(client.post("/v1/sessions/run/end", {"outcome": "completed"}).status, 200)
        client.report("run~2", "message", role="assistant", text=MARK)
        self.assertEqual([event["data"].get("text") for event in client.journal("run") if event["type"] == "message"][0], "kept")
        self.assertEqual(self.stored(daemon), 0)

    def test_an_agent_that_names_another_type_for_its_session_is_digested_all_the_same(self):
        daemon = self.start({"redaction.digest_agents": "claude", "access.mode": "token"})
        operator = self.client(daemon, token=daemon.operator_token())
        agent = self.client(daemon, token=operator.post("/v1/tokens", {"name": "a", "scopes": ["report:"]}).json()["token"])
        self.hook(agent, "SessionStart", source="startup")
        agent.put("/v1/sessions/claude-n", {"agent": {"type": "x", "name": "y"}, "labels": {"adapter": "z"}, "goal": MARK})
        self.hook(agent, "UserPromptSubmit", prompt=MARK)
        self.assertEqual(self.stored(daemon), 0)

    def test_digests_of_all_holds_for_reports_to_unknown_sessions_and_for_openings(self):
        daemon = self.start({"redaction.capture": "digests"})
        client = self.client(daemon)
        client.report("s", "message", role="assistant", text=MARK)
        client.report("s", "tool.finished", tool="bash", args={"c": MARK}, result=MARK)
        client.report("s", "plan.updated", text=MARK, steps=[{"title": MARK, "status": "open"}])
        client.report("s", "fact.learned", text=MARK)
        client.report("s", "compacted", summary=MARK)
        client.report("s", "error.reported", message=MARK)
        client.report("s", "state.changed", state="processing_prompt", detail=MARK)
        client.report("s", "reflection", text=MARK, assessment=MARK, next_action=MARK)
        client.report("s", "test.result", passed=1, failed=1, command=MARK)
        client.report("s", "fact.learned", text="x", source=MARK)
        client.report("s", "plan.updated", steps=[{"title": "x", "status": MARK}])
        client.report("s", "state.changed", state="idle", background=[f"shell: {MARK}", MARK])
        self.hook(client, "Stop", background_tasks=[{"id": "b1", "type": "shell", "status": "running", "command": MARK}],
                  session_crons=[{"id": "c", "schedule": MARK, "prompt": MARK}])
        reason = client.get("/v1/sessions/claude-n").json()["verdict"]["reason"]
        self.assertIn("waits for its work in the background: shell: digest ", reason)
        for _ in range(2):  # the second one finds it as it is
            self.assertLess(client.put("/v1/sessions/t", {"goal": MARK}).status, 300)
        client.post("/v1/sessions/t/end", {"outcome": "completed", "result": {"text": MARK}, "reason": MARK})
        self.assertEqual(self.stored(daemon), 0)

    def test_an_approved_call_is_recognised_by_its_digest(self):
        daemon = self.start({"redaction.capture": "digests", "approvals.require_tools": "bash"})
        client, operator = self.client(daemon), self.client(daemon, token=daemon.operator_token())
        call = {"tool": "bash", "call_id": "c1", "args": {"command": "make"}}
        client.report("s", "tool.started", **call)
        (asked,) = client.get("/v1/approvals").json()["approvals"]
        self.assertEqual(asked["args"], {"command": "make"})
        self.assertEqual(operator.post(f"/v1/approvals/{asked['id']}/decision", {"decision": "approve"}).status, 200)
        client.report("s", "tool.finished", **call, result="ok")
        shown = client.get(f"/v1/approvals/{asked['id']}").json()
        self.assertIsNotNone(shown["executed_n"])
        self.assertEqual((shown["alarm"], shown["unverified"]), (None, False))

    def test_another_call_than_the_approved_one_raises_the_alarm_all_the_same(self):
        daemon = self.start({"redaction.capture": "digests", "approvals.require_tools": "bash"})
        client, operator = self.client(daemon), self.client(daemon, token=daemon.operator_token())
        client.report("s", "tool.started", tool="bash", call_id="c1", args={"command": "make"})
        (asked,) = client.get("/v1/approvals").json()["approvals"]
        operator.post(f"/v1/approvals/{asked['id']}/decision", {"decision": "approve"})
        client.report("s", "tool.finished", tool="bash", call_id="c1", args={"command": "rm -rf /"}, result="ok")
        self.assertIsNotNone(client.get(f"/v1/approvals/{asked['id']}").json()["alarm"])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[1:]])
