#!/usr/bin/env python3
"""Every example of api/API.md, run in order against one fresh daemon: the page says what the daemon does."""
import json
import re
import unittest
from dataclasses import dataclass

from support.case import OwnDaemonCase
from support.daemon import PROJECT
from support.http import RawConnection
from support.llm import LlmServer

PAGE = PROJECT / "api" / "API.md"
BLOCK = re.compile(r"^```(http|json)\n(.*?)^```", re.M | re.S)


@dataclass
class Example:
    line: int
    method: str
    path: str
    headers: str  # whole lines
    body: str
    status: int
    content_type: str
    shape: object = None  # the JSON block behind it


def parse_request(text: str, line: int) -> Example:
    request, *rest = text.strip().split("\n")
    expected = rest.pop()
    method, path = request.split(" ", 1)
    status, _, content_type = expected.removeprefix("=> ").partition(" ")
    headers = ""
    while rest and rest[0].startswith("Authorization: "):
        headers += rest.pop(0) + "\r\n"
    return Example(line, method, path, headers, "\n".join(rest), int(status), content_type or "application/json")


def parse_json(text: str):
    """The examples leave times out as … inside quotes; that is JSON all the same."""
    return json.loads(text)


def examples() -> tuple:
    """(requests in order, the JSON blocks that show the reply of a report)."""
    page, found, advice = PAGE.read_text(encoding="utf-8"), [], []
    last_end = 0
    for block in BLOCK.finditer(page):
        kind, text = block.groups()
        if kind == "http":
            found.append(parse_request(text, page.count("\n", 0, block.start()) + 1))
        elif found and not page[last_end:block.start()].strip():
            found[-1].shape = parse_json(text)  # nothing but white space between the two
        else:
            advice.append(parse_json(text))
        last_end = block.end()
    return found, advice


class Examples(OwnDaemonCase):
    def test_every_example_does_what_the_page_says(self):
        requests, _ = examples()
        self.assertGreater(len(requests), 10)
        llm = LlmServer()
        self.addCleanup(llm.stop)
        daemon = self.start(config=f'[judge.endpoints.local]\nbase_url = "{llm.url}"\nmodel = "ok"\n')
        self.client(daemon).report("docs-cancel", "message", text="the page cancels this one")
        self.client(daemon).open("docs-steer")
        self.variables = {"$OPERATOR_TOKEN": daemon.operator_token()}
        for example in requests:
            with self.subTest(f"api/API.md:{example.line} {example.method} {example.path}"):
                self.run_example(daemon, example)

    def run_example(self, daemon, example: Example):
        with RawConnection(daemon.port) as connection:
            request = connection.format(example.method, example.path, example.body.encode(), example.headers).decode()
            for name, value in self.variables.items():
                request = request.replace(name, value)
            connection.send(request.encode())
            if example.content_type == "text/event-stream":
                head = connection.read_until(b"\r\n\r\n").decode().lower()
                self.assertIn(f" {example.status} ", head)
                self.assertIn("content-type: text/event-stream", head)
                self.assertIn(b"event: hello", connection.read_until(b"\n\n"))
                return
            reply = connection.reply()
        self.assertEqual(reply.status, example.status, reply.body)
        self.assertEqual(reply.headers["content-type"], example.content_type)
        if example.path.startswith("/v1/tokens") and "token" in reply.json():
            self.variables["$TOKEN_ID"] = reply.json()["id"]
            self.variables["$OPERATOR_TOKEN"] = daemon.operator_token()
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
        _, (advice,) = examples()
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
