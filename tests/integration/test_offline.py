#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`headway replay` without --to and `headway eval`: recordings judged without a daemon."""
import functools
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from support.case import SharedDaemonCase, unique
from support.cli import Cli
from support.corpus import corpus_folder
from support.daemon import BINARY
from support.limits import LONG, SLOW, patient

NO_DAEMON = "http://127.0.0.1:1"  # tcpmux: without a listener
STRICT = ("--policy", "strict", "--policy", "heartbeat_limit=3")
METRICS = {"sessions", "successes", "false_stuck", "stuck_unknown", "suspects_on_success", "loops", "recall", "recall_human",
           "nudges_per_1000_calls", "delay_suspect", "delay_stuck", "recall_5"}
CAN_FORBID_THREADS = (shutil.which("prlimit") and (os.cpu_count() or 1) > 1
                      and resource.getrlimit(resource.RLIMIT_STACK)[1] == resource.RLIM_INFINITY)
HEAD = "file,source,outcome,loop,how_labelled,loop_start_call,loop_len\n"


def call(**more) -> dict:
    return {"type": "tool_call", "tool": "bash", "args": {"command": "make"}, "ok": True, "result": "done", **more}


def quiet(beats: int, outcome: str = "success") -> list:
    """A call, so many heartbeats without anything, a call, the end."""
    return [{"type": "session_start", "source": "test", "session": "quiet"}, call(),
            *[{"type": "heartbeat"}] * beats, call(), {"type": "end", "outcome": outcome}]


class OfflineCase(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.cli = Cli(None, NO_DAEMON)

    def write(self, name: str, lines: list) -> str:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join((json.dumps(line) if isinstance(line, dict) else line) + "\n" for line in lines))
        return str(path)

    def ok(self, *arguments, **options):
        output = self.cli.run(*arguments, **options)
        self.assertEqual(output.code, 0, output)
        return output

    def fails(self, code: int, *arguments):
        output = self.cli.run(*arguments)
        self.assertEqual(output.code, code, output)
        return output


