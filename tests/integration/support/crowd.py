# SPDX-License-Identifier: Apache-2.0
"""Agents, deciders and followers of several daemons that never give up, and write down the replies (history.py)."""
import contextlib
import http.client
import json
import queue
import random
import threading
import time

from .history import Ack, Decision, History, Read, Wait
from .http import Client
from .limits import Deadline
from .sse import EventStream

# Timeout of one try; then the next daemon is asked. Clients take it three times (limits.patient).
ANSWER = 0.7
INTERVAL = 5  # seconds; an agent that reports twice within it is alive


class Caller:
    """Asks one daemon after the other until one answers."""

    def __init__(self, daemons: list, dice: random.Random):
        self._daemons = daemons
        self._dice = dice
        self._next = dice.randrange(len(daemons))
        self._clients = {}

    def anywhere(self) -> int:
        return self._dice.randrange(len(self._daemons))

    def try_at(self, number: int, method: str, path: str, body=None, headers=None):
        """A reply, or None: then it is not known what has happened."""
        daemon = self._daemons[number]
        if number not in self._clients:
            self._clients[number] = Client(daemon.port, timeout=ANSWER, token=daemon.operator_token())
        try:
            return self._clients[number].request(method, path, body, headers)
        except (OSError, http.client.HTTPException):
            return None

    def insist(self, method: str, path: str, body=None, good=(200, 201), deadline: Deadline | None = None, tried=None):
        """The first reply that is neither a failure of the connection nor 503; AssertionError for one that is not good."""
        deadline = deadline or Deadline(40)
        while True:
            self._next = (self._next + 1) % len(self._daemons)
            began = time.time()
            reply = self.try_at(self._next, method, path, body)
            if tried is not None and (reply is None or reply.status == 503):
                tried.append(began)
            if reply is not None and reply.status in good:
                return reply
            if reply is not None and reply.status != 503:
                raise AssertionError(f"{method} {path}: {reply.status} {reply.body[:300]!r}")
            if deadline.passed():
                raise AssertionError(f"{method} {path}: no daemon has taken it, the last said {reply and reply.body[:300]!r}")
            time.sleep(0.05)

    def close(self):
        for client in self._clients.values():
            client.close()


class Agent:
    """Session after session, with reports that are retried by event_id at any daemon."""

    def __init__(self, crowd: "Crowd", name: str, seed: str, parent: str | None):
        self.crowd, self.name, self.parent = crowd, name, parent
        self.history = crowd.history
        self.dice = random.Random(seed)
        self.caller = Caller(crowd.daemons, self.dice)
        self.number = 0

    def run(self):
        while not self.crowd.ending.is_set():
            self.number += 1
            self._session(f"{self.name}-{self.number}")

    def _session(self, session: str):
        dice, path = self.dice, f"/v1/sessions/{session}"
        tried = self.history.attempts[session]
        about = {"agent": {"type": "crowd"}, "policy": {"heartbeat_interval_ms": INTERVAL * 1000}}
        if self.parent:
            about["parent"] = self.parent
        self.caller.insist("PUT", path, about, tried=tried)
        self.crowd.sessions.add(session)
        turns, last, loops = dice.randrange(10, 60), 0, dice.random() < 0.3
        for turn in range(turns):
            if self.crowd.ending.is_set():
                break
            last = self._report(session, [self._event(session, turn, i, loops) for i in range(dice.choice((1, 1, 1, 2, 5)))], tried)
            chance = dice.random()
            if chance < 0.3:
                self._read(session)
            elif chance < 0.4:
                self._wait(session, ("event",), dice.randrange(max(last - 3, 0), last + 1))
            elif chance < 0.46:
                self._ask(session, turn, tried)
            time.sleep(dice.uniform(0, 2 * self.crowd.pause))
        if dice.random() < 0.8:
            # A try whose outcome is not known may have ended it.
            self.caller.insist("POST", path + "/end", {"outcome": "completed"}, good=(200, 409), tried=tried)
            self._wait(session, ("completed", "failed", "halted"), 0)
        self._read(session)
        # An agent that has left one open falls silent, which is no finding: it does not try any more.

    def _event(self, session: str, turn: int, i: int, loops: bool) -> dict:
        event_id = f"{turn}.{i}"
        if self.dice.random() < 0.2:
            return {"type": "heartbeat", "event_id": event_id, "data": {"phase": "work", "iteration": turn}}
        data = {"tool": "bash", "args": {"command": "make"}, "ok": False, "error": {"class": "exit", "message": "2 failed"}}
        if not loops:
            data = {"tool": "edit", "args": {"step": f"{turn}.{i}"}, "ok": True, "mutated": [{"path": "a.c", "digest": f"{session}{turn}.{i}"}]}
        return {"type": "tool.finished", "event_id": event_id, "data": data}

    def _report(self, session: str, events: list, tried) -> int:
        for _ in range(2 if self.dice.random() < 0.05 else 1):  # some do not believe the answer
            begin = time.monotonic()
            reply = self.caller.insist("POST", f"/v1/sessions/{session}/events", events, good=(200, 409), tried=tried).json()
            end = time.monotonic()
            if reply.get("code") == "session_ended":
                return 0  # Headway has ended it
            for event, result in zip(events, reply["results"], strict=True):
                self.history.acks.append(Ack(self.name, session, event["event_id"], result["n"], begin, end))
        return reply["n"]

    def _read(self, session: str):
        begin = time.monotonic()
        reply = self.caller.try_at(self.caller.anywhere(), "GET", f"/progress/{session}")
        self._seen(session, reply, begin)

    def _seen(self, session: str, reply, begin: float):
        if reply is None or reply.status == 503:
            return None
        document = reply.json()
        if reply.status != 200:
            self.history.problems.append(f"{session}: {self.name} has read {reply.status} {document}")
            return None
        self.history.reads.append(Read(self.name, session, document["n"], begin, time.monotonic()))
        return document

    def _wait(self, session: str, wanted: tuple, after: int):
        begin = time.monotonic()
        path = f"/v1/sessions/{session}/wait?until={','.join(wanted)}&after={after}&wait=500ms"
        document = self._seen(session, self.caller.try_at(self.caller.anywhere(), "GET", path), begin)
        if document and document["met"]:
            self.history.waits.append(Wait(self.name, session, wanted, after, document["matched"], document["n"]))

    def _ask(self, session: str, turn: int, tried):
        reply = self.caller.insist("POST", f"/v1/sessions/{session}/approvals",
                                   {"tool": "deploy", "call_id": f"call-{turn}", "args": {"turn": turn}}, good=(200, 201, 409), tried=tried)
        if reply.status != 409:  # it has ended
            for decider in self.crowd.deciders:
                decider.work.put(reply.json()["id"])


