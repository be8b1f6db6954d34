#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The command line against a real daemon: exit codes, output for people and programs, supervised commands."""
import json
import os
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from support.case import OwnDaemonCase, SharedDaemonCase, unique
from support.cli import Cli, finish
from support.corpus import corpus_folder
from support.daemon import BINARY
from support.limits import eventually, patient

NO_DAEMON = "http://127.0.0.1:1"  # tcpmux: without a listener


class CliCase(SharedDaemonCase):
    def setUp(self):
        super().setUp()
        self.cli = Cli(self.daemon)

    def ok(self, *arguments, **options):
        output = self.cli.run(*arguments, **options)
        self.assertEqual(output.code, 0, output)
        return output


class Waiting(CliCase):
    def ended(self, outcome: str) -> str:
        session = unique()
        self.client.open(session)
        self.client.end(session, outcome, reason="because")
        return session

    def test_the_exit_code_says_how_it_ended(self):
        for outcome, code in (("completed", 0), ("failed", 1), ("cancelled", 3)):
            output = self.cli.run("wait", self.ended(outcome))
            self.assertEqual(output.code, code, output)

    def test_a_sub_agent_that_needs_a_person_is_4(self):
        for needs in ("approval", "login"):
            session = unique()
            self.client.open(session)
            self.client.report(session, "tool.started", tool="task", call_id="c")
            self.client.open(session + ".child", parent=session)
            self.assertEqual(self.cli.run("wait", session, "--timeout", "300ms").code, 124)
            if needs == "approval":
                self.client.post(f"/v1/sessions/{session}.child/approvals", {"tool": "deploy", "args": {}})
            else:
                self.client.report(session + ".child", "error.reported", **{"class": "authentication_error", "message": "x", "ends_turn": True})
            output = self.cli.run("wait", session, "--timeout", "60s")
            self.assertEqual(output.code, 4, output)
            self.assertIn("waits for a person (1 approval)" if needs == "approval" else f"its sub-agent {session}.child is blocked", output.out)
            self.assertEqual(self.cli.run("wait", session, "--until", "ended", "--timeout", "300ms").code, 124)

    def test_of_several_the_rest_is_waited_for_unless_it_needs_a_person_too(self):
        parents = [unique("p"), unique("p")]
        for session in parents:
            self.client.open(session)
            self.client.report(session, "tool.started", tool="task", call_id="c")
            self.client.open(session + ".child", parent=session)
        self.client.post(f"/v1/sessions/{parents[0]}.child/approvals", {"tool": "deploy", "args": {}})
        self.assertEqual(self.cli.run("wait", *parents, "--timeout", "300ms").code, 124)
        output = self.cli.run("wait", *parents, "--any", "--timeout", "60s")
        self.assertEqual(output.code, 4, output)
        self.assertIn(f"{parents[0]}: a sub-agent waits for a person (1 approval)", output.out)
        later = (unique("never"), parents[0], "--any", "--missing", "wait", "--timeout", "60s")
        self.assertEqual(self.cli.run("wait", *later).code, 4)
        self.client.post(f"/v1/sessions/{parents[1]}.child/approvals", {"tool": "deploy", "args": {}})
        for others, code in (((), 4), ((self.ended("completed"),), 4), ((self.ended("failed"),), 1)):
            output = self.cli.run("wait", *others, *parents, "--timeout", "60s")
            self.assertEqual(output.code, code, output)
            for session in parents:
                self.assertIn(f"{session}: a sub-agent waits for a person (1 approval)", output.out)

    def test_stuck_is_2_for_programs_and_can_be_ignored(self):
        session = unique()
        self.client.open(session, policy={"profile": "strict", "heartbeat_limit": 2})
        self.client.beat(session)
        self.client.beat(session)
        self.assertEqual(self.cli.run("wait", session).code, 2)
        self.assertEqual(self.cli.run("wait", session, "--on-stuck", "fail").code, 2)
        self.assertEqual(self.cli.run("wait", session, "--on-stuck", "ignore", "--timeout", "300ms").code, 124)

    def test_its_own_timeout_is_124(self):
        session = unique()
        self.client.open(session)
        self.assertEqual(self.cli.run("wait", session, "--timeout", "200ms").code, 124)

    def test_wrong_usage_is_64(self):
        for arguments in (["wait"], ["wait", "a", "--mode", "later"], ["wait", "a", "--until", "done"], ["wait", "a b"],
                          ["wait", "a", "--timeout", "soon"], ["nonsense"], ["show"]):
            output = self.cli.run(*arguments)
            self.assertEqual(output.code, 64, (arguments, output))
            self.assertTrue(output.err or output.out)

    def test_no_daemon_is_69(self):
        cli = Cli(self.daemon, NO_DAEMON)
        for arguments in (["wait", "a", "--connect-timeout", "100ms"], ["show", "a"], ["sessions"], ["end", "a"]):
            output = cli.run(*arguments)
            self.assertEqual(output.code, 69, (arguments, output))
            self.assertIn("127.0.0.1:1", output.err)

    def test_it_is_woken_when_the_session_ends(self):
        session = unique()
        process = self.cli.start("wait", session, "--json")  # not opened yet
        eventually(lambda: "headway_waiters 1" in self.client.get("/metrics").body.decode(), what="the waiter")
        self.client.open(session)
        self.client.end(session, "failed", reason="because")
        output = finish(process)
        self.assertEqual(output.code, 1, output)
        self.assertEqual(output.json()["verdict"]["reason"], "because")

    def test_a_missing_session_can_fail_at_once(self):
        self.assertNotIn(self.cli.run("wait", unique(), "--missing", "fail").code, (0, 124))

    def test_several_any_and_all(self):
        good, bad = self.ended("completed"), self.ended("failed")
        self.assertEqual(self.cli.run("wait", good, bad, "--all").code, 1)
        self.assertEqual(self.cli.run("wait", good, self.ended("completed"), "--all").code, 0)
        running = unique()
        self.client.open(running)
        self.assertEqual(self.cli.run("wait", running, good, "--any").code, 0)
        self.assertEqual(self.cli.run("wait", running, good, "--all", "--timeout", "300ms").code, 124)

    def test_what_can_never_come_is_3(self):
        self.assertEqual(self.cli.run("wait", self.ended("completed"), "--until", "stuck").code, 3)


