# SPDX-License-Identifier: Apache-2.0
"""Runs verbs of the command line against a daemon of the test."""
import json
import subprocess
import threading
from dataclasses import dataclass

from .daemon import ALARMS, BINARY, Daemon, clean_environment
from .limits import patient


@dataclass
class Output:
    code: int
    out: str
    err: str

    def __post_init__(self):
        # The exit status alone would not do: that of a sanitizer may be one that the test expects.
        if ALARMS.search(self.err):
            raise AssertionError(f"alarms on stderr, exit status {self.code}:\n{self.err[-8000:]}")

    def json(self):
        return json.loads(self.out)

    def lines(self) -> list:
        return [json.loads(line) for line in self.out.splitlines()]


class Cli:
    def __init__(self, daemon: Daemon | None, url: str | None = None):
        self.root = daemon.root if daemon else None
        # The default state directory is the daemon's, so that the operator's token is found there and nowhere else.
        state = daemon.state_dir if daemon else "/nonexistent"
        self.environment = clean_environment(HEADWAY_URL=url or daemon.url, STATE_DIRECTORY=str(state))
        if daemon:
            self.environment["HEADWAY_CONFIG"] = str(daemon.config_file)

    def start(self, *arguments, **options) -> subprocess.Popen:
        options = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
        return subprocess.Popen([str(BINARY), *arguments], env=self.environment, cwd=self.root, text=True, **options)

    def run(self, *arguments, stdin: str = "", seconds: float = 60) -> Output:
        process = self.start(*arguments, stdin=subprocess.PIPE)
        try:
            out, err = process.communicate(stdin, timeout=patient(seconds))
        except subprocess.TimeoutExpired:
            process.kill()
            out, err = process.communicate()
            raise AssertionError(f"headway {' '.join(arguments)} did not finish:\n{out}\n{err}") from None
        return Output(process.returncode, out, err)


def finish(process: subprocess.Popen, seconds: float = 60) -> Output:
    """The rest of the output of a process that readline() was used on: communicate() would lose what is buffered."""
    timer = threading.Timer(patient(seconds), process.kill)
    timer.start()
    try:
        out, err = process.stdout.read(), process.stderr.read()
        process.wait()
    finally:
        timer.cancel()
    process.stdout.close()
    process.stderr.close()
    return Output(process.returncode, out, err)
