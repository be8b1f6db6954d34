#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`headway acp`: what an agent lets its editor do, asks its user, and does outside of a turn."""
import os
import signal
import time
import unittest

from support.acp_editor import SETTINGS, AcpCase, Editor
from support.case import OwnDaemonCase, unique
from support.cli import Cli
from support.limits import eventually


class Requests(AcpCase):
    settings = SETTINGS | {"approvals.require_tools": "class:edit,class:shell"}

    def verdict(self) -> str:
        return self.document().get("verdict", {}).get("status", "")

    def replies(self) -> set:
        lines = [line for line in self.editor.read_by_agent().splitlines() if '"error"' in line]
        return {line.split('"id":"')[1].split('"')[0] for line in lines if '"id":"' in line}

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

    def test_an_agent_that_reads_no_answer_is_read_no_further(self):
        """Its answers are no heap."""
        self.editor.over(self.editor.prompt("floods"))
        taken = int(self.editor.read_by_agent().split('{"taken": ')[1].split("}")[0])
        self.assertLess(taken, 8 << 20)

    def test_a_stop_reaches_work_outside_of_a_turn(self):
        self.editor.over(self.editor.prompt("behind"))
        eventually(lambda: self.document().get("in_flight"), what="the call")
        self.client.post(f"/v1/sessions/{self.id}/cancel", {})
        eventually(lambda: "session/cancel" in self.editor.read_by_agent(), what="the cancel")
        eventually(lambda: self.document()["outcome"] == "cancelled", what="the end")

    def test_a_deed_that_its_user_cancels_outside_of_a_turn_has_its_end(self):
        self.editor.over(self.editor.prompt("deed behind"))
        asked = self.pending()
        self.editor.send(method="session/cancel", params={"sessionId": self.editor.session})
        eventually(lambda: self.client.get(f"/v1/approvals/{asked}").json()["status"] == "cancelled", what="the end of the request")
        eventually(lambda: self.replies() == {"behind"}, what="its answer")
        eventually(lambda: self.rests_behind("later"), what="rest")
        self.assertEqual(self.document()["alarms"], [])

    def rests_behind(self, call: str) -> bool:
        """Whether the session rests after the end of this call."""
        events = [(event["type"], event["data"].get("call_id", event["data"].get("state"))) for event in self.client.journal(self.id)]
        end = ("tool.finished", call)
        return end in events and ("state.changed", "idle") in events[events.index(end):]

    def test_what_cannot_be_read_is_not_done(self):
        number = self.editor.prompt("unreadable")
        seen = []
        while not (seen and b'"id": %d' % number in seen[-1]):
            seen.append(self.editor.bytes_to(b"\n"))
        self.assertEqual(self.replies(), {"long", "twice", "blanks", "behind", "odd", "half"})
        self.assertEqual(self.editor.read_by_agent().count('"error"'), 6)  # what is a log's line has no answer
        whole = [line for line in seen if line.rstrip().endswith((b"}", b"]"))]
        self.assertFalse([line for line in whole if b"fs/write_text_file" in line])

    def test_a_reply_that_cannot_be_read_is_an_error_for_the_editor(self):
        number = self.editor.prompt("unreadable reply")
        reply = self.editor.until(lambda message: message.get("id") == number)
        self.assertEqual(reply["error"]["code"], -32603)
        eventually(lambda: self.document().get("id"), what="the session")
        eventually(lambda: "error.reported" in [event["type"] for event in self.client.journal(self.id)], what="the error")
        number = self.editor.prompt("go on")
        self.editor.over(number)

    def test_what_a_process_of_an_agent_that_has_exited_writes_is_passed(self):
        def passes() -> bool:
            editor = self.edit()
            editor.prompt("leave")
            read = editor.read
            while more := os.read(editor.process.stdout.fileno(), 65536):
                read += more
            return read.endswith(b'{"a":1}\n{"b":2}\n')
        self.assertTrue(any(passes() for _ in range(5)))  # the proxy waits for 200 ms only

    def test_a_killed_relay_takes_its_question_back(self):
        self.editor.prompt("unmoved")
        self.editor.answer(self.editor.asked(), "yes")
        self.pending()
        self.nothing_reaches_the_agent("outcome")  # meanwhile the daemon has its hook
        self.editor.process.send_signal(signal.SIGKILL)
        eventually(lambda: self.document()["outcome"] == "failed", what="an end")
        self.assertEqual(self.document()["approvals_pending"], 0)


