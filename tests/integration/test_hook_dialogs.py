#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The permission dialogs of agents: a person may decide from afar, or another one at the agent."""
import json
import unittest
from concurrent.futures import ThreadPoolExecutor

from support.case import OwnDaemonCase, SharedDaemonCase
from support.http import RawConnection
from support.limits import eventually
from test_hooks import Agent, kinds

TOUCH = {"command": "touch made.txt", "description": "w"}
ALLOW = {"hookSpecificOutput": {"hookEventName": "PermissionRequest", "decision": {"behavior": "allow"}}}


class Dialogs:
    """Setup of the cases of a daemon; bodies as in the recorded terminal sessions of Claude Code."""

    def use(self, daemon, dialect="claude"):
        self.client = daemon.operator()
        self.addCleanup(self.client.close)
        self.pool = ThreadPoolExecutor(4)
        self.addCleanup(self.pool.shutdown)
        self.daemon_used = daemon
        self.agent = Agent(daemon, dialect)
        self.addCleanup(self.end)
        self.agent.hook("UserPromptSubmit", prompt="go now")

    def end(self):
        """A case that fails leaves nothing waiting."""
        self.client.post(f"/v1/sessions/{self.agent.id}/end", {"outcome": "cancelled"})

    def dialog(self, args=TOUCH, tool="Bash", call="toolu_1", agent=None):
        """The call that is about to run, and its dialog, which is open then."""
        agent = agent or self.agent
        self.assertEqual(agent.pre(call, tool, args=args), {})
        held = self.pool.submit(agent.hook, "PermissionRequest", tool_name=tool, tool_input=args)
        return held, self.asked(agent)

    def asked(self, agent=None, count=1):
        session = (agent or self.agent).id

        def look():
            reply = self.client.get(f"/v1/approvals?status=pending&session={session}")
            found = reply.json()["approvals"] if reply.status == 200 else []
            return found[-1] if len(found) == count else None
        return eventually(look)

    def decide(self, approval, decision, **more):
        return self.client.post(f"/v1/approvals/{approval['id']}/decision", {"decision": decision, **more})

    def ran(self, args=TOUCH, tool="Bash", call="toolu_1", agent=None):
        return (agent or self.agent).hook("PostToolUse", tool_name=tool, tool_input=args, tool_use_id=call,
                                          tool_response={"stdout": "", "stderr": "", "interrupted": False})

    def read(self, approval):
        return self.client.get(f"/v1/approvals/{approval['id']}").json()

    def needs(self):
        needs = self.client.get("/v1/overview").json()["needs_you"]
        return [need for need in needs if need["session"] == self.agent.id]

    def settled(self):
        """Nothing is left that a person would be asked about."""
        session = self.client.session(self.agent.id)
        self.assertEqual((session["alarms"], session["approvals_pending"], self.needs()), ([], 0, []))


class SharedDialogCase(SharedDaemonCase, Dialogs):
    def setUp(self):
        self.use(self.daemon)


class OwnDialogCase(OwnDaemonCase, Dialogs):
    pass


