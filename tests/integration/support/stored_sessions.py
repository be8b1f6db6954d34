# SPDX-License-Identifier: Apache-2.0
"""Stores of nine agents with a session each that looks, runs a failing command five times, and is cut off in a call; made up by us in the forms that the
agents write. Each answer uses 1,000 tokens of input and 20 of output."""
import json
import sqlite3
from datetime import datetime, timedelta, timezone
from pathlib import Path

BEGIN = datetime(2026, 11, 26, 10, 0, tzinfo=timezone.utc)
LOOK, FAIL, CUT = "ls -la", "cat missing.txt", "sleep 60"
COMMANDS = [LOOK] + [FAIL] * 5 + [CUT]
PRINTED = "total 4\n-rw-r--r-- 1 dev dev 6 a.txt\n"
WRONG = "cat: missing.txt: No such file or directory\n"
FOLDER = "/home/dev/code"


def at(second: int) -> str:
    return (BEGIN + timedelta(seconds=second)).strftime("%Y-%m-%dT%H:%M:%S.000Z")


def ms(second: int) -> int:
    return int((BEGIN + timedelta(seconds=second)).timestamp() * 1000)


def calls():
    """(number, second of the call, its command, what it printed or None for one that was cut off, whether it failed)."""
    for i, command in enumerate(COMMANDS):
        yield i, 2 * i + 1, command, None if command == CUT else (WRONG if command == FAIL else PRINTED), command == FAIL


def write_lines(file: Path, lines: list) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))


def claude(home: Path) -> None:
    base = {"sessionId": "claude-1", "cwd": FOLDER, "version": "2.1.332"}
    lines = [{"type": "user", **base, "timestamp": at(0), "message": {"content": "Fix it"}}]
    for i, second, command, printed, failed in calls():
        lines.append({"type": "assistant", **base, "timestamp": at(second), "message": {
            "id": f"m{i}", "model": "claude-sonnet-4-5", "usage": {"input_tokens": 1000, "output_tokens": 20},
            "content": [{"type": "tool_use", "id": f"claude{i}", "name": "Bash", "input": {"command": command}}]}})
        if printed is not None:
            lines.append({"type": "user", **base, "timestamp": at(second + 1), "message": {"content": [
                {"type": "tool_result", "tool_use_id": f"claude{i}", "is_error": failed, "content": ("Exit code 1\n" if failed else "") + printed}]}})
    write_lines(home / ".claude/projects/-home-dev-code/claude-1.jsonl", lines)
    sub = {**base, "agentId": "sub1", "isSidechain": True}
    write_lines(home / ".claude/projects/-home-dev-code/claude-1/subagents/agent-sub1.jsonl", [
        {"type": "assistant", **sub, "timestamp": at(3), "message": {"id": "s1", "model": "claude-sonnet-4-5", "content": [
            {"type": "text", "text": "Looking."}], "usage": {"input_tokens": 100, "output_tokens": 20}}}])


