# SPDX-License-Identifier: Apache-2.0
"""Observations of clients of several daemons, and whether one journal explains all of them. Pure functions: each returns its findings as
lines, none when all is well.

A journal is the list of a session's events as the API shows them; `journals` has one for each session.
"""
import bisect
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from datetime import datetime


@dataclass
class Ack:
    """A report was answered 2xx. Times are steady ones of the machine that all clients share."""
    client: str
    session: str
    event_id: str
    n: int
    begin: float
    end: float


@dataclass
class Read:
    """A document of the session showed its newest event, at some moment between begin and end."""
    client: str
    session: str
    n: int
    begin: float
    end: float


@dataclass
class Wait:
    """A wait was met; `wanted` are verdicts, or "event"."""
    client: str
    session: str
    wanted: tuple
    after: int
    matched: str | None
    n: int


@dataclass
class Decision:
    """A person has decided an approval and got an answer; of 409 with the winner as (decision, by)."""
    approval: str
    decision: str
    by: str
    status: int
    winner: tuple | None = None


@dataclass
class History:
    """Lists only grow, so threads need no lock."""
    acks: list = field(default_factory=list)
    reads: list = field(default_factory=list)
    waits: list = field(default_factory=list)
    decisions: list = field(default_factory=list)
    streams: dict = field(default_factory=lambda: defaultdict(list))  # by reader: (cursor, session, n)
    session_streams: dict = field(default_factory=lambda: defaultdict(list))  # by (reader, session): n
    attempts: dict = field(default_factory=lambda: defaultdict(list))  # by session: when its agent was silent (wall clock)
    problems: list = field(default_factory=list)  # what a client could not understand


def seconds(stamp: str) -> float:
    return datetime.fromisoformat(stamp).timestamp()


def changes(journal: list) -> list:
    return [(e["n"], e["data"]["to"]) for e in journal if e["type"] == "verdict.changed"]


def acknowledged_once(history: History, journals: dict) -> list:
    """Every acknowledged event is in the journal exactly once, with the acknowledged n; no event is there twice."""
    found = []
    for session, journal in journals.items():
        for event_id, count in Counter(e["event_id"] for e in journal if "event_id" in e).items():
            if count > 1:
                places = [(e["n"], e["at"]) for e in journal if e.get("event_id") == event_id]
                found.append(f"{session}: event {event_id} is in the journal {count} times: {places}")
    places = {(session, e["event_id"]): e["n"] for session, journal in journals.items() for e in journal if "event_id" in e}
    for ack in history.acks:
        n = places.get((ack.session, ack.event_id))
        if n is None:
            found.append(f"{ack.session}: event {ack.event_id}, acknowledged to {ack.client} as {ack.n}, is lost")
        elif n != ack.n:
            found.append(f"{ack.session}: event {ack.event_id} was acknowledged to {ack.client} as {ack.n} and is {n}")
    return found


def gapless(journals: dict) -> list:
    found = []
    for session, journal in journals.items():
        numbers = [e["n"] for e in journal]
        if numbers != list(range(1, len(numbers) + 1)):
            wrong = next((i + 1 for i, n in enumerate(numbers) if n != i + 1), len(numbers))
            found.append(f"{session}: the journal is not gapless at {wrong}")
    return found


def reads_forward(history: History) -> list:
    """A read that began after something was acknowledged, or read, by whomever and at whichever daemon, shows at least that."""
    found = []
    known = defaultdict(list)
    for seen in (*history.acks, *history.reads):
        known[seen.session].append((seen.end, seen.n, seen.client))
    floors = {}
    for session, all_seen in known.items():
        all_seen.sort()
        ends, floor, best = [], [], (0, "")
        for end, n, client in all_seen:
            best = max(best, (n, client))
            ends.append(end)
            floor.append(best)
        floors[session] = (ends, floor)
    for read in history.reads:
        ends, floor = floors[read.session]
        at = bisect.bisect_left(ends, read.begin) - 1
        if at >= 0 and read.n < floor[at][0]:
            found.append(f"{read.session}: {read.client} has read {read.n} after {floor[at][1]} had {floor[at][0]}: a read goes back")
    return found


