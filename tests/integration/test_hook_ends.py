#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The ends of sessions that agents' hooks report, in the words of the agents' programs: a failure is no success."""
import unittest

from support.case import SharedDaemonCase
from test_hooks import Agent, kinds

SILENT = "its last turn had neither words nor a call"


class Ends(SharedDaemonCase):
    def ended(self, agent) -> tuple:
        session = self.client.session(agent.id)
        return session["outcome"], session["verdict"]["reason"]

    def claude(self, *hooks, reason="other", dialect="claude", **stop) -> tuple:
        """A session with one turn, and `hooks` in it."""
        agent = Agent(self.daemon, dialect)
        agent.hook("UserPromptSubmit", prompt="go")
        for event, members in hooks:
            agent.hook(event, **members)
        agent.hook("Stop", stop_hook_active=False, **stop)
        agent.hook("SessionEnd", reason=reason)
        return self.ended(agent)

    def gemini(self, *hooks, text="The plan is", reason="exit") -> tuple:
        agent = Agent(self.daemon, "gemini")
        agent.hook("BeforeAgent", prompt="go")
        for event, members in hooks:
            agent.hook(event, **members)
        agent.hook("AfterAgent", prompt="go", prompt_response=text, stop_hook_active=False)
        agent.hook("SessionEnd", reason=reason)
        return self.ended(agent)

    def test_a_turn_without_words_or_a_call_has_failed_in_the_form_of_each_agent(self):
        self.assertEqual(self.claude(background_tasks=[], session_crons=[]), ("failed", SILENT))
        self.assertEqual(self.claude(dialect="qwen", last_assistant_message="[no response text]", background_tasks=[]), ("failed", SILENT))
        self.assertEqual(self.gemini(text="[no response text]"), ("failed", SILENT))

    def test_a_turn_of_claude_that_ends_behind_a_call_or_a_question_without_words_is_no_failure(self):
        call = {"tool_name": "Bash", "tool_input": {"command": "make"}, "tool_use_id": "t1"}
        question = {"tool_name": "AskUserQuestion", "tool_input": {"questions": []}, "tool_use_id": "t1"}
        for about, answer in ((call, {"stdout": "ok", "stderr": ""}), (question, {"answers": {}})):
            hooks = (("PreToolUse", about), ("PostToolUse", {**about, "tool_response": answer}))
            self.assertEqual(self.claude(*hooks, background_tasks=[])[0], "completed", about)
        batch = ("PostToolBatch", {"tool_calls": [{**call, "tool_response": "ok"}]})
        self.assertEqual(self.claude(batch, background_tasks=[])[0], "completed")
        refused = ("PermissionDenied", {**call, "reason": "not now"})
        self.assertEqual(self.claude(("PreToolUse", call), refused, background_tasks=[])[0], "completed")

    def test_a_call_that_is_announced_after_its_result_is_no_second_call(self):
        agent = Agent(self.daemon)
        agent.hook("UserPromptSubmit", prompt="go")
        call = {"tool_name": "Bash", "tool_input": {"command": "make"}, "tool_use_id": "n1"}
        agent.hook("PostToolUse", **call, tool_response={"stdout": "ok", "stderr": ""})
        agent.hook("PreToolUse", **call)
        self.assertEqual(kinds(self.client.journal(agent.id), "tool.started"), [])
        agent.hook("Stop", last_assistant_message="It is built.", stop_hook_active=False)
        self.assertEqual([end["ok"] for end in kinds(self.client.journal(agent.id), "tool.finished")], [True])
        for again in ({**call, "tool_input": {"command": "make install"}}, {**call, "tool_name": "Shell"}):
            agent.hook("PreToolUse", **again)
        agent.hook("UserPromptSubmit", prompt="again")
        agent.hook("PreToolUse", **call)
        self.assertEqual(len(kinds(self.client.journal(agent.id), "tool.started")), 3)

    def test_an_id_that_is_used_again_begins_another_call(self):
        agent = Agent(self.daemon)
        agent.hook("UserPromptSubmit", prompt="go")
        call = {"tool_name": "Bash", "tool_input": {"command": "make"}, "tool_use_id": "call_0"}
        for _ in range(2):
            agent.hook("PreToolUse", **call)
            agent.hook("PostToolUse", **call, tool_response={"stdout": "ok", "stderr": ""})
        self.assertEqual(len(kinds(self.client.journal(agent.id), "tool.started")), 2)

    def test_a_sub_agent_of_claude_without_a_word_or_a_call_has_failed(self):
        agent = Agent(self.daemon)
        agent.hook("UserPromptSubmit", prompt="go")
        agent.hook("SubagentStart", agent_id="a1", agent_type="Explore")
        agent.hook("SubagentStop", agent_id="a1", agent_type="Explore", stop_hook_active=False, background_tasks=[])
        self.assertEqual(self.client.session(agent.id + ".a1")["outcome"], "failed")

    def test_an_end_for_a_reason_that_is_not_known_is_no_success(self):
        self.assertEqual(self.claude(reason="killed_x", last_assistant_message="done"),
                         ("failed", "it ended with a reason that is not known: killed_x"))
        self.assertEqual(self.gemini(reason="crash")[0], "failed")

    def test_an_end_for_a_reason_of_today_is_a_success(self):
        known = (("claude", "clear resume logout prompt_input_exit other bypass_permissions_disabled"), ("codex", "other clear"),
                 ("qwen", "clear logout prompt_input_exit other"), ("copilot", "complete user_exit"))
        for dialect, reasons in known:
            for reason in reasons.split():
                self.assertEqual(self.claude(dialect=dialect, reason=reason, last_assistant_message="done")[0], "completed", (dialect, reason))
        for reason in ("exit", "clear", "logout", "prompt_input_exit", "other"):
            self.assertEqual(self.gemini(reason=reason)[0], "completed", reason)
        for members in ({}, {"reason": ""}, {"reason": None}, {"reason": "all my tasks are done"}):
            session = f"reason-{len(str(members))}"
            for event, more in (("prompt", {"text": "go"}), ("stop", {"text": "done"}), ("end", members)):
                self.assertEqual(self.client.post("/v1/hooks/generic", {"agent": "o", "session": session, "event": event, **more}).status, 200)
            self.assertEqual(self.client.session("o-" + session)["outcome"], "completed", members)

    def test_copilot_says_that_its_time_was_up_or_that_its_user_left(self):
        self.assertEqual(self.claude(dialect="copilot", reason="timeout")[0], "failed")
        self.assertEqual(self.claude(dialect="copilot", reason="abort")[0], "cancelled")
        agent = Agent(self.daemon, "copilot")
        agent.hook("UserPromptSubmit", prompt="go")
        agent.hook("SessionEnd", reason="timeout")  # in its turn
        self.assertEqual(self.ended(agent)[0], "failed")

    def test_a_person_who_goes_to_another_session_cancels_the_sub_agent_of_this_one(self):
        hooks = (("SubagentStart", {"agent_id": "a1", "agent_type": "review"}),)
        running = [{"id": "a1", "type": "subagent", "status": "running", "description": "review"}]
        self.assertEqual(self.claude(*hooks, reason="resume", last_assistant_message="started", background_tasks=running)[0], "cancelled")

    def test_a_turn_of_gemini_whose_last_answer_was_cut_off_or_refused_is_no_success(self):
        def answer(why, text="The plan is"):
            candidate = {"content": {"role": "model", "parts": [text]}, "finishReason": why, "index": 0}
            return "AfterModel", {"llm_request": {"model": "gemini-2.5-pro"}, "llm_response": {"text": text, "candidates": [candidate]}}
        call = {"tool_name": "run_shell_command", "tool_input": {"command": "make"}}
        done = (("BeforeTool", call), ("AfterTool", {**call, "tool_response": {"llmContent": "Output: ok", "returnDisplay": "ok"}}))
        for why, words in (("MAX_TOKENS", "cut off"), ("SAFETY", "SAFETY"), ("NEW_REASON", "NEW_REASON")):
            outcome, reason = self.gemini(answer(why))
            self.assertEqual((outcome, words in reason), ("failed", True), (why, reason))
            self.assertEqual(self.gemini(*done, answer(why), text="[no response text]")[0], "failed", why)
            # Gemini tries again, or goes on with the calls of that answer.
            self.assertEqual(self.gemini(answer(why), answer("STOP"))[0], "completed", why)
            self.assertEqual(self.gemini(answer(why), *done)[0], "completed", why)
        self.assertEqual(self.gemini(answer("STOP"))[0], "completed")

    def test_a_next_turn_of_gemini_makes_up_for_one_that_was_cut_off(self):
        agent = Agent(self.daemon, "gemini")
        for why in ("MAX_TOKENS", "STOP"):
            agent.hook("BeforeAgent", prompt="go")
            agent.hook("AfterModel", llm_response={"candidates": [{"finishReason": why}], "usageMetadata": {"promptTokenCount": 9}})
            agent.hook("AfterAgent", prompt="go", prompt_response="The plan", stop_hook_active=False)
        errors = kinds(self.client.journal(agent.id), "error.reported")
        self.assertEqual([error["message"] for error in errors], ["its last answer was cut off: MAX_TOKENS"])
        agent.hook("SessionEnd", reason="exit")
        self.assertEqual(self.ended(agent)[0], "completed")


if __name__ == "__main__":
    unittest.main()
