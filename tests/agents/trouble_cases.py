# SPDX-License-Identifier: Apache-2.0
"""Behaviour of an agent when its daemon is unreachable, hangs or returns, and of the daemon when the agent is gone."""
import json
import os
import signal
import statistics
import subprocess
import time

from cases import CASES, case, expect, shell  # noqa: F401 (all cases, theirs first)
from world import until

HOLD_SECONDS = 65  # longer than what agents give a hook by default, which is a minute at most
SILENCE_SECONDS = 15  # after which a hook takes a daemon that says nothing for away
AWAY_MS = 5
AWAY_TURNS = 12
AWAY_RUNS = 3
LATENCY_ROUNDS = 5
NOISE = 0.1  # of what an agent itself needs for a call, from run to run
REFUSED_SECONDS = 2.5  # plugins do not ask a daemon again for 2 s that has refused a connection


def gap(world, turns: int) -> float:
    """From an answer of the model to the next request, in ms: what the agent and its hooks need for a call; of the last run."""
    log = world.log()
    answered = {entry["answered"]: entry["at"] for entry in log if "answered" in entry}
    asked = [entry for entry in log if entry.get("tools")][-turns:]
    return statistics.median(after["at"] - answered[before["number"]] for before, after in zip(asked[1:], asked[2:]))


def hook_ms(world) -> float:
    """The median of the hook's own time with the daemon away."""
    payload = json.dumps({"hook_event_name": "PreToolUse", "session_id": "x", "tool_name": "Bash", "tool_input": {"command": "true"}}).encode()
    command = [str(world.home / "bin/headway-hook"), world.agent.name]
    times = []
    for _ in range(30):
        began = time.monotonic()
        done = subprocess.run(command, input=payload, env=world.environment, capture_output=True, timeout=20, check=False)
        times.append((time.monotonic() - began) * 1000)
        expect(done.returncode == 0 and not done.stdout, f"the hook says {done.stdout!r}, exit {done.returncode}")
    return statistics.median(times)


def plugin_ms(times) -> float:
    """Durations of the hooks of one call, by their medians."""
    spent = {}
    for line in times.read_text().splitlines():
        name, took = line.split()
        spent.setdefault(name, []).append(float(took))
    a_call = [spent[f"tool.execute.{when}"] for when in ("before", "after")]
    expect(all(len(one) >= AWAY_TURNS for one in a_call), f"the plugin was called {[len(one) for one in a_call]} times")
    return sum(statistics.median(one) for one in a_call)


