# SPDX-License-Identifier: Apache-2.0
"""One agent in a home of its own, a model that says what a script says, and a daemon between them and the test."""
import json
import os
import shutil
import signal
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

from packages import PROJECT, ROOT

sys.path.insert(0, str(PROJECT / "tests/integration"))
from support.daemon import BINARY, Daemon, clean_environment  # noqa: E402 (the path comes first)

HERE = Path(__file__).resolve().parent
HANGS = "the agent has not ended"
PROMPT = "do the scripted work"
MARK = "AGENT_TEST_HOME"  # by this variable everything that an agent has started is found


def until(condition, seconds: float, what: str):
    """Polls until `condition()` is truthy and returns that."""
    end = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() >= end:
            raise AssertionError(f"not within {seconds:.0f} s: {what}")
        time.sleep(0.02)


def strings(value):
    """All texts in a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (list, dict)):
        for part in value.values() if isinstance(value, dict) else value:
            yield from strings(part)


def flat(text: str) -> str:
    return " ".join(text.split())


class World:
    def __init__(self, agent, programs: Path, behaviour: str, settings: dict | None = None, by_url: bool = False,
                 test_clock: bool = False):
        self.agent = agent
        self.by_url = by_url  # hooks that are commands name the daemon by its URL too
        self.home = ROOT / "runs" / agent.name / behaviour
        shutil.rmtree(self.home, ignore_errors=True)
        self.work = self.home / "w"
        self.logs = self.home / "logs"
        for folder in (self.work, self.logs, self.home / "bin"):
            folder.mkdir(parents=True)
        for program in ("headway", "headway-hook"):
            (self.home / "bin" / program).symlink_to(BINARY.resolve().with_name(program))
        self.processes = []
        self.model_log = self.logs / "model.jsonl"
        self.script_file = self.logs / "script.json"
        self.settings = settings or {}
        self.changed = {}  # variables of the agent that are others than always
        self.daemon = Daemon(self.settings, test_clock=test_clock)
        self.client = None
        node = Path(shutil.which("node")).parent
        # The agents' own programs come first: one of them brings a newer node.
        self.path = f"{self.home}/bin:{programs}:{node}:/usr/local/bin:/usr/bin:/bin"

    def start(self) -> "World":
        self.script([])
        self.daemon.start()
        self.client = self.daemon.client()
        port_file = self.logs / "model.port"
        with open(self.logs / "model.err", "wb") as errors:
            model = subprocess.Popen(["node", str(HERE / "model.mjs"), str(self.script_file), str(self.model_log), str(port_file)],
                                     stdin=subprocess.DEVNULL, stdout=errors, stderr=errors, start_new_session=True)
        self.processes.append(model)
        until(port_file.exists, 20, "the model server starts")
        self.model = f"http://127.0.0.1:{port_file.read_text()}"
        subprocess.run(["git", "init", "-q", str(self.work)], check=True, timeout=20)
        self.agent.configure(self.home, self.model)
        for command in self.agent.first(self.model):
            self.call(command, 60)
        self.install()
        return self

    def install(self):
        """As a person does whose daemon listens on the default port, so that commands find its report socket. A test that knows only
        URLs has to be given this one."""
        if self.agent.plugin:
            (self.home / self.agent.plugin).unlink(missing_ok=True)
        by_url = self.by_url or self.agent.by_url_only
        url = ["--url", self.daemon.url] if by_url else []
        self.verb("install", self.agent.name, "--yes", *url, *self.agent.install, HEADWAY_URL="")
        if self.agent.commands_too and not by_url:
            self.change_url("http://127.0.0.1:7717", self.daemon.url)

    def change_url(self, before: str, after: str):
        settings = self.home / self.agent.settings
        settings.write_text(settings.read_text().replace(before, after))

    def idle_hooks(self):
        """Hooks that are called and do nothing: that agents call them at all is not Headway's time."""
        if self.agent.hook == "http":
            self.change_url(self.daemon.url, self.model)
        else:
            self.verb("uninstall", self.agent.name, "--yes")

    def time_plugin(self) -> Path:
        """Puts a clock around the hooks of the plugin. Each line of the file has the name of a hook and what one call took, in ms."""
        plugin = self.home / self.agent.plugin
        beside = self.home / plugin.name  # an agent loads all that is in the folder of its plugins
        times = self.logs / "plugin.times"
        times.unlink(missing_ok=True)
        plugin.rename(beside)
        plugin.write_text(self.agent.timed_plugin % {"plugin": beside, "log": times})
        return times

    @property
    def environment(self) -> dict:
        kept = {k: v for k, v in os.environ.items() if k in ("LANG", "TERM", "TZ", "USER", "LOGNAME")}
        # A daemon that this person runs has its report socket in the default place; it must not get our hooks.
        socket = {"HEADWAY_HOOK_SOCKET": str(self.daemon.state_dir / "report.sock")}
        all_of_them = {**kept, **socket, "HOME": str(self.home), "PATH": self.path, "NO_PROXY": "127.0.0.1,localhost", "DO_NOT_TRACK": "1",
                       "CI": "1", MARK: str(self.home), **self.agent.environment(self.model), **self.changed}
        return {name: value for name, value in all_of_them.items() if value is not None}

    def subscribe(self):
        """The agent is logged in with a plan, where it knows such."""
        self.changed.update(self.agent.subscribed(self.home))

    # the programs

    def call(self, command, seconds: float) -> str:
        done = subprocess.run(command, env=self.environment, cwd=self.work, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=seconds, check=False)
        if done.returncode != 0:
            raise AssertionError(f"{' '.join(command)}: exit {done.returncode}: {done.stdout.decode(errors='replace')[-600:]}")
        return done.stdout.decode(errors="replace")

    def verb(self, *arguments, **variables) -> str:
        """`headway`, as the person who runs the agent and the daemon calls it."""
        environment = clean_environment(**self.environment, HEADWAY_URL=self.daemon.url, STATE_DIRECTORY=str(self.daemon.state_dir))
        environment.update(variables)
        done = subprocess.run(["headway", *arguments], executable=str(self.home / "bin/headway"), env=environment, cwd=self.work,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False)
        with open(self.logs / "verbs.txt", "a", encoding="utf-8") as log:
            log.write(f"$ headway {' '.join(arguments)}\n{done.stdout}{done.stderr}")
        if done.returncode != 0:
            raise AssertionError(f"headway {' '.join(arguments)}: exit {done.returncode}: {done.stderr.strip()[-600:]}")
        return done.stdout

    def run(self, prompt: str = PROMPT, resume: bool = False, asks: bool = False, refuses: bool = False) -> subprocess.Popen:
        words = self.agent.asks if asks else self.agent.refuses or self.agent.command if refuses else self.agent.resume if resume else self.agent.command
        command = [*words, prompt]
        number = len(self.processes)
        with open(self.logs / f"out.{number}", "wb") as out, open(self.logs / f"err.{number}", "wb") as err:
            process = subprocess.Popen(command, env=self.environment, cwd=self.work, stdin=subprocess.DEVNULL, stdout=out, stderr=err,
                                       start_new_session=True, preexec_fn=lambda: os.nice(5))
        self.processes.append(process)
        return process

    def finish(self, process: subprocess.Popen, seconds: float = 60) -> int:
        try:
            return process.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"{HANGS} in {seconds:.0f} s") from None

    # the model

    def script(self, main: list, sub: list | None = None):
        fresh = self.script_file.with_suffix(".new")
        fresh.write_text(json.dumps({"prompt": PROMPT, "main": main, "sub": sub or []}))
        fresh.replace(self.script_file)

    def open_gate(self, name: str):
        urllib.request.urlopen(urllib.request.Request(f"{self.model}/gate/{name}", data=b""), timeout=10).read()

    def log(self) -> list:
        lines = self.model_log.read_text(encoding="utf-8").split("\n")[:-1] if self.model_log.exists() else []
        return [json.loads(line) for line in lines]

    def requests(self, sub_agent: bool = False) -> list:
        """Requests to the model, with tools: not those for titles and the like."""
        return [entry for entry in self.log() if entry.get("tools") and bool(entry.get("sub_agent")) == sub_agent]

    def asked(self, turn: int, seconds: float = 60) -> dict:
        """The request for this turn of the conversation."""
        return until(lambda: next((r for r in self.requests() if r["turn"] >= turn), None), seconds, f"the model is asked for turn {turn}")

    def told(self, words: str, turn: int = 0) -> list:
        """The turns from this one on whose request has these words."""
        wanted = flat(words)
        return [r["turn"] for r in self.requests() if r["turn"] >= turn and wanted in flat("\n".join(strings(r["body"])))]

    # the daemon

    def sessions(self) -> list:
        return self.client.get("/v1/sessions?limit=50").json()["sessions"]

    def session_id(self, seconds: float = 30) -> str:
        def first():
            mine = [s["id"] for s in self.sessions() if s["id"].startswith(f"{self.agent.name}-") and not s.get("parent")]
            return next((session for session in mine if "~" not in session), None)
        return until(first, seconds, "a session of the agent appears")

    def events(self, session: str, kind: str | None = None) -> list:
        return [event for event in self.client.journal(session) if kind in (None, event["type"])]

    def event(self, session: str, kind: str, seconds: float = 30, **data) -> dict:
        def found():
            return next((e for e in self.events(session, kind) if all(e["data"].get(k) == v for k, v in data.items())), None)
        return until(found, seconds, f"{kind} {data or ''} in the journal")

    def pending(self, but: str = "", seconds: float = 60) -> str:
        def first():
            listed = self.client.get("/v1/approvals").json()["approvals"]
            return next((a["id"] for a in listed if a["id"] != but), None)
        return until(first, seconds, "a call waits for an approval")

    def ended(self, session: str, seconds: float = 30) -> dict:
        def document():
            read = self.client.session(session)
            return read if read["ended_at"] else None
        return until(document, seconds, "the session ends")

    # the end

    def leftovers(self) -> list:
        """Processes of this world, also those that have left their group."""
        found = []
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                if f"{MARK}={self.home}\0".encode() in (folder / "environ").read_bytes():
                    found.append(int(folder.name))
            except OSError:
                continue  # ended meanwhile, or of another user
        return found

    def close(self):
        self.keep_journals()
        for process in self.processes:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        for pid in self.leftovers():
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        if self.client:
            self.client.close()
        if self.daemon.process:
            if self.daemon.running():
                os.kill(self.daemon.process.pid, signal.SIGCONT)
            (self.logs / "daemon.log").write_text(self.daemon.log())
        self.daemon.close()

    def keep_journals(self):
        """For the person who reads a failure."""
        if not (self.client and self.daemon.running()):
            return
        try:
            os.kill(self.daemon.process.pid, signal.SIGCONT)
            for session in self.sessions():
                lines = [json.dumps(event) for event in self.client.journal(session["id"])]
                (self.logs / f"{session['id']}.jsonl").write_text("\n".join(lines))
        except (OSError, AssertionError, ValueError):
            pass
