#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`headway acp`: what an agent lets its editor do, asks its user, and does outside of a turn."""
import signal
import unittest

from support.acp_editor import SETTINGS, AcpCase
from support.limits import eventually


class Requests(AcpCase):
    settings = SETTINGS | {"approvals.require_tools": "class:edit,class:shell"}

    def verdict(self) -> str:
        return self.document().get("verdict", {}).get("status", "")

    def replies(self) -> dict:
        lines = [line for line in self.editor.read_by_agent().splitlines() if '"error"' in line]
        return {line.split('"id":"')[1].split('"')[0] for line in lines}

    def test_what_the_editor_is_to_do_waits_for_a_person_or_is_refused_with_an_error(self):
        number = self.editor.prompt("deeds")
        self.decide("approve")
        asked = self.editor.until(lambda message: message.get("method") == "terminal/create")
        self.editor.send(id=asked["id"], result={"terminalId": "t"})
        self.decide("reject", then="change_approach")
        self.editor.over(number)
        self.assertEqual(self.replies(), {"fs/write_text_file"})
        self.assertEqual(self.document()["alarms"], [])

    def test_what_a_cancelled_turn_lets_the_editor_do_is_not_done(self):
        number = self.editor.prompt("deeds")
        self.pending()
        self.client.post(f"/v1/sessions/{self.id}/cancel", {})
        self.editor.over(number)
        self.assertEqual(self.replies(), {"terminal/create", "fs/write_text_file"})

    def test_a_question_by_another_request_waits_for_a_person(self):
        number = self.editor.prompt("elicits")
        asked = self.editor.until(lambda message: message.get("method") == "elicitation/create")
        eventually(lambda: self.verdict() == "blocked", what="a wait for a person")
        self.editor.send(id=asked["id"], result={"action": "accept"})
        self.editor.over(number)
        eventually(lambda: self.verdict() == "waiting", what="rest")

    def test_a_call_outside_of_a_turn_raises_its_alarm(self):
        self.editor.over(self.editor.prompt("background"))
        alarms = eventually(lambda: self.document().get("alarms"), what="an alarm")
        self.assertEqual(alarms[0]["kind"], "executed_unapproved")
        eventually(lambda: self.verdict() == "waiting", what="rest")

    def test_a_killed_relay_takes_its_question_back(self):
        self.editor.prompt("unmoved")
        self.editor.answer(self.editor.asked(), "yes")
        self.pending()
        self.nothing_reaches_the_agent("outcome")  # meanwhile the daemon has its hook
        self.editor.process.send_signal(signal.SIGKILL)
        eventually(lambda: self.document()["outcome"] == "failed", what="an end")
        self.assertEqual(self.document()["approvals_pending"], 0)


if __name__ == "__main__":
    unittest.main()