def codex(home: Path) -> None:
    lines = [{"timestamp": at(0), "type": "session_meta", "payload": {"id": "codex-1", "timestamp": at(0), "cwd": FOLDER, "cli_version": "0.171.0"}},
             {"timestamp": at(0), "type": "turn_context", "payload": {"model": "gpt-5.5", "cwd": FOLDER}},
             {"timestamp": at(0), "type": "response_item", "payload": {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Fix it"}]}}]
    for i, second, command, printed, failed in calls():
        lines.append({"timestamp": at(second), "type": "response_item", "payload": {
            "type": "function_call", "name": "exec_command", "arguments": json.dumps({"cmd": command}), "call_id": f"codex{i}"}})
        if printed is not None:
            lines.append({"timestamp": at(second + 1), "type": "response_item", "payload": {"type": "function_call_output", "call_id": f"codex{i}",
                          "output": f"Chunk ID: {i}\nWall time: 0.1 seconds\nProcess exited with code {int(failed)}\nOutput:\n{printed}"}})
        lines.append({"timestamp": at(second + 1), "type": "event_msg", "payload": {"type": "token_count", "info": {
            "total_token_usage": {"input_tokens": 1000 * (i + 1), "cached_input_tokens": 0, "output_tokens": 20 * (i + 1)}}}})
    write_lines(home / ".codex/sessions/2026/11/26/rollout-2026-11-26T10-00-00-codex-1.jsonl", lines)


def copilot(home: Path) -> None:
    lines = [{"type": "session.start", "timestamp": at(0), "data": {"sessionId": "copilot-1", "copilotVersion": "1.0.102", "selectedModel": "gpt-5.5",
                                                                    "context": {"cwd": FOLDER}}},
             {"type": "user.message", "timestamp": at(0), "data": {"content": "Fix it"}}]
    for i, second, command, printed, failed in calls():
        lines.append({"type": "session.usage_record", "id": f"u{i}", "timestamp": at(second), "data": {"usage": {
            "model": "gpt-5.5", "inputTokens": 1000, "outputTokens": 20, "cacheReadTokens": 0, "cacheWriteTokens": 0}}})
        lines.append({"type": "tool.execution_start", "timestamp": at(second), "data": {"toolCallId": f"copilot{i}", "toolName": "bash",
                                                                                       "arguments": {"command": command}}})
        if printed is not None:
            lines.append({"type": "tool.execution_complete", "timestamp": at(second + 1), "data": {
                "toolCallId": f"copilot{i}", "success": True, "result": {"content": printed}, "shellExecution": {"exitCode": int(failed)}}})
    write_lines(home / ".copilot/session-state/copilot-1/events.jsonl", lines)


def gemini(home: Path) -> None:
    lines = [{"sessionId": "gemini-1", "projectHash": "00", "startTime": at(0), "kind": "main"},
             {"id": "p", "timestamp": at(0), "type": "user", "content": [{"text": "Fix it"}]}]
    for i, second, command, printed, failed in calls():
        answer = {"id": f"g{i}", "timestamp": at(second), "type": "gemini", "content": "", "model": "gemini-2.5-pro",
                  "tokens": {"input": 1000, "output": 20, "cached": 0, "thoughts": 0, "total": 1020}}
        lines.append(answer)
        if printed is not None:
            said = f"Output: {printed}" + ("Exit Code: 1\n" if failed else "")
            lines.append({**answer, "timestamp": at(second + 1), "toolCalls": [{
                "id": f"gemini{i}", "name": "run_shell_command", "args": {"command": command}, "status": "success",
                "result": [{"functionResponse": {"id": f"gemini{i}", "response": {"output": said}}}]}]})
    chats = home / ".gemini/tmp/code/chats"
    write_lines(chats / "session-2026-11-26T10-00-gemini-1.jsonl", lines)
    (chats.parent / ".project_root").write_text(FOLDER)
    write_lines(chats / "gemini-1/sub2.jsonl", [
        {"sessionId": "sub2", "projectHash": "00", "startTime": at(3), "kind": "subagent", "directories": [FOLDER]},
        {"id": "gs", "timestamp": at(3), "type": "gemini", "content": "Looking.", "model": "gemini-2.5-pro", "tokens": {"input": 100, "output": 20}}])


def pi(home: Path) -> None:
    lines = [{"type": "session", "version": 3, "id": "pi-1", "timestamp": at(0), "cwd": FOLDER},
             {"type": "message", "id": "p", "timestamp": at(0), "message": {"role": "user", "content": [{"type": "text", "text": "Fix it"}]}}]
    for i, second, command, printed, failed in calls():
        lines.append({"type": "message", "id": f"a{i}", "timestamp": at(second), "message": {
            "role": "assistant", "model": "fake-model", "stopReason": "toolUse",
            "usage": {"input": 1000, "output": 20, "cacheRead": 0, "cacheWrite": 0},
            "content": [{"type": "toolCall", "id": f"pi{i}", "name": "bash", "arguments": {"command": command}}]}})
        if printed is not None:
            lines.append({"type": "message", "id": f"r{i}", "timestamp": at(second + 1), "message": {
                "role": "toolResult", "toolCallId": f"pi{i}", "toolName": "bash", "isError": failed, "content": [{"type": "text", "text": printed}]}})
    write_lines(home / ".pi/agent/sessions/--home-dev-code--/2026-11-26T10-00-00-000Z_pi-1.jsonl", lines)


def qwen(home: Path) -> None:
    base = {"sessionId": "qwen-1", "cwd": FOLDER, "version": "0.24.4"}
    lines = [{**base, "timestamp": at(0), "type": "user", "provenance": "real_user", "message": {"role": "user", "parts": [{"text": "Fix it"}]}}]
    for i, second, command, printed, failed in calls():
        lines.append({**base, "timestamp": at(second), "type": "system", "provenance": "system", "subtype": "ui_telemetry", "systemPayload": {"uiEvent": {
            "event.name": "qwen-code.api_response", "response_id": f"r{i}", "model": "qwen3-coder", "input_token_count": 1000, "output_token_count": 20}}})
        lines.append({**base, "timestamp": at(second), "type": "assistant", "provenance": "assistant_output", "model": "qwen3-coder", "message": {
            "role": "model", "parts": [{"functionCall": {"id": f"qwen{i}", "name": "run_shell_command", "args": {"command": command}}}]}})
        if printed is not None:
            said = f"Output: {printed}" + ("Exit Code: 1\n" if failed else "")
            lines.append({**base, "timestamp": at(second + 1), "type": "tool_result", "provenance": "tool_result", "message": {"role": "user", "parts": [
                {"functionResponse": {"id": f"qwen{i}", "name": "run_shell_command", "response": {"output": said}}}]}})
    write_lines(home / ".qwen/projects/-home-dev-code/chats/qwen-1.jsonl", lines)


def cline(home: Path) -> None:
    messages = [{"id": "p", "role": "user", "content": [{"type": "text", "text": "<user_input mode=\"act\">Fix it</user_input>"}], "ts": ms(0)}]
    for i, second, command, printed, failed in calls():
        messages.append({"id": f"c{i}", "role": "assistant", "ts": ms(second), "modelInfo": {"id": "fake-model"},
                         "metrics": {"inputTokens": 1000, "outputTokens": 20, "cacheReadTokens": 0, "cacheWriteTokens": 0},
                         "content": [{"type": "tool_use", "id": f"cline{i}", "name": "run_commands", "input": {"commands": [command]}}]})
        if printed is not None:
            outcome = {"query": command, "result": printed, "success": not failed}
            messages.append({"id": f"d{i}", "role": "user", "ts": ms(second + 1), "content": [
                {"type": "tool_result", "tool_use_id": f"cline{i}", "name": "run_commands", "content": [outcome]}]})
    folder = home / ".cline/data/sessions/cline-1"
    folder.mkdir(parents=True)
    (folder / "cline-1.json").write_text(json.dumps({"session_id": "cline-1", "cwd": FOLDER, "model": "fake-model", "status": "running"}, indent=1))
    (folder / "cline-1.messages.json").write_text(json.dumps({
        "version": 1, "sessionId": "cline-1", "origin": {"version": "3.0.65"}, "messages": messages, "system_prompt": "You are"}, indent=1))


SCHEMA = """
CREATE TABLE session (id text PRIMARY KEY, parent_id text, directory text NOT NULL, title text NOT NULL, version text NOT NULL, time_created integer NOT NULL);
CREATE TABLE message (id text PRIMARY KEY, session_id text NOT NULL, time_created integer NOT NULL, time_updated integer NOT NULL, data text NOT NULL);
CREATE TABLE part (id text PRIMARY KEY, message_id text NOT NULL, session_id text NOT NULL, time_created integer NOT NULL, time_updated integer NOT NULL,
                   data text NOT NULL);
CREATE TABLE credential (id text PRIMARY KEY, secret text NOT NULL);
-- As Kilo has them; SQLite calls json_extract() unsafe.
CREATE INDEX message_role ON message (id, json_extract(data, '$.role'));
CREATE INDEX part_step ON part (session_id) WHERE json_valid(data) AND json_extract(data, '$.type') = 'step-finish';
"""


class Rows:
    """A store of opencode or Kilo, open until close(): its newest rows are in the log."""

    def __init__(self, file: Path, agent: str):
        self.file, self.agent = file, agent
        file.parent.mkdir(parents=True, exist_ok=True)
        self.database = sqlite3.connect(file)
        self.database.execute("PRAGMA journal_mode = wal")
        self.database.executescript(SCHEMA)

    def close(self) -> None:
        self.database.close()

    def message(self, name: str, session: str, second: int, data: dict) -> None:
        self.database.execute("INSERT INTO message VALUES (?, ?, ?, ?, ?)", (name, session, ms(second), ms(second), json.dumps(data)))

    def part(self, name: str, message: str, session: str, second: int, data: dict) -> None:
        self.database.execute("INSERT INTO part VALUES (?, ?, ?, ?, ?, ?)", (name, message, session, ms(second), ms(second), json.dumps(data)))

    def fill(self) -> None:
        session = self.agent + "-1"
        self.database.execute("INSERT INTO session VALUES (?, NULL, ?, 'Fix', '1.18.33', ?)", (session, FOLDER, ms(0)))
        self.database.execute("INSERT INTO session VALUES (?, ?, ?, 'sub', '1.18.33', ?)", (self.agent + "-sub", session, FOLDER, ms(3)))
        self.message("p", session, 0, {"role": "user", "time": {"created": ms(0)}})
        self.part("p", "p", session, 0, {"type": "text", "text": "Fix it"})
        for i, second, command, printed, failed in calls():
            made = {"role": "assistant", "modelID": "fake-model", "path": {"cwd": FOLDER}, "time": {"created": ms(second), "completed": ms(second + 1)}}
            self.message(f"m{i}", session, second, made)
            state = {"status": "running", "input": {"command": command}, "time": {"start": ms(second)}}
            if printed is not None:
                state.update(status="completed", output=printed, metadata={"exit": int(failed)}, time={"start": ms(second), "end": ms(second + 1)})
            self.part(f"t{i}", f"m{i}", session, second, {"type": "tool", "tool": "bash", "callID": f"{self.agent}{i}", "state": state})
            self.part(f"u{i}", f"m{i}", session, second + 1, {"type": "step-finish", "tokens": {
                "input": 1000, "output": 20, "reasoning": 0, "cache": {"read": 0, "write": 0}}})
        self.message("s", self.agent + "-sub", 3, {"role": "assistant", "modelID": "fake-model", "time": {"created": ms(4)}})
        self.part("s", "s", self.agent + "-sub", 3, {"type": "step-finish", "tokens": {"input": 100, "output": 20, "cache": {"read": 0, "write": 0}}})
        self.database.commit()


def opencode(home: Path) -> None:
    rows = Rows(home / ".local/share/opencode/opencode.db", "opencode")
    rows.fill()
    rows.close()


def kilo(home: Path) -> None:
    rows = Rows(home / ".local/share/kilo/kilo.db", "kilo")
    rows.fill()
    rows.close()


AGENTS = {"claude": claude, "cline": cline, "codex": codex, "copilot": copilot, "gemini": gemini, "kilo": kilo, "opencode": opencode, "pi": pi, "qwen": qwen}