class LooseDaemon(OwnDaemonCase):
    def test_a_wait_survives_the_daemons_restart(self):
        daemon = self.start()
        client = self.client(daemon)
        client.open("a")
        process = Cli(daemon).start("wait", "a")
        eventually(lambda: "headway_waiters 1" in client.get("/metrics").body.decode(), what="the waiter")
        daemon.restart()
        self.client(daemon).end("a")
        output = finish(process, 30)
        self.assertEqual(output.code, 0, output)

    def test_watch_resumes_after_the_daemons_restart(self):
        daemon = self.start()
        self.client(daemon).report("a", "message", text="one")
        process = Cli(daemon).start("watch", "a", "--after", "0", "--json")
        lines = [json.loads(process.stdout.readline()) for _ in range(2)]
        daemon.restart()
        client = self.client(daemon)
        client.report("a", "message", text="two")
        client.end("a")
        output = finish(process, 30)
        lines += output.lines()
        self.assertEqual([e["n"] for e in lines], [e["n"] for e in client.journal("a")], output)


class Steering(CliCase):
    def test_approvals_lists_all_that_wait(self):
        for session in (unique(), unique(), unique(), unique()):
            for number in range(30):
                self.client.post(f"/v1/sessions/{session}/approvals", {"tool": "deploy", "args": {"n": number}})
        pending = self.client.get("/v1/approvals").json()["pending"]
        self.assertGreater(pending, 100)  # more than one page
        self.assertEqual(len(self.cli.run("approvals", "--json").json()), pending)

    def test_a_person_approves_rejects_and_answers_from_the_terminal(self):
        session = unique("cli")
        self.client.open(session)
        asked = []
        for number in range(3):
            kind = "question" if number == 2 else "tool"
            data = {"kind": kind, "tool": "deploy", "args": {"to": number}} if kind == "tool" else {
                "kind": kind, "summary": "which database?"}
            asked.append(self.client.post(f"/v1/sessions/{session}/approvals", data).json()["id"])
        listed = self.cli.run("approvals", "--session", session)
        for request in asked:
            self.assertIn(request, listed.out)
        self.assertEqual(self.cli.run("approve", asked[0], "--reason", "fine").code, 0)
        self.assertIn("rejected", self.cli.run("reject", asked[1], "--then", "change_approach", "--reason", "no").out)
        self.assertIn("responded", self.cli.run("answer", asked[2], "the second one").out)
        again = self.cli.run("reject", asked[0])
        self.assertEqual(again.code, 1)
        self.assertIn("decided", again.err)
        self.assertEqual(self.cli.run("approvals", "--session", session, "--json").json(), [])
        documents = self.cli.run("approvals", "--session", session, "--all", "--json").json()
        self.assertEqual({d["decision"]["channel"] for d in documents}, {"cli"})

    def test_a_number_is_shown_and_edited_as_it_is_written(self):
        session = unique("cli")
        self.client.open(session)
        asked = self.client.post(f"/v1/sessions/{session}/approvals", {"tool": "pay", "args": {"to": 12345678901234567890123}}).json()["id"]
        self.assertIn('{"to":12345678901234567890123}', self.cli.run("approvals", "--session", session).out)
        edited = '{"share":0.10000000000000001,"to":12345678901234567890124}'
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            file.write(edited)
            file.flush()
            self.assertEqual(self.cli.run("approve", asked, "--edit", file.name).code, 0)
        self.assertIn(f'"edited_args":{edited}', self.client.get(f"/v1/approvals/{asked}").body.decode())

    def test_pause_nudge_resume_and_budget_reach_the_agent(self):
        session = unique("cli")
        self.client.open(session, budget={"max_steps": 50})
        self.assertEqual(self.cli.run("pause", session, "--reason", "deploy").code, 0)
        self.assertEqual(self.cli.run("nudge", session, "read the log").code, 0)
        kinds = {d["type"] for d in self.client.beat(session)["directives"]}
        self.assertEqual(kinds, {"pause", "change_approach"})
        self.assertEqual(self.cli.run("resume", session).code, 0)
        self.assertEqual(self.cli.run("budget", "extend", session, "--steps", "10").code, 0)
        shown = self.cli.run("budget", "show", session).out
        self.assertIn("Step 0/60", shown)
        self.assertEqual(self.cli.run("budget", "extend", session).code, 64)

    def test_what_changes_nothing_says_so_and_is_no_failure(self):
        session = unique("idle")
        self.client.open(session)
        for verb, words in (("resume", "nothing to resume: it is neither paused nor stopped"), ("acknowledge", "nothing to acknowledge"),
                            ("pause", None), ("pause", "nothing was to be done: it is paused already"), ("resume", None),
                            ("cancel", None), ("resume", "nothing to resume: its cancel stays"), ("cancel", "known already")):
            said = self.cli.run(verb, session)
            self.assertEqual(said.code, 0, said)
            if words:
                self.assertIn(words, said.out)
            else:
                self.assertNotRegex(said.out, "nothing|known already")
        self.assertEqual(self.cli.run("resume", session, "--json").json()["duplicates"], 1)
        self.assertEqual(self.cli.run("pause", session).code, 0)  # a pause is lifted, the cancel is not
        self.assertIn(f"{session}: its cancel stays", self.cli.run("resume", session).out)
        self.assertEqual(self.cli.run("acknowledge", session, "--json").json()["id"], session)
        self.assertNotEqual(self.cli.run("acknowledge", unique("unknown")).code, 0)

    def test_an_agents_question_is_answered_not_approved(self):
        session = unique("asks")
        asked = self.client.post(f"/v1/sessions/{session}/approvals", {"kind": "question", "summary": "drop it?"}).json()["id"]
        refused = self.cli.run("approve", asked)
        self.assertEqual(refused.code, 1, refused)
        self.assertIn("headway answer", refused.err)
        self.assertEqual(self.cli.run("answer", asked, "no").code, 0)
        self.assertEqual(self.client.get(f"/v1/approvals/{asked}").json()["decision"]["response"], "no")