def waits_true(history: History, journals: dict) -> list:
    found = []
    for wait in history.waits:
        journal = journals.get(wait.session, [])
        if wait.n > len(journal):
            found.append(f"{wait.session}: a wait of {wait.client} was met at {wait.n}, which the journal does not have")
        elif wait.wanted == ("event",):
            if wait.n <= wait.after:
                found.append(f"{wait.session}: a wait of {wait.client} for an event after {wait.after} was met at {wait.n}")
        else:
            verdict = next((to for n, to in reversed(changes(journal)) if n <= wait.n), "starting")
            if verdict != wait.matched or wait.matched not in wait.wanted:
                found.append(f"{wait.session}: a wait of {wait.client} for {'/'.join(wait.wanted)} was met by {wait.matched} at {wait.n}, "
                             f"where the verdict is {verdict}")
    return found


def one_winner(history: History, journals: dict) -> list:
    """The journal has one decision for each approval, and the reply to all deciders was that one."""
    found = []
    decided = defaultdict(list)
    for session, journal in journals.items():
        for event in journal:
            if event["type"] == "approval.decided":
                decided[event["data"]["id"]].append((event["data"]["decision"], event["data"]["by"]))
    for approval, winners in decided.items():
        if len(winners) > 1:
            found.append(f"{approval}: the journal has {len(winners)} decisions: {winners}")
    for one in history.decisions:
        winner = decided.get(one.approval, [None])[0]
        if winner is None:
            found.append(f"{one.approval}: {one.by} was answered {one.status}, and the journal has no decision")
        elif one.status == 200 and winner != (one.decision, one.by):
            found.append(f"{one.approval}: {one.by} was told to have decided ({one.decision}), and the journal says {winner}")
        elif one.status == 409 and one.winner != winner:
            found.append(f"{one.approval}: {one.by} was told that {one.winner} had won, and the journal says {winner}")
    return found


def streams_agree(history: History, journals: dict) -> list:
    """Every reader saw every event, once, in one order."""
    found = []
    order = {}
    whole = {(session, e["n"]) for session, journal in journals.items() for e in journal}
    for reader, seen in history.streams.items():
        last = 0
        for cursor, session, n in seen:
            if cursor <= last:
                found.append(f"stream {reader}: {cursor} came after {last}: a repeat")
            elif cursor > last + 1:
                found.append(f"stream {reader}: {cursor} came after {last}: {cursor - last - 1} events are left out")
            last = max(last, cursor)
            if order.setdefault(cursor, (session, n)) != (session, n):
                found.append(f"stream {reader}: at {cursor} is event {n} of {session}, elsewhere {order[cursor][1]} of {order[cursor][0]}")
        missing = whole - {(session, n) for _, session, n in seen}
        if missing:
            found.append(f"stream {reader}: {len(missing)} events of the journals never came, such as {min(missing)}")
        strange = {(session, n) for _, session, n in seen} - whole
        if strange:
            found.append(f"stream {reader}: {len(strange)} events are in no journal, such as {min(strange)}")
        numbers = defaultdict(int)
        for _, session, n in seen:
            if n <= numbers[session]:
                found.append(f"stream {reader}: event {n} of {session} came after its event {numbers[session]}")
            numbers[session] = n
    return found


def session_streams_whole(history: History, journals: dict) -> list:
    """A follower of one session sees its events from the first one on, each once."""
    found = []
    for (reader, session), numbers in history.session_streams.items():
        for expected, n in enumerate(numbers, 1):
            if n != expected:
                found.append(f"stream of {session} to {reader}: {n} came instead of {expected}")
                break
        if numbers and numbers[-1] > len(journals.get(session, [])):
            found.append(f"stream of {session} to {reader}: {numbers[-1]} is not in the journal")
    return found


def stamps_in_order(journals: dict, begin: float, end: float) -> list:
    """`begin` and `end` of the run by the database's clock: no daemon's own clock is in any stamp."""
    found = []
    for session, journal in journals.items():
        times = [seconds(e["at"]) for e in journal]
        if times != sorted(times):
            found.append(f"{session}: times go back")
        if times and not begin - 1 <= times[0] <= times[-1] <= end + 1:
            found.append(f"{session}: times from {times[0]:.3f} to {times[-1]:.3f} are outside of the run ({begin:.3f} to {end:.3f})")
    return found


