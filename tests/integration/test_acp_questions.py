#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`headway acp`: each permission has one answer, about what would run, even if another program goes away first."""
import fcntl
import os
import signal
import time
import unittest

from support.acp_editor import SETTINGS, AcpCase, Editor
from support.case import OwnDaemonCase
from support.cli import Cli
from support.limits import eventually
from support.lossy import Busy


class Shown(AcpCase):
    """Agents announce a call before they ask for its permission, in other words or in fewer."""

    def asked_about(self, words: str) -> dict:
        number = self.editor.prompt(words)
        self.editor.answer(self.editor.asked(), "yes")
        self.nothing_reaches_the_agent("outcome")
        shown = self.client.get(f"/v1/approvals/{self.pending()}").json()
        self.assertEqual(shown["call_id"], "begun")
        self.decide("approve")
        self.editor.over(number)
        self.assertEqual(self.editor.answers(), {"begun": "yes"})
        self.assertEqual(self.document()["alarms"], [])
        return shown

    def test_a_call_that_was_announced_as_begun_is_asked_about(self):
        self.assertEqual(self.asked_about("begun")["args"], {"path": "a.txt", "text": "new"})

    def test_a_call_that_was_announced_by_its_title_alone_is_asked_about_with_its_arguments(self):
        shown = self.asked_about("bare")
        self.assertEqual((shown["tool"], shown["args"]), ("edit", {"path": "a.txt", "text": "new", "title": "Run"}))

    def test_both_are_shown_where_the_permission_names_other_arguments(self):
        self.assertEqual(self.asked_about("other")["args"], {"announced": {"path": "harmless"}, "asked": {"path": "/etc/passwd"}})

    def test_a_permission_with_less_hides_nothing_of_the_announcement(self):
        shown = self.asked_about("empty")
        self.assertEqual((shown["tool"], shown["args"]["announced"]["args"]), ("edit (read)", {"path": "/etc/passwd"}))

    def test_a_permission_for_a_call_without_a_name_is_refused(self):
        number = self.editor.prompt("nameless")
        self.editor.allow_all(number)
        self.assertEqual(self.editor.answers(), {"none": "no", "null": "no", "number": "no"})


class Turns(AcpCase):
    """A permission lives no longer than its turn."""

    def hold(self, words: str = "unmoved") -> int:
        number = self.editor.prompt(words)
        self.editor.answer(self.editor.asked(), "yes")
        self.pending()
        return number

    def becomes(self, verdict: str):
        eventually(lambda: self.document().get("verdict", {}).get("status") == verdict, what=f"the verdict {verdict}")

    def nothing_more_comes_of_an_approval(self):
        self.decide("approve")
        self.nothing_reaches_the_agent('"yes"')

    def cancel(self):
        self.editor.send(method="session/cancel", params={"sessionId": self.editor.session})

    def test_a_cancel_by_the_editor_answers_what_headway_holds(self):
        number = self.hold()
        self.cancel()
        self.editor.over(number)
        self.assertEqual(self.editor.answers(), {"unmoved": "cancelled"})
        self.nothing_more_comes_of_an_approval()

    def test_a_call_that_its_user_has_allowed_waits_for_no_person_while_it_runs(self):
        number = self.editor.prompt("works")
        request = self.editor.asked()
        self.becomes("blocked")
        self.editor.answer(request, "yes")
        self.becomes("exploring")
        self.cancel()
        self.editor.over(number)

    def test_a_session_waits_for_its_user_until_all_questions_have_an_answer(self):
        for answers in (("yes", "no"), ("no", "yes")):
            number = self.editor.prompt("both")
            asked = [self.editor.asked(), self.editor.asked()]
            self.becomes("blocked")
            for request, answer in zip(asked, answers):
                self.editor.answer(request, answer)
            self.becomes("exploring")
            self.cancel()
            self.editor.over(number)
            self.becomes("waiting")

    def test_a_call_that_is_released_by_a_resume_waits_for_no_person_while_it_runs(self):
        self.editor.over(self.editor.prompt("talk"))
        self.becomes("waiting")
        self.assertEqual(self.client.post(f"/v1/sessions/{self.id}/pause", {}).status, 200)
        number = self.editor.prompt("works")
        self.editor.answer(self.editor.asked(), "yes")
        eventually(lambda: self.document()["state"] == "awaiting_permission", what="the question")
        self.nothing_reaches_the_agent('"yes"')
        self.client.post(f"/v1/sessions/{self.id}/resume", {})
        self.becomes("exploring")
        eventually(lambda: self.editor.answers() == {"works": "yes"}, what="the permission")
        self.cancel()
        self.editor.over(number)

    def test_a_cancelled_turn_gets_no_late_yes_of_the_editor(self):
        number = self.editor.prompt("asleep")
        request = self.editor.asked()
        self.cancel()
        self.editor.answer(request, "yes")
        self.editor.over(number)
        self.assertEqual(self.editor.answers(), {"asleep": "cancelled"})
        self.nothing_reaches_the_agent('"yes"')
        self.assertEqual(sum('"outcome"' in line for line in self.editor.read_by_agent().splitlines()), 1)

    def test_a_call_that_is_asked_for_after_the_cancel_is_refused(self):
        number = self.editor.prompt("stubborn")
        request = self.editor.asked()
        self.cancel()
        self.editor.answer(request, "yes")
        self.editor.allow_all(number)
        self.assertEqual(self.editor.answers(), {"ask-1": "cancelled", "ask-2": "no", "ask-3": "no"})
        self.editor.close()
        self.assertIn("its turn was cancelled", self.editor.said)

    def test_another_prompt_answers_what_headway_holds(self):
        self.hold()
        self.editor.over(self.editor.prompt("talk"))
        self.assertEqual(self.editor.answers(), {"unmoved": "cancelled"})

    def test_permissions_that_a_turn_left_open_leave_room_for_the_next(self):
        number = self.editor.prompt("crowd")
        self.editor.over(number)
        eventually(lambda: len(self.editor.answers()) == 70, what="all answers")
        self.assertLessEqual(set(self.editor.answers().values()), {"cancelled", "no"})
        number = self.editor.prompt("asleep")
        self.editor.answer(self.editor.asked(), "yes")
        self.editor.over(number)
        self.assertEqual(self.editor.answers()["asleep"], "yes")
        self.editor.close()
        self.assertIn("too many permissions are open", self.editor.said)


