# SPDX-License-Identifier: Apache-2.0
"""Expected behaviour of each agent under Headway. A case is one run of the agent and fills one cell or more of the table."""
import json
import time

from world import PROMPT, until

CASES = []
LOOP_ADVICE_CALLS = 7


def case(*behaviours, by_url: bool = False, test_clock: bool = False, **settings):
    """The behaviours that a case shows, and the daemon's settings for it (`__` is a dot). With `test_clock` its clock can be moved."""
    def register(function):
        function.behaviours = behaviours
        function.by_url = by_url
        function.test_clock = test_clock
        function.settings = {key.replace("__", "."): value for key, value in settings.items()}
        CASES.append(function)
        return function
    return register


def expect(truth, what: str):
    if not truth:
        raise AssertionError(what)


def shell(command: str, **more) -> dict:
    return {"shell": command, **more}


@case("reports", "end", "tokens")
def observe(world, cell):
    world.script([shell("echo one > one.txt"), shell("cat nonexistent-file"), {"text": "All done."}])
    process = world.run()
    with cell("reports") as note:
        expect(world.finish(process) == 0, "the agent has failed")
        session = world.session_id()
        until(lambda: len(world.events(session, "tool.finished")) >= 2, 10, "both calls have finished in the journal")
        calls = world.events(session, "tool.finished")
        expect(len(calls) == 2, f"{len(calls)} calls instead of 2")
        expect([c["data"]["tool"] for c in calls] == [world.agent.shell] * 2, f"tools {[c['data']['tool'] for c in calls]}")
        expect([c["data"].get("ok", True) for c in calls] == [True, False], f"ok {[c['data'].get('ok', True) for c in calls]}")
        goal = world.client.session(session)["goal"]
        if world.agent.tells_prompt:
            expect(PROMPT in (goal or ""), f"the goal is {goal!r}")
        else:
            note("yes, without the prompt")
    with cell("end") as note:
        began = time.monotonic()
        read = world.ended(session)
        expect(read["outcome"] == "completed", f"outcome {read['outcome']}")
        note(f"after {time.monotonic() - began:.0f} s" if time.monotonic() - began > 2 else "yes")
    if "tokens" not in world.agent.cannot:
        with cell("tokens"):
            told = 120 * len(world.requests())  # of the model server, for each answer
            used = world.client.session(session)["used"]["tokens"]
            expect(used == told, f"{used} tokens instead of {told}")


@case("loop advice")
def loop(world, cell):
    world.script([shell("cat nonexistent-file") for _ in range(LOOP_ADVICE_CALLS)])
    world.finish(world.run())
    with cell("loop advice") as note:
        session = world.session_id()
        issued = world.event(session, "directive.issued", 5)
        started = [e for e in world.events(session, "tool.started") if e["n"] < issued["n"]]
        turns = world.told(issued["data"]["reason"][:120])
        seen = f"; the model has read it in turns {turns}" if turns else "; the model never read it"
        delivered = [e["n"] for e in world.events(session, "directive.delivered") if e["data"]["id"] == issued["data"]["id"]]
        expect(delivered, f"not recorded as delivered{seen}")
        expect(turns, f"recorded as delivered (event {delivered[0]}), but no request to the model has it")
        expect(turns[0] == len(started), f"issued at call {len(started)}, first read in turn {turns[0]}")
        note(f"yes, at call {len(started)}")


@case("goal")
def goal(world, cell):
    """The end of its turn is not its end while the operator's command fails."""
    if world.agent.name not in ("claude", "codex", "gemini", "qwen", "copilot"):
        with cell("goal") as note:
            note("no: it has no hook that keeps it going")
        return
    world.verb("install", world.agent.name, "--yes", *world.agent.install, "--until", "test -e done.txt || { echo not yet; exit 1; }",
               HEADWAY_URL="")
    world.script([shell("touch begun.txt"), {"text": "It is done."}, shell("touch done.txt"), {"text": "All done."}])
    world.finish(world.run())
    with cell("goal") as note:
        session = world.session_id()
        expect((world.work / "done.txt").exists(), "it stopped although the command failed")
        turns = world.told("The operator's goal is not reached")
        expect(turns and turns[0] == 2, f"the model has read of it in turns {turns}, and not first in the third")
        until(lambda: len([e for e in world.events(session, "tool.finished") if e["data"]["tool"] == "check"]) == 2, 10, "two checks")
        checks = [e["data"]["ok"] for e in world.events(session, "tool.finished") if e["data"]["tool"] == "check"]
        expect(checks == [False, True], f"checks {checks}")
        note("yes, once")