class Elsewhere(OwnDaemonCase):
    """A daemon whose state directory is not the default one."""

    def cli(self, daemon, **variables) -> Cli:
        cli = Cli(None, url=daemon.url)
        cli.environment.update(HOME="/nonexistent", **variables)
        return cli

    def test_the_token_is_found_with_the_state_directory_and_said_without(self):
        daemon = self.start()
        client = self.client(daemon)
        asked = client.post("/v1/sessions/a/approvals", {"tool": "deploy", "args": {}}).json()["id"]
        refused = self.cli(daemon).run("approve", asked)
        self.assertEqual(refused.code, 1, refused)
        self.assertIn(f"{daemon.state_dir}/operator.token", refused.err)
        self.assertIn(f"--state-dir {daemon.state_dir}", refused.err)
        self.assertEqual(self.cli(daemon).run("approve", asked, "--state-dir", str(daemon.state_dir)).code, 0)
        for verb in (["dashboard"], ["token", "list"]):
            self.assertEqual(self.cli(daemon).run(*verb).code, 1, verb)
            self.assertEqual(self.cli(daemon).run(*verb, "--state-dir", str(daemon.state_dir)).code, 0, verb)
        named = self.cli(daemon, HEADWAY_STORAGE_STATE_DIR=str(daemon.state_dir))
        self.assertEqual(named.run("token", "list").code, 0)

    def test_a_secret_goes_into_a_file_that_only_its_owner_may_read(self):
        daemon = self.start()
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "ops.secret"
            made = Cli(daemon).run("webhooks", "secret", "--out", str(file))
            self.assertEqual((made.code, made.out), (0, ""), made)
            self.assertEqual(file.stat().st_mode & 0o777, 0o600)
            self.assertRegex(file.read_text(), r"^whsec_[A-Za-z0-9+/=]{44}\n$")
            again = Cli(daemon).run("webhooks", "secret", "--out", str(file))
            self.assertEqual(again.code, 1, again)
            self.assertIn(str(file), again.err)

    def test_a_backup_is_restored_where_no_state_directory_is_yet(self):
        daemon = self.start()
        self.client(daemon).open("a")
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(Cli(daemon).run("backup", f"{folder}/a.db").code, 0)
            new = f"{folder}/new/state"
            output = Cli(None, url=NO_DAEMON).run("restore", f"{folder}/a.db", "--state-dir", new)
            self.assertEqual(output.code, 0, output)
            self.assertIn("1 sessions", output.out)

    def test_the_doctor_says_when_the_daemon_is_not_that_of_the_settings(self):
        one, other = self.start(), self.start()
        right = Cli(one).run("doctor", "--state-dir", str(one.state_dir), "--config", str(one.config_file))
        self.assertEqual(right.code, 0, right)
        mixed = Cli(one, url=other.url).run("doctor", "--state-dir", str(one.state_dir), "--config", str(one.config_file))
        self.assertEqual(mixed.code, 1, mixed)
        self.assertIn(str(other.state_dir), mixed.out)

    def test_help_of_run_shows_where_the_command_goes(self):
        self.assertIn("headway run [OPTIONS] -- COMMAND", Cli(None, url=NO_DAEMON).run("run", "--help").out)

    def test_a_mistyped_event_type_is_answered_with_the_nearest(self):
        daemon = self.start()
        self.assertIn("tool.finished", Cli(daemon).run("report", "a", "tool.finnished", "tool=x").err)

    def test_a_route_without_a_body_takes_an_empty_object(self):
        daemon = self.start()
        client = daemon.operator()
        self.addCleanup(client.close)
        for body in (None, {}):
            self.assertEqual(client.post("/v1/login-codes", body).status, 201, body)
        self.assertEqual(client.post("/v1/login-codes", {"a": 1}).status, 413)

    def test_messages_name_flags(self):
        daemon = self.start()
        refused = Cli(daemon).run("wait", "a", "--until", "done")
        self.assertEqual(refused.code, 64, refused)
        self.assertIn("(--until)", refused.err)


