#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The moments for which people want a supervisor, as hooks of agents tell them: the verdict, and who needs a person."""
import sys
import unittest
from concurrent.futures import ThreadPoolExecutor

from support.case import SharedDaemonCase, unique
from support.limits import eventually
from test_hooks import Agent, kinds

SETTINGS = {"approvals.require_tools": "Deploy"}


class Moments(SharedDaemonCase):
    settings = SETTINGS

    def setUp(self):
        self.client = self.daemon.operator()
        self.addCleanup(self.client.close)

    def agent(self, dialect="claude") -> Agent:
        agent = Agent(self.daemon, dialect)
        agent.hook("UserPromptSubmit", prompt="do the task")
        return agent

    def generic(self, name: str):
        session = unique("g")

        def tell(event, **members):
            reply = self.client.post("/v1/hooks/generic", {"event": event, "agent": name, "session": session, **members})
            self.assertEqual(reply.status, 200, reply.body)
            return reply.json()
        tell("prompt", text="go")
        return tell, f"{name}-{session}"

    def verdict(self, session):
        document = self.client.session(session)
        return document["verdict"]["status"], document["verdict"]["reason"]

    def needs(self, session) -> list:
        return [need for need in self.client.get("/v1/overview").json()["needs_you"] if need["session"] == session]

    def blocked(self, session, words=""):
        status, reason = self.verdict(session)
        self.assertEqual(status, "blocked", reason)
        self.assertIn(words, reason)
        self.assertTrue(self.needs(session))


class Refusals(Moments):
    def refuse(self, agent, call, response, tool="Write"):
        args = {"file_path": f"/w/{call}", "content": call}
        agent.pre(call, tool=tool, args=args)
        agent.hook("PostToolBatch", tool_calls=[{"tool_name": tool, "tool_input": args, "tool_use_id": call, "tool_response": response}])

    def test_calls_that_the_agent_refuses_itself_are_no_work(self):
        agent = self.agent()
        for n in range(30):
            self.refuse(agent, f"u{n}", f"Claude requested permissions to write to /w/u{n}, but you haven't granted it yet.")
            self.assertNotEqual(self.verdict(agent.id)[0], "progressing")
        session = self.client.session(agent.id)
        self.assertEqual(session["phase_stats"]["files_modified"] if "phase_stats" in session else 0, 0)
        self.blocked(agent.id, "nothing it tries may run")
        finished = kinds(self.client.journal(agent.id), "tool.finished")
        self.assertEqual({(d["ok"], d["error"]["class"]) for d in finished}, {(False, "denied")})
        self.assertTrue(all(not d.get("mutated") for d in finished))

    def test_words_that_no_table_has_make_no_success(self):
        agent = self.agent()
        for n, words in enumerate(("Nicht erlaubt.", "", "ok", "File created successfully", "[]")):
            self.refuse(agent, f"u{n}", words)
        finished = kinds(self.client.journal(agent.id), "tool.finished")
        self.assertEqual([d["ok"] for d in finished], [False] * 5)

    def test_an_approval_behind_a_refusal_is_an_alarm_and_no_execution(self):
        agent = self.agent()
        args = {"where": "production"}
        pool = ThreadPoolExecutor(1)
        self.addCleanup(pool.shutdown)
        held = pool.submit(agent.pre, "d1", tool="Deploy", args=args)
        approval = eventually(lambda: self.client.get(f"/v1/approvals?status=pending&session={agent.id}").json().get("approvals"))[0]["id"]
        self.assertEqual(self.client.post(f"/v1/approvals/{approval}/decision", {"decision": "approve"}).status, 200)
        held.result()
        agent.hook("PostToolBatch", tool_calls=[{"tool_name": "Deploy", "tool_input": args, "tool_use_id": "d1",
                                                 "tool_response": "Permission to use Deploy has been denied."}])
        document = self.client.get(f"/v1/approvals/{approval}").json()
        self.assertEqual((document["status"], document["alarm"]), ("cancelled", "approved_but_refused"))
        needs = self.needs(agent.id)
        self.assertEqual(needs[0]["reason_code"], "approved_but_refused")
        self.assertIn("refused by the agent's own rules", needs[0]["reason"])


