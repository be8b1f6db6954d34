# SPDX-License-Identifier: Apache-2.0
"""Sessions at the moments for which people want a supervisor: the provider refuses, the agent refuses a call by its own rules, it asks a
person, it leaves work running. Each cell says what was seen, after how many seconds, and until when."""
import time
from datetime import datetime

from cases import case, expect, shell
from trouble_cases import CASES  # noqa: F401 (all cases, those first)
from world import until

SESSION_SECONDS = 120  # a new home folder may cost an agent a minute before its first request
TOLD_SECONDS = 5  # within which a person who is needed hears of it
QUIET_SECONDS = 3
CAUSES = {"expired_login": {"credentials"}, "usage_limit": {"usage_limit", "rate_limit"}, "overload": {"overloaded", "network", "rate_limit"},
          "cut_stream": {"network", "overloaded"}, "context_full": {"context_full"}}


def snapshot(world, session: str) -> dict:
    read = world.client.session(session)
    verdict = read["verdict"]
    return {"status": verdict["status"], "cause": verdict.get("cause"), "retry_at": verdict.get("retry_at"), "reason": verdict.get("reason", ""),
            "state": read.get("state"), "ended": bool(read["ended_at"]), "outcome": read.get("outcome"), "background": read.get("background")}


def watch(world, session: str, process, seconds: float):
    """Each change of what the session says, with the seconds since the beginning, until it has ended or its agent has."""
    began = time.monotonic()
    seen = []
    over = None
    while True:
        now = snapshot(world, session)
        if not seen or seen[-1][1] != now:
            seen.append((time.monotonic() - began, now))
        if process.poll() is not None and over is None:
            over = time.monotonic()
        late = time.monotonic() - began > seconds
        if (now["ended"] and (over or late)) or late or (over and time.monotonic() - over > QUIET_SECONDS):
            return seen
        time.sleep(0.1)


def blocks(world, session: str, began_ms: float) -> list:
    """Blocks in the journal: (seconds after the beginning, cause or reason, until when)."""
    found = []
    for event in world.events(session, "verdict.changed"):
        data = event["data"]
        at = datetime.fromisoformat(event["at"].replace("Z", "+00:00")).timestamp() - began_ms / 1000
        if data["to"] == "blocked" and at > -1:
            found.append((max(at, 0), data.get("cause") or data["reason"], data.get("retry_at")))
    return found


def words(stops: list, last: dict, process) -> str:
    """`blocked 0.4 s later: usage_limit until 07:30; then failed, exit 1`."""
    parts = []
    for at, cause, retry_at in stops:
        part = f"{cause[:60]}{f' until {retry_at[11:16]}' if retry_at else ''}"
        if not any(part in known for known in parts):
            parts.append(f"blocked {at:.1f} s later: {part}")
    end = last["outcome"] if last["ended"] else f"open, {last['status']}"
    code = process.poll()
    return "; ".join([*parts[:3], f"then {end}, {'the agent tries on' if code is None else f'exit {code}'}"])


def lacks_tool(world) -> bool:
    """The agent has offered no tool for what the model was to call."""
    return any("no tool for" in entry.get("error", "") for entry in world.log())


def provider_says_no(world, cell, behaviour: str, fault: str, with_time: bool = False):
    world.script([shell("echo one > one.txt"), {"fault": fault}])
    if fault in ("usage_limit", "expired_login"):  # those of a plan
        world.subscribe()
    process = world.run()
    with cell(behaviour) as note:
        session = world.session_id(SESSION_SECONDS)
        first = until(lambda: next((entry for entry in world.log() if "faulted" in entry), None), 60, "the model refuses")
        last = watch(world, session, process, world.agent.tries_seconds)[-1][1]
        stops = blocks(world, session, first["at"])
        says = words(stops, last, process)
        expect(stops, f"never blocked: {says}")
        expect({cause for _, cause, _ in stops} & CAUSES[fault], f"of another cause: {says}")
        expect(not (last["ended"] and last["outcome"] == "completed"), f"called completed: {says}")
        if with_time and world.agent.tells_reset:
            expect(any(retry_at for _, _, retry_at in stops), f"without the time of the reset: {says}")
        note(says)


@case("expired login")
def expired_login(world, cell):
    provider_says_no(world, cell, "expired login", "expired_login")