class Urgent(CliCase):
    """Order of the sessions that need a person."""

    def test_an_alarm_stands_first_until_it_is_acknowledged(self):
        session = unique("risky")
        client = self.daemon.operator()
        self.addCleanup(client.close)
        call = {"tool": "deploy", "call_id": "c1", "args": {"to": "production"}}
        asked = client.post(f"/v1/sessions/{session}/approvals", call).json()["id"]
        client._expect((200,), client.post(f"/v1/approvals/{asked}/decision", {"decision": "reject"}))
        client.report(session, "tool.finished", ok=True, **call)
        shown = self.ok("show", session).out
        self.assertRegex(shown, rf"^session +{session}\nALARM +ran although it was rejected: deploy, {asked}")
        self.assertRegex(self.ok("sessions").out, rf"{session} +ALARM ")
        fleet = self.ok("top", "--once").out
        self.assertIn("ALARMS in 1", fleet)
        self.assertRegex(fleet, rf"Needs you \(\d+\)\n +\S+ +ALARM +{session} +ran although it was rejected")
        self.assertIn("acknowledged", self.ok("acknowledge", session, "--reason", "rolled back").out)
        self.assertNotIn("ALARM", self.ok("show", session).out)

    def test_how_far_it_has_come_and_what_blocks_it(self):
        session = unique("estimated")
        self.client.report(session, "progress.estimated", percent=62, reasoning="13 of 21", next_milestone="review",
                           blockers=["no token"])
        shown = self.ok("show", session).out
        self.assertRegex(shown, r"estimate +\[######\.\.\.\.\] 62%, says the agent: 13 of 21\nnext +review\nblockers +no token\n")
        self.assertIn("62%", self.ok("top", "--once").out)

    def test_hidden_bytes_are_said(self):
        session = unique("hides")
        asked = self.client.post(f"/v1/sessions/{session}/approvals", {"tool": "bash", "args": {"password": "very-secret-word"}}).json()
        self.assertGreater(asked["hidden_bytes"], 0)
        self.assertIn(f"{asked['hidden_bytes']} bytes of the arguments were cut out", self.ok("approvals", "--session", session).out)