@case("approve", "reject", approvals__require_tools="class:shell")
def approvals(world, cell):
    world.script([shell("touch one.txt"), shell("touch two.txt"), {"text": "All done."}])
    process = world.run()
    with cell("approve"):
        first = world.pending()
        time.sleep(1)  # nothing can tell that a call does not run
        expect(not (world.work / "one.txt").exists(), "the call ran before it was approved")
        world.verb("approve", first)
        until((world.work / "one.txt").exists, 20, "the approved call runs")
    with cell("reject") as note:
        second = world.pending(but=first)
        world.verb("reject", second, "--reason", "the harbour is closed", "--then", "change_approach")
        world.finish(process)
        expect(not (world.work / "two.txt").exists(), "the rejected call ran")
        if world.agent.refusal_ends_run:
            note("the run ends")
        else:
            expect(world.told("the harbour is closed"), "the model has not read the reason")


@case("dialog answered remotely", approvals__copilot_dialogs="on")
def dialog(world, cell):
    world.script([shell("touch one.txt"), shell("touch two.txt"), {"text": "All done."}])
    process = world.run(asks=True)
    with cell("dialog answered remotely"):
        first = world.pending()
        expect(world.client.get(f"/v1/approvals/{first}").json()["source"] == "dialog", "it is not the dialog that asks")
        time.sleep(1)  # nothing can tell that a call does not run
        expect(not (world.work / "one.txt").exists(), "the call ran before it was allowed")
        world.verb("approve", first)
        until((world.work / "one.txt").exists, 20, "the allowed call runs")
        world.verb("reject", world.pending(but=first), "--reason", "the harbour is closed", "--then", "change_approach")
        world.finish(process)
        expect(not (world.work / "two.txt").exists(), "the rejected call ran")
        expect(world.told("the harbour is closed"), "the model has not read the reason")
        alarms = world.client.session(world.session_id())["alarms"]
        expect(not alarms, f"alarms {alarms}")


@case("pause, resume")
def pause(world, cell):
    world.script([shell("touch one.txt", gate="paused"), {"text": "All done."}])
    process = world.run()
    with cell("pause, resume"):
        world.asked(0)
        session = world.session_id()
        world.verb("pause", session)
        world.open_gate("paused")
        world.event(session, "tool.started")
        time.sleep(2)  # nothing can tell that a call does not run
        expect(not (world.work / "one.txt").exists(), "the call ran while the session was paused")
        world.verb("resume", session)
        until((world.work / "one.txt").exists, 20, "the call runs after the pause")
        expect(world.finish(process) == 0, "the agent has failed")


@case("nudge")
def nudge(world, cell):
    world.script([shell("echo one"), shell("echo two", gate="nudged"), shell("echo three"), {"text": "All done."}])
    process = world.run()
    with cell("nudge"):
        world.asked(1)
        world.verb("nudge", world.session_id(), "read the tide table before you sail")
        world.open_gate("nudged")
        world.finish(process)
        turns = world.told("read the tide table before you sail")
        expect(turns, "the model has not read it")
        expect(turns[0] == 2, f"read in turn {turns[0]} instead of 2")


@case("cancel")
def cancel(world, cell):
    world.script([shell("touch f0"), shell("touch f1", gate="cancelled"), *[shell(f"touch f{i}") for i in range(2, 12)]])
    process = world.run()
    with cell("cancel") as note:
        world.asked(1)
        session = world.session_id()
        world.verb("cancel", session)
        world.open_gate("cancelled")
        world.finish(process)
        ran = sorted(path.name for path in world.work.glob("f*"))
        expect(ran == ["f0"], f"these calls ran: {ran}")
        more = len(world.requests()) - 2
        says = "ends at once" if more == 0 else f"{more} more turns, all calls refused" if more > 1 else "ends after one refusal"
        try:
            read = world.ended(session, 10)
        except AssertionError:  # whether a session ends with its agent is a cell of its own
            note(f"{says}; the session stays open")
        else:
            expect(read["outcome"] == "cancelled", f"outcome {read['outcome']}")
            note(says)


@case("budget", budget__default_max_steps="10")
def budget(world, cell):
    world.script([shell(f"touch f{i}") for i in range(16)])
    process = world.run()
    with cell("budget") as note:
        world.finish(process)
        session = world.session_id()
        issued = {e["data"]["kind"]: e for e in reversed(world.events(session, "directive.issued"))}
        expect("wrap_up" in issued, f"no wrap_up: {list(issued)}")
        expect(world.told(issued["wrap_up"]["data"]["reason"][:80]), "the model has not read the wrap_up")
        expect("stop" in issued, f"no stop: {list(issued)}")
        ran = len(list(world.work.glob("f*")))
        expect(ran <= 10, f"{ran} calls ran of 10 steps")
        read = world.ended(session)
        expect(read["outcome"] == "budget_exhausted", f"outcome {read['outcome']}")
        note(f"stop after {ran} calls")