class Decider:
    """Decides what all of them decide, each in its own way."""

    def __init__(self, crowd: "Crowd", name: str, decision: dict, seed: str):
        self.crowd, self.name, self.decision = crowd, name, decision
        self.caller = Caller(crowd.daemons, random.Random(seed))
        self.work = queue.SimpleQueue()

    def run(self):
        while (approval := self.work.get()) is not None:
            reply = self.caller.insist("POST", f"/v1/approvals/{approval}/decision", {**self.decision, "by": self.name}, good=(200, 409))
            document = reply.json()
            if reply.status == 409 and document.get("code") != "already_decided":
                continue  # its session has ended
            winner = None
            if reply.status == 409:
                if not document["winner"].get("decision"):
                    continue  # no person: the session's end has cancelled it
                told = document["winner"]["decision"]
                winner = (told["decision"], told["by"])
            self.crowd.history.decisions.append(Decision(approval, self.decision["decision"], self.name, reply.status, winner))


class Follower:
    """Reads the stream of all sessions from the first event on, at one daemon until it is cut off, then at the next."""

    def __init__(self, crowd: "Crowd", number: int):
        self.crowd, self.number = crowd, number
        self.seen = crowd.history.streams[f"from daemon {number + 1}"]
        self.head = None  # the last one there will be
        self.connections = 0

    def run(self):
        while not self._done():
            daemon = self.crowd.daemons[self.number % len(self.crowd.daemons)]
            try:
                with EventStream(daemon.port, "/v1/stream", self.seen[-1][0] if self.seen else 0, timeout=1,
                                 token=daemon.operator_token()) as stream:
                    self.connections += 1
                    self._follow(stream)
            except (OSError, EOFError, ValueError, IndexError):  # it hangs, is gone, or is going
                time.sleep(0.1)
            self.number += 1

    def _done(self) -> bool:
        return self.crowd.given_up or (self.head is not None and (self.seen[-1][0] if self.seen else 0) >= self.head)

    def _follow(self, stream):
        while not self._done():
            event = stream.next(1)
            if event.is_journal:
                self.seen.append((event.id, event.data["session"], event.data["n"]))
            elif event.name == "reset":
                self.crowd.history.problems.append(f"stream of daemon {self.number % len(self.crowd.daemons) + 1}: reset {event.data}")
            elif event.name in ("goodbye", "lagged"):
                return