class Looking(CliCase):
    def test_show_prints_the_open_requests_and_the_last_calls(self):
        session = unique("looked-at")
        for k in range(9):
            self.client.report(session, "tool.finished", tool="bash", ok=True, args={"command": f"make part-{k}."})
        asked = self.client.post(f"/v1/sessions/{session}/approvals", {"tool": "deploy", "args": {"to": "production"}}).json()["id"]
        shown = self.ok("show", session).out
        self.assertRegex(shown, rf"waits for a decision:\n{asked}  pending  deploy\n(.*\n)* +arguments {{\"to\":\"production\"}}")
        self.assertEqual([k for k in range(9) if f"make part-{k}." in shown], list(range(1, 9)))
        self.assertLess(shown.index("make part-1."), shown.index("make part-8."))
        self.ok("reject", asked)
        self.assertNotIn(asked, self.ok("show", session).out)

    def test_show_sessions_and_events_for_programs(self):
        session = unique()
        self.ok("report", session, "tool.finished", "tool=bash", "ok=false", "error.class=test", "error.message=2 failed")
        self.assertEqual(self.ok("show", session, "--json").json(), self.client.session(session))
        (call,) = [e for e in self.ok("events", session, "--jsonl").lines() if e["type"] == "tool.finished"]
        self.assertEqual(call["data"], {"tool": "bash", "ok": False, "error": {"class": "test", "message": "2 failed"}})
        exported = self.ok("events", session, "--jsonl").lines()  # with what a replay needs
        self.assertEqual([{k: v for k, v in event.items() if k != "print"} for event in exported], self.client.journal(session))
        self.assertEqual([event["type"] for event in exported if "print" in event], ["tool.finished"])
        self.assertIn(session, [s["id"] for s in self.ok("sessions", "--json").json()])

    def test_show_sessions_and_events_for_people(self):
        session = unique()
        self.client.open(session, goal="a goal", labels={"team": "night"})
        self.client.report(session, "tool.finished", tool="bash")
        self.assertIn("a goal", self.ok("show", session).out)
        self.assertIn("exploring", self.ok("show", session).out)
        self.assertIn(session, self.ok("sessions", "--label", "team=night").out)
        self.assertGreaterEqual(len(self.ok("events", session).out.splitlines()), 3)

    def test_long_journals_are_printed_whole(self):
        session = unique()
        for _ in range(3):
            self.client.post(f"/v1/sessions/{session}/events", [{"type": "message"}] * 700)
        self.assertEqual([e["n"] for e in self.ok("events", session, "--jsonl").lines()], list(range(1, 2102)))
        self.assertEqual(len(self.ok("events", session, "--jsonl", "--after", "2000").lines()), 101)

    def test_unknown_sessions_fail_with_a_word(self):
        for verb in ("show", "events", "end", "cancel"):
            output = self.cli.run(verb, unique("absent"))
            self.assertNotIn(output.code, (0, 64, 69), output)
            self.assertIn("no session", output.err)

    def test_watch_prints_a_line_an_event_until_the_end(self):
        session = unique()
        self.client.report(session, "message", text="before")
        process = self.cli.start("watch", session, "--after", "0")
        first = process.stdout.readline()
        self.client.report(session, "tool.finished", tool="bash")
        self.client.end(session)
        output = finish(process)
        self.assertEqual(output.code, 0, output)
        lines = (first + output.out).splitlines()
        self.assertGreaterEqual(len(lines), len(self.client.journal(session)))
        self.assertTrue(any("bash" in line for line in lines))

    def test_watch_of_all_sessions_for_programs(self):
        eventually(lambda: "headway_streams 0" in self.client.get("/metrics").body.decode(), what="the end of other streams")
        process = self.cli.start("watch", "--json")
        eventually(lambda: "headway_streams 1" in self.client.get("/metrics").body.decode(), what="the stream")
        sessions = [unique(), unique()]
        for session in sessions:
            self.client.report(session, "message", text="x")
        said = (json.loads(line)["session"] for line in process.stdout)  # sessions of other tests go on beside
        seen = [next(name for name in said if name in sessions) for _ in range(4)]
        self.assertEqual(seen, [sessions[0]] * 2 + [sessions[1]] * 2)
        process.send_signal(signal.SIGINT)
        self.assertIn(finish(process).code, (0, 130, -signal.SIGINT))

    def test_ids_are_those_of_all_sessions_and_a_shorter_list_says_so(self):
        label = unique("crowd")
        sessions = {unique("one-of-many") for _ in range(60)}
        for session in sessions:
            self.client.open(session, labels={"crowd": label})
        listed = self.ok("sessions", "--label", f"crowd={label}", "--ids")
        self.assertEqual((set(listed.out.split()), listed.err), (sessions, ""))
        for options, count in ((("--ids", "--limit", "7"), 7), (("--json",), 50), ((), None)):
            listed = self.ok("sessions", "--label", f"crowd={label}", *options)
            self.assertIn("there are more; raise --limit", listed.err, options)
            if count:
                self.assertEqual(len(json.loads(listed.out)) if "--json" in options else len(listed.out.split()), count)


