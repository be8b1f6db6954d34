# SPDX-License-Identifier: Apache-2.0
"""An agent under `headway run --keep-going` whose provider refuses, or which is killed: it goes on once, in its own conversation and
folder, not before its time, and makes no call twice."""
import os
import signal
import subprocess
import time

from cases import case, expect, shell
from stop_cases import CASES  # noqa: F401 (all cases, those first)
from world import PROMPT, until

from support.shifted_clock import ShiftedClock  # the path to it is from world.py

LIMIT_SECONDS = 40
MARGIN_SECONDS = 2
AGENT_SECONDS = 330  # with the attempts that an agent makes by itself
BEGIN_SECONDS = 200  # some begin slowly with a clock that is behind the times of files
STOP_SECONDS = 10
SHIFT_SECONDS = 30
SESSION = "night"
# The answer or call that was cut may stand in the conversation or not, so two turns have the call.
TWO = shell("test -e two.txt || echo two >> two.txt")


def streams(words: tuple) -> list:
    """The command with lines of JSON as its output, of which `headway run` reads what the agent does."""
    if "json" not in words or words[0] not in ("claude", "gemini", "qwen"):
        return list(words)
    lines = ["stream-json" if word == "json" else word for word in words]
    return [*lines[:-1], *(["--verbose"] if words[0] == "claude" else []), lines[-1]]


def keep_going(world) -> subprocess.Popen:
    environment = {**world.environment, "HEADWAY_URL": world.daemon.url, "STATE_DIRECTORY": str(world.daemon.state_dir)}
    command = ["headway", "run", "--session", SESSION, "--keep-going", "--margin", f"{MARGIN_SECONDS}s", "--", *streams(world.agent.command), PROMPT]
    number = len(world.processes)
    with open(world.logs / f"out.{number}", "wb") as out, open(world.logs / f"err.{number}", "wb") as err:
        process = subprocess.Popen(command, executable=str(world.home / "bin/headway"), env=environment, cwd=world.work,
                                   stdin=subprocess.DEVNULL, stdout=out, stderr=err, start_new_session=True)
    world.processes.append(process)
    return process


def lines(world, name: str) -> int:
    file = world.work / name
    return len(file.read_text().splitlines()) if file.exists() else 0


def resumes(world) -> int:
    """Waits at whose end the agent was started again."""
    return sum(1 for e in world.events(SESSION, "tool.finished") if e["data"]["tool"] == "wait" and e["data"].get("ok", True))


def waits(world) -> list:
    return [e for e in world.events(SESSION, "tool.started") if e["data"]["tool"] == "wait"]


def refusals(world) -> list:
    return [entry for entry in world.log() if "faulted" in entry]


def went_on(world, process, note, at_least: int = 0, at_most: int = 1, alone: str = "it tries on by itself"):
    """The agent ends well, with each call made once in one conversation."""
    code = world.finish(process, AGENT_SECONDS)
    if "resume" in world.agent.cannot and code != 0:
        expect(resumes(world) == 0, "resumed by a command that it has not")
        note(f"no: resumed {world.agent.cannot['resume']}")
        return
    expect((lines(world, "one.txt"), lines(world, "two.txt")) == (1, 1),
           f"exit {code}, {resumes(world)} resumes, calls ran {lines(world, 'one.txt')} and {lines(world, 'two.txt')} times")
    expect(code == 0, f"exit {code}")
    begun = [entry for entry in world.requests() if entry["turn"] == 0]
    expect(len(begun) == 1, f"{len(begun)} conversations")
    resumed = resumes(world)
    expect(at_least <= resumed <= at_most, f"resumed {resumed} times")
    note(f"resumed {'once' if resumed == 1 else f'{resumed} times'}" if resumed else alone)


def refused_for(world, fault: str, seconds: int) -> subprocess.Popen:
    world.script([shell("echo one >> one.txt"), {"fault": fault, "seconds": seconds, "then": TWO}, TWO, {"text": "All done."}])
    if fault == "usage_limit":
        world.subscribe()
    process = keep_going(world)
    until(lambda: refusals(world), BEGIN_SECONDS, "the model refuses")
    return process


@case("goes on after a usage limit")
def night_limit(world, cell):
    with cell("goes on after a usage limit") as note:
        process = refused_for(world, "usage_limit", LIMIT_SECONDS)
        went_on(world, process, note)


@case("goes on after an overload")
def night_overload(world, cell):
    with cell("goes on after an overload") as note:
        went_on(world, refused_for(world, "overload", 20), note, at_most=2)