def nobody_silenced(history: History, journals: dict) -> list:
    """No session was called silent within two of the intervals last asked for after an event of its agent, or while its agent tried to
    report."""
    found = []
    for session, journal in journals.items():
        interval, heard = 0.0, None
        for event in journal:
            at = seconds(event["at"])
            if event["type"] == "session.started":
                interval = event["data"]["policy"]["heartbeat_interval_ms"] / 1000
            if "next_heartbeat_ms" in event:
                interval = event["next_heartbeat_ms"] / 1000
            if "event_id" in event or event["type"] == "session.started":
                heard = at
            if event["type"] != "verdict.changed" or event["data"]["to"] != "silent":
                continue
            if heard is not None and at - heard < 2 * interval - 0.002:
                found.append(f"{session}: silent at {event['n']}, {at - heard:.3f} s after an event, with an interval of {interval} s")
            # A retry of what was stored already is no sign of life, so only what came a whole interval later counts.
            tried = [when for when in history.attempts.get(session, []) if (heard or 0) + interval < when < at]
            if tried:
                last = [(e["n"], e["type"], e["at"]) for e in journal[max(event["n"] - 4, 0):event["n"]]]
                found.append(f"{session}: silent at {event['n']}, and its agent had tried to report {at - max(tried):.3f} s before: {last}")
    return found


def silence_noticed(journals: dict, quiet: dict) -> list:
    """Sessions whose agents opened them and fell silent: `quiet` has how many seconds until that must be noticed, whatever happens to daemons."""
    found = []
    for session, limit in quiet.items():
        journal = journals[session]
        silences = [seconds(e["at"]) for e in journal if e["type"] == "verdict.changed" and e["data"]["to"] == "silent"]
        heard = seconds(journal[0]["at"])
        if len(silences) != 1:
            found.append(f"{session}: its agent fell silent once, and {len(silences)} verdicts say so")
        elif silences[0] - heard > limit:
            found.append(f"{session}: its agent fell silent, which was noticed after {silences[0] - heard:.1f} s")
    return found


def children_told(journals: dict) -> list:
    """The journal of a parent says of each child that it has ended, and how many steps it has made, once it has ended: its calls, or the
    greatest iteration that its heartbeats name."""
    found = []
    for session, journal in journals.items():
        parent = journal[0]["data"].get("parent") if journal else None
        if not parent or not any(e["type"] == "session.ended" for e in journal):
            continue
        told = [e["data"] for e in journals[parent] if e["type"] == "child.progress" and e["data"]["child"] == session]
        calls = sum(e["type"] == "tool.finished" for e in journal)
        named = [e["data"].get("iteration", 0) for e in journal if e["type"] == "heartbeat"]
        steps = max([calls, *named])
        if not told or not told[-1]["ended"]:
            found.append(f"{session}: its parent does not know that it has ended")
        elif told[-1]["steps"] != steps:
            found.append(f"{session}: its parent knows of {told[-1]['steps']} steps of {steps}")
        if sum(one["ended"] for one in told) > 1:
            found.append(f"{session}: its parent was told of its end {sum(one['ended'] for one in told)} times")
    return found


def verdicts_replayed(session: str, journal: list, timeline: list, directives: list) -> list:
    """The verdicts and directives of the journal are those of a replay of it (`headway replay --json`)."""
    found = []
    for kind, steps in (("verdict.changed", timeline), ("directive.issued", directives)):
        served = [(e["n"], e["data"]) for e in journal if e["type"] == kind]
        again = [(step["n"], {name: step.get(name) for name in data}) for step, (_, data) in zip(steps, served)]
        if again != served or len(steps) != len(served):
            at = next((i for i, (a, b) in enumerate(zip(again, served)) if a != b), min(len(steps), len(served)))
            found.append(f"{session}: {kind} {at + 1} is {served[at:at + 1]} in the journal and {again[at:at + 1] or steps[at:at + 1]} in a "
                         "replay")
    return found


def same_everywhere(copies: dict) -> list:
    """`copies`: the journals as each daemon shows them."""
    found = []
    names = list(copies)
    for name in names[1:]:
        for session in copies[names[0]]:
            if copies[name].get(session) != copies[names[0]][session]:
                found.append(f"{session}: {name} shows another journal than {names[0]}")
    return found


def judge(history: History, journals: dict) -> list:
    """All but what needs more than the history."""
    return [*history.problems, *acknowledged_once(history, journals), *gapless(journals), *reads_forward(history),
            *waits_true(history, journals), *one_winner(history, journals), *streams_agree(history, journals),
            *session_streams_whole(history, journals), *nobody_silenced(history, journals)]