class Pipes(AcpCase):
    def test_an_answer_that_comes_before_the_rest_of_the_agents_words_is_held(self):
        fcntl.fcntl(self.editor.process.stdout, fcntl.F_SETPIPE_SZ, 4_096)
        number = self.editor.prompt("burst")
        self.editor.bytes_to(b'"session/request_permission"')
        self.editor.answer("burst", "yes")
        self.nothing_reaches_the_agent('"yes"')
        self.decide("reject")
        self.editor.bytes_to(b"\n")
        self.editor.over(number)
        self.assertEqual(self.editor.answers(), {"burst": "no"})

    def test_a_last_line_without_its_end_is_an_answer_like_any(self):
        self.editor.prompt("unmoved")
        self.editor.asked()
        self.editor.raw('{"id":"unmoved","result":{"outcome":{"outcome":"selected","optionId":"yes"}}}')
        self.editor.close()
        self.assertNotIn('"yes"', self.editor.read_by_agent())

    def test_an_answer_that_is_too_long_to_be_read_is_no_yes_and_other_long_lines_pass(self):
        pad = "x" * (17 << 20)
        yes = '"result":{"outcome":{"outcome":"selected","optionId":"yes"},"pad":"' + pad + '"}'
        for line in ('{"id":"unmoved",' + yes + "}", "{" + yes + ',"id":"unmoved"}'):
            number = self.editor.prompt("unmoved")
            self.editor.asked()
            self.editor.raw(line + "\n")
            self.editor.over(number)
            self.assertEqual(self.editor.answers(), {"unmoved": "no"})
        self.assertNotIn(pad, self.editor.read_by_agent())
        self.editor.raw('{"id":"x","result":"' + pad + '"}\n')
        self.editor.over(self.editor.prompt(pad))
        self.assertEqual(self.editor.read_by_agent().count(pad), 2)

    def test_a_batch_and_an_unknown_id_allow_nothing(self):
        yes = '{"id":"%s","result":{"outcome":{"outcome":"selected","optionId":"yes"}}}'
        number = self.editor.prompt("unmoved")
        self.editor.asked()
        self.editor.raw(yes % "unknown" + "\n" + "[" + yes % "unmoved" + "]\n")
        self.nothing_reaches_the_agent('"yes"')
        self.decide("approve")
        self.editor.over(number)
        self.assertEqual(self.editor.answers(), {"unknown": "cancelled", "unmoved": "yes"})