class Stops(Moments):
    def test_every_typed_error_of_claude_blocks_at_once_and_idle_does_not_lift_it(self):
        for name in ("authentication_failed", "oauth_org_not_allowed", "account_on_hold", "verification_required", "billing_error",
                     "rate_limit", "overloaded", "invalid_request", "model_not_found", "server_error", "unknown", "max_output_tokens",
                     "cloud_credential_error", "of_tomorrow"):
            with self.subTest(name):
                agent = self.agent()
                agent.hook("StopFailure", error=name, last_assistant_message="words of the agent")
                self.blocked(agent.id)
                agent.hook("Notification", notification_type="idle_prompt", message="waits")
                self.blocked(agent.id)
                agent.hook("UserPromptSubmit", prompt="go on")
                self.assertNotEqual(self.verdict(agent.id)[0], "blocked")

    def test_headers_of_the_hook_say_until_when(self):
        import time
        until = int(time.time()) + 3 * 3600
        agent = self.agent()
        agent.hook("StopFailure", {"X-Headway-Retry-At": str(until), "X-Headway-Error-Class": "usage_limit_reached"}, error="rate_limit",
                   last_assistant_message="You've hit your session limit")
        self.blocked(agent.id, time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(until)))

    def test_plugins_stops_hold_over_idle(self):
        for members in ({"class": "APIError", "text": "usage limit", "status": 402}, {"class": "ProviderAuthError", "text": "Token refresh failed: 401"},
                        {"class": "UnknownError", "text": "something odd"}, {"class": "rate_limit_error", "text": "429"}, {"text": "odd"}):
            with self.subTest(members):
                tell, session = self.generic("opencode")
                tell("error", **members)
                self.blocked(session)
                tell("stop")
                self.blocked(session)
                tell("pre", tool="bash", call="c1", args={"command": "make"})
                self.assertNotEqual(self.verdict(session)[0], "blocked")

    def test_a_wait_of_an_hour_is_told_and_an_abort_is_no_error(self):
        import time
        tell, session = self.generic("opencode")
        until = time.time() + 3600
        tell("error", **{"class": "retry"}, text="Rate limit exceeded", ends_turn=False, retry_at=round(until * 1000))
        self.blocked(session, time.strftime("%H:%M UTC", time.gmtime(until)))
        tell("said", text="here is the answer")
        self.assertNotEqual(self.verdict(session)[0], "blocked")
        tell("error", **{"class": "MessageAbortedError"}, text="aborted")
        self.assertEqual(self.verdict(session)[0], "waiting")

    def test_the_end_of_codex_tells_of_its_error(self):
        agent = self.agent("codex")
        agent.hook("SessionEnd", {"X-Headway-Error-Class": "http_connection_failed", "X-Headway-Error-Status": "401"}, reason="other")
        self.assertEqual(self.client.session(agent.id)["outcome"], "failed")
        error = kinds(self.client.journal(agent.id), "error.reported")[0]
        self.assertEqual((error["class"], error["status"], error["ends_turn"]), ("http_connection_failed", 401, True))


class Waits(Moments):
    def test_dialogs_of_claude_need_a_person_until_they_are_answered(self):
        for kind in ("elicitation_dialog", "elicitation_url_dialog", "agent_needs_input", "worker_permission_prompt", "permission_prompt",
                     "quota_auto_resume_stale"):
            with self.subTest(kind):
                agent = self.agent()
                agent.pre("u0", tool="mcp__booking__reserve", args={"day": 1})
                for _ in range(6):
                    agent.hook("Notification", notification_type=kind, message="Claude Code needs your input")
                self.blocked(agent.id, "waits for a person")
                agent.hook("Notification", notification_type="elicitation_response", message="accept")
                self.assertNotEqual(self.verdict(agent.id)[0], "blocked")

    def test_a_server_that_asks_through_the_agent(self):
        agent = self.agent()
        agent.pre("u0", tool="mcp__booking__reserve", args={"day": 1})
        agent.hook("Elicitation", mcp_server_name="booking", message="Which day?", mode="form")
        self.blocked(agent.id, "waits for a person")
        agent.hook("ElicitationResult", mcp_server_name="booking", action="accept")
        self.assertNotEqual(self.verdict(agent.id)[0], "blocked")

    def test_tools_that_ask_a_person(self):
        for dialect, tool in (("claude", "ExitPlanMode"), ("codex", "request_user_input"), ("claude", "AskUserQuestion"), ("qwen", "ask_user_question"),
                              ("codex", "request_permissions")):
            with self.subTest(tool):
                agent = self.agent(dialect)
                agent.pre("c1", tool=tool, args={"questions": [{"question": "Which?"}]})
                self.blocked(agent.id, "waits for a person")
        tell, session = self.generic("opencode")
        tell("pre", tool="question", args={"questions": [{"question": "Which database?"}]}, call="c1")
        self.blocked(session, "waits for a person")
        tell("post", tool="question", call="c1", ok=True, result="the first")
        self.assertNotEqual(self.verdict(session)[0], "blocked")

    def test_dialogs_of_plugins(self):
        tell, session = self.generic("kilo")
        tell("pre", tool="bash", args={"command": "rm -rf build"}, call="c1")
        tell("asks", text="bash rm -rf build")
        self.blocked(session, "waits for a person")
        tell("answered")
        self.assertNotEqual(self.verdict(session)[0], "blocked")
        self.assertEqual(self.client.session(session)["state"], "executing_tool")

    def test_a_call_of_copilot_that_nobody_is_asked_about_is_no_wait(self):
        agent = self.agent("copilot")
        agent.hook("PreToolUse", tool_name="bash", tool_input={"command": "sleep 25"})
        agent.hook("permissionRequest", tool_name="bash", tool_input={"command": "sleep 25"})
        session = self.client.session(agent.id)
        self.assertNotEqual(session["verdict"]["status"], "blocked")
        self.assertEqual(session["state"], "executing_tool")
        self.assertEqual(self.needs(agent.id), [])
        agent.hook("Notification", notification_type="permission_prompt", message="Run it?")
        self.blocked(agent.id, "waits for a person")

    def test_a_dialog_that_is_answered_at_the_agent_is_over_with_its_call(self):
        for end in ("rejected", "failed", "ran"):
            with self.subTest(end):
                agent = self.agent()
                agent.pre("u1")
                agent.hook("Notification", notification_type="permission_prompt", message="Claude needs your permission")
                self.blocked(agent.id, "waits for a person")
                if end == "rejected":
                    agent.hook("PostToolBatch", tool_calls=[{"tool_name": "Bash", "tool_input": {"command": "make"}, "tool_use_id": "u1",
                                                             "tool_response": "The user doesn't want to proceed with this tool use."}])
                elif end == "failed":
                    agent.fails("u1")
                else:
                    agent.hook("PostToolUse", tool_name="Bash", tool_input={"command": "make"}, tool_use_id="u1", tool_response={"stdout": "ok", "stderr": ""})
                self.assertNotEqual(self.verdict(agent.id)[0], "blocked")

    def test_a_note_is_a_sign_of_life_in_its_own_words(self):
        agent = self.agent()
        agent.hook("Notification", notification_type="of_tomorrow", message="Something new")
        beats = kinds(self.client.journal(agent.id), "heartbeat")
        self.assertEqual([b["note"] for b in beats if "note" in b], ["of_tomorrow: Something new"])
        self.assertNotEqual(self.verdict(agent.id)[0], "blocked")