@case("sub-agent")
def sub_agent(world, cell):
    world.script([{"sub": "echo from the part"}, shell("timeout 3 tail -f /dev/null; echo main"), {"text": "All done."}],
                 [shell("echo from-sub > sub.txt"), {"text": "The part is done."}])
    process = world.run()
    with cell("sub-agent"):
        session = world.session_id()
        expect(world.finish(process) == 0, "the agent has failed")
        expect((world.work / "sub.txt").exists(), "the sub-agent's call did not run")
        children = [s for s in world.sessions() if s.get("parent") == session]
        expect(children, f"no child session among {[s['id'] for s in world.sessions()]}")
        calls = world.events(children[0]["id"], "tool.finished")
        expect([c["data"]["tool"] for c in calls] == [world.agent.shell], f"calls of the child: {[c['data']['tool'] for c in calls]}")
        expect(world.ended(children[0]["id"])["outcome"] == "completed", "the child has not completed")


@case("resume")
def resume(world, cell):
    world.script([shell("echo one"), {"text": "Half done."}, shell("echo two > two.txt"), {"text": "All done."}])
    with cell("resume") as note:
        expect(world.finish(world.run()) == 0, "the first run has failed")
        first = world.session_id()
        try:
            world.ended(first, 5)
            second = f"{first}~2"
        except AssertionError:  # a cell of its own says so
            second = first
        expect(world.finish(world.run("go on with the rest", resume=True)) == 0, "the second run has failed")
        expect((world.work / "two.txt").exists(), "the second run made no call")
        expect(world.told("echo one", 2), "the second run does not know the first")
        sessions = {s["id"]: s for s in world.sessions()}
        expect(set(sessions) == {first, second}, f"sessions {list(sessions)}")
        calls = until(lambda: [e["data"]["args"] for e in world.events(second, "tool.started")], 10, "the call of the second run in its journal")
        expect("two.txt" in json.dumps(calls[-1]), f"calls of the second run {calls}")
        if second != first:
            expect(sessions[second]["labels"].get("resumed") == first, f"labels {sessions[second]['labels']}")
        note("as ID~2" if second != first else "in the same session")


def stored_session(world) -> dict:
    found = json.loads(world.verb("scan", "--json", "--no-cache", "--agent", world.agent.name))["sessions"]
    expect(len(found) == 1, f"{len(found)} stored sessions: {[s['file'] for s in found]}")
    return found[0]


@case("stored session")
def stored(world, cell):
    """`headway scan` on what the agent has stored, beside what its hooks have reported."""
    world.script([shell("echo one > one.txt"), shell("cat nonexistent-file"), shell("echo two > two.txt"), {"text": "All done."}])
    with cell("stored session") as note:
        expect(world.finish(world.run()) == 0, "the agent has failed")
        session = world.session_id()
        until(lambda: len(world.events(session, "tool.finished")) >= 3, 10, "the calls have finished in the journal")
        ok = [e["data"].get("ok", True) for e in world.events(session, "tool.finished")]
        found = stored_session(world)
        used = found["used"]
        expect(used["calls"] == len(ok), f"{used['calls']} calls are stored, {len(ok)} were reported")
        expect(used["failures"] == ok.count(False), f"{used['failures']} failures are stored, {ok.count(False)} were reported")
        expect("stuck" not in found, f"it is stuck: {found.get('stuck')}")
        reported = world.client.session(session)["used"]["tokens"] or 0
        expect(reported in (0, used["tokens"]), f"{used['tokens']} tokens are stored, {reported} were reported")
        note("yes" if reported else "yes, and tokens, which its hooks do not report")


@case("stored loop")
def stored_loop(world, cell):
    """The verdict on the same loop by both ways, and the call at which it began."""
    world.script([*[shell("cat nonexistent-file") for _ in range(LOOP_ADVICE_CALLS)], {"text": "I give up."}])
    world.finish(world.run())
    with cell("stored loop") as note:
        session = world.session_id()
        stuck = world.event(session, "verdict.changed", 10, to="stuck")
        call = sum(e["n"] < stuck["n"] for e in world.events(session, "tool.started"))
        found = stored_session(world).get("stuck")
        expect(found, "the stored session is not stuck")
        expect(found["call"] == call, f"stuck at call {found['call']} by what is stored, {call} by hooks")
        note(f"yes, at call {call}")
