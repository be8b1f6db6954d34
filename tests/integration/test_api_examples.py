#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every example of api/API.md, run in order against one fresh daemon: the page says what the daemon does."""
import re
import unittest

from support.case import OwnDaemonCase
from support.daemon import PROJECT
from support.examples import PAGE, Example, ExampleRunner, examples, judge_config
from support.llm import LlmServer


class Examples(OwnDaemonCase):
    def test_every_example_does_what_the_page_says(self):
        requests, _ = examples()
        self.assertGreater(len(requests), 10)
        llm = LlmServer()
        self.addCleanup(llm.stop)
        runner = ExampleRunner(self.start(config=judge_config(llm)))
        for example in requests:
            with self.subTest(example.name):
                self.run_example(runner, example)

    def run_example(self, runner: ExampleRunner, example: Example):
        reply = runner.run(example)
        self.assertEqual(reply.status, example.status, reply.body)
        self.assertEqual(reply.headers["content-type"], example.content_type)
        if example.content_type == "text/event-stream":
            self.assertIn(b"event: hello", reply.body)
        if example.shape is not None:
            self.assert_has_shape(reply.json(), example.shape, "")

    def assert_has_shape(self, actual, shape, where: str):
        """All documented keys are there, as values of the same kind; null may stand for anything."""
        if isinstance(shape, dict) and actual is not None:
            for key, inner in shape.items():
                self.assertIn(key, actual, f"{where}/{key} is documented")
                self.assert_has_shape(actual[key], inner, f"{where}/{key}")
        elif isinstance(shape, list) and shape and actual:
            self.assert_has_shape(actual[0], shape[0], f"{where}/0")
        elif shape is not None and actual is not None:
            self.assertIs(type(actual), type(shape), where)

    def test_the_shape_of_advice_is_that_of_a_report(self):
        advice = next(shape for shape in examples()[1] if "directives" in shape)
        daemon = self.start()
        client = self.client(daemon)
        for _ in range(3):
            reply = client.report("docs-report", "tool.finished", tool="bash")
        self.assert_has_shape(reply, advice, "")
        self.assertEqual(list(reply), list(advice))

    def test_every_documented_event_type_is_taken(self):
        page = PAGE.read_text(encoding="utf-8")
        table = page[page.index("| type | data | change |"):page.index("Written by Headway only")]
        kinds = re.findall(r"^\| `([a-z.]+)` \|", table, re.M)
        self.assertGreaterEqual(len(kinds), 16)
        needed = {"call_id": "c", "tool": "t", "name": "n", "percent": 1, "text": "t", "state": "idle", "message": "m", "id": "i",
                  "outcome": "completed"}
        daemon = self.start()
        client = self.client(daemon)
        for row in table.strip().split("\n")[2:]:
            kind, data = re.match(r"\| `([a-z.]+)` \| (.*) \|", row).groups()
            required = re.findall(r"\*\*`(\w+)`\*\*", data)
            bare = client.post(f"/v1/sessions/bare-{kind}/events", {"type": kind})
            self.assertEqual(bare.status, 400 if required else 200, kind)
            client.report(f"kind-{kind}", kind, **{field: needed[field] for field in required})

    def test_every_problem_code_is_known_to_the_page(self):
        page = PAGE.read_text(encoding="utf-8")
        table = page[page.index("| status | code |"):]
        documented = set(re.findall(r"`([a-z_]+)`", table))
        used = set()
        for test in ("test_bad_input.py", "test_http.py"):
            text = (PROJECT / "tests" / "integration" / test).read_text(encoding="utf-8")
            used |= set(re.findall(r'\d{3}, "([a-z_]+)"', text))
        self.assertEqual(used - documented, set())


if __name__ == "__main__":
    unittest.main()
