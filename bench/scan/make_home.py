#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""make_home.py FOLDER MEGABYTES [--agent claude|codex] [--seed N]: a home with stored sessions of realistic size, made up from a seed.

A turn of Claude Code is about 30 kB: what it sent and what it attached (which scan passes over), an answer in one line a part, and the result of a
call twice, as text and as an object. Sizes of results are spread as those of commands are: most below 1 kB, some of 30 kB. One session in eleven
loops at its end; a file of Edit lines carries whole files."""
import argparse
import json
import random
from datetime import datetime, timedelta, timezone
from pathlib import Path

PROJECTS = ("shop", "site", "billing-api", "infra", "mobile", "search", "docs", "data-import", "auth", "reports")
WORDS = ("the build of module returns error while value in file test passes after change line function index cache reads writes node edge "
         "request reply token state queue worker when none const auto return include std vector string size begin end import from def class").split()


class Text:
    """Text from a pool, since making 3 GB word by word takes longer than reading it."""

    def __init__(self, random_: random.Random):
        self.random = random_
        lines = []
        for i in range(20_000):
            indent = "    " * random_.randint(0, 3)
            quote = '"' if i % 7 == 0 else ""
            lines.append(f"{indent}{' '.join(random_.choices(WORDS, k=random_.randint(2, 11)))}{quote}{i % 100}{quote};")
        self.pool = "\n".join(lines)

    def of(self, size: int) -> str:
        at = self.random.randrange(len(self.pool) - size)
        return self.pool[at:at + size]

    def result(self) -> str:
        return self.of(self.random.choices((60, 300, 900, 4_000, 12_000, 30_000), (20, 25, 25, 18, 8, 4))[0])


class Session:
    def __init__(self, text: Text, number: int, begin: datetime):
        self.text, self.random, self.number = text, text.random, number
        self.time, self.calls = begin, 0
        self.project = "/home/dev/" + PROJECTS[number % len(PROJECTS)]
        self.name_ = f"{number * 2654435761 % 2**32:08x}"  # as random as a UUID's beginning looks

    def tick(self, seconds: float) -> str:
        self.time += timedelta(seconds=seconds)
        return self.time.strftime("%Y-%m-%dT%H:%M:%S.") + f"{self.time.microsecond // 1000:03}Z"

    def id(self) -> str:
        return f"{self.name_}-0000-4000-8000-{self.calls:012x}"

    def call(self, loops: bool) -> tuple:
        """(tool, arguments, result, whether it failed)."""
        self.calls += 1
        if loops:
            return "Bash", {"command": "make test", "description": "run the tests"}, "Exit code 2\nmake: *** [test] Error 1", True
        kind = self.random.random()
        if kind < 0.5:
            return "Bash", {"command": f"grep -n {self.random.choice(WORDS)} src/{self.calls}.cpp", "description": "look"}, self.text.result(), kind < 0.03
        if kind < 0.8:
            return "Read", {"file_path": f"{self.project}/src/{self.random.randrange(400)}.cpp"}, self.text.result(), False
        return "Edit", {"file_path": f"{self.project}/src/{self.random.randrange(400)}.cpp", "old_string": self.text.of(300),
                        "new_string": self.text.of(400)}, "The file has been updated.\n" + self.text.of(500), False


class Claude(Session):
    file = ".claude/projects/-home-dev-{0}/{1}.jsonl"

    def base(self) -> dict:
        return {"userType": "external", "entrypoint": "cli", "cwd": self.project, "sessionId": self.name_, "version": "2.1.332", "gitBranch": "main"}

    def first(self):
        yield {"parentUuid": None, "isSidechain": False, "type": "user", "message": {"role": "user", "content": "Go on with " + self.text.of(200)},
               "uuid": self.id(), "timestamp": self.tick(0), **self.base()}

    def usage(self) -> dict:
        return {"input_tokens": 12, "cache_creation_input_tokens": 900, "cache_read_input_tokens": 40_000 + 300 * self.calls,
                "output_tokens": 250, "server_tool_use": {"web_search_requests": 0, "web_fetch_requests": 0}, "service_tier": "standard",
                "cache_creation": {"ephemeral_1h_input_tokens": 0, "ephemeral_5m_input_tokens": 900}, "iterations": [], "speed": "standard"}

    def turn(self, loops: bool):
        tool, arguments, result, failed = self.call(loops)
        answer, call = f"msg_{self.name_}_{self.calls}", f"toolu_{self.name_}_{self.calls}"
        yield {"type": "api-request-blob", "sessionId": self.name_, "hash": answer, "data": self.text.of(9_000)}
        yield {"type": "api-request", "sessionId": self.name_, "ref": answer, "blobs": [self.id()] * 12}
        for size in (700, 2_500, 500):
            yield {"parentUuid": self.id(), "isSidechain": False, "attachment": {"type": "context", "content": self.text.of(size)}, "type": "attachment",
                   "uuid": self.id(), "timestamp": self.tick(0.01), **self.base()}
        parts = [{"type": "text", "text": self.text.of(350)}] if self.random.random() < 0.6 else []
        parts.append({"type": "tool_use", "id": call, "name": tool, "input": arguments})
        for part in parts:
            yield {"parentUuid": self.id(), "isSidechain": False, "message": {
                "id": answer, "type": "message", "role": "assistant", "model": "claude-sonnet-4-5", "content": [part], "stop_reason": "tool_use",
                "stop_sequence": None, "usage": self.usage()}, "requestId": answer, "type": "assistant", "uuid": self.id(), "timestamp": self.tick(4), **self.base()}
        said = {"stdout": result, "stderr": "", "interrupted": False, "isImage": False}
        if tool == "Edit":
            said = {"filePath": arguments["file_path"], "originalFile": self.text.of(14_000), "structuredPatch": [{"lines": [self.text.of(400)]}]}
        if tool == "Read":
            said = {"type": "text", "file": {"filePath": arguments["file_path"], "content": result}}
        yield {"parentUuid": self.id(), "isSidechain": False, "type": "user", "message": {"role": "user", "content": [
            {"tool_use_id": call, "type": "tool_result", "content": result, "is_error": failed}]}, "uuid": self.id(), "timestamp": self.tick(2),
            "toolUseResult": said, **self.base()}


class Codex(Session):
    file = ".codex/sessions/2026/11/26/rollout-2026-11-26T00-00-00-{1}.jsonl"

    def line(self, kind: str, payload: dict, seconds: float = 0) -> dict:
        return {"timestamp": self.tick(seconds), "type": kind, "payload": payload}

    def first(self):
        at = self.tick(0)
        yield self.line("session_meta", {"id": self.name_, "timestamp": at, "cwd": self.project, "cli_version": "0.171.0",
                                         "base_instructions": {"text": self.text.of(12_000)}})
        yield self.line("turn_context", {"model": "gpt-5.5", "cwd": self.project})
        yield self.line("response_item", {"type": "message", "role": "user", "content": [{"type": "input_text", "text": self.text.of(200)}]})

    def turn(self, loops: bool):
        _, arguments, result, failed = self.call(loops)
        call = f"call_{self.name_}_{self.calls}"
        yield self.line("world_state", {"full": True, "state": self.text.of(2_000)})
        yield self.line("response_item", {"type": "reasoning", "summary": [], "encrypted_content": "gAAAA" * 400}, 3)
        yield self.line("response_item", {"type": "function_call", "name": "exec_command", "arguments": json.dumps(arguments), "call_id": call}, 1)
        yield self.line("event_msg", {"type": "item_completed", "item": {"type": "CommandExecution", "id": call, "exit_code": int(failed),
                                                                        "aggregated_output": result}}, 2)
        yield self.line("response_item", {"type": "function_call_output", "call_id": call,
                                          "output": f"Chunk ID: 1\nProcess exited with code {int(failed)}\nOutput:\n{result}"})
        yield self.line("event_msg", {"type": "token_count", "info": {"total_token_usage": {
            "input_tokens": 41_000 * self.calls, "cached_input_tokens": 40_000 * self.calls, "output_tokens": 250 * self.calls}}})


KINDS = {"claude": Claude, "codex": Codex}


def make(home: Path, megabytes: int, agents: list, seed: int) -> None:
    random_ = random.Random(seed)
    text = Text(random_)
    left, number = megabytes * 1_000_000, 0
    begin = datetime(2026, 1, 5, tzinfo=timezone.utc)
    while left > 0:
        session = KINDS[agents[number % len(agents)]](text, number, begin + timedelta(hours=number * 7 % 7_700))
        file = home / session.file.format(PROJECTS[number % len(PROJECTS)], session.name_)
        file.parent.mkdir(parents=True, exist_ok=True)
        turns = random_.choices((4, 30, 120, 600), (30, 40, 25, 5))[0]
        with file.open("w") as out:
            for line in session.first():
                left -= out.write(json.dumps(line, separators=(",", ":")) + "\n")
            for turn in range(turns):
                loops = number % 11 == 0 and turn > turns - 9
                for line in session.turn(loops):
                    left -= out.write(json.dumps(line, separators=(",", ":")) + "\n")
                if left <= 0:
                    break
        number += 1


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("megabytes", type=int)
    parser.add_argument("--agent", action="append", choices=sorted(KINDS))
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    make(options.folder, options.megabytes, options.agent or ["claude"], options.seed)