class Reporting(CliCase):
    def test_report_end_and_cancel(self):
        session = unique()
        advice = self.ok("report", session, "heartbeat", "phase=planning", "iteration=3", "--json").json()
        self.assertEqual(advice["n"], 2)
        self.assertEqual(self.client.get(f"/progress/{session}").json()["iteration"], 3)
        self.ok("cancel", session, "--reason", "enough")
        self.assertIn("enough", self.ok("report", session, "heartbeat", "--json").out)
        self.ok("end", session, "--outcome", "cancelled", "--reason", "told so")
        self.assertEqual(self.client.session(session)["verdict"]["reason"], "told so")

    def test_data_may_come_as_json_from_stdin_or_a_file(self):
        session = unique()
        self.ok("report", session, "progress.estimated", "--data", '{"percent":40}')
        self.ok("report", session, "message", "--data", "-", stdin='{"text":"from stdin"}')
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "data.json"
            file.write_text('{"text":"from a file"}')
            self.ok("report", session, "message", "--data", f"@{file}")
        data = [e["data"] for e in self.client.journal(session)[1:]]
        self.assertEqual([data[0]["percent"], data[1]["text"], data[2]["text"]], [40, "from stdin", "from a file"])

    def test_the_same_event_id_is_counted_once(self):
        session = unique()
        for _ in range(2):
            self.ok("report", session, "message", "text=x", "--event-id", "e1")
        self.assertEqual(self.client.session(session)["n"], 2)

    def test_refusals_are_told_in_words(self):
        session = unique()
        output = self.cli.run("report", session, "heartbeat", "iteration=many")
        self.assertNotEqual(output.code, 0)
        self.assertIn("iteration", output.err)


class Running(CliCase):
    def run_command(self, *command, **options):
        session = unique("run")
        output = self.cli.run("run", "--session", session, "--quiet", "--", *command, **options)
        return session, output

    def test_a_slow_reader_gets_all_output_of_a_command_that_has_exited(self):
        process = self.cli.start("run", "--quiet", "--", "head", "-c", "971000", "/dev/zero")
        self.addCleanup(process.kill)
        time.sleep(0.3)  # the command fills each pipe
        size = 0
        while data := os.read(process.stdout.fileno(), 65_536):
            size += len(data)
            time.sleep(0.15)  # longer than output may be quiet behind an exit
        process.communicate(timeout=60)
        self.assertEqual(size, 971_000)

    def test_the_exit_status_is_passed_on_and_ends_the_session(self):
        session, output = self.run_command("sh", "-c", "echo out; echo err >&2; exit 3")
        self.assertEqual((output.code, output.out, output.err), (3, "out\n", "err\n"))
        document = self.client.session(session)
        self.assertEqual((document["outcome"], document["verdict"]["status"]), ("failed", "failed"))
        self.assertIn("3", document["verdict"]["reason"])

    def test_success_completes_the_session(self):
        session, output = self.run_command("true")
        self.assertEqual(output.code, 0)
        self.assertEqual(self.client.session(session)["outcome"], "completed")
        self.assertEqual(self.cli.run("wait", session).code, 0)

    def test_a_session_that_another_client_has_opened_is_named(self):
        session = unique("nightly")
        self.client.open(session, goal="of the agent", agent={"type": "other"})
        output = self.cli.run("run", "--session", session, "--goal", "of the person", "--label", "team=a", "--", "true")
        self.assertIn(f"another client has opened the session {session}; it keeps its goal, labels and budget", output.err)
        output = self.cli.run("run", "--session", unique("nightly"), "--goal", "of the person", "--label", "team=a", "--", "true")
        self.assertNotIn("another client", output.err)

    def test_input_goes_to_the_command(self):
        _, output = self.run_command("cat", stdin="a line\nno end of line")
        self.assertEqual(output.out, "a line\nno end of line")

    def test_output_is_evidence_and_resources_are_measured(self):
        session = unique("run")
        process = self.cli.start("run", "--session", session, "--interval", "100ms", "--", "sh", "-c", "echo line 1; read stop",
                                 stdin=subprocess.PIPE)
        eventually(lambda: (self.client.get(f"/v1/sessions/{session}").json().get("resources") or {}).get("rss_bytes"), what="a measured heartbeat")
        process.stdin.write("stop\n")
        process.stdin.close()
        output = finish(process)
        self.assertEqual(output.code, 0, output)
        journal = json.dumps(self.client.journal(session))
        self.assertIn("line 1", journal)
        document = self.client.session(session)
        self.assertGreaterEqual(document["heartbeats"], 1)
        self.assertGreater(document["resources"]["rss_bytes"], 0)

    def test_the_command_knows_its_session(self):
        session, output = self.run_command("sh", "-c", "echo $HEADWAY_SESSION")
        self.assertEqual(output.out.strip(), session)

    def test_signals_are_passed_on(self):
        session = unique("run")
        process = self.cli.start("run", "--session", session, "--", "sh", "-c",
                                 "trap 'echo got it; exit 7' TERM; echo ready; while :; do sleep 0.05; done")
        self.assertEqual(process.stdout.readline(), "ready\n")
        process.send_signal(signal.SIGTERM)
        output = finish(process)
        self.assertEqual((output.code, output.out), (7, "got it\n"), output)
        self.assertEqual(self.client.session(session)["outcome"], "failed")

    def test_a_command_ends_also_where_ends_of_children_are_ignored(self):
        """A parent that ignores SIGCHLD hands that down."""
        command = [str(BINARY), "run", "--quiet", "--session", unique("run"), "--", "sh", "-c", "exit 3"]
        process = subprocess.run(["env", "--ignore-signal=CHLD", *command], env=self.cli.environment, timeout=patient(20))
        self.assertEqual(process.returncode, 3)

    def test_a_killed_command_is_128_and_the_signal(self):
        session, output = self.run_command("sh", "-c", "kill -KILL $$")
        self.assertEqual(output.code, 128 + signal.SIGKILL)
        self.assertEqual(self.client.session(session)["outcome"], "failed")

    def test_a_command_that_does_not_exist_is_127(self):
        session, output = self.run_command("/no/such/program")
        self.assertEqual(output.code, 127)
        self.assertIn("/no/such/program", output.err)

    def test_without_a_daemon_the_command_runs_all_the_same(self):
        output = Cli(self.daemon, NO_DAEMON).run("run", "--linger", "100ms", "--", "sh", "-c", "echo on; exit 5")
        self.assertEqual((output.code, output.out), (5, "on\n"))