class FromAfar(SharedDialogCase):
    settings = {"approvals.require_tools": "Write", "approvals.copilot_dialogs": "on"}

    def test_what_is_approved_from_afar_is_allowed_at_the_dialog_and_used_by_the_call(self):
        held, approval = self.dialog()
        self.assertEqual((approval["kind"], approval["source"], approval["tool"], approval["args"]),
                         ("tool", "dialog", "Bash", TOUCH))
        self.assertTrue(approval["args_digest"].startswith("sha256:"))
        self.assertIsNotNone(approval["expires_at"])
        self.assertEqual([need["kind"] for need in self.needs()], ["approval"])
        self.assertEqual(self.client.session(self.agent.id)["verdict"]["status"], "blocked")
        self.assertFalse(held.done())
        self.assertEqual(self.decide(approval, "approve", by="ana").status, 200)
        self.assertEqual(held.result(10), ALLOW)
        self.ran()
        self.assertEqual(self.read(approval)["status"], "executed")
        self.settled()

    def test_what_is_rejected_from_afar_is_denied_with_the_reason(self):
        held, approval = self.dialog()
        self.decide(approval, "reject", reason="use the other file", then="change_approach")
        decision = held.result(10)["hookSpecificOutput"]["decision"]
        self.assertEqual(decision["behavior"], "deny")
        self.assertIn("use the other file", decision["message"])
        self.agent.hook("PostToolBatch", tool_calls=[
            {"tool_name": "Bash", "tool_input": TOUCH, "tool_use_id": "toolu_1",
             "tool_response": decision["message"]}])
        (call,) = kinds(self.client.journal(self.agent.id), "tool.finished")
        self.assertEqual((call["ok"], call["error"]["class"]), (False, "denied"))
        self.settled()

    def test_a_person_who_declines_to_decide_leaves_it_to_the_dialog(self):
        held, approval = self.dialog()
        self.decide(approval, "ignore")
        self.assertEqual(held.result(10), {})
        self.ran()
        self.settled()

    def test_other_arguments_are_for_the_next_call_whose_dialog_they_answer(self):
        held, approval = self.dialog()
        safer = {"command": "touch safer.txt", "description": "w"}
        self.assertEqual(self.decide(approval, "edit", edited_args=safer).status, 200)
        words = held.result(10)["hookSpecificOutput"]["decision"]["message"]
        self.assertIn("safer.txt", words)
        self.agent.hook("PostToolBatch", tool_calls=[
            {"tool_name": "Bash", "tool_input": TOUCH, "tool_use_id": "toolu_1", "tool_response": words}])
        self.agent.pre("toolu_2", args=safer)
        again = self.agent.hook("PermissionRequest", tool_name="Bash", tool_input=safer)
        self.assertEqual(again, ALLOW)
        self.ran(safer, call="toolu_2")
        self.assertEqual(self.read(approval)["status"], "executed")
        self.settled()

    def test_a_grant_answers_the_next_equal_dialog_and_no_other(self):
        held, approval = self.dialog()
        self.decide(approval, "approve", scope="session")
        held.result(10)
        self.ran()
        self.agent.pre("toolu_2", args=TOUCH)
        self.assertEqual(self.agent.hook("PermissionRequest", tool_name="Bash", tool_input=TOUCH), ALLOW)
        self.ran(call="toolu_2")
        other, approval = self.dialog({"command": "rm made.txt"}, call="toolu_3")
        self.decide(approval, "reject")
        other.result(10)

    def test_equal_dialogs_at_once_are_decided_one_by_one(self):
        first, one = self.dialog()
        self.agent.pre("toolu_2", args=TOUCH)
        second = self.pool.submit(self.agent.hook, "PermissionRequest", tool_name="Bash", tool_input=TOUCH)
        two = self.asked(count=2)
        self.assertNotEqual(one["id"], two["id"])
        self.decide(one, "approve")
        self.assertEqual(first.result(10), ALLOW)
        self.assertFalse(second.done())
        self.decide(two, "reject", then="change_approach")
        self.assertEqual(second.result(10)["hookSpecificOutput"]["decision"]["behavior"], "deny")

    def test_a_call_that_was_approved_before_it_ran_is_not_asked_about_again_but_once(self):
        args = {"file_path": "/a", "content": "new"}
        call = self.pool.submit(self.agent.pre, "w1", "Write", args=args)
        approval = self.asked()
        self.assertEqual(approval["source"], "policy")
        self.decide(approval, "approve", by="ana")
        call.result(10)
        asks = {"tool_name": "Write", "tool_input": args}
        self.assertEqual(self.agent.hook("PermissionRequest", **asks), ALLOW)
        self.assertEqual(self.read(approval)["status"], "redeemed")
        # The same bytes again: a person has to look at them.
        again = self.pool.submit(self.agent.hook, "PermissionRequest", **asks)
        self.assertEqual(self.asked()["source"], "dialog")
        other = self.pool.submit(self.agent.hook, "PermissionRequest", tool_name="Write",
                                 tool_input={"file_path": "/b", "content": "new"})
        self.asked(count=2)
        self.ran(args, "Write", "w1")
        self.assertEqual(self.read(approval)["status"], "executed")
        self.agent.hook("Stop", last_assistant_message="done", background_tasks=[])
        self.assertEqual((again.result(10), other.result(10)), ({}, {}))
        self.settled()

    def test_a_codex_dialog_is_about_the_call_that_it_shows_otherwise(self):
        agent = Agent(self.daemon, "codex")
        agent.hook("UserPromptSubmit", prompt="go")
        agent.pre("call_1", args={"command": "touch made.txt"})
        held = self.pool.submit(agent.hook, "PermissionRequest", tool_name="Bash",
                                tool_input={"command": "touch made.txt", "description": "need to make it"})
        approval = self.asked(agent)
        self.assertEqual((approval["args"], approval["summary"]), ({"command": "touch made.txt"}, "need to make it"))
        self.decide(approval, "approve")
        self.assertEqual(held.result(10), ALLOW)
        agent.hook("PostToolUse", tool_name="Bash", tool_input={"command": "touch made.txt"}, tool_use_id="call_1",
                   tool_response="")
        self.assertEqual(self.read(approval)["status"], "executed")

    def test_a_copilot_dialog_is_answered_in_its_own_words(self):
        agent = Agent(self.daemon, "copilot")
        agent.hook("UserPromptSubmit", prompt="go")
        agent.hook("PreToolUse", tool_name="Bash", tool_input={"command": "ls", "description": "ls", "mode": "sync"})

        def ask():
            body = {"hookName": "permissionRequest", "sessionId": agent.native, "toolName": "bash",
                    "toolInput": {"command": "ls"}, "permissionSuggestions": []}
            return self.client.__class__.post(self.daemon.operator(), "/v1/hooks/copilot", body).json()
        held = self.pool.submit(ask)
        approval = self.asked(agent)
        self.decide(approval, "approve")
        self.assertEqual(held.result(10), {"behavior": "allow"})
        agent.hook("PostToolUse", tool_name="Bash", tool_input={"command": "ls", "description": "ls", "mode": "sync"},
                   tool_result={"result_type": "success", "text_result_for_llm": ""})
        self.assertEqual(self.client.session(agent.id)["alarms"], [])

    def test_a_question_of_the_agent_is_no_call_to_allow(self):
        asks = {"questions": [{"question": "Which db?", "options": [{"label": "Postgres"}]}]}
        self.agent.pre("q1", "AskUserQuestion", args=asks)
        self.assertEqual(self.agent.hook("PermissionRequest", tool_name="AskUserQuestion", tool_input=asks), {})
        self.assertEqual(self.client.session(self.agent.id)["approvals_pending"], 0)

    def test_what_cannot_be_shown_whole_is_left_to_the_dialog(self):
        args = {"command": "x" * 70_000}
        self.agent.pre("big", args=args)
        self.assertEqual(self.agent.hook("PermissionRequest", tool_name="Bash", tool_input=args), {})
        self.assertEqual(self.client.session(self.agent.id)["approvals_pending"], 0)


