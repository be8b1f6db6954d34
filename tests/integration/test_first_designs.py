#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The scenarios of the five first designs, played over HTTP against one line of configuration: preset = "first-designs".

A class is a design, a test one of its sections. docs/first-designs.md says which rule comes from where."""
import json
import re
import unittest

from support.case import OwnDaemonCase, SharedDaemonCase, unique
from support.limits import eventually
from support.llm import LlmServer
from support.sse import EventStream

PRESET = '[policy]\npreset = "first-designs"\n'


class PresetCase(SharedDaemonCase):
    config = PRESET

    @classmethod
    def setUpClass(cls):
        from support.daemon import Daemon
        cls.daemon = Daemon(cls.settings, cls.config, test_clock=cls.test_clock)
        cls.addClassCleanup(cls.daemon.close)
        cls.daemon.start()

    def progress(self, session: str, path: str = "/progress/") -> dict:
        return self.client._expect((200,), self.client.get(path + session))

    def status(self, session: str) -> dict:
        return self.client._expect((200,), self.client.get(f"/api/chat/autonomous/status?sessionId={session}"))

    def call(self, session: str, tool: str, target: str = "", ok: bool = True, error: str = "", **more) -> dict:
        data = {"tool": tool, "ok": ok, **more}
        if target:
            data["target"] = target
        if error:
            data["error"] = {"message": error}
        return self.client.report(session, "tool.finished", **data)

    def edit(self, session: str, file: str, digest: str, old: str = "", new: str = "") -> dict:
        args = {"file_path": file, "old_string": old or f"before {digest}", "new_string": new or f"after {digest}"}
        return self.call(session, "edit", file, args=args, mutated=[{"path": file, "digest": digest}])

    def failing_edit(self, session: str, file: str = "main.go", error: str = "old_string not found") -> dict:
        return self.call(session, "edit", file, ok=False, error=error, args={"file_path": file, "old_string": "x", "new_string": "y"})

    def estimate(self, session: str, percent: float, **more) -> dict:
        return self.client.report(session, "progress.estimated", percent=percent, **more)

    def kinds(self, session: str) -> list:
        return [event["type"] for event in self.client.journal(session)]


def verdict(reply: dict) -> str:
    return reply["verdict"]["status"]


def directives(reply: dict) -> list:
    return [directive["type"] for directive in reply["directives"]]


class Obedient:
    """An agent that obeys the replies: a stop stops its present work until a reply comes without one."""

    def __init__(self, case: PresetCase, session: str):
        self.client, self.session, self.stopped = case.client, session, False

    def heed(self, reply: dict) -> None:
        self.stopped = "stop" in directives(reply)

    def phase(self, number: int, name: str) -> None:
        self.heed(self.client.report(self.session, "phase.started", number=number, name=name))


class StatusBasedTimeouts(PresetCase):
    """000: status-based timeout architecture."""
    test_clock = True

    def test_2_progress_tracker_five_heartbeats_without_a_state_change_are_stuck(self):
        session = unique()
        for _ in range(4):
            reply = self.client.beat(session, iteration=1)
            self.assertNotEqual(verdict(reply), "stuck")  # not enough data
        self.assertFalse(self.progress(session)["stuck"])
        self.assertEqual(verdict(self.client.beat(session, iteration=1)), "stuck")
        self.assertTrue(self.progress(session)["stuck"])

    def test_4_an_agent_that_said_so_is_completed_one_interval_later(self):
        session = unique()
        self.client.open(session, policy={"heartbeat_interval_ms": 10_000})
        self.client.report(session, "reflection", assessment="task_complete", text="all tests pass")
        self.clock.advance(11)
        reply = self.client.wait(session, until="ended", wait="20s")
        self.assertEqual((reply["met"], reply["verdict"]["status"]), (True, "completed"))
        self.assertEqual(self.client.session(session)["end_code"], "task_complete")
        self.assertEqual(self.status(session)["status"], "completed")
        self.client.end(session, "completed")  # said again: the same answer

    def test_4_the_loop_of_the_agent_is_stuck_when_nothing_changes_between_its_phases(self):
        """Beats of reflection and execution by turns, and no reflection ever ends: the second phase of that name is no news."""
        session = unique()
        for iteration in range(1, 9):
            for phase in ("reflection", "execution"):
                reply = self.client.beat(session, iteration=iteration, phase=phase)
        self.assertEqual(verdict(reply), "stuck")
        self.assertTrue(self.progress(session)["stuck"])

    def test_2_progress_tracker_a_state_change_in_the_period_is_progress(self):
        session = unique()
        for change in ("tool.finished", "reflection", "plan.updated") * 2:
            for _ in range(3):
                reply = self.client.beat(session)
                self.assertNotEqual(verdict(reply), "stuck")
            data = {"tool.finished": {"tool": "edit", "target": unique("f"), "mutated": [{"path": unique("f"), "digest": unique("d")}]},
                    "reflection": {"assessment": "continue", "text": unique("thought")},
                    "plan.updated": {"text": unique("plan")}}[change]
            self.client.report(session, change, **data)
        self.assertFalse(self.progress(session)["stuck"])

    def test_2_progress_tracker_get_status_names_the_last_change(self):
        session = unique()
        self.client.beat(session, iteration=1, phase="reflection")
        self.assertIsNone(self.progress(session)["progress"]["lastChange"])
        for kind, data, name in (("reflection", {"assessment": "continue"}, "reflection_complete"),
                                 ("plan.updated", {"text": "1. read"}, "plan_generated"),
                                 ("tool.finished", {"tool": "bash", "result": "a b"}, "tool_call")):
            self.client.report(session, kind, **data)
            seen = self.progress(session)["progress"]
            self.assertEqual(seen["lastChange"], name)
            self.assertGreaterEqual(seen["lastChangeAgo"], 0)

    def test_4_the_loop_of_the_agent_completes_with_task_complete(self):
        """Heartbeat, reflection, heartbeat, action, and only then the look at the assessment."""
        session = unique()
        for iteration in range(1, 4):
            self.client.beat(session, iteration=iteration, phase="reflection")
            last = iteration == 3
            self.client.report(session, "reflection", assessment="task_complete" if last else "continue", confidence=0.9,
                               next_action=f"edit f{iteration}")
            self.client.beat(session, iteration=iteration, phase="execution")
            self.assertEqual(self.status(session)["status"], "completed" if last else "running")
            self.edit(session, f"f{iteration}", f"d{iteration}")
        self.assertEqual({**self.status(session), "verdict": None},
                         {"sessionId": session, "status": "completed", "iteration": 3, "iterations": 3, "reason": None, "error": None,
                          "verdict": None})

    def test_4_after_25_iterations_the_status_is_incomplete(self):
        session = unique()
        for iteration in range(1, 26):
            self.client.beat(session, iteration=iteration, phase="reflection")
            self.client.report(session, "reflection", assessment="continue", confidence=0.9, text=f"thought {iteration}")
            self.client.beat(session, iteration=iteration, phase="execution")
            self.edit(session, f"file{iteration}.py", f"digest{iteration}")
            self.assertEqual(self.status(session)["status"], "running")
        self.client.beat(session, iteration=26, phase="reflection")
        seen = self.status(session)
        self.assertEqual((seen["status"], seen["reason"]), ("incomplete", "max_iterations_reached"))
        self.assertEqual(self.client.session(session)["end_code"], "max_iterations_reached")

    def test_5_wait_for_deployment_by_polling_the_status(self):
        done, failed = unique(), unique()
        self.client.beat(done, iteration=1)
        self.assertEqual(self.status(done)["iteration"], 1)
        self.client.end(done, "completed")
        self.assertEqual(self.status(done)["status"], "completed")
        self.client.beat(failed, iteration=2)
        self.client.end(failed, "failed", reason="the build broke")
        seen = self.status(failed)
        self.assertEqual((seen["status"], seen["error"]), ("failed", "the build broke"))

    def test_failure_conditions_1_explicit_errors(self):
        errors = [({"message": "connect ECONNREFUSED 127.0.0.1:8080"}, {"class": "connection_refused"}),
                  ({"message": "invalid api key"}, {"class": "authentication", "status": 401})]
        errors += [({"message": f"the API answered {status}"}, {"status": status}) for status in (400, 401, 403, 404, 408, 422, 429, 500, 502, 503)]
        for message, more in errors:
            with self.subTest(more=more):
                session = unique()
                reply = self.client.report(session, "error.reported", **message, **more)
                self.assertEqual(verdict(reply), "blocked")
                self.assertTrue(reply["feedback"])

    def test_failure_conditions_1_tool_errors_get_feedback(self):
        for message in ("ENOENT: no such file or directory, open 'a.txt'", "EACCES: permission denied, open 'a.txt'"):
            with self.subTest(message=message):
                reply = self.call(unique(), "read", "a.txt", ok=False, error=message)
                self.assertIn("a.txt", reply["feedback"])

    def test_failure_conditions_2_a_person_cancels(self):
        session = unique()
        self.client.beat(session)
        self.client._expect((200,), self.client.post(f"/v1/sessions/{session}/cancel", {"reason": "user_cancelled_stuck"}))
        self.assertEqual(directives(self.client.beat(session)), ["stop"])
        self.client.end(session, "cancelled")
        self.assertEqual(self.status(session)["status"], "cancelled")

    def test_failure_conditions_4_task_failed(self):
        session = unique()
        self.client.report(session, "reflection", assessment="task_failed", text="cannot be done")
        self.assertEqual(self.status(session)["status"], "failed")
        self.assertEqual(self.client.session(session)["end_code"], "task_failed")

    def test_failure_conditions_4_low_confidence_after_three_attempts(self):
        session = unique()
        for attempt in range(3):
            self.assertEqual(self.status(session)["status"] if attempt else "running", "running")
            self.client.report(session, "reflection", assessment="continue", confidence=0.1, text=f"unsure {attempt}")
        self.assertEqual(self.client.session(session)["end_code"], "low_confidence")

    def test_api_endpoints_the_progress_document(self):
        session = unique("01ABC123")
        for iteration in range(1, 7):
            self.client.beat(session, iteration=iteration, phase="execution")
            self.edit(session, f"f{iteration}", f"d{iteration}")
        for path in ("/progress/", "/api/autonomous/progress/"):
            document = self.progress(session, path)
            self.assertLessEqual({"sessionId", "alive", "stuck", "progress", "currentPhase", "iteration"}, set(document))
            self.assertEqual(set(document["progress"]), {"heartbeats", "stateChanges", "lastChange", "lastChangeAgo"})
            self.assertEqual((document["sessionId"], document["alive"], document["stuck"]), (session, True, False))
            self.assertEqual((document["progress"]["heartbeats"], document["progress"]["stateChanges"]), (6, 6))
            self.assertEqual((document["progress"]["lastChange"], document["currentPhase"], document["iteration"]), ("tool_call", "execution", 6))

    def test_testing_strategy_an_agent_with_a_slow_model_is_not_stuck(self):
        """Beats inside one long reflection: the model is being asked."""
        session = unique()
        self.client.report(session, "state.changed", state="processing_prompt")
        self.client.beat(session, iteration=1, phase="reflection")
        self.assertNotEqual(verdict(self.client.report(session, "reflection", assessment="continue", text="after 28 s")), "stuck")

    def test_problem_statement_1_a_planner_that_thinks_long_is_slow(self):
        session = unique()
        for beat in range(8):
            reply = self.client.beat(session, phase="planning")
            self.assertNotIn(verdict(reply), ("suspect", "stuck"), beat)
        self.assertEqual(verdict(reply), "slow")

    def test_testing_strategy_an_agent_in_a_loop_repeats_one_action(self):
        session = unique()
        for _ in range(4):
            reply = self.call(session, "bash", args={"command": "ls"}, result="a b c")
        self.assertEqual(verdict(reply), "stuck")

    def test_testing_strategy_intermittent_backend_failures_pass(self):
        session = unique()
        for i in range(6):
            if i % 2:
                self.client.report(session, "error.reported", message="502 bad gateway", status=502)
            reply = self.edit(session, f"f{i}", f"d{i}")
            self.assertEqual(verdict(reply), "progressing")
        self.assertNotIn("feedback", reply)

    def test_risks_a_long_session_keeps_a_bounded_document(self):
        session = unique()
        for i in range(300):
            self.client.beat(session, iteration=1 + i // 20)
            if i % 3 == 0:
                self.edit(session, f"f{i}", f"d{i}")
        self.assertLess(len(json.dumps(self.progress(session))), 2000)
        self.assertFalse(self.progress(session)["stuck"])


class Migration(OwnDaemonCase):
    """000: "Migration Strategy"."""

    def test_status_based_mode_is_enabled_by_the_variable_in_its_usual_spellings(self):
        for said in ("1", "true", "yes", "on", "TRUE"):
            with self.subTest(said=said):
                daemon = self.prepared('[legacy_timeouts]\nmode = "enforce"\n', said)
                client = self.client(daemon.start())
                client.beat("a")
                self.assertEqual(client._expect((200,), client.get("/v1/sessions/a/comparison"))["mode"], "off")
                self.assertEqual(daemon.stop(), 0)

    def test_a_value_that_says_neither_is_refused(self):
        daemon = self.prepared("", "maybe")
        process = daemon.spawn()
        self.assertNotEqual(process.wait(40), 0)
        process.stdout.close()
        self.assertIn("AUTONOMOUS_STATUS_BASED_TIMEOUT", daemon.log())

    def prepared(self, config: str, said: str):
        from support.daemon import Daemon
        daemon = Daemon({}, config)
        self.addCleanup(daemon.close)
        daemon.environment["AUTONOMOUS_STATUS_BASED_TIMEOUT"] = said
        return daemon


class ConcurrentChecks(OwnDaemonCase):
    """000: "3. Concurrent Status Checks", and "Concurrent LLM check confirms stuck state"."""

    def judged(self, answer: str):
        llm = LlmServer()
        self.addCleanup(llm.stop)
        llm.play(f"ok:{answer}")
        config = PRESET + f'[judge.endpoints.local]\nbase_url = "{llm.url}"\nmodel = "ok"\n'
        daemon = self.start(config=config)
        return self.client(daemon)

    def stuck(self, client, session: str):
        for _ in range(5):
            client.beat(session, iteration=1)
        self.assertTrue(client._expect((200,), client.get(f"/progress/{session}"))["stuck"])

    def asked(self, client, session: str) -> list:
        return [e["data"] for e in client.journal(session) if e["type"] == "check.requested"]

    def test_check_status_returns_at_once_and_is_polled(self):
        client = self.judged('{"answer":"A","reason":"files change","evidence":[],"confidence":0.9}')
        client.beat("a")
        for number, path in enumerate(("/check-status", "/api/autonomous/check-status"), 1):
            check = f"check-00{number}"
            reply = client._expect((202,), client.post(path, {"sessionId": "a", "checkId": check}))
            self.assertEqual((reply["sessionId"], reply["checkId"]), ("a", check))
            done = client._expect((200,), client.get(f"{path}/{check}?wait=30s"))
            self.assertEqual((done["status"], done["reason"]), ("A", "files change"))

    def test_an_A_puts_the_stop_off(self):
        client = self.judged('{"answer":"A","reason":"slow but working","evidence":[],"confidence":0.9}')
        self.stuck(client, "a")
        eventually(lambda: "check.completed" in [e["type"] for e in client.journal("a")])
        self.assertEqual([q["cause"] for q in self.asked(client, "a")][:1], ["stop"])
        reply = client.beat("a", iteration=1)
        self.assertEqual(verdict(reply), "stuck")  # what the rule saw stays true
        self.assertNotIn("stop", directives(reply))
        self.assertNotEqual(client.session("a")["state"], "halted")

    def test_a_B_confirms_it(self):
        client = self.judged('{"answer":"B","reason":"repeats","evidence":[2],"confidence":0.9}')
        self.stuck(client, "a")
        eventually(lambda: "stop" in directives(client.beat("a", iteration=1)))
        self.assertEqual(client.session("a")["state"], "halted")

    def test_a_judge_that_is_away_lets_the_rule_stand(self):
        config = PRESET + '[judge]\nretries = 0\n[judge.endpoints.local]\nbase_url = "http://127.0.0.1:9/v1"\nmodel = "ok"\n'
        client = self.client(self.start(config=config))
        self.stuck(client, "a")
        eventually(lambda: "stop" in directives(client.beat("a", iteration=1)))

    def test_without_a_judge_the_rule_is_enough(self):
        client = self.client(self.start(config=PRESET))
        self.stuck(client, "a")
        self.assertIn("stop", directives(client.beat("a", iteration=1)))
        self.assertEqual(client.session("a")["state"], "halted")

    def test_an_A_puts_it_off_a_bounded_number_of_times(self):
        client = self.judged('{"answer":"A","reason":"slow but working","evidence":[],"confidence":0.9}')
        self.stuck(client, "a")
        for _ in range(200):
            before = len([e for e in client.journal("a") if e["type"] == "check.completed"])
            reply = client.beat("a", iteration=1)
            if "stop" in directives(reply):
                break
            if len(self.asked(client, "a")) > before:
                eventually(lambda: len([e for e in client.journal("a") if e["type"] == "check.completed"]) > before)
        self.assertIn("stop", directives(reply))
        self.assertLessEqual(len([q for q in self.asked(client, "a") if q["cause"] == "stop"]), 3)


class ProgressEstimates(PresetCase):
    """001: ADR-0004, progress tracking and stuck detection."""

    def test_problem_statement_search_and_read_in_turns_is_seen_after_three_estimates(self):
        session = unique()
        for step, percent in enumerate((20, 22, 24), 1):
            self.call(session, "fs:search", args={"query": "VectorStore"}, result="src/a.ts")
            self.call(session, "fs:read", ok=False, error="wrong path", args={"path": f"src/{step}"})
            reply = self.estimate(session, percent)
            self.assertEqual(verdict(reply) == "stuck", step == 3, step)

    def test_1_progress_estimate_interface(self):
        session = unique()
        said = {"percent": 40, "reasoning": "found the file, did not read it", "next_milestone": "Read file and extract interface",
                "blockers": ["missing file path"]}
        reply = self.client.report(session, "progress.estimated", **said)
        ours = {"percent": 40.0, "reasoning": said["reasoning"], "next_milestone": said["next_milestone"], "blockers": said["blockers"],
                "is_stuck": False}
        first = {"progressPercent": 40.0, "reasoning": said["reasoning"], "nextMilestone": said["next_milestone"],
                 "blockers": said["blockers"], "isStuck": False}
        row = next(r for r in self.client.get("/v1/sessions?view=row").json()["sessions"] if r["id"] == session)
        for document in (reply, self.client.session(session), row):
            self.assertLessEqual(ours.items(), document["estimate"].items())
        self.assertLessEqual(first.items(), self.progress(session)["estimate"].items())

    def test_names_of_the_design_are_answered_with_ours(self):
        for kind, data, word in (("progress.estimated", {"progressPercent": 40}, "`percent`"),
                                 ("progress.estimated", {"percent": 40, "nextMilestone": "x"}, "`next_milestone`"),
                                 ("tool_call", {"tool": "bash"}, "`tool.finished`"), ("reflection_complete", {}, "`reflection`"),
                                 ("plan_generated", {}, "`plan.updated`")):
            reply = self.client.post(f"/v1/sessions/{unique()}/events", {"type": kind, "data": data})
            self.assertEqual(reply.status, 400)
            self.assertIn(word, reply.json()["detail"])

    def test_3_stuck_is_less_than_five_points_over_three_steps(self):
        for percents, stuck in (((40, 44, 42), True), ((40, 45, 42), False), ((40, 40), False), ((10, 30, 50), False),
                                ((10, 50, 51, 52), True)):
            with self.subTest(percents=percents):
                session = unique()
                for percent in percents:
                    self.estimate(session, percent)
                self.assertEqual(self.progress(session)["estimate"]["isStuck"], stuck)
                self.assertEqual(self.progress(session)["stuck"], stuck)

    def test_4_integration_the_log_tells_of_estimates_and_of_stuck_sessions(self):
        session = unique()
        for percent in (40, 41, 42):
            self.estimate(session, percent, next_milestone="Read file and extract interface")
        eventually(lambda: f"session {session}: estimate 42 % by the agent at step 0, stalled, next: Read" in self.daemon.log())
        said = [e["data"] for e in self.client.journal(session) if e["type"] == "progress.estimated"]
        self.assertEqual([one["is_stuck"] for one in said], [False, False, True])
        self.assertRegex(self.daemon.log(), f"session {session}: [a-z]+ -> stuck")

    def test_phase_4_the_blockers_choose_the_advice(self):
        operator = self.daemon.operator()
        self.addCleanup(operator.close)
        for blocker, words in (("tool not available: fs:read", "another tool"), ("no match found for VectorStore", "other words"),
                               ("I need help: access denied", "who can give it"), ("context length exceeded", "no longer fits")):
            with self.subTest(blocker=blocker):
                session = unique()
                operator.open(session, policy={"on_stuck": "advise"})
                for percent in (40, 41, 42):
                    reply = self.estimate(session, percent, blockers=[blocker])
                self.assertIn(words, " ".join(d["reason"] for d in reply["directives"]))

    def test_future_work_progress_streaming(self):
        session = unique()
        self.client.beat(session)
        with EventStream(self.daemon.port, f"/progress/{session}/stream") as stream:
            stream.until(lambda e: e.name == "progress")
            self.estimate(session, 60, next_milestone="write the tests")
            seen = stream.until(lambda e: e.name == "progress" and e.data["estimate"] is not None)[-1].data["estimate"]
        self.assertEqual((seen["progressPercent"], seen["nextMilestone"]), (60, "write the tests"))

    def test_what_needs_a_person_shows_the_estimate(self):
        session = unique()
        for percent in (40, 41, 42):
            self.estimate(session, percent, next_milestone="Read file")
        needs = {n["session"]: n for n in self.client.get("/v1/overview").json()["needs_you"]}
        self.assertEqual((needs[session]["estimate"]["percent"], needs[session]["estimate"]["is_stuck"]), (42, True))

    def test_the_estimate_outlives_a_restart(self):
        session = unique()
        self.estimate(session, 35, blockers=["no network"])
        self.assertEqual(self.daemon.stop(), 0)
        self.daemon.start()
        self.client = self.daemon.client()
        self.addCleanup(self.client.close)
        self.assertEqual(self.progress(session)["estimate"]["blockers"], ["no network"])


class EstimatesOfAJudge(OwnDaemonCase):
    """001: "2. Progress Estimation Prompt", "4. Fallback on LLM failure"."""

    def judged(self, mode: str):
        llm = LlmServer()
        self.addCleanup(llm.stop)
        llm.play(mode)
        config = PRESET + f'[judge]\nretries = 0\n[judge.endpoints.local]\nbase_url = "{llm.url}"\nmodel = "ok"\n'
        return llm, self.client(self.start(config=config))

    def estimate_of(self, client, session: str) -> dict:
        eventually(lambda: client.session(session)["estimate"] is not None)
        return client._expect((200,), client.get(f"/progress/{session}"))["estimate"]

    def test_after_each_step_a_judge_estimates(self):
        llm, client = self.judged('ok:{"progressPercent":40,"reasoning":"found it","nextMilestone":"Read file","blockers":[]}')
        for i in range(110):
            client.report("a", "fact.learned", text=f"fact {i:03}: " + "x" * 40)
        client.beat("a", iteration=4)
        client.report("a", "tool.finished", tool="fs:search", result="src/a.ts")
        seen = self.estimate_of(client, "a")
        self.assertEqual((seen["progressPercent"], seen["reasoning"], seen["nextMilestone"], seen["source"]), (40, "found it", "Read file", "judge"))
        prompt = json.dumps(llm.requests()[-1]["body"])
        self.assertIn("older known facts left out: 46", prompt)
        self.assertNotIn("fact 045:", prompt)
        for i in range(46, 110):
            self.assertIn(f"fact {i:03}:", prompt)
        self.assertIn("iteration of the agent: 4", prompt)
        said = [e["data"] for e in client.journal("a") if e["type"] == "progress.estimated"]
        self.assertEqual([one["is_stuck"] for one in said], [False])

    def test_when_the_judge_fails_50_stands_for_it_after_a_success_else_0(self):
        for ok, percent in ((True, 50), (False, 0)):
            with self.subTest(ok=ok):
                _, client = self.judged("500x:99")
                client.report("a", "tool.finished", tool="fs:read", ok=ok, result="x" * 40)
                seen = self.estimate_of(client, "a")
                self.assertEqual((seen["progressPercent"], seen["fallback"]), (percent, True))


class TaskBudgets(PresetCase):
    """002: task timeout limits and budgets."""

    def budget(self, session: str) -> dict:
        return self.client._expect((200,), self.client.get(f"/v1/sessions/{session}/budget"))

    def turns(self, session: str, first: int, last: int) -> dict:
        for step in range(first, last + 1):
            reply = self.client.report(session, "tool.finished", tool="edit", target=f"f{step}", round=step,
                                       mutated=[{"path": f"f{step}", "digest": f"d{step}"}])
        return reply

    def test_configuration_file_example_plan_and_explore_have_their_limits(self):
        for kind, steps, seconds in (("plan", 50, 600), ("explore", 30, 300)):
            session = unique(kind)
            budget = self.client.open(session, agent={"type": kind})["budget"]
            self.assertEqual((budget["max_steps"], budget["timeout_seconds"]), (steps, seconds))

    def test_step_4_2_parameters_have_bounds(self):
        for limits, status in (({"timeout_seconds": 30, "max_steps": 5}, 201), ({"timeout_seconds": 3600, "max_steps": 200}, 201),
                               ({"timeout_seconds": 29}, 400), ({"timeout_seconds": 3601}, 400), ({"max_steps": 4}, 400), ({"max_steps": 201}, 400)):
            reply = self.client.put(f"/v1/sessions/{unique()}", {"budget": limits})
            self.assertEqual(reply.status // 100, status // 100, (limits, reply.body))

    def test_system_prompt_update_strategy(self):
        session = unique()
        self.client.open(session, budget={"timeout_seconds": 300, "max_steps": 30})
        prompt = self.turns(session, 1, 15)["budget"]["prompt"]
        self.assertRegex(prompt, r"^\[EXECUTION BUDGET\]\nCurrent Progress: Step 15/30, Elapsed: \d+/300 seconds\n")
        self.assertIn("Steps Used: 50%", prompt)
        self.assertIn("15 steps", prompt)
        self.assertIn("Status: NOMINAL (Continue normally)", prompt)
        low = self.turns(session, 16, 21)["budget"]["prompt"]
        self.assertIn("Status: LOW BUDGET (Prioritize wrapping up. Provide final answer soon.)", low)

    def test_graceful_wrap_up_at_70_warning_at_80_exit_at_90_percent(self):
        session = unique()
        self.client.open(session, budget={"max_steps": 10})
        self.assertEqual(self.turns(session, 1, 6)["budget"]["level"], "nominal")
        reply = self.turns(session, 7, 7)
        self.assertEqual((reply["budget"]["level"], directives(reply)), ("low", ["wrap_up"]))
        self.assertEqual(self.turns(session, 8, 8)["budget"]["level"], "critical")
        reply = self.turns(session, 9, 9)
        self.assertEqual((reply["budget"]["level"], directives(reply)), ("exhausted", ["stop"]))

    def test_step_2_3_each_iteration_emits_a_budget_update(self):
        session = unique()
        self.client.open(session, budget={"timeout_seconds": 300, "max_steps": 30})
        self.turns(session, 1, 3)
        updates = [e["data"] for e in self.client.journal(session) if e["type"] == "budget.updated"]
        self.assertEqual([u["current_step"] for u in updates], [1, 2, 3])
        self.assertLessEqual({"elapsed_seconds", "remaining_seconds", "current_step", "max_steps", "time_pressure", "step_pressure"}, set(updates[-1]))
        self.assertEqual((updates[-1]["max_steps"], updates[-1]["step_pressure"]), (30, 10))
        for update in updates:
            self.assertEqual(round(update["step_pressure"], 1), update["step_pressure"])

    def test_success_criteria_parents_can_watch_the_budget_of_their_tasks(self):
        parent, child = unique("parent"), unique("child")
        self.client.open(parent, budget={"max_steps": 50})
        self.client.open(child, parent=parent, budget={"timeout_seconds": 300, "max_steps": 30})
        self.turns(child, 1, 2)
        steps = [e["data"] for e in self.client.journal(parent) if e["type"] == "child.progress"][-1]
        self.assertLessEqual({"child", "steps", "elapsed_seconds", "remaining_seconds", "steps_remaining"}, set(steps))
        self.assertEqual((steps["child"], steps["steps"], steps["steps_remaining"]), (child, 2, 28))


class BudgetUpdatesAreOff(SharedDaemonCase):
    def test_without_the_preset_no_step_is_an_event_of_the_budget(self):
        session = unique()
        self.client.open(session, budget={"max_steps": 30})
        self.client.report(session, "tool.finished", tool="edit", round=1)
        self.assertNotIn("budget.updated", [e["type"] for e in self.client.journal(session)])


class LogOfTheLoop(PresetCase):
    """003: "Comprehensive Logging"."""
    settings = {"log.level": "debug"}

    def test_a_failed_call_is_logged_with_its_tool_iteration_elapsed_time_and_attempt(self):
        session = unique()
        self.client.beat(session, iteration=3)
        for _ in range(2):
            self.call(session, "compile", ok=False, error="1 error in main.c")
        line = (rf"session {session}: call of compile failed, 2 in a row of at most 3, iteration 3, \d+ s after the opening: "
                "1 error in main.c")
        eventually(lambda: re.search(line, self.daemon.log()))


class AgentLoop(PresetCase):
    """003: approvals and error handling of the agent loop."""
    UUID = re.compile(r"^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$")

    def setUp(self):
        super().setUp()
        self.operator = self.daemon.operator()
        self.addCleanup(self.operator.close)

    def ask(self, session: str, call: str, tool: str = "delete_file", **args) -> dict:
        reply = self.client.report(session, "tool.started", call_id=call, tool=tool, args=args, requires_approval=True)
        return next(a for a in reply["approvals"] if a.get("call_id") == call)

    def approve(self, session: str, status=(200,), **body) -> dict:
        return self.operator._expect(status, self.operator.post(f"/v1/chat/{session}/approve-agent", body))

    def test_1_data_flow_approve(self):
        session = unique()
        asked = self.ask(session, "c1", path="/tmp/x")
        self.assertRegex(asked["request_id"], self.UUID)
        reply = self.approve(session, request_id=asked["request_id"], approved=True, reason="fine")
        self.assertEqual((reply["status"], reply["request_id"], reply["pending"]), ("completed", asked["request_id"], []))
        self.assertEqual(self.client.beat(session)["approvals"][0]["status"], "approved")

    def test_1_requests_include_the_description_of_the_tool(self):
        session = unique()
        for call in ("c1", "c2"):
            self.client.report(session, "tool.started", call_id=call, tool="delete_file", args={"path": call}, requires_approval=True,
                               description=f"Deletes a file from disk: {call}")
        pending = self.client.get(f"/v1/approvals?session={session}").json()["approvals"]
        self.assertEqual(sorted(one["summary"] for one in pending), ["Deletes a file from disk: c1", "Deletes a file from disk: c2"])
        [other] = self.approve(session, request_id=pending[0]["id"], approved=True)["pending"]
        self.assertEqual(other["tool_description"], pending[1]["summary"])

    def test_1_a_uuid_of_no_request_is_not_found_wherever_it_is_sent(self):
        session = unique()
        self.client.beat(session)
        for uuid in ("550e8400-e29b-41d4-a716-446655440000", "0190b3f0-0000-7000-8000-000000000001"):
            self.assertEqual(self.approve(session, status=(404,), request_id=uuid, approved=True)["code"], "unknown_approval")
            self.assertEqual(self.client.get(f"/v1/approvals/{uuid}").status, 404)

    def test_1_rejection_stops_the_agent_loop(self):
        session = unique()
        asked = self.ask(session, "c1", path="/tmp/x")
        self.approve(session, request_id=asked["request_id"], approved=False, reason="no")
        self.assertEqual(directives(self.client.beat(session)), ["stop"])

    def test_1_multiple_sequential_approvals(self):
        session = unique()
        first, second = self.ask(session, "c1", path="/a"), self.ask(session, "c2", path="/b")
        reply = self.approve(session, request_id=first["request_id"], approved=True)
        self.assertEqual(reply["status"], "awaiting_tool_approval")
        self.assertEqual(reply["pending"], [{"request_id": second["request_id"], "session_id": session, "action_type": "tool",
                                             "tool_name": "delete_file", "description": "call of delete_file",
                                             "tool_description": "call of delete_file", "parameters": {"path": "/b"}}])
        self.assertEqual(self.approve(session, request_id=second["request_id"], approved=True)["status"], "completed")

    def test_security_2_a_request_is_not_decided_in_the_name_of_another_session(self):
        mine, other = unique(), unique()
        asked = self.ask(mine, "c1", path="/a")
        self.client.beat(other)
        self.approve(other, status=(404,), request_id=asked["request_id"], approved=True)
        self.assertEqual(self.client.beat(mine)["approvals"][0]["status"], "pending")

    def test_the_uuid_is_taken_wherever_the_id_is(self):
        session = unique()
        asked = self.ask(session, "c1", path="/a")
        uuid = asked["request_id"]
        document = self.client._expect((200,), self.client.get(f"/v1/approvals/{uuid}"))
        self.assertEqual((document["id"], document["request_id"]), (asked["id"], uuid))
        inbox = self.client.get(f"/v1/approvals?session={session}").json()["approvals"]
        self.assertEqual([a["request_id"] for a in inbox], [uuid])
        self.operator._expect((200,), self.operator.post(f"/v1/approvals/{uuid.upper()}/decision", {"decision": "approve", "by": "ann"}))
        self.client._expect((200,), self.client.post(f"/v1/approvals/{uuid}/redeem", {"args": {"path": "/a"}}))
        self.assertEqual(self.client.get(f"/v1/approvals/{uuid}?wait=1s").json()["status"], "redeemed")
        unknown = uuid[:-1] + ("0" if uuid[-1] != "0" else "1")
        self.assertEqual(self.client.get(f"/v1/approvals/{unknown}").status, 404)

    def test_the_uuid_is_no_way_round_the_scope_of_a_token(self):
        session = unique("mine")
        uuid = self.ask(session, "c1", path="/a")["request_id"]
        made = self.operator._expect((201,), self.operator.post("/v1/tokens", {"name": "agent", "scopes": ["report:other-"]}))
        stranger = self.daemon.client(token=made["token"])
        self.addCleanup(stranger.close)
        self.assertEqual(stranger.get(f"/v1/approvals/{uuid}").status, 404)
        self.assertEqual(stranger.post(f"/v1/approvals/{uuid}/redeem", {"args": {"path": "/a"}}).status, 404)
        self.assertEqual(stranger.post(f"/v1/approvals/{uuid}/decision", {"decision": "approve"}).status, 403)

    def test_2_error_handling_feedback_counts_the_attempts_and_the_fourth_failure_stops(self):
        session = unique()
        for attempt, said in ((1, "(attempt 1 of 3)"), (2, "(attempt 2 of 3)"), (3, "3 times in a row")):
            reply = self.call(session, "deploy", ok=False, error=f"boom {attempt}", args={"try": attempt})
            self.assertIn(said, reply["feedback"])
        self.call(session, "deploy", ok=False, error="boom 4", args={"try": 4})
        self.assertEqual(self.client.session(session)["end_code"], "tool_failures")

    def test_2_retry_logic_is_reset_by_success_and_by_another_tool(self):
        session = unique()
        for tool, ok in (("a", False), ("a", False), ("b", False), ("a", False), ("a", False), ("a", True), ("a", False)):
            reply = self.call(session, tool, ok=ok, **({} if ok else {"error": "boom"}), args={"n": unique()})
        self.assertIn("(attempt 1 of 3)", reply["feedback"])
        self.assertIsNone(self.client.session(session)["outcome"])

    def test_2_timeout_handling_a_call_of_more_than_60_seconds_is_a_failure_of_the_tool(self):
        session = unique()
        for attempt in range(3):
            reply = self.call(session, "compile", args={"n": attempt}, result=f"done {attempt}", duration_ms=61_000)
            self.assertIn("longer than the time that it is given", reply["feedback"])
        self.call(session, "compile", args={"n": 9}, result="done 9", duration_ms=59_000)
        self.assertIsNone(self.client.session(session)["outcome"])
        for attempt in range(4):
            self.call(session, "compile", args={"m": attempt}, result=f"again {attempt}", duration_ms=61_000)
        self.assertEqual(self.client.session(session)["end_code"], "tool_failures")

    def test_2_enhanced_agent_loop_state_counts_failures_in_a_row(self):
        session = unique()
        for _ in range(2):
            self.call(session, "compile", ok=False, error="1 error")
        self.assertEqual(self.client.session(session)["tools"]["failures_in_a_row"], 2)
        self.call(session, "compile", result="ok")
        self.assertEqual(self.client.session(session)["tools"]["failures_in_a_row"], 0)
        self.client.report(session, "error.reported", message="Expecting value", **{"class": "json_parse"})
        self.assertEqual(self.client.session(session)["tools"]["unreadable_in_a_row"], 1)

    def test_default_settings_three_turns_that_cannot_be_parsed(self):
        session = unique()
        for attempt in range(1, 4):
            reply = self.client.report(session, "error.reported", message="Expecting value: line 1", **{"class": "json_parse"})
            self.assertIn("unreadable", reply["feedback"])
        self.client.report(session, "error.reported", message="Expecting value: line 1", **{"class": "json_parse"})
        self.assertEqual(self.client.session(session)["end_code"], "parse_failures")

    def test_error_flow_permission_limits_and_missing_tools_get_feedback_too(self):
        for name, words in (("permission_denied", "which permission"), ("rate_limit", "Wait before"), ("unknown_tool", "no such tool")):
            with self.subTest(error=name):
                reply = self.client.report(unique(), "tool.finished", tool="deploy", ok=False, error={"class": name, "message": "refused"})
                self.assertIn(words, reply["feedback"])

    def test_security_4_error_messages_are_sanitized(self):
        secret = ("password=hunter2 for user 'ann' (ann.k@example.com) at 10.1.2.3, home /home/ann; uid=1000(ann) gid=1000(ann), "
                  'role "ann" does not exist')
        feedback = self.call(unique(), "login", ok=False, error=secret)["feedback"]
        for word in ("hunter2", "ann", "10.1.2.3", "]]"):
            self.assertNotIn(word, feedback)

    def test_3_deprecated_endpoints_say_so(self):
        session = unique()
        self.client.beat(session)
        reply = self.client.get(f"/api/autonomous/progress/{session}")
        self.assertEqual(reply.headers["x-deprecated"], "true")
        self.assertIn("/progress/", reply.headers["x-deprecation-message"])


class StateMachine(PresetCase):
    """004: the agent state machine."""

    def test_basic_usage_transitions_through_states(self):
        session = unique()
        with EventStream(self.daemon.port, "/v1/stream?last_event_id=0") as stream:
            for state in ("processing_prompt", "streaming_response", "executing_tool", "progress_check", "idle"):
                reply = self.client.report(session, "state.changed", state=state)
                self.assertNotIn("invalid_transitions", reply)
            events = stream.until(lambda e: e.is_journal and e.data["session"] == session and e.data.get("state") == "idle")
        moves = [(e.data["from"], e.data["state"]) for e in events if e.is_journal and e.data["session"] == session and e.data.get("state")]
        self.assertEqual(moves, [("idle", "processing_prompt"), ("processing_prompt", "streaming_response"),
                                 ("streaming_response", "executing_tool"), ("executing_tool", "progress_check"), ("progress_check", "idle")])

    def test_states_an_invalid_transition_is_named_in_the_reply(self):
        reply = self.client.report(unique(), "state.changed", state="executing_tool")
        self.assertEqual([(i["from"], i["to"]) for i in reply["invalid_transitions"]], [("idle", "executing_tool")])

    def test_on_state_change_implied_changes_carry_from_and_to(self):
        session = unique()
        self.client.report(session, "message", role="user", text="do it")
        self.client.report(session, "tool.started", tool="edit", call_id="c1")
        self.edit(session, "a.go", "d1")
        moves = [(e["from"], e["state"]) for e in self.client.journal(session) if e.get("state")]
        self.assertEqual(moves, [("idle", "processing_prompt"), ("processing_prompt", "executing_tool"), ("executing_tool", "progress_check")])

    def test_multi_phase_refactor_of_a_thousand_calls_is_allowed(self):
        session = unique("refactor")
        for phase in range(1, 11):
            self.client.report(session, "phase.started", number=phase, name=f"Refactor package {phase}", expected_ms=900_000, total=10)
            batch = []
            for i in range(100):
                file = f"pkg{phase}/file{i}.go"
                batch.append({"type": "tool.finished", "data": {"tool": "edit", "target": file, "args": {"file_path": file, "new_string": f"{phase}.{i}"},
                                                                "mutated": [{"path": file, "digest": f"{phase}.{i}"}]}})
            batch.append({"type": "test.result", "data": {"command": "go test ./...", "passed": 10 * phase, "failed": 0}})
            reply = self.client._expect((200,), self.client.post(f"/v1/sessions/{session}/events", batch))
            self.assertEqual(verdict(reply), "progressing", phase)
        self.client.report(session, "phase.completed", ok=True)
        verdicts = {e["data"]["to"] for e in self.client.journal(session) if e["type"] == "verdict.changed"}
        self.assertFalse(verdicts & {"suspect", "stuck"}, verdicts)
        document = self.client.session(session)
        self.assertEqual((document["phases"]["total"], document["phases"]["completed"], document["tools"]["calls"]), (10, 10, 1000))

    def test_halted_stuck_loop(self):
        session = unique()
        for number in range(1, 4):
            reply = self.failing_edit(session)
            self.assertEqual(verdict(reply) == "stuck", number == 3, number)
        self.assertEqual(directives(reply), ["stop"])
        self.assertEqual(self.client.session(session)["state"], "halted")

    def test_halted_oscillation(self):
        session = unique()
        self.edit(session, "a.go", "a1", old="X0", new="X1")
        self.edit(session, "b.go", "b1", old="Y0", new="Y1")
        self.edit(session, "a.go", "a0", old="X1", new="X0")
        self.edit(session, "b.go", "b0", old="Y1", new="Y0")
        self.edit(session, "a.go", "a1", old="X0", new="X1")
        reply = self.edit(session, "b.go", "b1", old="Y0", new="Y1")
        self.assertEqual(verdict(reply), "stuck")
        self.assertIn("stop", directives(reply))

    def test_halted_no_unique_progress_in_ten_actions(self):
        session = unique()
        files = [f"f{i}" for i in (0, 1, 2, 3, 4, 5, 2, 0, 3, 1, 5, 4, 1, 3, 0, 2, 4, 5)]  # each is known after six
        for action, file in enumerate(files, 1):
            reply = self.call(session, "read", file, args={"file_path": file}, result=f"the content of {file}")
            if verdict(reply) == "stuck":
                break
        self.assertEqual(verdict(reply), "stuck")
        self.assertIn(action, range(10, 18))

    def test_allowed_recovery_after_errors(self):
        session = unique()
        self.client.report(session, "phase.started", number=1, name="one")
        for _ in range(3):
            self.failing_edit(session)
        reply = self.call(session, "write", "main.go", args={"file_path": "main.go", "content": "package main"},
                          mutated=[{"path": "main.go", "digest": "m1"}])
        self.assertEqual(verdict(reply), "progressing")
        self.assertNotIn("stop", directives(reply))
        self.client.report(session, "phase.started", number=2, name="two")
        self.assertNotEqual(verdict(self.failing_edit(session)), "stuck")  # a fresh start

    def test_recovery_of_an_agent_that_obeys_each_reply(self):
        """Its tool fails until a reply stops it; then it starts the next phase, as 004 has it."""
        agent = Obedient(self, unique())
        agent.phase(1, "edit")
        for _ in range(9):
            if agent.stopped:
                break
            agent.heed(self.failing_edit(agent.session))
        self.assertTrue(agent.stopped)
        agent.phase(2, "write")
        self.assertFalse(agent.stopped)  # the reply to the phase is without the stop
        for i in range(20):
            agent.heed(self.edit(agent.session, "main.go", f"m{i}"))
            self.assertFalse(agent.stopped, i)
        agent.heed(self.client.report(agent.session, "reflection", assessment="task_complete"))
        self.assertEqual(self.status(agent.session)["status"], "completed")

    def test_a_stop_of_a_person_outlasts_a_phase(self):
        agent = Obedient(self, unique())
        agent.phase(1, "edit")
        operator = self.daemon.operator()
        self.addCleanup(operator.close)
        operator._expect((200, 202), operator.post(f"/v1/sessions/{agent.session}/cancel", {}))
        agent.phase(2, "write")
        agent.heed(self.edit(agent.session, "main.go", "m1"))
        self.assertTrue(agent.stopped)

    def test_edits_of_which_only_the_file_is_reported_are_no_loop(self):
        """RecordToolCall("edit", file, "", "", true): 100 calls, 25 files."""
        session = unique()
        for i in range(100):
            reply = self.call(session, "edit", f"f{i % 25}.go")
            self.assertNotIn(verdict(reply), ("suspect", "stuck"), i)

    def test_a_fix_that_repeats_while_the_tests_get_better_is_no_loop(self):
        session = unique()
        for i in range(8):
            self.call(session, "bash", args={"command": "make fix"}, result="fixed one problem")
            reply = self.client.report(session, "test.result", command="go test ./...", passed=10 + i, failed=40 - i)
            self.assertNotIn(verdict(reply), ("suspect", "stuck"), i)

    def test_record_message_the_same_message_three_times(self):
        session = unique()
        for number in range(1, 4):
            reply = self.client.report(session, "message", role="assistant", text="I will now look at the file again.")
            self.assertEqual(verdict(reply) == "stuck", number == 3, number)

    def test_on_progress_every_ten_calls(self):
        session = unique()
        for i in range(20):
            self.edit(session, f"f{i}", f"d{i}")
        stats = [e["data"] for e in self.client.journal(session) if e["type"] == "progress.stats"]
        self.assertEqual([(s["tool_calls"], s["successes"], s["failures"], s["files_modified"]) for s in stats], [(10, 10, 0, 10), (20, 10, 0, 20)])

    def test_metrics_export(self):
        text = self.client.get("/metrics").body.decode()
        for line in ('headway_sessions_open{verdict="stuck"}', 'headway_sessions_budget{level="nominal"}', 'headway_tool_failures_total{class="not_found"}',
                     "headway_approvals_pending"):
            self.assertIn(line, text)


class Configured(OwnDaemonCase):
    """The preset is a set of defaults: what is said elsewhere goes before it."""

    def test_keys_go_before_the_preset_and_each_key_of_it_works_alone(self):
        config = PRESET + 'max_iterations = 7\ndetectors = ["exact_repeat=5/8", "stagnation=off"]\n'
        policy = self.client(self.start(config=config)).open("a")["policy"]
        self.assertEqual((policy["profile"], policy["max_iterations"], policy["max_tool_failures"]), ("strict", 7, 3))
        self.assertEqual([(d["detector"], d["off"], d["suspect"], d["stuck"]) for d in policy["detectors"]],
                         [("exact_repeat", False, 5, 8), ("stagnation", True, 0, 0)])

    def test_a_session_overrides_one_detector_and_keeps_the_others(self):
        operator = self.start(config=PRESET).operator()
        self.addCleanup(operator.close)
        policy = operator.open("a", policy={"detectors": [{"detector": "oscillation", "off": True}]})["policy"]
        by_name = {d["detector"]: d for d in policy["detectors"]}
        self.assertTrue(by_name["oscillation"]["off"])
        self.assertEqual(by_name["same_file_error"]["stuck"], 3)

    def test_without_the_preset_nothing_of_it_holds(self):
        policy = self.client(self.start()).open("a")["policy"]
        self.assertEqual((policy["profile"], policy["max_iterations"], policy["max_tool_failures"], policy["confirm_stop"], policy["detectors"]),
                         ("balanced", 0, 0, "off", []))


if __name__ == "__main__":
    unittest.main()