class Replaying(CliCase):
    LINES = [{"seq": 0, "ts": None, "type": "session_start", "session": "r", "agent": "a", "model": "m", "task": "t"},
             {"seq": 1, "ts": 0.0, "type": "message", "role": "assistant", "text": "hello"},
             {"seq": 2, "ts": 0.5, "type": "tool_call", "tool": "bash", "args": {"command": "ls"}, "target": None, "ok": False,
              "error": "no", "result": "no"},
             {"seq": 3, "ts": 0.6, "type": "test_result", "passed": 1, "failed": 2, "errors": 0},
             {"seq": 4, "ts": 0.7, "type": "end", "outcome": "success", "exit_status": None}]

    def write(self, lines) -> str:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        file = Path(folder.name) / "recording.jsonl"
        file.write_text("".join(json.dumps(line) + "\n" for line in lines))
        return str(file)

    def test_a_recording_is_played_once_however_often(self):
        session = unique("replay")
        file = self.write(self.LINES)
        for _ in range(2):
            self.ok("replay", file, "--to", self.daemon.url, "--session", session)
        types = [e["type"] for e in self.client.journal(session)]
        self.assertEqual([t for t in types if t != "verdict.changed"],
                         ["session.started", "message", "tool.finished", "test.result", "session.ended"])
        document = self.client.session(session)
        self.assertEqual((document["outcome"], document["goal"]), ("completed", "t"))
        self.assertEqual(document["tools"], {"calls": 1, "failures": 1, "failures_in_a_row": 1, "unreadable_in_a_row": 0, "files_modified": 0})

    def test_a_clock_that_jumps_back_holds_nothing_up(self):
        session = unique("replay")
        lines = [{"type": "message", "ts": ts, "text": "x"} for ts in (5, -1e300, -9e15, 5.1)]
        self.ok("replay", self.write(lines), "--to", self.daemon.url, "--session", session, "--speed", "10")
        self.assertEqual(self.client.session(session)["n"], 5)

    def test_our_own_export_can_be_played_again(self):
        session, copy = unique("export"), unique("copy")
        self.client.report(session, "tool.finished", tool="bash", args={"a": 1})
        self.client.beat(session, phase="p")
        self.client.end(session, "failed")
        lines = self.ok("events", session, "--jsonl").lines()
        self.ok("replay", self.write(lines), "--to", self.daemon.url, "--session", copy)
        ours = [(e["type"], e["data"]) for e in lines if e["type"] != "session.started"]
        self.assertEqual([(e["type"], e["data"]) for e in self.client.journal(copy)][1:], ours)

    def test_recordings_of_the_corpus(self):
        if corpus_folder() is None:
            self.skipTest("the corpus is not here (HEADWAY_CORPUS)")
        files = sorted((corpus_folder() / "data").glob("*/*.jsonl"))[::60]
        self.ok("replay", *map(str, files), "--to", self.daemon.url, "--parallel", "8", "--batch", "20", seconds=60)
        sessions = self.ok("sessions", "--json", "--limit", "1000", "--ended").json()
        self.assertGreaterEqual(len(sessions), len(files))


