#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`headway acp` between a client of the Agent Client Protocol and an agent that does as it is asked."""
import json
import time
import unittest

from support.acp_editor import SETTINGS, AcpCase, Editor
from support.case import OwnDaemonCase
from support.cli import Cli
from support.limits import eventually, patient

NO_DAEMON = "http://127.0.0.1:1"  # tcpmux: without a listener


class Observed(AcpCase):
    def test_a_session_has_its_prompts_calls_messages_tokens_and_end(self):
        number = self.editor.prompt("call")
        request = self.editor.asked()
        self.decide("approve")
        self.editor.answer(request, "yes")
        self.assertEqual(self.editor.over(number)["stopReason"], "end_turn")
        self.assertEqual(self.editor.close(), 0)
        document = self.document()
        self.assertEqual((document["outcome"], document["agent"], document["labels"]["workspace"]),
                         ("completed", {"type": "fake", "name": "fake", "model": "m-1"}, "/home/dev/shop"))
        self.assertEqual((document["used"]["tokens"], document["alarms"]), (120, []))
        journal = self.client.journal(self.id)
        self.assertEqual([event["data"]["text"] for event in journal if event["type"] == "message"], ["call", "Will do."])
        calls = [event["data"] for event in journal if event["type"] in ("tool.started", "tool.finished")]
        self.assertEqual([(call["call_id"], call["tool"], call["args"]) for call in calls], [("call-1", "edit", {"path": "a.txt", "text": "new"})] * 2)
        self.assertEqual((calls[1]["ok"], calls[1]["result"]), (True, "done"))

    def test_bytes_pass_unchanged(self):
        number = self.editor.prompt("pieces")
        self.editor.receive()
        self.editor.receive()
        odd = '{ "method" : "x/y",\t"params":[1.0, 1e2, "\\u00e4 ä"] }  \r\nno JSON at all\n[{"id":1}]\n\n'
        self.editor.raw(odd)
        self.assertEqual(self.editor.bytes_to(b"\n"), b'["not whole and no JSON  \r\n')
        self.editor.over(number)
        self.editor.close()
        self.assertIn(odd.encode(), self.editor.log.read_bytes())

    def test_the_exit_status_of_the_agent_is_passed_on(self):
        self.editor.prompt("exit")
        self.assertEqual(self.editor.process.wait(patient(20)), 7)
        self.assertEqual(self.document()["outcome"], "cancelled")


class Ends(AcpCase):
    """Turns and sessions that are no success."""

    def outcome_after(self, words: str) -> tuple:
        editor = self.edit()
        number = editor.prompt(words)
        editor.until(lambda message: message.get("id") == number)
        session = "fake-" + editor.session
        verdict = eventually(lambda: self.document(session).get("state") == "idle" and self.document(session)["verdict"], what="the end of the turn")
        editor.close()
        return verdict["status"], self.document(session)["outcome"]

    def test_an_error_in_place_of_the_turns_end_blocks_the_session_and_fails_it(self):
        for words in ("error login", "error limit", "error"):
            self.assertEqual(self.outcome_after(words), ("blocked", "failed"), words)

    def test_a_turn_that_ended_before_its_time_or_did_nothing_is_no_success(self):
        for words in ("ends refusal", "ends max_tokens", "ends max_turn_requests", "ends"):
            self.assertEqual(self.outcome_after(words), ("blocked", "failed"), words)
        self.assertEqual(self.outcome_after("nothing"), ("waiting", "failed"))
        self.assertEqual(self.outcome_after("ends cancelled"), ("waiting", "cancelled"))

    def test_a_session_without_a_prompt_is_not_completed(self):
        eventually(lambda: self.document().get("id"), what="the session")
        self.editor.close()
        self.assertEqual(self.document()["outcome"], "cancelled")