class Background(Moments):
    def test_a_stop_names_what_it_waits_for(self):
        agent = self.agent()
        agent.hook("Stop", last_assistant_message="started", background_tasks=[
            {"id": "1", "type": "shell", "status": "running", "command": "npm run dev"},
            {"id": "2", "type": "subagent", "status": "running", "description": "research"}],
            session_crons=[{"id": "3", "schedule": "*/10 * * * *", "recurring": True, "prompt": "look at the build"}])
        names = ["shell: npm run dev", "agent: research", "cron: */10 * * * *"]
        session = self.client.session(agent.id)
        self.assertEqual((session["verdict"]["status"], session["state"], session["background"]), ("waiting", "idle", names))
        agent.hook("Notification", notification_type="idle_prompt", message="waits")
        self.assertEqual(self.client.session(agent.id)["background"], names)
        self.assertEqual(self.needs(agent.id), [])
        agent.hook("UserPromptSubmit", prompt="<task-notification>done</task-notification>")
        agent.hook("UserPromptSubmit", prompt="look at the build")
        agent.hook("Stop", last_assistant_message="all done", background_tasks=[], session_crons=[])
        self.assertNotIn("background", self.client.session(agent.id))
        messages = [(m["role"], m.get("wake_up", False)) for m in kinds(self.client.journal(agent.id), "message") if m["role"] != "assistant"]
        self.assertEqual(messages, [("user", False), ("system", True), ("system", True)])


class Interrupts(Moments):
    def test_an_interrupt_of_codex(self):
        agent = self.agent("codex")
        agent.pre("c1", args={"command": "sleep 100"})
        agent.hook("Interrupt", turn_id="t")
        session = self.client.session(agent.id)
        self.assertEqual((session["state"], session["verdict"]["status"], session["in_flight"]), ("idle", "waiting", []))
        finished = kinds(self.client.journal(agent.id), "tool.finished")
        self.assertEqual([(d["error"]["class"], d["error"]["message"]) for d in finished], [("cancelled", "interrupted")])
        agent.hook("SessionEnd", reason="other")
        self.assertEqual(self.client.session(agent.id)["outcome"], "cancelled")


class Tokens(Moments):
    def test_all_parts_of_what_a_plugin_tells_are_counted(self):
        tell, session = self.generic("opencode")
        tell("usage", usage={"input_tokens": 10, "cached_tokens": 1000, "cache_write_tokens": 20000, "output_tokens": 20,
                             "reasoning_tokens": 500, "cost": 0.5})
        self.assertEqual(self.client.session(session)["used"]["tokens"], 21530)


if __name__ == "__main__":
    sys.exit(unittest.main())