class Free(AcpCase):
    """Without rules."""
    settings = {}

    def write(self, count: int):
        for _ in range(count):
            asked = self.editor.until(lambda message: message.get("method") == "fs/write_text_file")
            self.editor.send(id=asked["id"], result=None)

    def test_many_writes_at_once_wait_for_a_person_only_for_some_time(self):
        eventually(lambda: self.document().get("id"), what="the session")
        self.assertEqual(self.client.post(f"/v1/sessions/{self.id}/pause", {}).status, 200)
        number = self.editor.prompt("many")
        eventually(lambda: self.editor.read_by_agent().count("Too many calls wait") == 36, what="the errors")
        self.assertEqual(self.client.post(f"/v1/sessions/{self.id}/resume", {}).status, 200)
        self.write(64)
        self.editor.over(number)

    def test_many_writes_at_once_are_all_done(self):
        number = self.editor.prompt("many")
        self.write(100)
        self.editor.over(number)
        self.assertNotIn('"error"', self.editor.read_by_agent())


    def test_the_editor_gets_no_member_that_was_not_read(self):
        number = self.editor.prompt("spare")
        asked = self.editor.until(lambda message: message.get("method") == "fs/write_text_file")
        self.assertEqual(set(asked), {"jsonrpc", "id", "method", "params"})
        self.assertEqual(asked["params"], {"sessionId": self.editor.session, "path": "/x", "content": "spare"})
        self.editor.send(id=asked["id"], result=None)
        self.editor.over(number)


class Edits(AcpCase):
    """Writes by the editor, after edits that were approved."""
    settings = {"approvals.require_tools": "class:edit"}

    def write(self, words: str) -> dict:
        """The deed that reaches the editor after the call's permission."""
        path = self.daemon.root / unique("edited")
        path.write_text("axb")
        self.prompted = self.editor.prompt(f"{words} {path}")
        self.editor.answer(self.editor.asked(), "yes")
        self.decide("approve")
        if words == "edits more":
            self.decide("approve")
        asked = self.editor.until(lambda message: message.get("method") == "fs/write_text_file")
        self.editor.send(id=asked["id"], result=None)
        self.editor.over(self.prompted)
        return asked["params"]

    def test_an_approved_edit_is_the_write_of_the_file_with_it(self):
        self.assertEqual(self.write("edits")["content"], "ayb")

    def test_other_text_around_an_approved_edit_is_asked_about(self):
        self.assertEqual(self.write("edits more")["content"], "more ayb")


class Slow(OwnDaemonCase):
    def test_many_writes_at_once_wait_for_a_daemon_that_is_slow(self):
        daemon = self.start({})
        editor = Editor(Cli(daemon), daemon.root)
        self.addCleanup(editor.close)
        client = daemon.operator()
        self.addCleanup(client.close)
        eventually(lambda: client.get("/v1/sessions/fake-" + editor.session).status == 200, what="the session")
        os.kill(daemon.process.pid, signal.SIGSTOP)
        number = editor.prompt("many")
        time.sleep(8)
        os.kill(daemon.process.pid, signal.SIGCONT)
        for _ in range(100):
            asked = editor.until(lambda message: message.get("method") == "fs/write_text_file")
            editor.send(id=asked["id"], result=None)
        editor.over(number)
        self.assertNotIn('"error"', editor.read_by_agent())


if __name__ == "__main__":
    unittest.main()
