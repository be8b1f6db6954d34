#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`headway scan --into`: stored sessions become the history of a daemon once, and nothing that lives is touched."""
import json
import os
import shutil
import signal
import tempfile
import threading
import time
import unittest
from datetime import datetime, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from support import stored_sessions
from support.case import OwnDaemonCase
from support.cli import Cli, finish
from support.limits import eventually
from support.other_program import OtherProgram
from support.sse import EventStream
from support.webhook_receiver import Receiver

HOURS = 3_600
BEGAN = int(time.time()) - 40 * HOURS  # of the first session


def stamp(at: float) -> str:
    return datetime.fromtimestamp(at, timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def claude(session: str, calls: int, began: float = BEGAN, done: bool = True, **more) -> list:
    """A session of Claude Code in which a command fails so many times, once in ten seconds."""
    base = {"sessionId": session, "cwd": "/home/dev/code", "version": "2.1.332", **more}
    lines = [{**base, "type": "user", "timestamp": stamp(began), "message": {"content": "Fix the build"}}]
    for i in range(calls):
        name, at = f"{session}{more.get('agentId', '')}{i}", began + 10 * (i + 1)
        use = {"id": "m" + name, "model": "claude-sonnet-4-5", "usage": {"input_tokens": 1000, "output_tokens": 200}}
        lines.append({**base, "type": "assistant", "timestamp": stamp(at), "message": {
            **use, "content": [{"type": "tool_use", "id": "t" + name, "name": "Bash", "input": {"command": "make"}}]}})
        lines.append({**base, "type": "user", "timestamp": stamp(at + 1), "message": {"content": [
            {"type": "tool_result", "tool_use_id": "t" + name, "is_error": True, "content": "Exit code 2\nno rule"}]}})
    if done:
        lines.append({**base, "type": "assistant", "timestamp": stamp(began + 10 * calls + 10), "message": {
            "id": "end" + session, "model": "claude-sonnet-4-5", "stop_reason": "end_turn", "usage": {"input_tokens": 1000, "output_tokens": 200},
            "content": [{"type": "text", "text": "It is done."}]}})
    return lines


class OldDaemon:
    """Replies as a daemon that knows neither a session nor the route."""

    def __init__(self):
        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):  # noqa: N802
                self.rfile.read(int(self.headers.get("Content-Length", 0)))
                code = "unknown_session" if self.command == "GET" else "unknown_route"
                body = json.dumps({"code": code, "detail": "not here", "status": 404}).encode()
                self.send_response(404)
                self.send_header("Content-Type", "application/problem+json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            do_POST = do_GET

            def log_message(self, *_):
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        self._thread.start()

    def stop(self):
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


class ScanInto(OwnDaemonCase):
    def setUp(self):
        self.home = Path(tempfile.mkdtemp(prefix="headway-home-"))
        self.addCleanup(shutil.rmtree, self.home, True)

    def begin(self, settings: dict | None = None, config: str = ""):
        self.daemon = self.start(settings, config)
        self.log_in()

    def log_in(self):
        self.operator = self.client(self.daemon, token=self.daemon.operator_token())

    def cli(self) -> Cli:
        cli = Cli(self.daemon)
        cli.environment["HOME"] = str(self.home)
        for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME"):
            cli.environment.pop(name, None)
        return cli

    def store(self, path: str, lines: list, age: float = 2 * HOURS) -> Path:
        file = self.home / ".claude/projects/-home-dev-code" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("".join(json.dumps(line) + "\n" for line in lines))
        os.utime(file, (time.time() - age,) * 2)
        return file

    def two_with_a_sub_agent(self):
        self.store("one.jsonl", claude("one", 9))
        self.store("one/subagents/agent-a1.jsonl", claude("one", 2, BEGAN + 20, agentId="a1", isSidechain=True))
        self.store("two.jsonl", claude("two", 2, BEGAN + HOURS, done=False))

    def into(self, *arguments, code: int = 0, cli: Cli | None = None):
        output = (cli or self.cli()).run("scan", "--into", self.daemon.url, *arguments)
        self.assertEqual(output.code, code, output)
        return output

    def counts(self, *arguments) -> tuple:
        told = self.into("--json", *arguments).json()
        return told["added"], told["known"]

    def rows(self, query: str = "open=false") -> list:
        return self.operator.get(f"/v1/sessions?view=row&limit=200&{query}").json()["sessions"]

    def assert_same_digests(self, digests: list, needs: bool = True):
        for digest in digests:
            again = self.operator.get(f"/v1/digest?since={digest['since']}").json()
            for name in ("ended", "loops", "by_label", *(["needs_you"] if needs else [])):
                self.assertEqual(again[name], digest[name], name)

    def test_the_first_run_adds_and_the_history_lists_them_with_their_times_calls_and_ends(self):
        self.begin()
        self.two_with_a_sub_agent()
        text = self.into().out
        self.assertRegex(text, r"^3 sessions added to the history \(\d+ events\), 0 were there already\.\n$")
        rows = self.rows()
        self.assertEqual([row["id"] for row in rows], ["claude-two", "claude-one.a1", "claude-one"])  # the newest is first
        two, sub, one = rows
        self.assertEqual([row["recorded"] for row in rows], [True] * 3)
        self.assertEqual((one["opened_at"], one["ended_at"]), (stamp(BEGAN), stamp(BEGAN + 100)))
        self.assertEqual((one["status"], two["status"], sub["parent"]), ("completed", "failed", "claude-one"))
        self.assertEqual((one["goal"], one["used"]["tokens"]), ("Fix the build", 10 * 1200))
        whole = self.operator.session("claude-one")
        self.assertEqual((whole["recorded"], whole["tools"]["calls"], whole["tools"]["failures"]), (True, 9, 9))
        self.assertGreater(whole["used"]["cost_usd"], 0)
        self.assertEqual(whole["labels"]["workspace"], "/home/dev/code")
        journal = self.operator.journal("claude-one")
        stuck = next(event for event in journal if event["type"] == "verdict.changed" and event["data"]["to"] == "stuck")
        self.assertEqual(stuck["at"], stamp(BEGAN + 41))  # as `headway scan` says, from call 4
        self.assertEqual([event for event in journal if event["type"] == "directive.issued"], [])  # no agent was there
        self.assertEqual(self.operator.session("claude-two")["ended_at"], stamp(BEGAN + HOURS + 21))

    def test_a_second_run_adds_nothing_also_behind_a_restart(self):
        self.begin()
        self.two_with_a_sub_agent()
        self.assertEqual(self.counts(), (3, 0))
        before = {name: self.operator.journal(name) for name in ("claude-one", "claude-one.a1", "claude-two")}
        self.assertEqual(self.counts(), (0, 3))
        self.daemon.restart()
        self.log_in()
        self.assertEqual(self.counts("--no-cache"), (0, 3))
        self.assertEqual({name: self.operator.journal(name) for name in before}, before)
        self.assertEqual(len(self.rows()), 3)

    def test_a_session_of_hooks_wins_and_a_recorded_one_goes_on_as_another(self):
        self.begin()
        self.two_with_a_sub_agent()
        prompt = {"session_id": "one", "hook_event_name": "UserPromptSubmit", "prompt": "go", "cwd": "/"}
        self.assertEqual(self.operator.post("/v1/hooks/claude", prompt).status, 200)
        before = self.operator.journal("claude-one")
        self.assertEqual(self.counts(), (2, 1))
        self.assertEqual(self.operator.journal("claude-one"), before)
        self.assertNotIn("recorded", self.operator.session("claude-one"))
        self.operator.post("/v1/hooks/claude", {**prompt, "session_id": "two"})  # a person resumes it
        self.assertEqual(self.operator.session("claude-two")["recorded"], True)
        self.assertNotIn("recorded", self.operator.session("claude-two~2"))

    def test_a_recorded_session_that_goes_on_is_observed_as_another(self):
        self.begin()
        file = self.store("one.jsonl", claude("one", 9))
        self.assertEqual(self.counts(), (1, 0))
        before = self.operator.journal("claude-one")
        observer = self.cli().start("observe", "claude", "--rescan", "1s")
        self.addCleanup(finish, observer)
        self.addCleanup(observer.terminate)
        self.assertIn("observes", observer.stderr.readline())
        with file.open("a") as end:
            end.write("".join(json.dumps(line) + "\n" for line in claude("one", 2, time.time(), done=False)))
        calls = lambda: self.operator.get("/v1/sessions/claude-one~2").json().get("tools", {}).get("calls")
        eventually(lambda: calls() == 2, what="two calls of the session that goes on")
        self.assertNotIn("recorded", self.operator.session("claude-one~2"))
        self.assertEqual(self.operator.journal("claude-one"), before)

    def test_nothing_that_lives_is_touched_and_nobody_is_notified(self):
        with Receiver(secrets=()) as receiver:
            self.begin(config=f'[webhooks.endpoints.all]\nformat = "slack"\nurl = "{receiver.url}"\nallow_private_addresses = "on"\ngather = "0s"\n')
            self.operator.open("live", labels={"team": "night"}, budget={"max_tokens": 1_000_000})
            self.operator.report("live", "tool.finished", tool="bash", ok=True, call_id="c", usage={"tokens": 70})
            overview, live = self.operator.get("/v1/overview").json(), self.operator.journal("live")
            digests = [self.operator.get(f"/v1/digest?since={since}").json() for since in ("1h", "72h")]
            self.assertEqual([digest["by_label"][0]["tokens"] for digest in digests], [70, 70])
            self.two_with_a_sub_agent()
            self.assertEqual(self.counts(), (3, 0))
            after = self.operator.get("/v1/overview").json()
            self.assertEqual({**after, "cursor": 0}, {**overview, "cursor": 0})
            self.assertEqual(self.operator.journal("live"), live)
            self.assert_same_digests(digests)  # also where old events stand behind newer ones
            self.operator.post("/v1/sessions/live/approvals", {"tool": "bash", "args": {}})  # its message comes behind any of theirs
            messages = receiver.wait(lambda messages: any(b"live" in message.body for message in messages))
            self.assertFalse(any(b"claude-" in message.body for message in messages))
        self.assertEqual(self.operator.delete("/v1/sessions/claude-two").status, 202)
        eventually(lambda: self.operator.get("/v1/sessions/claude-two").status == 404, what="a deletion")
        self.assert_same_digests(digests, needs=False)  # also where events behind theirs are deleted
        metrics = self.operator.get("/metrics").body.decode()
        self.assertNotRegex(metrics, r'headway_verdicts_total\{[^}]*"stuck"[^}]*\} [1-9]')

    def test_a_live_stream_does_not_carry_the_past(self):
        self.begin()
        self.two_with_a_sub_agent()
        with EventStream(self.daemon.port, "/v1/stream") as stream:
            stream.until(lambda event: event.name == "hello")
            self.assertEqual(self.counts(), (3, 0))
            self.operator.open("last")
            seen = stream.until(lambda event: event.name == "session.started")
            self.assertEqual([event.data["session"] for event in seen], ["last"])

    def test_only_a_token_that_controls_writes_history(self):
        self.begin({"access.mode": "token"})
        self.two_with_a_sub_agent()
        token = self.operator.post("/v1/tokens", {"name": "agent", "scopes": ["report", "read"]}).json()["token"]
        file = self.home / "agent.token"
        file.write_text(token)
        file.chmod(0o600)
        said = self.into("--token-file", str(file), code=1)
        self.assertIn("a token with the scope `control`", said.err)
        self.assertEqual(self.rows(), [])
        writer = self.home / "writer.token"  # writes, and does not read
        writer.write_text(self.operator.post("/v1/tokens", {"name": "writer", "scopes": ["control"]}).json()["token"])
        writer.chmod(0o600)
        agent = self.client(self.daemon, token=token)
        part = [{"type": "session.started", "at": stamp(BEGAN)}]
        self.assertEqual(agent.post("/v1/sessions/own/recorded", part).status, 403)
        self.assertEqual(self.operator.get("/v1/sessions/own").status, 404)
        for expected in ((3, 0), (0, 3)):
            self.assertEqual(self.counts("--token-file", str(writer)), expected)

    def test_an_import_that_was_killed_is_completed_by_the_next_and_counts_as_no_open_session(self):
        self.begin()
        self.store("long.jsonl", claude("long", 700))
        cli = self.cli()
        began = json.loads(cli.run("scan", "--into", self.daemon.url, "--dry-run", "--json").out)
        self.assertEqual((began["added"], self.rows()), (1, []))
        # Its first part, as a killed import leaves it, and a daemon that is killed behind it.
        lines = [{"type": "session.started", "at": stamp(BEGAN), "data": {"agent": {"type": "claude"}}},
                 {"type": "message", "event_id": "m", "at": stamp(BEGAN), "data": {"role": "user", "text": "Fix the build"}}]
        self.assertEqual(self.operator.post("/v1/sessions/claude-long/recorded", lines).json()["ended"], False)
        self.assertEqual(sum(self.operator.get("/v1/overview").json()["counts"].values()), 0)
        self.daemon.kill()
        self.daemon.start()
        self.log_in()
        self.assertEqual(sum(self.operator.get("/v1/overview").json()["counts"].values()), 0)
        self.assertEqual([row["id"] for row in self.rows()], ["claude-long"])
        refused = self.operator.post("/v1/sessions/claude-long/events", {"type": "message", "data": {"role": "user", "text": "hi"}})
        self.assertEqual((refused.status, refused.json()["code"]), (409, "session_exists"))
        refused = self.operator.post("/v1/sessions/claude-long/approvals", {"tool": "bash", "args": {}})
        self.assertEqual((refused.status, refused.json()["code"]), (409, "session_exists"))
        prompt = {"session_id": "long", "hook_event_name": "UserPromptSubmit", "prompt": "go", "cwd": "/"}
        self.assertEqual(self.operator.post("/v1/hooks/claude", prompt).status, 200)
        self.assertNotIn("recorded", self.operator.session("claude-long~2"))
        self.assertEqual(self.counts(), (1, 0))
        whole = self.operator.session("claude-long")
        self.assertEqual((whole["tools"]["calls"], whole["ended_at"], whole["outcome"]), (700, stamp(BEGAN + 7010), "completed"))

    def test_a_daemon_that_is_killed_in_the_middle_has_each_session_once_behind_the_next_run(self):
        self.begin()
        for i in range(12):
            self.store(f"s{i}.jsonl", claude(f"s{i}", 120, BEGAN + 100 * i))
        cli = self.cli()
        run = cli.start("scan", "--into", self.daemon.url, "--json")
        while len(self.rows()) < 3:
            self.assertIsNone(run.poll(), "it was over too soon")
        self.daemon.kill()
        self.daemon.start(self.daemon.port)
        self.log_in()
        finish(run)  # it goes on, or says that the daemon is gone
        added, known = self.counts()
        self.assertEqual(added + known, 12)
        self.assertEqual(self.counts(), (0, 12))
        for i in range(12):
            whole = self.operator.session(f"claude-s{i}")
            self.assertEqual((whole["tools"]["calls"], whole["outcome"]), (120, "completed"))

    def test_what_may_still_run_is_left_out_and_said(self):
        self.begin()
        self.two_with_a_sub_agent()
        self.store("two.jsonl", claude("two", 2, BEGAN + HOURS), age=60)
        text = self.into().out
        self.assertIn("2 sessions added", text)
        self.assertIn("left out: 1 session: changed within 15 minutes: it may still run\n", text)

    def test_what_is_older_than_retention_is_left_out_and_said(self):
        self.begin({"storage.retention": "36h"})
        self.two_with_a_sub_agent()
        self.assertRegex(self.into().out, r"^0 sessions added .*\nleft out: 3 sessions: .*longer ago than ended sessions are kept \(storage.retention\)")

    def test_ctrl_c_prints_what_was_added(self):
        self.begin()
        for i in range(30):
            self.store(f"s{i}.jsonl", claude(f"s{i}", 100, BEGAN + 100 * i))
        run = self.cli().start("scan", "--into", self.daemon.url)
        while not self.rows():
            self.assertIsNone(run.poll(), "it was over too soon")
        run.send_signal(signal.SIGINT)
        output = finish(run)
        self.assertEqual(output.code, 0, output)
        self.assertRegex(output.out, r"^\d+ sessions? added to the history")
        self.assertIn("stopped: the same command adds the rest", output.err)
        added, known = self.counts()
        self.assertEqual(added + known, 30)
        self.assertGreater(added, 0)

    def test_errors_name_the_cause_and_the_next_command(self):
        self.begin()
        self.two_with_a_sub_agent()
        cli = self.cli()
        gone = cli.run("scan", "--into", "http://127.0.0.1:1")
        self.assertEqual(gone.code, 69, gone)
        self.assertIn("no daemon answers at http://127.0.0.1:1", gone.err)
        self.assertIn("headway serve", gone.err)
        self.assertIn("name it with --into\n", gone.err)
        wrong = cli.run("scan", "--into", "ftp://x")
        self.assertEqual(wrong.code, 64, wrong)
        self.assertIn("--into http://127.0.0.1:7717", wrong.err)
        self.assertNotIn("--url", gone.err + wrong.err)
        old = OldDaemon()
        self.addCleanup(old.stop)
        refused = cli.run("scan", "--into", old.url)
        self.assertEqual(refused.code, 1, refused)
        self.assertIn("is too old to take stored sessions", refused.err)
        self.assertIn("update headway where it runs", refused.err)
        with OtherProgram(200) as other:
            refused = cli.run("scan", "--into", other.url)
        self.assertEqual(refused.code, 69, refused)
        self.assertIn("another program listens there, not Headway", refused.err)
        self.assertEqual(cli.run("scan", "--dry-run").code, 64)
        self.assertEqual(cli.run("scan", "--into", self.daemon.url, "--show", "x").code, 64)

    def test_a_session_with_the_id_of_a_later_generation_is_left_out_alone(self):
        self.begin()
        for number, name in enumerate(("one", "two~2", "three")):
            self.store(f"{name}.jsonl", claude(name, 2, BEGAN + number * HOURS))
        told = self.into()
        self.assertIn("left out: 1 session: ids with ~2", told.out + told.err)
        self.assertEqual({row["id"] for row in self.rows()}, {"claude-one", "claude-three"})

    def test_bad_parts_name_the_field(self):
        self.begin()
        post = lambda part: self.operator.post("/v1/sessions/bad/recorded", part)
        start = {"type": "session.started", "at": stamp(BEGAN)}
        for part, status, code, field in (
                ([], 400, "empty_report", None), ({}, 400, "invalid_field", None),
                ([start, start], 400, "invalid_field", "/1/type"), ([{**start, "at": stamp(time.time() + 900)}], 400, "invalid_field", "/0/at"),
                ([start, {"type": "heartbeat", "at": stamp(time.time() + 900), "data": {}}], 400, "invalid_field", "/1/at"),
                ([start, {"type": "approval.requested", "data": {"tool": "bash", "args": {}}}], 400, "invalid_field", "/1/type"),
                ([{"type": "heartbeat", "data": {}}], 404, "unknown_session", None)):
            with self.subTest(part):
                reply = post(part)
                self.assertEqual((reply.status, reply.json()["code"]), (status, code), reply.body)
                self.assertEqual(reply.json().get("field"), field)
        self.assertEqual(self.operator.get("/v1/sessions/bad").status, 404)

    def half(self, name: str, began: float = BEGAN) -> list:
        """The first part of an import that is then killed."""
        part = [{"type": "session.started", "at": stamp(began), "data": {"agent": {"type": "claude"}}},
                {"type": "message", "event_id": "m", "at": stamp(began), "data": {"role": "user", "text": "Fix the build"}}]
        self.assertEqual(self.operator.post(f"/v1/sessions/{name}/recorded", part).json()["ended"], False)
        return part

    def test_a_half_imported_session_obeys_no_one_and_is_shown_as_recorded(self):
        self.begin()
        self.half("half")
        before = self.operator.journal("half")
        for command, body in (("pause", {}), ("resume", {}), ("nudge", {"text": "go on"}), ("cancel", {}), ("end", {"outcome": "completed"}),
                              ("budget", {"set": {"max_tokens": 10}}), ("budget", {"extend": {"max_tokens": 10}})):
            with self.subTest(command):
                refused = self.operator.post(f"/v1/sessions/half/{command}", body)
                self.assertEqual((refused.status, refused.json()["code"]), (409, "session_exists"), refused.body)
                self.assertIn("repeat `headway scan --into`, or forget the session", refused.json()["detail"])
        self.assertEqual(self.operator.journal("half"), before)
        self.assertEqual([(row["id"], row["recorded"], row["alive"]) for row in self.rows()], [("half", True, False)])
        self.assertEqual(self.rows("open=true"), [])
        listed = self.cli().run("sessions", "--url", self.daemon.url).out
        self.assertRegex(listed, r"half .* recorded ")

    def test_a_recording_cannot_stand_between_a_live_session_and_its_next_generation(self):
        self.begin()
        part = [{"type": "session.started", "at": stamp(BEGAN), "data": {}},
                {"type": "session.ended", "at": stamp(BEGAN), "data": {"outcome": "completed"}}]
        self.operator.open("live")
        for name in ("live~2", "later~2"):
            refused = self.operator.post(f"/v1/sessions/{name}/recorded", part)
            self.assertEqual((refused.status, refused.json()["code"], refused.json()["field"]), (403, "forbidden", "id"))
        self.assertEqual(self.operator.post("/v1/sessions/live~x/recorded", part).status, 200)

    def test_a_half_imported_session_can_be_forgotten_and_imported_again(self):
        self.begin()
        part = self.half("half")
        done = self.cli().run("forget", "half", "--yes", "--url", self.daemon.url)
        self.assertEqual((done.code, done.out), (0, "half: forgotten\n"), done)
        late = self.operator.post("/v1/sessions/half/recorded", [{**part[1], "event_id": "m2"}])
        self.assertIn((late.status, late.json()["code"]), [(404, "unknown_session"), (409, "session_ended")])
        self.assertEqual(self.operator.get("/v1/sessions/half").status, 404)
        self.daemon.restart()
        self.log_in()
        self.assertEqual(self.rows(), [])
        self.assertEqual(self.operator.post("/v1/sessions/half/recorded", part).json()["accepted"], 2)

    def test_a_dry_run_knows_retention_scopes_and_halves_and_changes_nothing(self):
        self.begin({"storage.retention": "2430m", "access.mode": "token"})
        self.two_with_a_sub_agent()
        self.store("old.jsonl", claude("old", 2, BEGAN - HOURS))
        self.half("claude-two", BEGAN + HOURS)
        live = {"session_id": "one", "hook_event_name": "UserPromptSubmit", "prompt": "go", "cwd": "/"}
        self.operator.post("/v1/hooks/claude", live)
        writer = self.home / "writer.token"  # writes, and does not read
        writer.write_text(self.operator.post("/v1/tokens", {"name": "writer", "scopes": ["control"]}).json()["token"])
        writer.chmod(0o600)
        journal = self.operator.journal("claude-two")
        for arguments in ((), ("--token-file", str(writer))):
            told = self.into("--dry-run", "--json", *arguments).json()
            self.assertEqual((told["added"], told["known"], len(told["left_out"])), (2, 1, 1), told)
            self.assertIn("storage.retention", told["left_out"][0]["reason"])
        self.assertEqual(self.operator.journal("claude-two"), journal)
        self.assertEqual([row["id"] for row in self.rows()], ["claude-two"])
        self.assertEqual(self.counts(), (2, 1))

    def test_a_half_of_a_surrogate_pair_is_read_as_its_escape_as_in_hooks(self):
        self.begin()
        lines = claude("one", 2)
        lines[0]["message"]["content"] = "Fix \ud83d the \U0001f600 build"
        lines[2]["message"]["content"][0]["content"] = "Exit code 2\n\ude00"
        self.store("one.jsonl", lines)
        output = self.into("--json")
        self.assertEqual((output.json()["added"], output.err), (1, ""))
        whole = self.operator.session("claude-one")
        self.assertEqual((whole["goal"], whole["tools"]["calls"]), ("Fix \ufdd0\\ud83d the \U0001f600 build", 2))

    def test_an_event_without_a_time_has_that_of_the_event_before(self):
        self.begin()
        part = [{"type": "session.started", "at": stamp(BEGAN)}, {"type": "message", "at": stamp(BEGAN + 5), "data": {"role": "user", "text": "a"}},
                {"type": "session.ended", "data": {"outcome": "completed"}}]
        self.assertEqual(self.operator.post("/v1/sessions/timed/recorded", part).status, 200)
        self.assertEqual(self.operator.session("timed")["ended_at"], stamp(BEGAN + 5))

    def test_many_recorded_sessions_crowd_no_live_one_out_of_the_digest(self):
        self.begin()
        began = time.time() - HOURS
        part = [{"type": "session.started", "at": stamp(began)}, {"type": "session.ended", "at": stamp(began), "data": {"outcome": "failed"}}]
        for i in range(2_001):
            self.assertEqual(self.operator.post(f"/v1/sessions/past-{i}/recorded", part).status, 200)
        self.operator.open("live", labels={"team": "night"})
        self.operator.report("live", "tool.finished", tool="bash", ok=True, call_id="c", usage={"tokens": 70})
        digest = self.operator.get("/v1/digest?since=2h").json()
        self.assertEqual((digest["partial"], [label["tokens"] for label in digest["by_label"]]), (False, [70]))

    def test_recorded_sessions_stand_behind_live_ones_on_every_page(self):
        self.begin()
        self.operator.open("live-1", labels={"workspace": "/home/dev/code"})
        self.two_with_a_sub_agent()
        self.assertEqual(self.counts(), (3, 0))
        self.operator.open("live-2", labels={"workspace": "/home/dev/code"})
        self.operator.post("/v1/sessions/live-2/end", {"outcome": "completed"})
        expected = ["live-2", "live-1", "claude-two", "claude-one.a1", "claude-one"]
        for filters in ("", "&label=workspace:/home/dev/code", "&verdict=starting,progressing,exploring,slow,waiting,blocked,suspect,stuck,silent,completed,failed,cancelled"):
            for limit in (1, 2, 3, 4, 5, 200):
                with self.subTest((filters, limit)):
                    ids, cursor = [], ""
                    while cursor is not None:
                        page = self.operator.get(f"/v1/sessions?view=row&limit={limit}{filters}" + (f"&cursor={cursor}" if cursor else "")).json()
                        ids += [row["id"] for row in page["sessions"]]
                        self.assertEqual(page["total"], 5)
                        cursor = page["next"]
                        self.assertRegex(cursor or "0", "^[0-9]+$")
                    self.assertEqual(ids, expected)

    def test_all_agents_are_taken_under_the_ids_of_their_hooks(self):
        self.begin({"storage.retention": "0"})
        for store in stored_sessions.AGENTS.values():
            store(self.home)
        for file in self.home.rglob("*"):
            os.utime(file, (time.time() - 2 * HOURS,) * 2)
        told = self.into("--json").json()
        self.assertEqual((told["added"], told["left_out"]), (13, []), told)
        rows = {row["id"]: row for row in self.rows()}
        for agent in stored_sessions.AGENTS:
            whole = self.operator.session(f"{agent}-{agent}-1")
            self.assertEqual((whole["tools"]["calls"], whole["tools"]["failures"], whole["used"]["tokens"]), (6, 5, 7 * 1020), agent)
            self.assertEqual(whole["opened_at"], stored_sessions.at(0), agent)
            if agent != "gemini":  # stores no calls that were cut off
                self.assertEqual(whole["outcome"], "failed", agent)
        self.assertEqual(rows["opencode-opencode-1.opencode-sub"]["parent"], "opencode-opencode-1")
        self.assertEqual(self.counts(), (0, 13))


if __name__ == "__main__":
    unittest.main()