@case("goes on after a cut stream")
def night_cut(world, cell):
    with cell("goes on after a cut stream") as note:
        went_on(world, refused_for(world, "cut_stream", 10), note, at_most=2)


@case("goes on after a restart of the daemon")
def night_daemon(world, cell):
    with cell("goes on after a restart of the daemon") as note:
        process = refused_for(world, "usage_limit", LIMIT_SECONDS)
        world.daemon.restart()
        world.client = world.daemon.client()
        went_on(world, process, note)


@case("goes on after kill -9")
def night_killed(world, cell):
    with cell("goes on after kill -9") as note:
        world.script([shell("echo one >> one.txt"), shell("tail -f /dev/null")])
        process = keep_going(world)
        world.asked(1, 120)
        until(lambda: world.events(SESSION, "tool.started") or world.events(SESSION, "tool.finished"), 30, "a call in the journal")
        time.sleep(1)  # for the call to begin
        world.script([shell("echo one >> one.txt"), TWO, TWO, {"text": "All done."}])
        for child in children(process.pid):
            os.kill(child, signal.SIGKILL)
        went_on(world, process, note, at_least=1)


def children(pid: int) -> list:
    return [int(word) for word in open(f"/proc/{pid}/task/{pid}/children", encoding="ascii").read().split()]


def signal_groups(process, number: int, with_run: bool):
    """To the process group of the agent, and to that of `headway run`."""
    for group in [*{os.getpgid(child) for child in children(process.pid)}, *([process.pid] if with_run else [])]:
        os.killpg(group, number)


@case("goes on after SIGSTOP", test_clock=True)
def night_stopped(world, cell):
    """In an answer of the model and in a call, for minutes of the daemon: an agent that stands still is none that has ended."""
    with cell("goes on after SIGSTOP") as note:
        two = shell("echo two >> two.txt; timeout 5 tail -f /dev/null; true", gate="stopped")
        world.script([shell("echo one >> one.txt"), two, {"text": "All done."}])
        process = keep_going(world)
        world.asked(1, 120)
        for what in ("answer", "call"):
            agent = children(process.pid)
            signal_groups(process, signal.SIGSTOP, False)
            if what == "answer":
                world.open_gate("stopped")
            world.daemon.clock.advance(600)
            time.sleep(STOP_SECONDS)
            expect(process.poll() is None and children(process.pid) == agent, f"not the same agent after a stop in the {what}")
            signal_groups(process, signal.SIGCONT, False)
            if what == "answer":
                until((world.work / "two.txt").exists, 30, "the call runs")
        went_on(world, process, note, at_most=0, alone="not started again")
        turns = [entry["turn"] for entry in world.requests()]
        expect(turns == [0, 1, 2], f"turns {turns}")


@case("goes on after SIGSTOP over the reset")
def night_stopped_over_reset(world, cell):
    with cell("goes on after SIGSTOP over the reset") as note:
        process = refused_for(world, "usage_limit", LIMIT_SECONDS)
        reset = time.monotonic() + LIMIT_SECONDS
        wait_or(world, 10)
        signal_groups(process, signal.SIGSTOP, True)
        time.sleep(max(0, reset + MARGIN_SECONDS - time.monotonic()))
        signal_groups(process, signal.SIGCONT, True)
        went_on(world, process, note)


def wait_or(world, seconds: float):
    """Until `headway run` waits, or the agent has tried by itself for so long."""
    try:
        until(lambda: waits(world), seconds, "a wait")
    except AssertionError:
        pass


def clock_set(world, note, before: int):
    """The wall clock of the daemon, the agent and `headway run` is ahead by `before` seconds, and is set right in the wait. The provider's
    clock is always right."""
    clock = ShiftedClock(world.logs)
    clock.set(before)
    world.changed.update(clock.environment())
    world.daemon.clock.step(before)
    process = refused_for(world, "usage_limit", LIMIT_SECONDS)
    wait_or(world, LIMIT_SECONDS - 15)
    waited = bool(waits(world))
    refused = len(refusals(world))
    clock.set(0)
    world.daemon.clock.step(-before)
    went_on(world, process, note)
    expect(not waited or len(refusals(world)) == refused, "started before the reset")


@case("goes on after the clock is set ahead", test_clock=True)
def night_clock_ahead(world, cell):
    with cell("goes on after the clock is set ahead") as note:
        clock_set(world, note, -SHIFT_SECONDS)


@case("goes on after the clock is set back", test_clock=True)
def night_clock_back(world, cell):
    with cell("goes on after the clock is set back") as note:
        clock_set(world, note, SHIFT_SECONDS)