class AtTheAgent(SharedDialogCase):
    def closed(self, held, approval, how="answered_at_agent"):
        self.assertEqual(held.result(10), {})
        document = self.read(approval)
        self.assertEqual((document["status"], document["closed"], document["decision"]), ("cancelled", how, None))
        late = self.decide(approval, "approve", scope="session")
        self.assertEqual((late.status, late.json()["code"], late.json()["winner"]["closed"]), (409, "already_decided", how))
        self.assertEqual(self.read(approval)["granted"], False)
        return late.json()["detail"]

    def test_a_call_that_was_allowed_at_the_agent_ends_the_request(self):
        held, approval = self.dialog()
        self.agent.hook("Notification", notification_type="permission_prompt", message="Claude needs your permission")
        self.assertFalse(held.done())
        self.ran()
        self.assertIn("answered at the agent", self.closed(held, approval))
        self.settled()
        # It counts as no approval: an equal dialog is asked about.
        again, approval = self.dialog(call="toolu_2")
        self.assertFalse(again.done())
        self.decide(approval, "reject")
        self.assertEqual(again.result(10)["hookSpecificOutput"]["decision"]["behavior"], "deny")

    def test_a_call_that_failed_was_allowed_too(self):
        held, approval = self.dialog()
        self.agent.hook("PostToolUseFailure", tool_name="Bash", tool_input=TOUCH, tool_use_id="toolu_1", error="Exit code 1")
        self.closed(held, approval)
        self.settled()

    def test_a_call_that_was_refused_at_the_agent_shows_with_its_batch(self):
        held, approval = self.dialog()
        self.agent.hook("PostToolBatch", tool_calls=[
            {"tool_name": "Bash", "tool_input": TOUCH, "tool_use_id": "toolu_1",
             "tool_response": "The user doesn't want to proceed with this tool use."}])
        self.closed(held, approval)
        self.settled()

    def test_a_dialog_that_was_left_by_escape_shows_with_the_next_prompt(self):
        held, approval = self.dialog()
        self.agent.hook("UserPromptSubmit", prompt="do something else")
        self.closed(held, approval)
        self.settled()

    def test_the_end_of_the_turn_ends_all_requests_of_its_dialogs(self):
        held, approval = self.dialog()
        self.agent.hook("Stop", last_assistant_message="done", background_tasks=[])
        self.closed(held, approval)
        self.assertEqual(self.client.session(self.agent.id)["state"], "idle")
        self.settled()

    def test_another_call_does_not_end_the_request(self):
        held, approval = self.dialog()
        self.agent.pre("toolu_2", args={"command": "ls"})
        self.ran({"command": "ls"}, call="toolu_2")
        self.assertFalse(held.done())
        self.assertEqual(self.read(approval)["status"], "pending")
        self.ran()
        self.closed(held, approval)

    def test_a_dialog_that_a_person_at_the_agent_allows_after_a_rejection_raises_no_alarm(self):
        held, approval = self.dialog()
        self.decide(approval, "reject", then="change_approach")
        held.result(10)
        again, _ = self.dialog(call="toolu_2")
        self.ran(call="toolu_2")
        again.result(10)
        self.settled()

    def test_the_dialog_of_a_session_that_is_stopped_is_refused(self):
        held, approval = self.dialog()
        self.client.post(f"/v1/sessions/{self.agent.id}/cancel", {"reason": "enough"})
        decision = held.result(10)["hookSpecificOutput"]["decision"]
        self.assertEqual((decision["behavior"], decision["interrupt"]), ("deny", True))
        self.assertEqual(self.read(approval)["closed"], "stopped")

    def test_the_end_of_the_session_ends_the_request(self):
        held, approval = self.dialog()
        self.agent.hook("SessionEnd", reason="other")
        held.result(10)
        self.assertEqual(self.read(approval)["status"], "cancelled")

    def test_an_agent_that_takes_its_question_back_ends_the_request(self):
        self.agent.pre("toolu_1", args=TOUCH)
        body = json.dumps({"hook_event_name": "PermissionRequest", "session_id": self.agent.native, "tool_name": "Bash",
                           "tool_input": TOUCH}).encode()
        with RawConnection(self.daemon.port) as raw:
            raw.send(raw.format("POST", "/v1/hooks/claude", body, "Content-Type: application/json\r\n"))
            raw.read_until(b"\r\n\r\n")
            approval = self.asked()
        eventually(lambda: self.read(approval)["closed"] == "left_to_agent")
        self.assertEqual(self.decide(approval, "approve").status, 409)
        self.ran()
        self.settled()


