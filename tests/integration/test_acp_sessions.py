#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`headway acp`: sessions that have ended, and more of them than are followed."""
import re
import time
import unittest

from support.acp_editor import SETTINGS, AcpCase, Editor
from support.cli import Cli
from support.limits import eventually, patient
from support.lossy import Slow


class Ended(AcpCase):
    """Sessions that are over: the conversation goes on in their next generation, and nothing runs without it."""
    settings = SETTINGS | {"budget.max_steps_min": "1"}

    def begin_again(self):
        self.editor = self.edit()
        self.id = "fake-" + self.editor.session

    def end(self, outcome: str):
        # A report that is under way at the end would have its stop after the next prompt.
        eventually(lambda: self.document().get("state") in ("idle", "awaiting_permission"), what="a session at rest")
        self.assertEqual(self.client.post(f"/v1/sessions/{self.id}/end", {"outcome": outcome}).status, 200)

    def call_again(self, editor, generation: int, **decision):
        """A call that is refused: by this decision, or without any."""
        number = editor.prompt("call")
        editor.answer(editor.asked(), "yes")
        if decision:
            self.decide("reject", f"{self.id}~{generation}", **decision)
        editor.over(number)
        self.assertNotIn('"yes"', editor.read_by_agent())
        document = self.document(f"{self.id}~{generation}")
        self.assertEqual((document["labels"]["protocol"], document["agent"]["type"]), ("acp", "fake"))

    def test_a_conversation_that_is_loaded_again_is_asked_about_each_time(self):
        self.editor.over(self.editor.prompt("talk"))
        self.editor.close()
        for generation in (2, 3, 4):
            editor = self.edit(load=self.editor.session)
            self.call_again(editor, generation, then="change_approach")
            editor.close()

    def test_a_conversation_that_a_rejection_has_stopped_goes_on_once_a_person_resumes_it(self):
        self.editor.over(self.editor.prompt("talk"))
        self.editor.close()
        editor = self.edit(load=self.editor.session)
        self.call_again(editor, 2, then="stop")
        editor.close()
        editor = self.edit(load=self.editor.session)
        for _ in range(2):
            self.call_again(editor, 3)
        self.assertEqual(self.client.post(f"/v1/sessions/{self.id}~3/resume", {}).status, 200)
        self.assertIsNone(self.document(self.id + "~3")["ended_at"])
        editor.prompt("call")
        editor.answer(editor.asked(), "yes")
        time.sleep(0.3)
        self.assertNotIn("ask-3", editor.answers())  # held
        editor.close()
        if editor.said:  # a stop that comes with another report first cancels the turn, and no call is refused
            self.assertRegex(editor.said, "a person has stopped this session|A person rejected a call")

    def slow_way(self) -> Slow:
        """An editor whose requests to the daemon may be kept back."""
        way = Slow(self.daemon.port)
        self.addCleanup(way.close)
        self.editor = Editor(Cli(self.daemon, way.url), self.daemon.root)
        self.addCleanup(self.editor.close)
        self.id = "fake-" + self.editor.session
        return way

    def release(self, way: Slow):
        """And waits until the reporter has read the reply, and those of the next heartbeats."""
        beats = f"/v1/sessions/{self.id}/events?types=heartbeat"
        before = len(self.client.get(beats).json()["events"])
        way.goes.set()
        eventually(lambda: len(self.client.get(beats).json()["events"]) > before + 1, what="two heartbeats")
        self.assertIsNone(self.document()["ended_at"])

    def works_on(self, way: Slow):
        """A further turn does, until the editor cancels it."""
        number = self.editor.prompt("works")
        self.editor.answer(self.editor.asked(), "yes")
        eventually(lambda: "works" in self.editor.answers(), what="an answer")
        self.release(way)
        self.editor.send(method="session/cancel", params={"sessionId": self.editor.session})
        self.editor.over(number)

    def test_a_document_that_was_read_before_the_resume_stops_no_later_turn(self):
        way = self.slow_way()
        number = self.editor.prompt("lasts")
        self.editor.answer(self.editor.asked(), "yes")
        self.decide("reject", then="stop")
        eventually(lambda: "session/cancel" in self.editor.read_by_agent(), what="a cancel")
        document, events = (f"{verb} /v1/sessions/{self.id}{end} ".encode() for verb, end in (("GET", ""), ("POST", "/events")))
        stopped = []
        def report_behind_document(request, reply):
            stopped.extend([True] if request.startswith(document) and b'"stopped":true' in reply else [])
            return bool(stopped) and not reply and request.startswith(events)
        way.keep(report_behind_document)
        self.assertTrue(way.kept.wait(patient(20)))
        self.assertEqual(self.client.post(f"/v1/sessions/{self.id}/resume", {}).status, 200)
        self.editor.send(method="test/over")
        self.editor.over(number)
        cancels = self.editor.read_by_agent().count("session/cancel")
        self.works_on(way)
        self.assertEqual(self.editor.read_by_agent().count("session/cancel"), cancels + 1)

    def test_a_reply_from_before_the_resume_stops_no_later_turn(self):
        way = self.slow_way()
        number = self.editor.prompt("lasts")
        self.editor.answer(self.editor.asked(), "yes")
        self.pending()
        way.keep(lambda request, reply: request.startswith(b"POST /v1/sessions/") and b'"type":"stop"' in reply)
        self.decide("reject", then="stop")
        self.assertTrue(way.kept.wait(patient(20)))
        self.assertEqual(self.client.post(f"/v1/sessions/{self.id}/resume", {}).status, 200)
        self.editor.send(method="test/over")
        self.editor.over(number)
        self.works_on(way)
        self.assertEqual(self.editor.read_by_agent().count("session/cancel"), 1)

    def test_a_rejection_that_is_lifted_before_it_is_read_ends_no_session(self):
        way = self.slow_way()
        number = self.editor.prompt("lasts")
        self.editor.answer(self.editor.asked(), "yes")
        self.pending()
        way.keep(lambda request, reply: request.startswith(b"POST /v1/sessions/") and b'"type":"stop"' in reply)
        self.decide("reject", then="stop")
        self.assertTrue(way.kept.wait(patient(20)))
        self.assertEqual(self.client.post(f"/v1/sessions/{self.id}/resume", {}).status, 200)
        self.release(way)
        self.editor.send(method="test/over")
        self.assertEqual(self.editor.over(number)["stopReason"], "end_turn")
        self.assertNotIn("session/cancel", self.editor.read_by_agent())
        self.assertIsNone(self.document()["ended_at"])

    def test_a_prompt_behind_a_refused_report_goes_on_in_the_next_generation(self):
        way = self.slow_way()
        number = self.editor.prompt("lasts")
        self.editor.answer(self.editor.asked(), "yes")
        self.decide("approve")
        eventually(lambda: self.editor.answers(), what="an answer")
        refused = []
        def look_behind_refusal(request, reply):
            refused.extend([True] if b"session_ended" in reply else [])
            return bool(refused) and not reply and request.startswith(f"GET /v1/sessions/{self.id} ".encode())
        way.keep(look_behind_refusal)
        self.assertEqual(self.client.post(f"/v1/sessions/{self.id}/end", {"outcome": "cancelled"}).status, 200)
        self.editor.send(method="test/over")
        self.editor.over(number)
        self.assertTrue(way.kept.wait(patient(20)))
        number = self.editor.prompt("call")
        way.goes.set()
        self.editor.answer(self.editor.asked(), "yes")
        self.decide("approve", self.id + "~2")
        self.assertEqual(self.editor.over(number)["stopReason"], "end_turn")
        # The end of the call that a person had ended with its session is no call of the next one.
        journal = self.client.get(f"/v1/sessions/{self.id}~2/events").json()["events"]
        self.assertEqual([event for event in journal if event["type"] == "approval.alarm"], [])
        self.assertNotIn("lasts", [event["data"].get("call_id") for event in journal])

    def test_a_conversation_that_is_only_looked_at_makes_no_session(self):
        self.editor.over(self.editor.prompt("talk"))
        self.editor.close()
        self.edit(load=self.editor.session).close()
        self.assertEqual(self.client.get(f"/v1/sessions/{self.id}~2").status, 404)

    def test_a_loaded_conversation_goes_on_in_a_session_that_is_still_open(self):
        self.editor.over(self.editor.prompt("talk"))
        editor = self.edit(load=self.editor.session)
        number = editor.prompt("call")
        editor.answer(editor.asked(), "yes")
        self.decide("approve")
        editor.over(number)
        self.assertEqual(editor.answers(), {"ask-1": "yes"})

    def test_a_prompt_after_an_end_by_a_person_goes_on_in_the_next_generation(self):
        for outcome in ("cancelled", "completed"):
            with self.subTest(outcome):
                self.begin_again()
                self.editor.over(self.editor.prompt("talk"))
                self.end(outcome)
                number = self.editor.prompt("call")
                self.editor.answer(self.editor.asked(), "yes")
                self.nothing_reaches_the_agent("outcome")
                self.decide("approve", self.id + "~2")
                self.assertEqual(self.editor.over(number)["stopReason"], "end_turn")
                self.assertEqual(self.editor.answers(), {"ask-1": "yes"})

    def test_after_an_end_by_a_person_all_further_calls_of_the_turn_are_refused(self):
        for outcome in ("cancelled", "completed"):
            with self.subTest(outcome):
                self.begin_again()
                number = self.editor.prompt("stubborn")
                self.pending()
                self.end(outcome)
                self.editor.allow_all(number)
                self.assertEqual(self.editor.answers(), {f"ask-{n}": "no" for n in (1, 2, 3)})
                self.editor.close()
                self.assertIn("the session has ended", self.editor.said)
                self.assertEqual(self.client.get(f"/v1/sessions/{self.id}~2").status, 404)

    def test_two_agents_that_count_their_sessions_have_two_sessions(self):
        editors = [self.edit(agents_id="session-1") for _ in range(2)]
        for editor in editors:
            editor.over(editor.prompt("talk"))
        def found() -> list:
            names = [session["id"] for session in self.client.get("/v1/sessions").json()["sessions"]]
            return [name for name in names if re.fullmatch(r"fake-session-1-[0-9a-f]+", name)]
        eventually(lambda: len(found()) == 2, what="two sessions")

    def test_after_a_cancel_no_agent_goes_on_without_a_prompt(self):
        number = self.editor.prompt("afterwards")
        eventually(lambda: self.document().get("in_flight"), what="the call")
        self.client.post(f"/v1/sessions/{self.id}/cancel", {})
        self.editor.over(number)
        for _ in range(3):
            self.editor.answer(self.editor.asked(), "yes")
        eventually(lambda: len(self.editor.answers()) == 3, what="the answers")
        self.assertEqual(set(self.editor.answers().values()), {"no"})
        self.assertEqual(self.client.get(f"/v1/sessions/{self.id}~2").status, 404)
        number = self.editor.prompt("call")
        self.editor.answer(self.editor.asked(), "yes")
        self.decide("approve", self.id + "~2")
        self.editor.over(number)
        self.assertEqual(sorted(self.editor.answers().values()), ["no", "no", "no", "yes"])

    def test_after_the_end_of_a_budget_no_call_runs_until_the_operator_gives_more(self):
        # A report that is under way at the end would have its stop after the next prompt.
        eventually(lambda: self.document().get("state") in ("idle", "awaiting_permission"), what="a session at rest")
        self.assertEqual(self.client.post(f"/v1/sessions/{self.id}/budget", {"set": {"max_steps": 1}}).status, 200)
        for _ in range(2):
            self.editor.allow_all(self.editor.prompt("stubborn"))
        self.assertEqual(self.editor.answers(), {f"ask-{n}": "no" for n in range(1, 7)})
        self.assertEqual(self.document(self.id + "~2")["budget"]["max_steps"], 0)


