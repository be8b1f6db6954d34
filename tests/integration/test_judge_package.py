#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The judge against a model server that others wrote: npm's @copilotkit/aimock (support/npm_llm.py starts it)."""
import json
import unittest

from support.case import OwnDaemonCase
from support.npm_llm import NpmLlm, missing

KEY = "sk-test-0123456789"
ANSWER = json.dumps({"answer": "A", "reason": "it lists files", "evidence": [2], "confidence": 0.8})
ESTIMATE = json.dumps({"progressPercent": 40, "reasoning": "half of it", "nextMilestone": "tests", "blockers": []})


@unittest.skipIf(missing(), missing())
class AnotherServer(OwnDaemonCase):
    def judged(self, *options: str, answer: str = ANSWER, key: str = KEY):
        llm = NpmLlm(answer, KEY, *options)
        self.addCleanup(llm.stop)
        daemon = self.start(config='[judge]\nestimates = "step"\nretries = 2\n'
                                   f'[judge.endpoints.aimock]\nbase_url = "{llm.url}"\nmodel = "gpt-4o"\n'
                                   f'api_key = "{key}"\n')
        client = self.client(daemon)
        client.report("s", "tool.finished", tool="bash", ok=True, args={"command": "ls"}, result="a b c")
        return client

    def check(self, client) -> dict:
        asked = client._expect((202,), client.post("/check-status", {"sessionId": "s"}))
        done = client._expect((200,), client.get(f"/check-status/{asked['checkId']}?wait=2m"))
        self.assertEqual(done["state"], "completed", done)
        return done

    def test_its_streamed_answer_is_read_and_its_tokens_are_counted(self):
        done = self.check(self.judged())
        self.assertEqual((done["outcome"], done["status"], done["evidence"]), ("answered", "A", [2]), done)
        self.assertEqual(done["model"], "gpt-4o")
        self.assertGreater(done["use"]["completion_tokens"], 0)

    def test_a_wrong_key_is_reported_with_what_to_check(self):
        done = self.check(self.judged(key="sk-wrong-0123456789"))
        self.assertEqual((done["outcome"], done["status"]), ("refused", None), done)
        self.assertIn("check its API key", done["error"])

    def test_when_it_breaks_connections_the_check_is_neutral(self):
        done = self.check(self.judged("--chaos-disconnect", "1"))
        self.assertIn(done["outcome"], ("broken", "unreachable"), done)
        self.assertIsNone(done["status"])

    def test_when_it_limits_the_rate_the_question_is_asked_again(self):
        done = self.check(self.judged("--chaos-ratelimit", "1"))
        self.assertEqual((done["outcome"], done["use"]["tries"]), ("failing", 3), done)
        self.assertIn("429", done["error"])

    def test_its_estimate_becomes_an_event(self):
        client = self.judged(answer=ESTIMATE)
        reply = client._expect((200,), client.get("/v1/sessions/s/wait?until=event&after=3&wait=2m"))
        self.assertTrue(reply["met"], reply)
        events = client._expect((200,), client.get("/v1/sessions/s/events?after=3"))["events"]
        self.assertEqual([e["type"] for e in events], ["progress.estimated"], events)
        data = events[0]["data"]
        self.assertEqual((data["percent"], data["source"], data["model"]), (40, "judge", "gpt-4o"), data)


if __name__ == "__main__":
    unittest.main()
