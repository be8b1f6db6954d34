# SPDX-License-Identifier: Apache-2.0
"""Work that several daemons do once for all of them, while things happen to them: messages to webhooks, questions to a judge, access
tokens, retention. Each worker writes into `findings` what contradicts the promises of docs/scale.md."""
import http.client
import json
import random
import threading
import time
from collections import defaultdict
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from .crowd import Caller
from .http import Client
from .limits import SLOW, Deadline

LEASE = 10  # seconds that a daemon must not have been seen for, before another takes over what it sends
TOKENS = 1.0  # seconds within which all daemons know of a revoked token


class Addressee:
    """Receives webhooks. Each daemon has an address of its own here, so that it is known who has sent what."""

    def __init__(self, seed: str):
        self.dice = random.Random(seed)
        self.lock = threading.Lock()
        self.tries = []  # (message id, (session, n, its time), daemon, begin by the steady clock, status)
        self.rude = True
        addressee = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):  # noqa: N802
                began = time.monotonic()
                said = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                status = addressee.take(self.headers["webhook-id"], said, int(self.path.rpartition("/")[2]), began)
                self.send_response(status)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        class Server(ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *_):
                pass  # a daemon that is killed leaves connections behind

        self._server = Server(("127.0.0.1", 0), Handler)
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    def take(self, message: str, said: dict, daemon: int, began: float) -> int:
        data = said["data"]
        with self.lock:
            chance = self.dice.random() if self.rude else 1
            status = 503 if chance < 0.15 else 204
            self.tries.append((message, (data["session"], data["n"], said["timestamp"]), daemon, began, status))
        if chance > 0.9 and self.rude:
            time.sleep(0.2)
        return status

    def config(self, daemon: int) -> str:
        return ('[webhooks]\nretry = ["0s"' + ', "1s"' * 19 + ']\n[webhooks.endpoints.ops]\n'
                f'url = "http://127.0.0.1:{self._server.server_address[1]}/{daemon}"\nsecret_env = "HOOK_SECRET"\n'
                'allow_private_addresses = "on"\nevents = ["session.ended"]\n')

    def delivered(self) -> set:
        with self.lock:
            return {event for _, event, _, _, status in self.tries if status == 204}

    def findings(self, hung: list) -> list:
        """One id for each event; and no daemon sends what another one sends, unless that was not seen for ten seconds."""
        found = []
        ids, tries = defaultdict(set), defaultdict(list)
        for message, event, daemon, began, _ in self.tries:
            ids[event].add(message)
            tries[message].append((began, daemon))
        found += [f"webhook: {event} was sent as {sorted(own)}" for event, own in ids.items() if len(own) > 1]
        for message, sent in tries.items():
            for (before, one), (after, other) in zip(sorted(sent), sorted(sent)[1:]):
                # A daemon that stood still for long may, when it goes on, send the rest of a message that it had begun.
                woke = any(number in (one, other) and end - begin > LEASE - 1 and begin - 1 < after < end + 2 for number, begin, end in hung)
                if one != other and after - before < LEASE - 2 and not woke:
                    found.append(f"webhook: daemon {other + 1} has sent {message} {after - before:.1f} s after daemon {one + 1}")
        return found

    def close(self):
        self._server.shutdown()
        self._server.server_close()


class Worker:
    """Does step() after step() until the errands end."""

    def __init__(self, errands: "Errands", name: str):
        self.errands, self.name = errands, name
        self.findings = errands.findings
        self.dice = random.Random(f"{errands.seed}/{name}")
        self.caller = Caller(errands.daemons, self.dice)
        self.number = 0
        self.unanswered = []  # tries of this step: a daemon that stood still takes them when it goes on, however much later

    def run(self):
        while not self.errands.ending.is_set():
            self.number += 1
            self.unanswered.clear()
            self.step()
            time.sleep(self.dice.uniform(0, 0.3))
        self.caller.close()

    def report(self, session: str, number: int):
        event = {"type": "tool.finished", "event_id": str(number), "data": {"tool": "bash", "args": {"command": str(number)}, "ok": True}}
        self.caller.insist("POST", f"/v1/sessions/{session}/events", event, tried=self.unanswered)

    def end(self, session: str):
        began = time.monotonic()
        reply = self.caller.insist("POST", f"/v1/sessions/{session}/end", {"outcome": "completed"}, good=(200, 404, 409),
                                   tried=self.unanswered)
        # A repetition may come after its retention.
        if reply.status == 404 and time.monotonic() - began < self.errands.retention:
            self.errands.findings.append(f"end: {session} was lost before its end")

    def step(self):
        raise NotImplementedError


