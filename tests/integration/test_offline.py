#!/usr/bin/env python3
"""`headway replay` without --to and `headway eval`: recordings judged without a daemon."""
import json
import tempfile
import unittest
from pathlib import Path

from support.case import SharedDaemonCase, unique
from support.cli import Cli
from support.corpus import corpus_folder
from support.limits import LONG

NOBODY = "http://127.0.0.1:1"  # tcpmux: nothing listens there
STRICT = ("--policy", "strict", "--policy", "heartbeat_limit=3")
METRICS = {"sessions", "successes", "false_stuck", "suspects_on_success", "loops", "recall", "recall_human",
           "nudges_per_1000_calls", "delay_suspect", "delay_stuck", "recall_5"}
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
        self.cli = Cli(None, NOBODY)

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

    def test_wrong_usage(self):
        file = self.write("a.jsonl", quiet(1))
        self.assertIn("--to", self.fails(64, "replay", file, "--batch", "5").err)
        self.fails(64, "replay", file, "--to", NOBODY, "--why")
        self.assertIn("known are", self.fails(64, "replay", file, "--policy", "heartbeat_limt=3").err)
        self.fails(64, "replay", file, "--policy", "lenient")
        self.fails(64, "replay")

    def test_a_url_that_is_no_good_does_not_matter(self):
        self.cli.environment["HEADWAY_URL"] = "ftp://nowhere"
        self.ok("replay", self.write("a.jsonl", quiet(1)))


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
        for file in files + sorted((corpus_folder() / "scenarios").glob("*/*.jsonl"))[::5]:
            self.check(str(file))


class Eval(OfflineCase):
    def test_a_judge_that_lies_makes_no_verdict_on_the_corpus_worse(self):
        folder = corpus_folder()
        if folder is None:
            self.skipTest("the corpus is not here (HEADWAY_CORPUS)")

        def counts(*more) -> dict:
            total = self.ok("eval", str(folder), "--labels", str(folder / "labels.csv"), "--json", *more).json()["total"]
            return {key: total[key] for key in ("false_stuck", "suspects_on_success", "recall", "recall_human", "recall_5")}

        honest = counts()
        for letter in "ABCD" if LONG else "B":  # B is the only one that changes anything
            with self.subTest(letter):
                self.assertEqual(counts("--judge", letter), honest)

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
                "sessions": 2, "successes": 2, "false_stuck": 1, "suspects_on_success": 1, "loops": 0, "recall": None,
                "recall_human": None, "nudges_per_1000_calls": 0, "delay_suspect": None, "delay_stuck": None,
                "recall_5": None})
            bad = result["sources"]["bad"]
            self.assertEqual((bad["loops"], bad["recall"], bad["recall_human"], bad["recall_5"]), (2, 0.5, 1, 1))
            self.assertEqual((bad["delay_suspect"], bad["delay_stuck"]), (1, 1))
            self.assertEqual(result["total"]["sessions"], 4)

    def test_tables_and_lists_for_people(self):
        labels = self.corpus()
        text = self.ok("eval", str(self.folder), "--labels", labels, "--list", *STRICT).out
        self.assertRegex(text, r"(?m)^good +2 +2 +1 ")
        self.assertIn("good/alarm.jsonl: stuck at call 1, 3 heartbeats", text)
        self.assertIn("Missed loops: 1\n  bad/missed.jsonl: ", text)

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

    def test_the_corpus(self):
        corpus = corpus_folder()
        if corpus is None or not (corpus / "labels.csv").is_file():
            self.skipTest("the corpus is not here (HEADWAY_CORPUS)")
        output = self.ok("eval", str(corpus), "--labels", str(corpus / "labels.csv"), "--json", seconds=60)
        result = output.json()
        self.assertEqual(result["unreadable"], 0, output.err)
        self.assertEqual(result["labels_missing"], 0)
        self.assertEqual(result["total"]["sessions"], len((corpus / "labels.csv").read_text().splitlines()) - 1)
        self.assertEqual(sum(s["sessions"] for s in result["sources"].values()), result["total"]["sessions"])
        self.assertGreater(sum(result["scenarios"][p]["count"] for p in ("yes", "threshold", "policy")), 0)


if __name__ == "__main__":
    unittest.main()
