#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`./dev agents --newest`: words of made-up releases, compared with what Headway's sources know. Nothing is downloaded."""
import contextlib
import gzip
import io
import json
import os
import shutil
import sys
import tarfile
import tempfile
import unittest
from pathlib import Path
from unittest import mock

PROJECT = Path(__file__).resolve().parents[2]
sys.path.append(str(PROJECT / "tests/agents"))
import bundles  # noqa: E402 (the path comes first)
import known  # noqa: E402
import newest  # noqa: E402
import vocabulary  # noqa: E402

CLAUDE = ('x=["PreToolUse","PostToolUse","PostToolUseFailure","Stop","MoonRises"];n=["permission_prompt","idle_prompt","moon_prompt"];'
          'e=["authentication_failed","rate_limit","moon_full"];s=["user","sdk","system","moon_wakeup"];'
          'a=p(()=>D().and(u({hook_event_name:P("Stop"),last_assistant_message:r().describe("no:field"),moon_phase:r()})));')
CODEX = ('"hook_event_name": {\n      "const": "Stop"\n"hook_event_name": {\n      "const": "MoonRises"\n'
         'xcontextWindowExceededusageLimitExceededmoonIsFullactiveTurnNotSteerablevariant')
NPM = """#!/usr/bin/env python3
import json, os, shutil, sys
words = sys.argv[1:]
if os.environ.get("NPM_AWAY"):
    sys.exit(print("npm error network is unreachable", file=sys.stderr) or 1)
if words[0] == "view":
    print(json.dumps({"version": "9.9.9", "optionalDependencies": {"@anthropic-ai/claude-code-linux-x64": "9.9.9", "other": "1"}}))
else:
    shutil.copy(os.path.join(os.environ["NPM_TARBALLS"], "part.tgz" if "linux" in words[-1] else "main.tgz"), "x.tgz")
"""


def tarball(path: Path, files: dict):
    with tarfile.open(path, "w:gz") as tar:
        for name, data in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            tar.addfile(entry, io.BytesIO(data))


class Newest(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="headway-newest-"))
        self.addCleanup(shutil.rmtree, self.folder)
        (self.folder / "npm").write_text(NPM)
        (self.folder / "npm").chmod(0o755)
        tarball(self.folder / "main.tgz", {"package/README.md": b"words", "../outside.js": b"x"})
        tarball(self.folder / "part.tgz", {"package/claude": b"\x7fELF\0" + CLAUDE.encode() + b"\0"})
        environment = {"PATH": f"{self.folder}:{os.environ['PATH']}", "NPM_TARBALLS": str(self.folder)}
        for patch in (mock.patch.dict(os.environ, environment), mock.patch.object(bundles, "FOLDER", self.folder / "newest")):
            patch.start()
            self.addCleanup(patch.stop)

    def run_newest(self, *arguments) -> str:
        out = io.StringIO()
        with mock.patch.object(sys, "argv", ["newest.py", *arguments]), contextlib.redirect_stdout(out):
            self.assertEqual(newest.main(), 0)
        return out.getvalue()

    def test_words_that_are_not_known_are_listed_and_no_others(self):
        result = json.loads(self.run_newest("claude", "--json"))["agents"]["claude"]
        self.assertEqual(result["version"], "9.9.9")
        self.assertEqual(result["unknown"], {"hook events": ["MoonRises"], "fields": ["Stop.moon_phase"], "notifications": ["moon_prompt"],
                                             "sources of prompts": [w for w in result["unknown"]["sources of prompts"] if w != "user"],
                                             "error classes": ["moon_full"]})
        self.assertIn("moon_wakeup", result["unknown"]["sources of prompts"])
        self.assertIn("userpromptsubmit", result["gone"], "what is asked for and not there any more")
        self.assertEqual(result["unreadable"], [])
        shown = self.run_newest("claude")
        self.assertIn("NOT KNOWN      hook events: MoonRises", shown)
        self.assertFalse((self.folder / "outside.js").exists())

    def test_a_pattern_that_finds_nothing_is_said(self):
        tarball(self.folder / "part.tgz", {"package/claude": b"built otherwise"})
        tarball(self.folder / "main.tgz", {"package/cli.js": b"built otherwise"})
        result = json.loads(self.run_newest("claude", "--json"))["agents"]["claude"]
        self.assertEqual(result["unreadable"], sorted(vocabulary.AGENTS["claude"].kinds))
        self.assertEqual(result["gone"], [], "nothing was found, so nothing can be missing")

    def test_without_npm_it_says_so(self):
        with mock.patch.dict(os.environ, {"NPM_AWAY": "1"}):
            self.assertIn("network is unreachable", self.run_newest("claude", "pi"))
            self.assertEqual(set(json.loads(self.run_newest("--json"))["away"]), set(vocabulary.AGENTS))
        with mock.patch.dict(os.environ, {"PATH": "/nonexistent"}):
            self.assertIn("npm is not installed", self.run_newest("codex"))

    def test_words_of_a_native_program_are_taken_apart(self):
        words = vocabulary.read(vocabulary.AGENTS["codex"], [("1/package/vendor/bin/codex", CODEX.encode())])
        self.assertEqual(words["hook events"], ["MoonRises", "Stop"])
        unknown = newest.unknown_of("codex", "error classes*", words["error classes*"], known.of("codex", "codex"))
        self.assertEqual(unknown, ["moonIsFull"])

    def test_an_archive_inside_of_a_program_is_read(self):
        inside = io.BytesIO()
        with tarfile.open(fileobj=inside, mode="w") as tar:
            entry = tarfile.TarInfo("package/app.js")
            entry.size = 5
            tar.addfile(entry, io.BytesIO(b"words"))
        data = b"\x7fELF" + gzip.compress(b"no archive") + b"\0" * 64 + gzip.compress(inside.getvalue()) + b"rest"
        self.assertEqual(list(bundles.inner_archive(data)), [("package/app.js", b"words")])

    def test_what_is_known_comes_from_the_sources(self):
        for agent, event in (("claude", "Elicitation"), ("codex", "Interrupt"), ("copilot", "ErrorOccurred"), ("gemini", "BeforeTool"),
                             ("cline", "TaskStart"), ("qwen", "StopFailure")):
            self.assertIn(event, known.events_asked(agent))
        self.assertNotIn("Elicitation", known.events_asked("qwen"))
        self.assertIn("usagelimitexceeded", known.causes())
        self.assertIn("agents/common/claude_like.cpp", {str(path.relative_to(PROJECT)) for path in known.sources_of_dialect("qwen")})

    def test_each_reviewed_word_has_its_reason(self):
        for agent, kinds in json.loads((PROJECT / "tests/agents/reviewed.json").read_text()).items():
            self.assertIn(agent, vocabulary.AGENTS)
            for kind, reasons in kinds.items():
                self.assertIn(kind, {"gone", *(name.rstrip("*") for name in vocabulary.AGENTS[agent].kinds)})
                self.assertTrue(all(len(why.split()) > 2 and words for why, words in reasons.items()))


if __name__ == "__main__":
    unittest.main()