class Gone(OwnDaemonCase):
    """Daemons that go away, or hang, while they have a call."""

    def setUp(self):
        self.daemon = self.start(SETTINGS)
        self.editor = Editor(Cli(self.daemon), self.daemon.root)
        self.addCleanup(self.editor.close)
        self.operator = self.daemon.operator()
        self.addCleanup(self.operator.close)
        self.id = "fake-" + self.editor.session

    def waits_for_a_person(self) -> str:
        def look():
            return self.operator.get("/v1/approvals?status=pending&session=" + self.id).json().get("approvals")
        return eventually(look, what="an approval")[0]["id"]

    def nothing_is_allowed(self, seconds: float = 1):
        time.sleep(seconds)
        self.assertNotIn('"yes"', self.editor.read_by_agent())

    def test_a_held_call_that_was_announced_as_begun_waits_for_the_daemon(self):
        self.editor.prompt("begun")
        self.editor.answer(self.editor.asked(), "yes")
        self.waits_for_a_person()
        self.daemon.kill()
        self.nothing_is_allowed()

    def test_a_call_that_a_daemon_has_does_not_run_though_it_is_away_at_the_question(self):
        self.editor.prompt("late")
        self.waits_for_a_person()
        self.daemon.kill()
        time.sleep(4)  # the reporter finds out
        self.editor.send(method="x/go")
        self.editor.answer(self.editor.asked(), "yes")
        self.nothing_is_allowed(4)

    def test_a_call_that_is_held_at_the_second_question_waits_for_the_daemon(self):
        number = self.editor.prompt("asleep")
        request = self.editor.asked()
        eventually(lambda: self.operator.get(f"/v1/sessions/{self.id}").json().get("state") == "awaiting_permission", what="the question")
        time.sleep(1)  # Headway's answer reaches the proxy
        self.assertEqual(self.operator.post(f"/v1/sessions/{self.id}/pause", {}).status, 200)
        self.editor.answer(request, "yes")
        self.nothing_is_allowed(0.5)
        self.daemon.kill()
        self.nothing_is_allowed()
        self.daemon.start(self.daemon.port)
        self.nothing_is_allowed()
        again = self.daemon.operator()
        self.addCleanup(again.close)
        self.assertEqual(again.post(f"/v1/sessions/{self.id}/resume", {}).status, 200)
        self.editor.over(number)
        self.assertEqual(self.editor.answers(), {"asleep": "yes"})

    def test_a_daemon_that_is_slow_to_store_the_call_decides_about_it(self):
        os.kill(self.daemon.process.pid, signal.SIGSTOP)
        number = self.editor.prompt("call")
        self.editor.answer(self.editor.asked(), "yes")
        self.nothing_is_allowed(6)
        os.kill(self.daemon.process.pid, signal.SIGCONT)
        asked = self.waits_for_a_person()
        self.nothing_is_allowed()
        self.assertEqual(self.operator.post(f"/v1/approvals/{asked}/decision", {"decision": "reject"}).status, 200)
        self.editor.over(number)
        self.assertEqual(self.editor.answers(), {"ask-1": "no"})

    def through_busy(self, hooks: bytes = b""):
        """A way to the daemon that refuses these hooks, an editor, and its session."""
        busy = Busy(self.daemon.port, hooks)
        self.addCleanup(busy.close)
        editor = Editor(Cli(self.daemon, busy.url), self.daemon.root)
        self.addCleanup(editor.close)
        return busy, editor, "fake-" + editor.session

    def after_the_hook(self, busy: Busy, session: str) -> str:
        """The verdict once the hook and the end of its call have come late."""
        def journal():
            return [event["type"] for event in self.operator.journal(session)]
        before = journal().count("tool.finished")
        busy.free.set()
        eventually(lambda: journal().count("tool.finished") > before, what="the end of the call")
        eventually(lambda: journal()[journal().index("tool.finished"):].count("state.changed"), what="the state after it")
        return self.operator.session(session)["verdict"]["status"]

    def test_a_question_that_comes_late_does_not_undo_the_end_of_the_turn(self):
        busy, editor, session = self.through_busy()
        number = editor.prompt("call")
        editor.answer(editor.asked(), "no")
        editor.over(number)
        eventually(lambda: "usage" in str(self.operator.get(f"/v1/sessions/{session}/events").body), what="the end of the turn")
        self.assertEqual(self.after_the_hook(busy, session), "waiting")

    def test_a_question_that_comes_late_is_not_what_a_call_at_work_waits_for(self):
        busy, editor, session = self.through_busy(b"both-2")
        editor.prompt("both")
        for _ in range(2):
            request = editor.asked()
            editor.answer(request, "yes" if request == "both-1" else "no")
        eventually(lambda: editor.answers() == {"both-1": "yes", "both-2": "no"}, what="the answers")
        self.assertEqual(self.after_the_hook(busy, session), "exploring")

    def test_a_refused_call_ends_only_once_a_busy_daemon_has_its_hook(self):
        busy, editor, session = self.through_busy()
        number = editor.prompt("call")
        request = editor.asked()
        eventually(lambda: busy.refused, what="a hook")
        editor.answer(request, "no")
        editor.over(number)
        seen = busy.refused
        eventually(lambda: busy.refused > seen + 1, what="the hook again")
        self.assertNotIn("tool.finished", [event["type"] for event in self.operator.journal(session)])
        busy.free.set()
        eventually(lambda: "tool.finished" in [event["type"] for event in self.operator.journal(session)], what="the end")
        self.assertEqual(self.operator.session(session)["alarms"], [])
        self.assertEqual(self.operator.get("/v1/approvals?status=pending&session=" + session).json()["approvals"], [])


if __name__ == "__main__":
    unittest.main()