class Replay(OfflineCase):
    def test_it_says_when_and_why(self):
        file = self.write("quiet.jsonl", quiet(3))
        text = self.ok("replay", file, "--why", *STRICT).out
        self.assertIn("test:quiet: 6 events, 2 calls, completed", text)
        (stuck,) = [line for line in text.splitlines() if "exploring -> stuck" in line]
        self.assertIn("line 5", stuck)
        self.assertIn("call 1", stuck)
        self.assertIn("detector heartbeat_rule; evidence #4 #6", text)
        self.assertIn("tool.finished: bash ok: make", text)

    def test_json_is_an_object_a_file(self):
        files = [self.write("a.jsonl", quiet(3)), self.write("b.jsonl", quiet(1))]
        one, two = self.ok("replay", *files, "--json", *STRICT).lines()
        self.assertEqual(one["file"], files[0])
        self.assertEqual([step["to"] for step in one["timeline"]], ["exploring", "stuck", "exploring", "completed"])
        stuck = one["timeline"][1]
        self.assertEqual((stuck["line"], stuck["call"], stuck["detector"]), (5, 1, "heartbeat_rule"))
        self.assertEqual([step["to"] for step in two["timeline"]], ["exploring", "completed"])
        self.assertEqual(two["directives"], [])

    def test_a_line_that_is_wrong_is_named_and_the_other_files_are_judged(self):
        wrong = self.write("wrong.jsonl", [call(), "not json"])
        odd = self.write("odd.jsonl", [call(), {"type": "heartbeat", "iteration": -3}])
        good = self.write("good.jsonl", quiet(1))
        output = self.fails(1, "replay", wrong, odd, good, str(self.folder / "missing.jsonl"))
        self.assertIn("wrong.jsonl:2: ", output.err)
        self.assertIn("odd.jsonl:2: /data/iteration", output.err)
        self.assertIn("missing.jsonl: cannot be read", output.err)
        self.assertIn("test:quiet: 4 events", output.out)

    def test_a_stored_session_with_damage_says_so_and_one_that_is_not_understood_is_no_session(self):
        base = {"sessionId": "s", "cwd": "/w", "version": "2.1.332"}
        user = {"type": "user", **base, "timestamp": "2026-11-26T10:00:00.000Z", "message": {"content": "Fix it"}}
        damaged = self.write("d/damaged.jsonl", [user, '{"type":"user" broken'])
        output = self.ok("replay", damaged)
        self.assertIn("damaged.jsonl: 1 of 2 lines is damaged", output.err)
        self.assertEqual(self.ok("replay", damaged, "--json").json()["damage"], "1 of 2 lines is damaged")
        output = self.ok("eval", str(self.folder / "d"), "--json")
        self.assertEqual(output.json()["events_unreadable"], 1)
        self.assertIn("damaged.jsonl: 1 of 2 lines is damaged", output.err)
        unknown = self.write("u/unknown.jsonl", [{"type": "v9", "sessionId": "s"}, {"type": "v9", "more": 1}])
        output = self.fails(1, "replay", unknown)
        self.assertEqual(output.out, "")
        self.assertIn("unknown.jsonl: holds no session that is understood", output.err)
        self.assertEqual(self.fails(1, "eval", str(self.folder / "u"), "--json").json()["unreadable"], 1)
        self.write("u/known.jsonl", [user])  # settings alone are no fault while something is read
        output = self.ok("eval", str(self.folder / "u"), "--json")
        self.assertEqual(output.json()["unreadable"], 1)
        self.assertIn("unknown.jsonl: holds no session that is understood", output.err)
        labels = self.write("labels.csv", ["file,outcome", "unknown.jsonl,success", "known.jsonl,success"])
        self.fails(1, "eval", str(self.folder / "u"), "--labels", labels)
        self.write("u/torn.jsonl", ['{"type":"summary","summary":"Fix it","leafUuid":"a"}', '{"type":"user" broken'])
        self.fails(1, "eval", str(self.folder / "u"))

    def test_many_files_are_shown_in_the_order_they_were_named(self):
        files = [self.write(f"{number:02}.jsonl", quiet(1)) for number in range(80)]
        named = files[::-1]
        done = self.ok("replay", "--json", *named)
        self.assertEqual([json.loads(line)["file"] for line in done.out.splitlines()], named)

    @unittest.skipUnless(CAN_FORBID_THREADS and SLOW == 1, "skipped: no prlimit here, one core, or a sanitizer, which needs its room")
    def test_where_no_thread_can_be_made_it_takes_longer(self):
        files = [self.write(f"{number}.jsonl", quiet(1)) for number in range(4)]
        with_threads = self.ok("replay", *files).out
        # A thread's stack has the size of that limit, and none that large fits.
        command = ["prlimit", f"--stack={1 << 48}:{1 << 48}", str(BINARY), "replay", *files]
        done = subprocess.run(command, env=self.cli.environment, capture_output=True, text=True, timeout=patient(60), check=False)
        self.assertEqual((done.returncode, done.stdout), (0, with_threads), done.stderr)

    def test_wrong_usage(self):
        file = self.write("a.jsonl", quiet(1))
        self.assertIn("--to", self.fails(64, "replay", file, "--batch", "5").err)
        self.fails(64, "replay", file, "--to", NO_DAEMON, "--why")
        self.assertIn("known are", self.fails(64, "replay", file, "--policy", "heartbeat_limt=3").err)
        self.fails(64, "replay", file, "--policy", "lenient")
        self.fails(64, "replay")

    def test_a_url_that_is_no_good_does_not_matter(self):
        self.cli.environment["HEADWAY_URL"] = "ftp://nowhere"
        self.ok("replay", self.write("a.jsonl", quiet(1)))


def at_once(file: Path, copy: Path) -> Path:
    """The recording without its pauses, which a wait is known by: it is played to the daemon as fast as that takes it."""
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    copy.write_text("".join(json.dumps({**line, "ts": 0} if "ts" in line else line) + "\n" for line in lines))
    return copy