class Watcher:
    """Follows one session after the other, each for some seconds, and changes daemons in the middle."""

    def __init__(self, crowd: "Crowd", name: str, seed: str):
        self.crowd, self.name = crowd, name
        self.dice = random.Random(seed)

    def run(self):
        while not self.crowd.ending.is_set():
            known = sorted(self.crowd.sessions.copy())
            session = self.dice.choice(known)
            if (self.name, session) in self.crowd.history.session_streams:
                time.sleep(0.05)
                continue
            seen = self.crowd.history.session_streams[self.name, session]
            for _ in range(self.dice.randrange(1, 4)):
                with contextlib.suppress(OSError, EOFError, ValueError, IndexError):
                    self._follow(session, seen, Deadline(self.dice.uniform(0.1, 1)))

    def _follow(self, session: str, seen: list, deadline: Deadline):
        daemon = self.dice.choice(self.crowd.daemons)
        with EventStream(daemon.port, f"/v1/sessions/{session}/stream", seen[-1] if seen else 0, timeout=1,
                         token=daemon.operator_token()) as stream:
            while not deadline.passed():
                event = stream.next(0.2)
                if event.is_journal:
                    seen.append(event.data["n"])
                elif event.name == "reset":
                    self.crowd.history.problems.append(f"stream of {session}: reset {event.data}")
                elif event.name in ("goodbye", "lagged"):
                    return


class Crowd:
    """start(), then faults, then end() when all is well again."""

    def __init__(self, daemons: list, agents: int, seed: int, pause: float):
        self.daemons, self.pause = daemons, pause
        self.history = History()
        self.sessions = set()
        self.ending = threading.Event()
        self.given_up = False
        self.deciders = [Decider(self, "ann", {"decision": "approve"}, f"{seed}/ann"),
                         Decider(self, "bob", {"decision": "reject", "then": "change_approach"}, f"{seed}/bob")]
        self.followers = [Follower(self, number) for number in range(len(daemons))]
        self.parents = [f"family-{number}" for number in range(max(agents // 15, 1))]
        self.agents = [Agent(self, f"agent{number}", f"{seed}/{number}", self.parents[number // 2 % len(self.parents)] if number % 2 else None)
                       for number in range(agents)]
        self.watchers = [Watcher(self, f"watcher{number}", f"{seed}/w{number}") for number in range(3)]
        self.threads = {one: threading.Thread(target=self._run, args=(one,), daemon=True)
                        for one in (*self.deciders, *self.followers, *self.watchers, *self.agents)}

    def _run(self, one):
        try:
            one.run()
        except Exception as error:  # the test reports it; a thread cannot
            self.history.problems.append(f"{type(one).__name__} {getattr(one, 'name', '')}: {error!r}")

    def start(self):
        """Half of the agents have a parent, whose budget counts what they use."""
        caller = Caller(self.daemons, random.Random(0))
        for name in self.parents:
            caller.insist("PUT", f"/v1/sessions/{name}", {"policy": {"heartbeat_interval_ms": 3_600_000}, "budget": {"max_cost_usd": 10}})
            self.sessions.add(name)
        caller.close()
        for thread in self.threads.values():
            thread.start()

    def fall_silent(self, names: list, interval_ms: int):
        """Sessions whose agents say nothing any more."""
        caller = Caller(self.daemons, random.Random(0))
        for name in names:
            caller.insist("PUT", f"/v1/sessions/{name}", {"policy": {"heartbeat_interval_ms": interval_ms}})
            self.sessions.add(name)
        caller.close()

    def join(self, ones: list, seconds: float):
        deadline = Deadline(seconds)
        for one in ones:
            self.threads[one].join(deadline.left())
            if self.threads[one].is_alive():
                self.history.problems.append(f"{type(one).__name__} {getattr(one, 'name', '')} did not come to an end")

    def end(self) -> dict:
        """Lets everybody finish, and ends what agents have left open, so that no verdict comes any more. The journals, as each daemon
        shows them."""
        self.ending.set()
        self.join([*self.agents, *self.watchers], 30)
        for decider in self.deciders:
            decider.work.put(None)
        self.join(self.deciders, 30)
        caller = Caller(self.daemons, random.Random(0))
        for session in sorted(self.sessions.difference(self.parents)):
            caller.insist("POST", f"/v1/sessions/{session}/end", {"outcome": "completed"}, good=(200, 409))
        caller.close()
        time.sleep(1)  # parents hear of it in another turn
        copies = {}
        for number, daemon in enumerate(self.daemons):
            client = Client(daemon.port, token=daemon.operator_token())
            copies[f"daemon {number + 1}"] = {session: client.journal(session) for session in sorted(self.sessions)}
            client.close()
        head = sum(len(journal) for journal in copies["daemon 1"].values())
        for follower in self.followers:
            follower.head = head
        self.join(self.followers, 10)
        self.given_up = True
        return copies

    def figures(self, copies: dict) -> str:
        events = sum(len(journal) for journal in copies["daemon 1"].values())
        history = self.history
        return json.dumps({"sessions": len(self.sessions), "events": events, "acknowledged": len(history.acks), "reads": len(history.reads),
                           "waits": len(history.waits), "decisions": len(history.decisions),
                           "watched": sum(map(len, history.session_streams.values())),
                           "stream_connections": sum(follower.connections for follower in self.followers)})
