#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tokens in an agent's own record, told by headway-hook to a daemon: each answer counts once, and none is lost."""
import json
import subprocess
import unittest
from datetime import datetime, timedelta, timezone

from support.case import SharedDaemonCase, unique
from support.daemon import BINARY, clean_environment
from support.limits import patient

HOOK = BINARY.with_name("headway-hook")
MIB = 1024 * 1024


def clock(off_s: float = 0) -> str:
    at = datetime.now(timezone.utc) + timedelta(seconds=off_s)
    return at.strftime("%Y-%m-%dT%H:%M:%S.") + f"{at.microsecond // 1000:03}Z"


class AnswerUses(SharedDaemonCase):
    def setUp(self):
        super().setUp()
        self.session = unique("uses")
        self.record = self.daemon.root / f"{self.session}.jsonl"
        self.record.write_text("")

    def write(self, name: str, input_tokens: int, output_tokens: int, at: str = "", path=None, **usage):
        line = {"type": "assistant", "timestamp": at or clock(),
                "message": {"id": name, "role": "assistant", "content": [], "usage": {"input_tokens": input_tokens, "output_tokens": output_tokens, **usage}}}
        path = path or self.record
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a") as file:
            file.write(json.dumps(line) + "\n")

    def write_long(self, size: int):
        with self.record.open("a") as file:
            file.write(json.dumps({"type": "user", "message": {"role": "user", "content": "x" * size}}) + "\n")

    def body(self, event: str, session: str = "", **more) -> dict:
        return {"hook_event_name": event, "session_id": session or self.session, "transcript_path": str(self.record), **more}

    def post(self, event: str, **more):
        self.client.post("/v1/hooks/claude", self.body(event, **more))

    def tell(self, event: str = "PostToolBatch", **more):
        done = subprocess.run([str(HOOK), "--usage", "claude"], input=json.dumps(self.body(event, tool_calls=[], **more)).encode(),
                              env=clean_environment(HEADWAY_URL=self.daemon.url),
                              capture_output=True, timeout=patient(60))
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, b"", b""))

    def used(self, session: str = "") -> int:
        return self.client.session("claude-" + (session or self.session))["used"]["tokens"]

    def test_the_parts_of_an_answer_are_counted_once(self):
        self.post("UserPromptSubmit", prompt="go")
        for output in (1, 118):
            self.write("msg_A", 4, output, cache_creation_input_tokens=15178, cache_read_input_tokens=100)
        self.tell()
        self.tell()
        self.assertEqual(self.used(), 4 + 15178 + 100 + 118)

    def test_a_sub_agents_record_repeats_its_parents_answer(self):
        self.post("UserPromptSubmit", prompt="go")
        self.write("msg_A", 15182, 118)
        self.tell()
        self.post("SubagentStart", agent_id="s1", agent_type="x")
        own = self.record.with_suffix("") / "subagents" / "agent-s1.jsonl"
        self.write("msg_A", 15182, 118, path=own)
        self.write("msg_B", 100, 10, path=own)
        self.tell(agent_id="s1", agent_type="x")
        self.assertEqual((self.used(), self.used(self.session + ".s1")), (15300, 110))

    def test_a_sub_agent_that_speaks_before_its_parent_counts_its_own_alone(self):
        self.post("UserPromptSubmit", prompt="go")
        self.write("msg_A", 15182, 118)
        self.post("SubagentStart", agent_id="s1", agent_type="x")
        own = self.record.with_suffix("") / "subagents" / "agent-s1.jsonl"
        self.write("msg_A", 15182, 118, path=own)
        self.write("msg_B", 100, 10, path=own)
        self.tell(agent_id="s1", agent_type="x")
        self.tell()
        self.assertEqual((self.used(), self.used(self.session + ".s1")), (15300, 110))

    def test_a_fork_does_not_count_what_it_has_copied(self):
        for n in range(5):
            self.write(f"msg_O{n}", 1000, 10, at=clock(-60))
        self.post("SessionStart", source="fork")
        self.post("UserPromptSubmit", prompt="go")
        self.write("msg_N", 7, 3)
        self.tell()
        self.assertEqual(self.used(), 10)

    def test_a_resumed_session_counts_what_is_new(self):
        self.post("UserPromptSubmit", prompt="go")
        self.write("msg_1", 100, 10)
        self.tell("Stop")
        self.post("SessionEnd", reason="other")
        self.post("SessionStart", source="resume")
        self.post("UserPromptSubmit", prompt="on")
        self.write("msg_2", 20, 2)
        self.tell("Stop")
        self.assertEqual((self.used(), self.used(self.session + "~2")), (110, 22))

    def test_an_agent_whose_clock_differs_loses_nothing(self):
        for off_s in (-7200, -3, 3, 7200):
            with self.subTest(off_s):
                session = unique("clock")
                self.post("UserPromptSubmit", session=session, prompt="go")
                self.record = self.daemon.root / f"{session}.jsonl"
                for n in range(3):
                    self.write(f"msg_{n}", 100, 10, at=clock(off_s))
                self.tell(session=session)
                self.assertEqual(self.used(session), 330)

    def test_records_longer_than_what_is_read_at_once_hide_no_answer(self):
        self.post("UserPromptSubmit", prompt="go")
        for n in range(4):
            self.write(f"msg_{n}", 100, 10)
            self.write_long(3 * MIB // 2)
        self.tell()
        self.assertEqual(self.used(), 440)
        self.write("msg_4", 100, 10)
        self.write_long(9 * MIB)
        self.tell()
        self.assertEqual(self.used(), 550)

    def test_more_answers_than_one_request_takes_are_all_counted(self):
        self.post("UserPromptSubmit", prompt="go")
        for n in range(100):
            self.write(f"msg_{n}", 1, 1)
        self.tell()
        self.assertEqual(self.used(), 200)
        for n in range(100, 170):
            self.write(f"msg_{n}", 1, 1)
        self.tell()
        self.assertEqual(self.used(), 340)


if __name__ == "__main__":
    unittest.main()