class Ender(Worker):
    """Ends sessions, each of which is a message to the webhook."""

    def step(self):
        session = f"{self.name}-{self.number}"
        self.report(session, 1)
        self.end(session)
        self.errands.ended.append(session)


class Asker(Worker):
    """Asks the judge; each check is answered once in the journal."""

    def step(self):
        session, check = f"{self.name}-{self.number}", f"check-{self.name}-{self.number}"
        self.report(session, 1)
        for _ in range(self.dice.choice((1, 2))):  # some ask again
            self.caller.insist("POST", "/check-status", {"sessionId": session, "checkId": check}, good=(200, 202))
        deadline = Deadline(90)
        while self.caller.insist("GET", f"/check-status/{check}").json()["state"] != "completed":
            if deadline.passed():
                self.findings.append(f"judge: {check} was not answered")
                return
            time.sleep(0.1)
        reply = self.caller.insist("GET", f"/v1/sessions/{session}/events?limit=1000").json()
        for kind in ("check.requested", "check.completed"):
            count = sum(event["type"] == kind for event in reply["events"])
            if count != 1:
                self.findings.append(f"judge: the journal of {session} has {count} {kind}")
        self.errands.checks += 1
        self.end(session)


class Issuer(Worker):
    """Makes tokens and revokes them, at any daemon."""

    def step(self):
        made = self.caller.insist("POST", "/v1/tokens", {"name": f"{self.name}-{self.number}", "scopes": ["read"]}, good=(201,)).json()
        time.sleep(self.dice.uniform(0, 2))
        self.caller.insist("DELETE", f"/v1/tokens/{made['id']}")
        self.errands.revoked.append((made["token"], time.monotonic()))
        time.sleep(0.5)


class Prober:
    """Tries revoked tokens at one daemon. It may be cut off from the database, or stand still: it has the promised second from when it
    serves again."""

    def __init__(self, errands: "Errands", number: int):
        self.errands, self.number = errands, number
        self.name = f"prober of daemon {number + 1}"
        self.dice = random.Random(f"{errands.seed}/{self.name}")
        self.serves_since = time.monotonic()

    def run(self):
        while not self.errands.ending.is_set():
            self.look()
            time.sleep(0.03)

    def look(self):
        serves, _ = self.get(None)
        if not serves:
            return
        revoked = self.errands.revoked
        for token, at in [*revoked[-3:], *self.dice.sample(revoked, min(2, len(revoked)))]:
            since = self.serves_since
            served, began = self.get(token)
            late = began - max(at, since)
            # A pulse each second, and the time that it takes.
            if served and since == self.serves_since and late > TOKENS + 0.5 * SLOW:
                self.errands.findings.append(f"token: daemon {self.number + 1} has taken a revoked one {late:.2f} s afterwards")

    def get(self, token: str | None) -> tuple:
        """Whether it was served, and when it was asked."""
        daemon, began = self.errands.daemons[self.number], time.monotonic()
        client = Client(daemon.port, timeout=0.7, token=token or daemon.operator_token())
        try:
            status = client.get("/progress/probe").status
        except (OSError, http.client.HTTPException):
            status = 0
        finally:
            client.close()
        if status in (0, 503) or time.monotonic() - began > 0.4:
            self.serves_since = time.monotonic()
            return False, began
        return status == 200, began