@case("usage limit with reset")
def usage_limit(world, cell):
    provider_says_no(world, cell, "usage limit with reset", "usage_limit", True)


@case("overload")
def overload(world, cell):
    provider_says_no(world, cell, "overload", "overload")


@case("cut stream")
def cut_stream(world, cell):
    provider_says_no(world, cell, "cut stream", "cut_stream")


@case("context full")
def context_full(world, cell):
    provider_says_no(world, cell, "context full", "context_full")


@case("a short overload")
def short_overload(world, cell):
    """It is lifted by the model's next answer: no person is needed."""
    world.script([shell("echo one"), {"fault": "overload", "times": 2, "then": shell("echo two > two.txt")}, {"text": "All done."}])
    process = world.run()
    with cell("a short overload") as note:
        session = world.session_id(SESSION_SECONDS)
        expect(world.finish(process, 100) == 0, "the agent has failed")
        expect((world.work / "two.txt").exists(), "the call behind it did not run")
        read = world.ended(session)
        expect(read["outcome"] == "completed", f"outcome {read['outcome']}")
        blocked = [e["data"]["to"] for e in world.events(session, "verdict.changed") if e["data"].get("to") == "blocked"]
        note("lifted by the next call" if blocked else "yes, it says nothing of it")


@case("refused by its own rules")
def own_rules(world, cell):
    world.agent.forbid(world.home)
    world.script([shell("touch one.txt"), {"text": "I may not."}])
    process = world.run(refuses=True)
    with cell("refused by its own rules") as note:
        session = world.session_id(SESSION_SECONDS)
        world.finish(process)
        expect(not (world.work / "one.txt").exists(), "the call ran: nothing was refused")
        calls = until(lambda: world.events(session, "tool.finished"), 10, "the call has finished in the journal")
        expect([c["data"].get("ok", True) for c in calls] == [False], f"ok {[c['data'].get('ok', True) for c in calls]}")
        expect(not any(c["data"].get("mutated") for c in calls), "a call that did not run has changed files")
        read = world.client.session(session)
        expect(not read["alarms"], f"alarms {read['alarms']}")
        note(f"{calls[0]['data'].get('error', {}).get('class') or 'failed'}; {read['verdict']['status']}")


@case("a question")
def question(world, cell):
    world.script([shell("echo one"), {"ask": "Which harbour?"}, {"text": "All done."}])
    process = world.run()
    with cell("a question") as note:
        session = world.session_id(SESSION_SECONDS)
        until(lambda: len(world.requests()) > 1, 60, "the model asks")
        seen = watch(world, session, process, 20)
        if lacks_tool(world):
            note("no: it has no tool to ask with, without a terminal")
            return
        waits = [(at, one) for at, one in seen if one["status"] == "blocked" and (one["cause"] == "person" or "person" in one["reason"])]
        if process.poll() is not None and not waits:
            answered = [e["data"] for e in world.events(session, "tool.finished")][1:]
            expect(not any(one.get("ok", True) for one in answered), "the question counts as work done")
            note(f"no: without a terminal the agent answers itself, {answered[0]['error'].get('class') if answered else 'without a hook'}")
            return
        expect(waits, f"no wait for a person: {seen[-1][1]}")
        expect(waits[0][0] < TOLD_SECONDS, f"said after {waits[0][0]:.0f} s")
        note(f"blocked, waits for a person, after {waits[0][0]:.1f} s")


@case("a background task")
def background(world, cell):
    world.script([{"background": "timeout 25 tail -f /dev/null"}, {"text": "It runs."}, {"text": "All done."}])
    process = world.run()
    with cell("a background task") as note:
        session = world.session_id(SESSION_SECONDS)
        until(lambda: len(world.requests()) > 1 or process.poll() is not None, 60, "the call returns")
        seen = watch(world, session, process, 20)
        if lacks_tool(world):
            note("no: it has no tool for that")
            return
        named = [(at, one) for at, one in seen if one["background"] or (one["status"] == "waiting" and "background" in one["reason"])]
        if process.poll() is not None and not named:
            note("no: the agent ends, and its task with it")
            return
        expect(named, f"no word of it: {seen[-1][1]}")
        note(f"{named[-1][1]['status']}: {named[-1][1]['reason'][:80]}")