class Steered(AcpCase):
    def test_a_pause_holds_what_the_editor_allows_until_it_is_resumed(self):
        eventually(lambda: self.document().get("id"), what="the session")
        self.assertEqual(self.client.post(f"/v1/sessions/{self.id}/pause", {}).status, 200)
        number = self.editor.prompt("call")
        request = self.editor.asked()
        eventually(lambda: self.document()["in_flight"], what="the call")
        self.decide("approve")
        self.editor.answer(request, "yes")
        self.nothing_reaches_the_agent('"yes"')
        self.assertEqual(self.client.post(f"/v1/sessions/{self.id}/resume", {}).status, 200)
        self.assertEqual(self.editor.over(number)["stopReason"], "end_turn")
        self.assertIn('"yes"', self.editor.read_by_agent())

    def test_a_pause_after_an_approval_still_holds_what_the_editor_allows(self):
        number = self.editor.prompt("call")
        request = self.editor.asked()
        self.decide("approve")
        self.client.post(f"/v1/sessions/{self.id}/pause", {})
        time.sleep(1)  # the approval reaches the proxy
        self.editor.answer(request, "yes")
        self.nothing_reaches_the_agent('"yes"')
        self.client.post(f"/v1/sessions/{self.id}/resume", {})
        self.assertEqual(self.editor.over(number)["stopReason"], "end_turn")

    def test_an_approval_holds_what_the_editor_allows_and_a_rejection_is_the_answer(self):
        number = self.editor.prompt("call")
        request = self.editor.asked()
        self.editor.answer(request, "yes")
        self.nothing_reaches_the_agent("outcome")
        self.decide("reject")
        self.editor.over(number)
        self.assertIn('"no"', self.editor.read_by_agent())
        self.assertNotIn('"yes"', self.editor.read_by_agent())
        self.assertEqual(self.document()["alarms"], [])

    def test_an_edit_refuses_the_call_raises_no_alarm_and_leaves_its_approval_for_the_edited_call(self):
        number = self.editor.prompt("call")
        asked = self.pending()
        edited = {"decision": "edit", "edited_args": {"path": "/tmp/other", "text": "safe"}}
        self.assertEqual(self.client.post(f"/v1/approvals/{asked}/decision", edited).status, 200)
        self.editor.over(number)
        self.assertIn('"no"', self.editor.read_by_agent())
        self.assertEqual(self.document()["alarms"], [])
        shown = self.client.get(f"/v1/approvals/{asked}").json()
        self.assertEqual((shown["status"], shown["redeemed_at"]), ("edited", None))

    def test_other_arguments_by_the_same_id_are_another_question(self):
        number = self.editor.prompt("swap")
        first = self.editor.asked()
        self.decide("approve")
        self.editor.answer(first, "yes")
        second = self.editor.asked()
        self.editor.answer(second, "yes")
        self.nothing_reaches_the_agent('"id": "second"')
        asked = self.client.get(f"/v1/approvals/{self.pending()}").json()
        self.assertEqual(asked["args"], {"path": "/etc/passwd", "text": "evil"})
        self.decide("reject")
        self.editor.over(number)
        read = [json.loads(line) for line in self.editor.read_by_agent().splitlines()]
        answers = {message["id"]: message["result"]["outcome"]["optionId"] for message in read if message.get("id") in ("first", "second")}
        self.assertEqual(answers, {"first": "yes", "second": "no"})

    def test_a_rejection_comes_before_the_editor_has_answered(self):
        number = self.editor.prompt("call")
        request = self.editor.asked()
        self.decide("reject")
        self.editor.over(number)
        self.editor.answer(request, "yes")
        self.nothing_reaches_the_agent('"yes"')

    def test_a_call_that_one_too_many_waits_before_does_not_run_unasked(self):
        eventually(lambda: self.client.get(f"/v1/sessions/{self.id}").status == 200)
        waiting = [{"type": "approval.requested", "data": {"kind": "question", "summary": f"question {n}"}} for n in range(32)]
        self.assertEqual(self.client.post(f"/v1/sessions/{self.id}/events", waiting).status, 200)
        number = self.editor.prompt("call")
        self.editor.answer(self.editor.asked(), "yes")
        self.editor.over(number)
        self.assertIn('"no"', self.editor.read_by_agent())
        self.assertNotIn('"yes"', self.editor.read_by_agent())

    def test_a_call_with_half_of_a_surrogate_pair_is_held_like_any(self):
        number = self.editor.prompt("half")
        self.editor.answer(self.editor.asked(), "yes")
        self.nothing_reaches_the_agent('"yes"')
        self.decide("reject")
        self.editor.over(number)
        self.assertNotIn('"yes"', self.editor.read_by_agent())

    def test_a_call_that_cannot_be_read_or_shown_does_not_run_unasked(self):
        for words in ("deep", "long"):
            number = self.editor.prompt(words)
            self.editor.answer(self.editor.asked(), "yes")
            self.editor.over(number)
            self.assertNotIn('"yes"', self.editor.read_by_agent(), words)

    def test_a_refusal_of_the_editor_ends_the_request_and_is_about_this_call_only(self):
        for answer in ("no", None):
            with self.subTest(answer):
                number = self.editor.prompt("call")
                request = self.editor.asked()
                asked = self.pending()
                if answer:
                    self.editor.answer(request, answer)
                else:
                    self.editor.send(id=request, result={"outcome": {"outcome": "cancelled"}})
                self.assertEqual(self.editor.over(number)["stopReason"], "end_turn")
                shown = eventually(lambda: self.over(asked), what="the end of the request")
                self.assertEqual((shown["status"], shown["closed"]), ("cancelled", "taken_back"))
                self.assertEqual(self.client.post(f"/v1/approvals/{asked}/decision", {"decision": "approve"}).status, 409)
        number = self.editor.prompt("call")
        self.editor.answer(self.editor.asked(), "yes")
        self.decide("approve")
        self.editor.over(number)
        self.assertEqual(list(self.editor.answers().values()), ["no", "cancelled", "yes"])
        self.assertEqual(self.document()["alarms"], [])

    def test_a_refusal_of_the_editor_ends_the_request_of_one_of_two_calls(self):
        number = self.editor.prompt("pair")
        first, second = self.editor.asked(), self.editor.asked()
        eventually(lambda: self.requests() == ["pair-1", "pair-2"], what="two requests")
        self.editor.answer(first, "no")
        eventually(lambda: self.requests() == ["pair-2"], what="the end of the first")
        self.editor.answer(second, "yes")
        self.decide("approve")
        self.editor.over(number)
        self.assertEqual(self.editor.answers(), {"pair-1": "no", "pair-2": "yes"})

    def requests(self) -> list:
        listed = self.client.get("/v1/approvals?status=pending&session=" + self.id).json().get("approvals", [])
        return sorted(one["call_id"] for one in listed)

    def over(self, asked: str) -> dict | None:
        shown = self.client.get(f"/v1/approvals/{asked}").json()
        return shown if shown["status"] != "pending" else None

    def test_a_stop_in_the_editor_ends_the_request_of_a_call_that_it_has_allowed(self):
        number = self.editor.prompt("call")
        self.editor.answer(self.editor.asked(), "yes")
        asked = self.pending()
        self.editor.send(method="session/cancel", params={"sessionId": self.editor.session})
        self.editor.over(number)
        shown = eventually(lambda: self.over(asked), what="the end of the request")
        self.assertEqual((shown["status"], shown["closed"]), ("cancelled", "taken_back"))
        self.assertEqual(self.document()["alarms"], [])
        ends = [event["data"] for event in self.client.journal(self.id) if event["type"] == "tool.finished"]
        self.assertEqual([end["error"]["class"] for end in ends], ["cancelled"])

    def test_a_session_whose_last_turn_its_user_stopped_is_cancelled(self):
        number = self.editor.prompt("slow")
        eventually(lambda: self.document().get("in_flight"), what="the call")
        self.editor.send(method="session/cancel", params={"sessionId": self.editor.session})
        self.editor.over(number)
        self.editor.close()
        ended = eventually(lambda: self.document().get("outcome") and self.document(), what="the end")
        self.assertEqual((ended["outcome"], ended["verdict"]["reason"]), ("cancelled", "its last turn was stopped"))

    def test_a_cancel_ends_the_turn_once_and_the_next_prompt_is_another_session(self):
        number = self.editor.prompt("slow")
        eventually(lambda: self.document().get("in_flight"), what="the call")
        self.client.post(f"/v1/sessions/{self.id}/cancel", {"reason": "enough"})
        self.assertEqual(self.editor.over(number)["stopReason"], "cancelled")
        eventually(lambda: self.document()["outcome"] == "cancelled", what="the end")
        self.editor.over(self.editor.prompt("talk"))
        self.assertEqual(self.editor.read_by_agent().count("session/cancel"), 1)
        again = eventually(lambda: self.document(self.id + "~2").get("id") and self.document(self.id + "~2"), what="the next session")
        self.assertEqual(again["labels"]["workspace"], "/home/dev/shop")


class Away(OwnDaemonCase):
    def test_without_a_daemon_everything_passes(self):
        daemon = self.start()
        editor = Editor(Cli(daemon, NO_DAEMON), daemon.root)
        self.addCleanup(editor.close)
        number = editor.prompt("call")
        editor.answer(editor.asked(), "yes")
        self.assertEqual(editor.over(number)["stopReason"], "end_turn")
        self.assertEqual(editor.close(), 0)

    def test_a_daemon_that_dies_while_it_holds_a_call_does_not_let_it_run(self):
        daemon = self.start(SETTINGS)
        editor = Editor(Cli(daemon), daemon.root)
        self.addCleanup(editor.close)
        client = self.client(daemon)
        editor.prompt("call")
        request = editor.asked()
        eventually(lambda: client.get(f"/v1/sessions/fake-{editor.session}").json().get("approvals_pending"), what="an approval")
        editor.answer(request, "yes")
        daemon.kill()
        time.sleep(1)
        self.assertNotIn('"yes"', editor.read_by_agent())


if __name__ == "__main__":
    unittest.main()