@case("daemon away")
def away(world, cell):
    with cell("daemon away") as note:
        world.daemon.stop()
        world.script([shell(f"touch away-{i}") for i in range(AWAY_TURNS)])
        if world.agent.timed_plugin:
            times = world.time_plugin()
            expect(world.finish(world.run()) == 0, "the agent has failed")
            expect(len(list(world.work.glob("away-*"))) == AWAY_TURNS, "not all calls ran")
            spent = plugin_ms(times)
            expect(spent < AWAY_MS, f"{spent:.1f} ms a call")
            note(f"{spent:.1f} ms a call")
            return
        pairs = []
        # In pairs, of which the middle one counts: a machine that does other things is slow for a while.
        for _ in range(AWAY_RUNS):
            expect(world.finish(world.run()) == 0, "the agent has failed")
            expect(len(list(world.work.glob("away-*"))) == AWAY_TURNS, "not all calls ran")
            if world.agent.hook == "command":
                spent = hook_ms(world)
                expect(spent < AWAY_MS, f"{spent:.1f} ms a hook")
                note(f"{spent:.1f} ms a hook")
                return
            with_hooks = gap(world, AWAY_TURNS)
            world.idle_hooks()
            expect(world.finish(world.run()) == 0, "the agent has failed with empty hooks")
            pairs.append((with_hooks, gap(world, AWAY_TURNS)))
            world.install()
        with_hooks, without = sorted(pairs, key=lambda pair: pair[0] - pair[1])[len(pairs) // 2]
        says = f"{with_hooks:.0f} ms a call (empty hooks: {without:.0f} ms)"
        expect(with_hooks - without < AWAY_MS * world.agent.hooks_a_call + NOISE * without, says)
        note(says)


@case("time a call takes")
def latency(world, cell):
    """How much longer a call takes with the hooks than without; said, not judged, since it is the machine's word."""
    with cell("time a call takes") as note:
        world.script([shell(f"touch time-{i}") for i in range(AWAY_TURNS)])
        added = []
        for _ in range(LATENCY_ROUNDS):
            expect(world.finish(world.run()) == 0, "the agent has failed")
            with_hooks = gap(world, AWAY_TURNS)
            world.verb("uninstall", world.agent.name, "--yes")
            expect(world.finish(world.run()) == 0, "the agent has failed without hooks")
            added.append(with_hooks - gap(world, AWAY_TURNS))
            world.install()
        note(f"{statistics.median(added):+.0f} ms")


def kill_agent(world, note):
    # Some agents refuse a mere `sleep`.
    world.script([shell("tail -f /dev/null")])
    process = world.run()
    session = world.session_id(60)
    world.event(session, "tool.started")
    began = time.monotonic()
    os.killpg(process.pid, signal.SIGKILL)
    read = world.ended(session)
    expect((read["outcome"], read.get("end_code")) == ("failed", "agent_gone"), f"{read['outcome']}, {read.get('end_code')}")
    note(f"after {time.monotonic() - began:.1f} s")


@case("kill -9 of the agent")
def killed(world, cell):
    with cell("kill -9 of the agent") as note:
        kill_agent(world, note)


@case("kill -9, hooks by URL", by_url=True)
def killed_by_url(world, cell):
    with cell("kill -9, hooks by URL") as note:
        kill_agent(world, note)


@case("daemon killed in a hold", approvals__require_tools="class:shell")
def daemon_killed(world, cell):
    world.script([shell("touch one.txt"), shell("touch two.txt", gate="back"), {"text": "All done."}])
    process = world.run()
    with cell("daemon killed in a hold") as note:
        first = world.pending()
        session = world.session_id()
        world.daemon.restart()
        world.client = world.daemon.client()
        # The call either runs, or the model is asked again: the agent is not stuck in a hook of a daemon that is gone.
        world.asked(1, 40)
        ran = (world.work / "one.txt").exists()
        time.sleep(REFUSED_SECONDS)
        world.open_gate("back")
        second = world.pending(but=first)
        expect(second.startswith(f"{session}."), f"{second} is of another session than {session}")
        world.verb("approve", second)
        until((world.work / "two.txt").exists, 20, "the next call runs when it is approved")
        expect(world.finish(process) == 0, "the agent has failed")
        note("the call runs" if ran else "the call is refused, the next is held")


def restarted(world):
    """The agent's call was held when the daemon was asked to end; it is up again, and the next answer of the model waits at a gate."""
    world.script([shell("touch one.txt"), shell("touch one.txt", gate="back")])
    process = world.run()
    request = world.pending()
    world.daemon.stop()
    world.daemon.start(world.daemon.port)
    world.client = world.daemon.client()
    until(lambda: process.poll() is not None or len(world.requests()) > 1, 40, "the hook returns")
    expect(not (world.work / "one.txt").exists(), "the held call ran unasked")
    time.sleep(REFUSED_SECONDS)
    return process, request


@case("daemon restarted in a hold", approvals__require_tools="class:shell")
def daemon_restarted(world, cell):
    with cell("daemon restarted in a hold") as note:
        process, request = restarted(world)
        if world.agent.refusal_ends_run:
            note("no: the run ends without the call")
            return
        world.open_gate("back")
        until(lambda: len(world.events(world.session_id(), "tool.started")) == 2, 20, "the model asks for the call again")
        try:
            newer = world.pending(but=request, seconds=3)
        except AssertionError:
            newer = request  # it stands for both calls
        world.verb("approve", newer)
        until((world.work / "one.txt").exists, 20, "the call runs when it is approved")
        expect(world.finish(process) == 0, "the agent has failed")
        note("refused, then runs")


@case("decision after the hold", approvals__require_tools="class:shell")
def late_decision(world, cell):
    with cell("decision after the hold") as note:
        process, request = restarted(world)
        if world.agent.refusal_ends_run:
            note("no: a refusal ends the run")
            return
        world.verb("approve", request)
        world.open_gate("back")
        until((world.work / "one.txt").exists, 10, "the call, approved when its hold was over, runs when it is asked again")
        expect(world.finish(process) == 0, "the agent has failed")


def stopped(world):
    os.kill(world.daemon.process.pid, signal.SIGSTOP)
    return time.monotonic()


def goes_on(world, process, began, note):
    """A daemon that hangs costs its silence once or twice, and the agent has all of its answers afterwards."""
    until((world.work / "one.txt").exists, 6 * SILENCE_SECONDS, "the call runs although the daemon hangs")
    seconds = time.monotonic() - began
    # At most two hooks stand before a call, and each is silent for itself.
    expect(seconds < 2 * SILENCE_SECONDS + 5, f"the call ran only after {seconds:.0f} s")
    os.kill(world.daemon.process.pid, signal.SIGCONT)
    expect(world.finish(process) == 0, "the agent has failed")
    note(f"goes on after {seconds:.0f} s")


@case("daemon hangs in a hold", approvals__require_tools="class:shell")
def hangs_in_hold(world, cell):
    world.script([shell("touch one.txt"), {"text": "All done."}])
    process = world.run()
    with cell("daemon hangs in a hold") as note:
        world.pending()
        goes_on(world, process, stopped(world), note)


@case("daemon hangs before a call")
def hangs_before(world, cell):
    world.script([shell("touch one.txt", gate="stopped"), {"text": "All done."}])
    process = world.run()
    with cell("daemon hangs before a call") as note:
        world.asked(0)
        world.session_id()
        began = stopped(world)
        world.open_gate("stopped")
        goes_on(world, process, began, note)


@case("long hold", approvals__require_tools="class:shell")
def long_hold(world, cell):
    world.script([shell("touch one.txt") for _ in range(4)])
    process = world.run()
    with cell("long hold") as note:
        world.pending()
        time.sleep(HOLD_SECONDS)
        expect(not (world.work / "one.txt").exists(), f"the call ran unasked within {HOLD_SECONDS} s")
        expect(process.poll() is None, f"the agent has ended, {process.poll()}")
        # Where an agent does not wait for so long, the call is refused with the words to ask again, and the model does.
        turns = len(world.requests())
        world.script([shell("touch one.txt") for _ in range(turns)])
        world.verb("approve", world.pending())
        until((world.work / "one.txt").exists, 20, "the approved call runs")
        expect(world.finish(process) == 0, "the agent has failed")
        note(f"{HOLD_SECONDS} s" if turns == 1 else f"{HOLD_SECONDS} s, {turns} calls")
