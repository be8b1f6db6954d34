#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Nothing of what a person decides about is hidden: in the terminal, in --json, and by the table of the page."""
import json
import random
import shutil
import subprocess
import tempfile
import unicodedata
import unittest
from pathlib import Path

from support.case import OwnDaemonCase
from support.cli import Cli
from support.daemon import PROJECT

NODE = shutil.which("node") or shutil.which("nodejs")
TEXTS = 500
# Which have no category that says so.
FILLERS = {0x34F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0, 0x16FE4, 0x1D159, *range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0),
           *range(0x180B, 0x1810)}
# Signs before numbers, of which a reader sees all.
SIGNS = {*range(0x600, 0x606), 0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0x110BD, 0x110CD}
WAITING = 30  # requests of one session at once, of 32
PARTS = ["echo hi ", "rm -rf ~", " ", "\\", "u{1b}", "\\u{1b}", "\\x{ff}", "\x1b]0;", "\a", "\x1b[2K", "\b\b\b\b", "\r", "\n", "\t", "\x7f", "\x85",
         "\x9b", "31m", "\u202e", "\u2066", "\u200b", "\ufeff", "\xa0", "\xad", "\u034f", "\u115f", "\u17b4", "\u180b", "\u2028", "\u2800", "\u3000",
         "\u3164", "\uffa0", "\ufe0f", "\ufff9", "\U000e0041", "\U0001d173", '"', '{"a":1}', "null", "\xe9"]


def is_hidden(character: str) -> bool:
    kind = unicodedata.category(character)
    return ord(character) in FILLERS or ord(character) not in SIGNS and (kind in ("Cc", "Cf", "Zl", "Zp", "Co") or (kind == "Zs" and character != " "))


def hidden_in(text: str) -> set:
    return {hex(ord(c)) for c in text if is_hidden(c) and c != "\n"}


def hostile_texts() -> list:
    drawn, texts = random.Random(7), {"a", "a ", " a", "a  b", "a b", '{"a":1}', '"a"'}
    while len(texts) < TEXTS:
        texts.add("".join(drawn.choice(PARTS) for _ in range(drawn.randint(1, 5))))
    return sorted(texts)


class Approvals(OwnDaemonCase):
    def test_of_500_hostile_calls_no_two_look_the_same_and_none_hides_anything(self):
        daemon = self.start()
        client, texts, shown, told = self.client(daemon), hostile_texts(), [], []
        for number in range(0, TEXTS, WAITING):
            session = f"s{number}"
            client.open(session)
            for text in texts[number:number + WAITING]:
                reply = client.post(f"/v1/sessions/{session}/approvals", {"tool": "bash", "risk": "low", "args": text})
                self.assertIn(reply.status, (200, 201), reply.body)
            cli = Cli(daemon)
            listed = cli.run("approvals", "--session", session)
            self.assertEqual(listed.code, 0, listed.err)
            self.assertEqual(hidden_in(listed.out), set())
            shown += [line.split("arguments ", 1)[1] for line in listed.out.split("\n") if line.startswith("  arguments ")]
            raw = cli.run("approvals", "--session", session, "--json")
            self.assertEqual(hidden_in(raw.out), set())
            told += [approval["args"] for approval in json.loads(raw.out)]
            self.assertEqual(hidden_in(cli.run("events", session).out), set())
            self.assertEqual(hidden_in(cli.run("show", session).out), set())
        self.assertEqual(sorted(told), texts, "JSON says the same")
        self.assertEqual(len(set(shown)), TEXTS, "two different calls look the same")

    @unittest.skipIf(NODE is None, "there is no node")
    def test_the_page_shows_what_the_terminal_shows(self):
        daemon = self.start()
        client, texts = self.client(daemon), hostile_texts()
        characters = [chr(c) for c in (*range(1, 0xD800), *range(0xE000, 0x11000), *range(0x13400, 0x13500), *range(0x1BC00, 0x1BD00),
                                       *range(0x1D100, 0x1D200), *range(0xE0000, 0xE1000), 0xF0000, 0x10FFFF)]
        texts += ["a" + "b".join(characters[at:at + 500]) + "c" for at in range(0, len(characters), 500)]
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(PROJECT / "web/format.js", Path(folder) / "format.mjs")
            script = ("import { reveal } from './format.mjs'; import fs from 'node:fs';"
                      "console.log(JSON.stringify(JSON.parse(fs.readFileSync(0, 'utf8')).map(reveal)))")
            ran = subprocess.run([NODE, "--input-type=module", "-e", script], cwd=folder, input=json.dumps(texts), capture_output=True, text=True,
                                 check=True, encoding="utf-8")
        page = json.loads(ran.stdout)
        self.assertEqual(len(set(page)), len(texts))
        self.assertEqual(hidden_in("".join(page)), set())
        terminal = []
        for number in range(0, len(texts), WAITING):
            session = f"s{number}"
            client.open(session)
            for text in texts[number:number + WAITING]:
                reply = client.post(f"/v1/sessions/{session}/approvals", {"kind": "question", "summary": f"<{text}>"})
                self.assertIn(reply.status, (200, 201), reply.body)
            listed = Cli(daemon).run("approvals", "--session", session)
            terminal += [line.split("<", 1)[1][:-1] for line in listed.out.split("\n") if line.startswith("  asks ")]
        edges = [(f"\\u{{20}}{text[1:]}" if text[:1] == " " else text) for text in terminal]
        edges = [(f"{text[:-1]}\\u{{20}}" if text[-1:] == " " else text) for text in edges]
        self.assertEqual(edges, page)


if __name__ == "__main__":
    unittest.main()