class Configuring(CliCase):
    def config(self, text: str) -> str:
        handle, path = tempfile.mkstemp(suffix=".toml")
        self.addCleanup(os.unlink, path)
        with os.fdopen(handle, "w") as file:
            file.write(text)
        return path

    def test_check_says_what_is_wrong_and_where(self):
        self.ok("config", "check", "--config", self.config('[policy]\nprofile = "strict"\n'))
        wrong = self.cli.run("config", "check", "--config", self.config('[policy]\n\nheartbeat_intervall = "5s"\n'))
        self.assertEqual(wrong.code, 2, wrong)
        self.assertRegex(wrong.out + wrong.err, r":3\b")
        self.assertIn("heartbeat_interval", wrong.out + wrong.err)

    def test_check_finds_what_serve_refuses(self):
        with tempfile.TemporaryDirectory() as folder:
            open_to_all, no_pem = Path(folder, "secret"), Path(folder, "x.pem")
            open_to_all.write_text("s" * 40)
            open_to_all.chmod(0o644)
            no_pem.write_text("x")
            for text, key in ((f'[server]\ntls_cert = "{folder}/none"\ntls_key = "{folder}/none"', "server.tls_cert"),
                              (f'[server]\ntls_cert = "{no_pem}"\ntls_key = "{no_pem}"', "server.tls_cert"),
                              (f'[access]\nsecret_file = "{folder}/none"', "access.secret_file"),
                              (f'[access]\nsecret_file = "{folder}"', "access.secret_file"),
                              (f'[access]\nsecret_file = "{open_to_all}"', "access.secret_file"),
                              ('[server]\nreport_group = "nosuch"', "server.report_group"),
                              ('[server]\nsocket = "a.sock"\nreport_socket = "a.sock"', "server.report_socket"),
                              (f'[server]\nsocket = "{folder}/none/x"', "server.socket")):
                file = self.config('[storage]\nstate_dir = "%s/state"\n%s\n' % (folder, text.replace("[server]\n", '[server]\nlisten = "127.0.0.1:0"\n')))
                for verb in (("config", "check"), ("serve",)):
                    with self.subTest((text, verb)):
                        wrong = self.cli.run(*verb, "--config", file)
                        self.assertEqual(wrong.code, 2, wrong)
                        self.assertIn(key if verb[0] == "config" else "", wrong.out + wrong.err)
                        self.assertNotIn("a.sock", os.listdir(folder))

    def test_show_tells_the_origin(self):
        path = self.config('[policy]\nheartbeat_limit = 7\n')
        self.cli.environment["HEADWAY_POLICY_PROFILE"] = "strict"
        self.cli.environment.pop("HEADWAY_URL")
        lines = self.ok("config", "show", "--origin", "--config", path).out.splitlines()
        (limit,) = [line for line in lines if "policy.heartbeat_limit" in line]
        (profile,) = [line for line in lines if "policy.profile" in line]
        self.assertIn("7", limit)
        self.assertIn(Path(path).name, limit)
        self.assertIn("strict", profile)
        self.assertIn("HEADWAY_POLICY_PROFILE", profile)

    def test_the_default_file_is_valid(self):
        self.ok("config", "check", "--config", self.config(self.ok("config", "default").out))

    def test_help_teaches_every_verb_and_version_tells(self):
        for verb in ("serve", "run", "wait", "watch", "sessions", "show", "events", "report", "end", "cancel", "replay", "eval",
                     "config", "version"):
            text = self.ok(verb, "--help").out
            self.assertIn("Usage: headway", text)
            self.assertRegex(text, "Examples?:", verb)
        self.assertRegex(self.ok("version", "--json").json()["version"], r"^\d+\.\d+")
        output = self.cli.run("wiat")
        self.assertEqual(output.code, 64)
        self.assertIn("wait", output.out + output.err)


if __name__ == "__main__":
    unittest.main()