class Restarted(AcpCase):
    def test_a_call_about_which_a_person_is_asked_waits_for_a_daemon_that_is_restarted(self):
        number = self.editor.prompt("call")
        self.editor.answer(self.editor.asked(), "yes")
        asked = self.pending()
        self.daemon.kill()
        self.nothing_reaches_the_agent("outcome")
        self.daemon.start(self.daemon.port)
        self.client.close()
        self.client = self.daemon.operator()
        self.addCleanup(self.client.close)
        self.nothing_reaches_the_agent("outcome")
        self.assertEqual(self.pending(), asked)
        self.decide("approve")
        self.editor.over(number)
        self.assertEqual(self.editor.answers(), {"ask-1": "yes"})


class Crowded(AcpCase):
    """More sessions than are followed."""

    def test_idle_sessions_make_room_for_new_ones(self):
        sessions = [self.editor.new() for _ in range(20)]
        for session in (sessions[-1], self.editor.session):
            before = self.editor.answers()
            number = self.editor.prompt("call", session)
            self.editor.answer(self.editor.asked(), "yes")
            self.nothing_reaches_the_agent('"yes"')
            self.assertEqual(self.editor.answers(), before)
            self.decide("reject", "fake-" + session + ("~2" if session == self.editor.session else ""))
            self.editor.over(number)

    def test_a_call_in_a_session_that_no_editor_has_named_is_asked_about(self):
        number = self.editor.prompt("elsewhere 0")
        self.editor.answer(self.editor.asked(), "yes")
        self.nothing_reaches_the_agent("outcome")
        self.decide("reject", self.id + "-other")
        self.editor.over(number)
        self.assertEqual(self.editor.answers(), {"elsewhere": "no"})

    def test_a_session_that_no_editor_has_named_rests_behind_its_calls(self):
        self.editor.allow_all(self.editor.prompt("sub"))
        other = self.id + "-other"
        eventually(lambda: "tool.finished" in [event["type"] for event in self.client.journal(other)], what="the end of the call")

        def rests():
            before = self.document(other)["last_beat_at"]
            time.sleep(5)  # more than the pace of a session at work
            return self.document(other)["last_beat_at"] == before
        eventually(rests, what="rest")

    def test_without_room_a_call_is_refused_with_a_line(self):
        sessions = [self.editor.new() for _ in range(15)]
        number = self.editor.prompt("elsewhere 15")
        for session in sessions:
            self.editor.prompt("talk", session)
        self.editor.answer(self.editor.asked(), "yes")
        self.editor.over(number)
        self.assertEqual(self.editor.answers(), {"elsewhere": "no"})
        self.editor.close()
        self.assertIn("sessions at work", self.editor.said)


if __name__ == "__main__":
    unittest.main()