class Keeper(Worker):
    """Uses one name again and again: retention deletes its session when that has ended for long enough, and never earlier."""

    def __init__(self, errands: "Errands", name: str):
        super().__init__(errands, name)
        self.session = name

    def step(self):
        self.keep()
        if self.unanswered:  # they may open the session again, or count in the next one
            self.session = f"{self.name}-{self.number}"

    def keep(self):
        path = f"/v1/sessions/{self.session}"
        opened = self.caller.insist("PUT", path, {"agent": {"type": f"keeper-{self.number}"}}, tried=self.unanswered)
        if opened.json()["ended_at"] is not None:
            return  # the deletion of the one before was lost with a server, and is repeated
        for number in range(3):
            self.report(self.session, number)
        began = time.monotonic()
        self.end(self.session)
        until = began + self.errands.retention
        while True:
            reply = self.caller.insist("GET", path + "/events?limit=1000", good=(200, 404))
            if reply.status == 404:
                break
            if time.monotonic() > until + 60 * SLOW:
                if not self.unanswered:
                    self.findings.append(f"retention: {self.session} is there {time.monotonic() - until:.0f} s after its time")
                return
            self.check(reply.json()["events"], until)
            time.sleep(self.dice.uniform(0.1, 1))
        if time.monotonic() < until:
            self.findings.append(f"retention: {self.session} was deleted {until - time.monotonic():.1f} s too early")
        self.errands.deleted += 1

    def check(self, events: list, until: float):
        if time.monotonic() >= until:
            return  # it may be deleted between two pages
        ids = [event["event_id"] for event in events if "event_id" in event]
        agent = events[0]["data"].get("agent", {}).get("type") if events else None
        if ids != ["0", "1", "2"] or agent != f"keeper-{self.number}" or [event["n"] for event in events] != list(range(1, len(events) + 1)):
            self.findings.append(f"retention: of {self.session} there is {[(event['n'], event['type']) for event in events]} of {agent}")


class Errands:
    """start(), then faults, then end() when all is well again."""

    def __init__(self, daemons: list, addressee: Addressee, seed: int, retention: float, workers: int):
        self.daemons, self.addressee, self.seed, self.retention = daemons, addressee, seed, retention
        self.findings, self.ended, self.revoked = [], [], []
        self.checks = self.deleted = 0
        self.ending = threading.Event()
        kinds = (Ender, Asker, Issuer, Keeper, Keeper, Keeper) * workers
        self.workers = [kind(self, f"{kind.__name__.lower()}{number}") for number, kind in enumerate(kinds)]
        self.workers += [Prober(self, number) for number in range(len(daemons))]
        self.threads = [threading.Thread(target=self._run, args=(worker,), daemon=True) for worker in self.workers]

    def _run(self, worker):
        try:
            worker.run()
        except Exception as error:  # the test reports it; a thread cannot
            self.findings.append(f"{worker.name}: {error!r}")

    def start(self):
        Ender(self, "probe").caller.insist("PUT", "/v1/sessions/probe", {"policy": {"heartbeat_interval_ms": 3_600_000}})
        for thread in self.threads:
            thread.start()

    def end(self, hung: list):
        self.ending.set()
        deadline = Deadline(120)
        for thread, worker in zip(self.threads, self.workers):
            thread.join(deadline.left())
            if thread.is_alive():
                self.findings.append(f"{worker.name} did not come to an end")
        self.addressee.rude = False
        deadline = Deadline(40)
        while (missing := set(self.ended) - {event[0] for event in self.addressee.delivered()}) and not deadline.passed():
            time.sleep(0.2)
        self.findings += [f"webhook: the end of {session} was never sent" for session in sorted(missing)]
        self.findings += self.addressee.findings(hung)
        self._no_revoked_token_is_good()

    def _no_revoked_token_is_good(self):
        time.sleep(TOKENS + 0.5 * SLOW)
        for number, daemon in enumerate(self.daemons):
            for token, _ in self.revoked[-300:]:
                client = Client(daemon.port, token=token)
                status = client.get("/progress/probe").status
                client.close()
                if status not in (401, 429):  # 429: so many were refused that it is asked to pause
                    self.findings.append(f"token: daemon {number + 1} answers {status} to a revoked one in the end")

    def figures(self) -> str:
        return json.dumps({"ended": len(self.ended), "messages": len(self.addressee.tries), "delivered": len(self.addressee.delivered()),
                           "checks": self.checks, "tokens": len(self.revoked), "deleted": self.deleted})
