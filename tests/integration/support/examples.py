# SPDX-License-Identifier: Apache-2.0
"""The examples of api/API.md: read from the page, and sent to a daemon."""
import json
import re
import time
from dataclasses import dataclass

from .daemon import PROJECT, Daemon
from .http import RawConnection, Reply
from .llm import LlmServer

SECRET_FILE = PROJECT / "tests" / "integration" / "support" / "webhook.secret"
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

    @property
    def name(self) -> str:
        return f"api/API.md:{self.line} {self.method} {self.path}"


def parse_request(text: str, line: int) -> Example:
    request, *rest = text.strip().split("\n")
    expected = rest.pop()
    method, path = request.split(" ", 1)
    status, _, content_type = expected.removeprefix("=> ").partition(" ")
    headers = ""
    while rest and rest[0].startswith("Authorization: "):
        headers += rest.pop(0) + "\r\n"
    return Example(line, method, path, headers, "\n".join(rest), int(status), content_type or "application/json")


def examples() -> tuple:
    """(requests in order, the JSON blocks that show the reply of a report)."""
    page, found, advice = PAGE.read_text(encoding="utf-8"), [], []
    last_end = 0
    for block in BLOCK.finditer(page):
        kind, text = block.groups()
        if kind == "http":
            found.append(parse_request(text, page.count("\n", 0, block.start()) + 1))
        elif found and not page[last_end:block.start()].strip():
            found[-1].shape = json.loads(text)  # only white space between the two; times are left out as "…"
        else:
            advice.append(json.loads(text))
        last_end = block.end()
    return found, advice


def judge_config(llm: LlmServer) -> str:
    """Configuration of the daemon that the page takes for granted."""
    webhook = f'[webhooks.endpoints.ops]\nurl = "http://127.0.0.1:9/headway"\nsecret_file = "{SECRET_FILE}"\n'
    return f'[judge.endpoints.local]\nbase_url = "{llm.url}"\nmodel = "ok"\n{webhook}'


class ExampleRunner:
    """Runs them in order against one fresh daemon that is configured with judge_config()."""

    def __init__(self, daemon: Daemon):
        self.daemon = daemon
        self.variables = {"$OPERATOR_TOKEN": daemon.operator_token(), "$BACKUP_FILE": str(daemon.root / "backup.db"),
                          "$BEGAN": time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(time.time() - 3600))}
        client = daemon.client()
        client.report("docs-cancel", "message", text="the page cancels this one")
        client.open("docs-steer")
        client.close()

    def filled(self, text: str) -> str:
        for name, value in self.variables.items():
            text = text.replace(name, value)
        return text

    def run(self, example: Example) -> Reply:
        """The reply; of a stream its head and its first event."""
        with RawConnection(self.daemon.port) as connection:
            connection.send(connection.format(example.method, self.filled(example.path), self.filled(example.body).encode(),
                                              self.filled(example.headers)))
            if example.content_type == "text/event-stream":
                return connection.stream_reply()
            reply = connection.reply()
        if example.path.startswith("/v1/tokens") and "token" in reply.json():
            self.variables["$TOKEN_ID"] = reply.json()["id"]
            self.variables["$OPERATOR_TOKEN"] = self.daemon.operator_token()
        return reply