class Times(OwnDialogCase):
    def test_a_person_who_does_not_come_leaves_it_to_the_dialog(self):
        self.use(self.start({"approvals.agent_dialog_wait": "1s"}))
        held, approval = self.dialog()
        self.assertEqual(held.result(20), {})
        document = self.read(approval)
        self.assertEqual((document["status"], document["closed"], document["overdue"]), ("cancelled", "left_to_agent", False))
        self.assertEqual(kinds(self.client.journal(self.agent.id), "approval.expired"), [])
        self.assertIn("its own dialog decides", self.decide(approval, "approve").json()["detail"])
        self.ran()
        self.settled()

    def test_no_wait_makes_no_request(self):
        self.use(self.start({"approvals.agent_dialog_wait": "0s"}))
        self.agent.pre("toolu_1", args=TOUCH)
        self.assertEqual(self.agent.hook("PermissionRequest", tool_name="Bash", tool_input=TOUCH), {})
        self.assertEqual(kinds(self.client.journal(self.agent.id), "approval.requested"), [])
        self.assertEqual(self.client.session(self.agent.id)["state"], "awaiting_permission")

    def test_an_agent_that_asks_about_every_call_is_not_held_unless_an_operator_wants_it(self):
        self.use(self.start(), "copilot")
        self.agent.hook("PreToolUse", tool_name="Bash", tool_input={"command": "ls"})
        body = {"hookName": "permissionRequest", "sessionId": self.agent.native, "toolName": "bash",
                "toolInput": {"command": "ls"}}
        self.assertEqual(self.client.post("/v1/hooks/copilot", body).json(), {})
        self.assertEqual(self.client.session(self.agent.id)["approvals_pending"], 0)

    def test_a_daemon_that_goes_down_leaves_it_to_the_dialog(self):
        daemon = self.start()
        self.use(daemon)
        held, approval = self.dialog()
        daemon.stop()
        self.assertEqual(held.result(20), {})
        daemon.restart()
        self.client = daemon.operator()
        self.addCleanup(self.client.close)
        self.assertEqual(self.read(approval)["closed"], "left_to_agent")

    def test_a_daemon_that_was_killed_leaves_it_to_the_dialog_when_it_is_back(self):
        daemon = self.start()
        self.use(daemon)
        self.agent.pre("toolu_1", args=TOUCH)
        body = json.dumps({"hook_event_name": "PermissionRequest", "session_id": self.agent.native, "tool_name": "Bash",
                           "tool_input": TOUCH}).encode()
        with RawConnection(daemon.port) as raw:
            raw.send(raw.format("POST", "/v1/hooks/claude", body, "Content-Type: application/json\r\n"))
            raw.read_until(b"\r\n\r\n")
            approval = self.asked()
            daemon.kill()
        daemon.start()
        self.client = daemon.operator()
        self.addCleanup(self.client.close)
        eventually(lambda: self.read(approval)["closed"] == "left_to_agent")
        self.agent = Agent(daemon, session=self.agent.native)
        self.ran()
        self.settled()


if __name__ == "__main__":
    unittest.main()