class SameAsTheDaemon(SharedDaemonCase):
    """The promise of judging offline: the journal's verdicts, number for number."""

    def check(self, file: str):
        cli, session = Cli(self.daemon), unique("same")
        played = cli.run("replay", file, "--to", self.daemon.url, "--session", session)
        self.assertEqual(played.code, 0, played)
        offline = cli.run("replay", file, "--json").json()
        steps = {"verdict.changed": offline["timeline"], "directive.issued": offline["directives"]}
        for kind, ours in steps.items():
            theirs = [(e["n"], e["data"]) for e in self.client.journal(session) if e["type"] == kind]
            self.assertEqual([step["n"] for step in ours], [n for n, _ in theirs], file)
            for step, (_, data) in zip(ours, theirs):
                self.assertEqual({name: step[name] for name in data}, data, file)

    def test_a_recording(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "quiet.jsonl"
            path.write_text("".join(json.dumps(line) + "\n" for line in quiet(8)))
            self.check(str(path))

    def test_recordings_of_the_corpus(self):
        if corpus_folder() is None:
            self.skipTest("the corpus is not here (HEADWAY_CORPUS)")
        files = sorted((corpus_folder() / "data").glob("*/*.jsonl"))[::1 if LONG else 60]
        with tempfile.TemporaryDirectory() as folder:
            for file in files + sorted((corpus_folder() / "scenarios").glob("*/*.jsonl"))[::5]:
                self.check(str(at_once(file, Path(folder) / file.name)))


class AsItWasServed(SharedDaemonCase):
    """An export, judged again by the rules that served it, gives what was served."""
    test_clock = True

    def check(self, session: str):
        cli = Cli(self.daemon)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "export.jsonl"
            path.write_text(cli.run("events", session, "--jsonl").out)
            replayed = cli.run("replay", str(path), "--json")
            self.assertEqual(replayed.code, 0, replayed)
        journal = self.client.journal(session)
        for kind, steps in (("verdict.changed", replayed.json()["timeline"]), ("directive.issued", replayed.json()["directives"])):
            served = [(e["n"], e["data"]) for e in journal if e["type"] == kind]
            self.assertEqual([(step["n"], {name: step[name] for name in data}) for step, (_, data) in zip(steps, served)], served,
                             session)
            self.assertEqual(len(steps), len(served), session)

    def play(self, session: str, events: list):
        """In reports of up to 50; {"ack": true} takes up the newest advice, as in the corpus."""
        batch, advice = [], {}

        def send():
            nonlocal advice
            if batch:
                advice = self.client._expect((200,), self.client.post(f"/v1/sessions/{session}/events", batch))
                batch.clear()
        for event in events:
            if event != {"ack": True}:
                if len(batch) == 50 or len(json.dumps(batch)) + len(json.dumps(event)) > 500_000:
                    send()
                batch.append(event)
                continue
            send()
            told = [d["id"] for d in advice.get("directives", []) if d["type"] == "change_approach"]
            if told:
                batch.append({"type": "directive.acknowledged", "data": {"id": told[-1]}})
        send()

    def test_every_behaviour_of_the_corpus(self):
        script = (corpus_folder() or Path("/nowhere")) / "behaviours.py"
        if not script.is_file():
            self.skipTest("the behaviours are not here (HEADWAY_CORPUS)")
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([sys.executable, str(script), folder], check=True)
            files = sorted(Path(folder).glob("*.jsonl"))
            self.assertGreater(len(files), 100)
            for file in files:
                with self.subTest(file.stem):
                    session = unique("behaviour")
                    self.play(session, [json.loads(line) for line in file.read_text().splitlines()])
                    self.check(session)

    def test_texts_that_were_cut(self):
        session = unique("cut")
        head, tail = "the log begins " * 400, " the log ends" * 400
        for number in range(8):
            self.client.report(session, "message", role="assistant", text=f"{head}{number}{tail}")
            self.client.report(session, "tool.finished", tool="bash", args={"command": f"./step {number}"}, ok=False,
                               error={"class": "exit", "message": f"{head}{number}{tail}"})
            self.client.report(session, "tool.finished", tool="read", args={"path": "big.log"}, ok=True,
                               result=f"{head}{number}{tail}")
        for _ in range(6):
            self.client.report(session, "tool.finished", tool="bash", args={"script": head * 3}, ok=False,
                               error={"message": "at 12:03:04 it said no " * 300})
        self.check(session)

    def test_what_people_do(self):
        session = unique("people")
        client = self.daemon.operator()
        self.addCleanup(client.close)
        post = lambda rest, body: client._expect((200, 201), client.post(f"/v1/sessions/{session}{rest}", body))
        loop = [{"type": "tool.finished", "data": {"tool": "bash", "args": {"command": "make"}, "ok": False,
                                                   "error": {"class": "exit", "message": "no rule"}}}]
        self.play(session, loop * 4 + [{"ack": True}] + loop * 2)
        post("/pause", {"reason": "wait"})
        self.play(session, loop)
        post("/resume", {})
        post("/nudge", {"text": "another way"})
        asked = post("/approvals", {"tool": "deploy", "args": {"to": "production"}})["id"]
        client._expect((200,), client.post(f"/v1/approvals/{asked}/decision", {"decision": "reject", "reason": "no"}))
        asked = post("/approvals", {"tool": "deploy", "args": {"to": "staging"}})["id"]
        client._expect((200,), client.post(f"/v1/approvals/{asked}/decision", {"decision": "approve", "scope": "session"}))
        post("/approvals", {"tool": "deploy", "args": {"to": "staging"}})
        self.play(session, [{"type": "tool.started", "data": {"call_id": "c", "tool": "deploy", "args": {"to": "staging"}}},
                            {"type": "tool.finished", "data": {"call_id": "c", "tool": "deploy", "args": {"to": "staging"}, "ok": True}}])
        post("/cancel", {"reason": "enough"})
        post("/end", {"outcome": "cancelled"})
        self.check(session)

    def test_a_budget_that_ends_it(self):
        session = unique("budget")
        self.client.open(session, budget={"max_steps": 10})
        for number in range(14):
            reply = self.client.post(f"/v1/sessions/{session}/events", {"type": "tool.finished", "data": {
                "tool": "bash", "args": {"command": f"make {number}"}, "round": number, "ok": True, "result": str(number)}})
            if reply.status != 200:
                break
        self.check(session)

    def test_silence_and_its_end(self):
        session = unique("quiet")
        self.client.open(session, policy={"heartbeat_interval_ms": 10_000})
        self.clock.advance(21)
        self.client.wait(session, until="silent", wait="1m")
        self.client.beat(session)
        self.client.report(session, "tool.started", call_id="c", tool="bash", args={})
        self.clock.advance(21)
        self.client.wait(session, until="slow", wait="1m")
        self.client.report(session, "tool.finished", call_id="c", tool="bash", ok=True, result="done")
        self.clock.advance(21)
        self.client.wait(session, until="silent", wait="1m")
        self.check(session)


@functools.cache
def evaluated(folder: Path, *more):
    """Output of eval for all of the corpus, once for all tests: that takes seconds."""
    output = Cli(None, NO_DAEMON).run("eval", str(folder / "data"), "--labels", str(folder / "labels.csv"), "--json", *more)
    assert output.code == 0, output
    return output


class Eval(OfflineCase):
    def test_a_judge_that_lies_makes_no_verdict_on_the_corpus_worse(self):
        folder = corpus_folder()
        if folder is None:
            self.skipTest("the corpus is not here (HEADWAY_CORPUS)")

        def counts(output) -> dict:
            total = output.json()["total"]
            return {key: total[key] for key in ("false_stuck", "suspects_on_success", "recall", "recall_human", "recall_5")}

        honest = counts(evaluated(folder))
        for letter in "ABCD" if LONG else "B":  # B is the only one that changes anything
            with self.subTest(letter):
                lied = counts(evaluated(folder, "--judge", letter))
                # It confirms suspicions, which is all it can do: of over 500 successes a few.
                more = lied.pop("false_stuck") - honest["false_stuck"]
                self.assertTrue(0 <= more <= 4, more)
                self.assertEqual(lied, {key: honest[key] for key in lied})

    def corpus(self) -> str:
        """A false alarm and a quiet success of one source, a found and a missed loop of another."""
        self.write("data/good/alarm.jsonl", quiet(3))
        self.write("data/good/fine.jsonl", quiet(1))
        self.write("data/bad/found.jsonl", quiet(3, "fail"))
        self.write("data/bad/missed.jsonl", quiet(1, "fail"))
        return self.write("labels.csv", [(HEAD + "good/alarm.jsonl,good,success,no,oracle,-1,0\n"
                                          "good/fine.jsonl,good,success,no,oracle,-1,0\n"
                                          'bad/found.jsonl,bad,fail,yes,"hand: read, twice",0,6\n'
                                          "bad/missed.jsonl,bad,fail,yes,oracle,0,4").rstrip()])

    def test_numbers_by_source_and_in_total(self):
        labels = self.corpus()
        for folder in (self.folder, self.folder / "data", f"{self.folder}/"):
            result = self.ok("eval", str(folder), "--labels", labels, "--json", *STRICT).json()
            self.assertEqual(set(result["total"]), METRICS)
            self.assertEqual(set(result["sources"]), {"good", "bad"})
            self.assertEqual(result["sources"]["good"], {
                "sessions": 2, "successes": 2, "false_stuck": 1, "stuck_unknown": 0, "suspects_on_success": 1, "loops": 0, "recall": None,
                "recall_human": None, "nudges_per_1000_calls": 0, "delay_suspect": None, "delay_stuck": None,
                "recall_5": None})
            bad = result["sources"]["bad"]
            self.assertEqual((bad["loops"], bad["recall"], bad["recall_human"], bad["recall_5"]), (2, 0.5, 1, 1))
            self.assertEqual((bad["delay_suspect"], bad["delay_stuck"]), (1, 1))
            self.assertEqual(result["total"]["sessions"], 4)

    def test_tables_and_lists_for_people(self):
        labels = self.corpus()
        text = self.ok("eval", str(self.folder), "--labels", labels, "--list", *STRICT).out
        self.assertRegex(text, r"(?m)^good +2 +2 +1 +0 ")
        self.assertIn("good/alarm.jsonl: stuck at call 1, 3 heartbeats", text)
        self.assertIn("Missed loops: 1\n  bad/missed.jsonl: ", text)

    def test_precision_on_alarms_that_people_have_read(self):
        self.corpus()
        verdicts = self.write("verdicts.csv", ["note,file,verdict\n,good/alarm.jsonl,wrong\n,good/fine.jsonl,wrong\n,gone.jsonl,right"])
        output = self.ok("eval", str(self.folder), "--verdicts", verdicts, "--json", "--list", *STRICT)
        self.assertEqual(output.json()["alarms"], {"stuck": 2, "right": 0, "wrong": 1, "unclear": 0, "unread": 1, "precision": 0})
        lists = output.json()["lists"]
        self.assertEqual([one["file"] for one in lists["wrong_alarms"]], ["good/alarm.jsonl"])  # fine.jsonl is no alarm
        self.assertEqual([one["file"] for one in lists["unread_alarms"]], ["bad/found.jsonl"])
        self.assertIn("1 verdicts name files that are not there, such as gone.jsonl", output.err)
        verdicts = self.write("verdicts.csv", ["file,verdict\ngood/alarm.jsonl,unclear\nbad/found.jsonl,right"])
        text = self.ok("eval", str(self.folder), "--verdicts", verdicts, *STRICT).out
        self.assertIn("2 sessions were ever stuck; 1 of 1 that people read were right (100.0%), 1 unclear, 0 not read", text)
        self.assertIn("no file", self.fails(64, "eval", str(self.folder), "--verdicts", f"{self.folder}/none.csv").err)
        bad = self.write("sub/verdicts.csv", ["file,verdict\na.jsonl,maybe"])
        self.assertIn('verdicts.csv:2: verdict is "maybe"; use right, wrong or unclear', self.fails(1, "eval", str(self.folder), "--verdicts", bad).err)

    def test_scenarios(self):
        meta = {"type": "meta", "portable": "yes", "test": "should beat"}
        self.write("s/stuck.jsonl", [{**meta, "expect": "stuck"}, *quiet(3)])
        self.write("s/wrong.jsonl", [{**meta, "expect": "stuck"}, *quiet(1)])
        self.write("s/calm.jsonl", [{**meta, "expect": "not_stuck", "portable": "policy"}, *quiet(1)])
        result = self.ok("eval", str(self.folder), "--json", *STRICT).json()
        scenarios = result["scenarios"]
        self.assertEqual(scenarios["yes"], {"count": 2, "agree": 1})
        self.assertEqual(scenarios["threshold"], {"count": 0, "agree": 0})
        self.assertEqual(scenarios["policy"], {"count": 1, "agree": 1})
        (one,) = scenarios["disagreements"]
        self.assertEqual((one["file"], one["expect"], one["test"]), ("s/wrong.jsonl", "stuck", "should beat"))
        self.assertEqual(result["total"]["sessions"], 0)
        self.write("s/odd.jsonl", [{**meta, "expect": "maybe"}])
        self.assertIn("odd.jsonl:1: expect", self.fails(1, "eval", str(self.folder)).err)

    def test_what_labels_and_files_do_not_have_in_common_is_said(self):
        labels = self.corpus()
        (self.folder / "data/bad/missed.jsonl").rename(self.folder / "data/bad/new.jsonl")
        output = self.ok("eval", str(self.folder), "--labels", labels, "--json")
        self.assertEqual((output.json()["labels_missing"], output.json()["unlabelled"]), (1, 1))
        self.assertIn("bad/missed.jsonl", output.err)

    def test_without_labels_there_is_still_something_to_see(self):
        self.corpus()
        result = self.ok("eval", str(self.folder), "--json").json()
        self.assertEqual({k: v["sessions"] for k, v in result["sources"].items()}, {"good": 2, "bad": 2})

    def test_mistakes_say_what_to_do(self):
        labels = self.corpus()
        folder = str(self.folder)
        self.assertIn("no folder", self.fails(64, "eval", folder + "/nowhere").err)
        self.assertIn("no file", self.fails(64, "eval", folder, "--labels", folder + "/none.csv").err)
        self.assertIn("labels.csv:1: ", self.fails(1, "eval", folder, "--labels", self.write("sub/labels.csv", ["a,b"])).err)
        self.assertIn("known are", self.fails(64, "eval", folder, "--policy", "x=1").err)
        (self.folder / "empty").mkdir()
        self.assertIn("no *.jsonl", self.fails(1, "eval", folder + "/empty").err)
        self.write("data/bad/broken.jsonl", [call(), "{"])
        output = self.fails(1, "eval", folder, "--labels", labels, "--json")
        self.assertIn("broken.jsonl:2: ", output.err)
        self.assertEqual((output.json()["unreadable"], output.json()["total"]["sessions"]), (1, 4))

    def test_a_bad_field_costs_an_event_and_not_the_file(self):
        lines = quiet(3)
        lines.insert(2, {"type": "heartbeat", "iteration": -3})
        self.write("odd.jsonl", lines)
        output = self.ok("eval", str(self.folder), "--json", *STRICT)
        self.assertIn("1 events of 1 recordings cannot be read", output.err)
        self.assertIn("odd.jsonl:3: /data/iteration", output.err)
        result = output.json()
        self.assertEqual((result["unreadable"], result["events_unreadable"], result["total"]["sessions"]), (0, 1, 1))

    def test_a_stuck_success_with_an_unknown_loop_is_counted(self):
        self.write("data/good/alarm.jsonl", quiet(3))
        labels = self.write("labels.csv", [(HEAD + "good/alarm.jsonl,good,success,unknown,oracle,-1,0").rstrip()])
        output = self.ok("eval", str(self.folder), "--labels", labels, "--json", "--list", *STRICT).json()
        self.assertEqual((output["total"]["false_stuck"], output["total"]["stuck_unknown"]), (0, 1))
        self.assertEqual([one["file"] for one in output["lists"]["stuck_unknown"]], ["good/alarm.jsonl"])

    def test_the_corpus(self):
        corpus = corpus_folder()
        if corpus is None or not (corpus / "labels.csv").is_file():
            self.skipTest("the corpus is not here (HEADWAY_CORPUS)")
        # The two folders that the corpus documents: anything else beside them is ignored.
        output = evaluated(corpus)
        result = output.json()
        self.assertEqual(result["unreadable"], 0, output.err)
        self.assertEqual(result["labels_missing"], 0)
        self.assertEqual(result["total"]["sessions"], len((corpus / "labels.csv").read_text().splitlines()) - 1)
        self.assertEqual(sum(s["sessions"] for s in result["sources"].values()), result["total"]["sessions"])
        scenarios = self.ok("eval", str(corpus / "scenarios"), "--json").json()["scenarios"]
        self.assertGreater(sum(scenarios[p]["count"] for p in ("yes", "threshold", "policy")), 0)


if __name__ == "__main__":
    unittest.main()
