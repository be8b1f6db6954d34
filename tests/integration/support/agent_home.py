# SPDX-License-Identifier: Apache-2.0
"""A home folder with agents that only know their versions."""
import os
import pty
import shutil
import stat
import subprocess
import tempfile
import unittest
from pathlib import Path

from .cli import Output
from .daemon import BINARY, clean_environment
from .limits import patient

VERSIONS = {"claude": "2.1.332 (Claude Code)", "codex": "codex-cli 0.171.0", "gemini": "0.61.0", "qwen": "0.24.4", "copilot": "1.0.102",
            "cline": "3.0.65", "opencode": "1.18.33", "kilo": "7.7.7", "pi": "1.5.2"}
FILES = {"claude": ".claude/settings.json", "codex": ".codex/hooks.json", "gemini": ".gemini/settings.json", "qwen": ".qwen/settings.json",
         "copilot": ".copilot/hooks/headway.json", "opencode": ".config/opencode/plugin/headway.js", "kilo": ".config/kilo/plugin/headway.js",
         "pi": ".pi/agent/extensions/headway.ts"}


class HomeCase(unittest.TestCase):
    """A home folder, fake agents on PATH, and a fake headway-hook where the program has none beside it. No settings of this machine."""
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.tools = Path(tempfile.mkdtemp(prefix="headway-tools-"))
        cls.addClassCleanup(shutil.rmtree, cls.tools)
        (cls.tools / "bin").mkdir()
        for name, version in VERSIONS.items():
            cls.program(cls.tools / "bin" / name, f"echo '{version}'")
        cls.program(cls.tools / "bin/headway-hook", "cat > /dev/null; echo '{}'")

    @staticmethod
    def program(path: Path, script: str):
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)

    def setUp(self):
        self.home = Path(tempfile.mkdtemp(prefix="headway-home-"))
        self.addCleanup(shutil.rmtree, self.home, True)
        (self.home / ".pi").mkdir()
        self.environment = clean_environment(HOME=str(self.home), PATH=f"{self.tools}/bin:/usr/bin:/bin", STATE_DIRECTORY=str(self.home / "state"))
        for name in ("CLAUDE_CODE_MANAGED_SETTINGS_PATH", "QWEN_CODE_SYSTEM_SETTINGS_PATH", "GEMINI_CLI_SYSTEM_SETTINGS_PATH"):
            self.environment[name] = str(self.home / "managed" / name.split("_")[0].lower())
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy", "CLAUDE_CONFIG_DIR", "CODEX_HOME"):
            self.environment.pop(name, None)
        self.hook = self.hook_program()

    def hook_program(self) -> str:
        beside = BINARY.resolve().with_name("headway-hook")
        return str(beside if beside.exists() else self.tools / "bin/headway-hook")

    def run_verb(self, *arguments, **options) -> Output:
        done = subprocess.run([str(BINARY), *arguments], env=self.environment, cwd=self.home, capture_output=True, text=True,
                              timeout=patient(60), stdin=subprocess.DEVNULL, check=False, **options)
        return Output(done.returncode, done.stdout, done.stderr)

    def install(self, *arguments, code: int = 0) -> Output:
        done = self.run_verb("install", "--yes", *arguments)
        self.assertEqual(done.code, code, done)
        return done

    def uninstall(self, *arguments, code: int = 0) -> Output:
        done = self.run_verb("uninstall", "--yes", *arguments)
        self.assertEqual(done.code, code, done)
        return done

    def in_terminal(self, answer: str, *arguments) -> tuple:
        """(exit status, what was shown) with a person who gives this answer."""
        master, slave = pty.openpty()
        process = subprocess.Popen([str(BINARY), *arguments], env=self.environment, cwd=self.home, stdin=slave, stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT)
        os.close(slave)
        os.write(master, answer.encode())
        out = process.communicate(timeout=patient(60))[0].decode()
        os.close(master)
        return process.returncode, out

    def tree(self) -> dict:
        """Every file and link below the home folder: its mode, and what is in it."""
        found = {}
        for path in sorted(self.home.rglob("*")):
            name = str(path.relative_to(self.home))
            if path.is_symlink():
                found[name] = ("link", os.readlink(path))
            elif path.is_file():
                found[name] = (stat.S_IMODE(path.stat().st_mode), path.read_bytes())
        return found

    def settings(self, agent: str = "claude") -> Path:
        path = self.home / FILES[agent]
        path.parent.mkdir(parents=True, exist_ok=True)
        return path
