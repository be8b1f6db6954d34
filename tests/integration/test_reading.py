#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reading sessions: the documents of docs/first-designs.md, lists with filters, the journal in pages."""
import json
import unittest

from support.case import SharedDaemonCase, unique
from support.http import RawConnection
from support.limits import LONG

PROGRESS_FIELDS = ["sessionId", "alive", "stuck", "progress", "currentPhase", "iteration", "estimate", "verdict", "reason", "alarm", "n",
                   "nextHeartbeatMs"]


class FirstDesigns(SharedDaemonCase):
    def test_the_progress_document_has_exactly_its_fields_on_both_routes(self):
        session = unique()
        self.client.open(session)
        for route in ("/progress/", "/api/autonomous/progress/"):
            document = self.client.get(route + session).json()
            self.assertEqual(list(document), PROGRESS_FIELDS)
            self.assertEqual(document["progress"], {"heartbeats": 0, "stateChanges": 0, "lastChange": None,
                                                    "lastChangeAgo": None})
            self.assertEqual((document["currentPhase"], document["iteration"]), (None, None))

    def test_progress_counts_beats_and_changes(self):
        session = unique()
        self.client.beat(session, phase="execution", iteration=6)
        self.client.report(session, "tool.finished", tool="bash")
        self.client.report(session, "reflection", assessment="fine", confidence=0.5)
        document = self.client.get(f"/progress/{session}").json()
        self.assertEqual((document["sessionId"], document["alive"], document["stuck"]), (session, True, False))
        self.assertEqual((document["currentPhase"], document["iteration"]), ("execution", 6))
        progress = document["progress"]
        self.assertGreaterEqual(progress.pop("lastChangeAgo"), 0)
        self.assertEqual(progress, {"heartbeats": 1, "stateChanges": 2, "lastChange": "reflection_complete"})

    def test_every_state_change_goes_by_its_name(self):
        names = {"tool.finished": ("tool_call", {"tool": "x"}), "test.result": ("test_result", {}),
                 "phase.started": ("phase_started", {"name": "p"}), "phase.completed": ("phase_completed", {}),
                 "plan.updated": ("plan_generated", {}), "fact.learned": ("fact_learned", {"text": "t"}),
                 "state.changed": ("state_changed", {"state": "idle"}), "reflection": ("reflection_complete", {})}
        session = unique()
        for number, (kind, (name, data)) in enumerate(names.items(), start=1):
            self.client.report(session, kind, **data)
            progress = self.client.get(f"/progress/{session}").json()["progress"]
            self.assertEqual((progress["stateChanges"], progress["lastChange"]), (number, name))
        for kind, data in (("message", {}), ("progress.estimated", {"percent": 50}), ("compacted", {}),
                           ("error.reported", {"message": "m"}), ("tool.started", {"call_id": "c", "tool": "t"})):
            self.client.report(session, kind, **data)
        self.assertEqual(self.client.get(f"/progress/{session}").json()["progress"]["stateChanges"], len(names))

    def test_the_chat_status_follows_the_session(self):
        for outcome in ("completed", "failed", "cancelled"):
            session = unique()
            route = f"/api/chat/autonomous/status?sessionId={session}"
            self.client.beat(session, iteration=3)
            self.assertEqual(self.client.get(route).json(), {"sessionId": session, "status": "running", "iteration": 3,
                                                             "iterations": 3, "reason": None, "error": None, "verdict": "starting"})
            self.client.end(session, outcome, reason="why")
            status = self.client.get(route).json()
            self.assertEqual((status["status"], status["verdict"]), (outcome, outcome))
            self.assertEqual(status["error"], "why" if outcome == "failed" else None)

    def test_unknown_sessions_are_404_everywhere(self):
        for route in ("/progress/x-1", "/api/autonomous/progress/x-1", "/progress/x-1/stream",
                      "/api/chat/autonomous/status?sessionId=x-1", "/v1/sessions/x-1", "/v1/sessions/x-1/events",
                      "/v1/sessions/x-1/wait", "/v1/sessions/x-1/stream"):
            reply = self.client.get(route)
            self.assertEqual((reply.status, reply.json()["code"]), (404, "unknown_session"), route)


class Listing(SharedDaemonCase):
    def listed(self, query: str) -> list:
        return [s["id"] for s in self.client.get(f"/v1/sessions?{query}").json()["sessions"]]

    def test_filters_and_newest_first(self):
        label = unique("label")
        ids = [unique("list") for _ in range(4)]
        for i, session in enumerate(ids):
            self.client.open(session, labels={"group": label}, agent={"type": f"type{i % 2}-{label}"})
        self.client.end(ids[0], "failed")
        self.client.report(ids[1], "tool.finished", tool="x")
        mine = f"label=group:{label}"
        self.assertEqual(self.listed(mine), ids[::-1])
        self.assertEqual(self.listed(f"{mine}&open=true"), [ids[3], ids[2], ids[1]])
        self.assertEqual(self.listed(f"{mine}&open=false"), [ids[0]])
        self.assertEqual(self.listed(f"{mine}&verdict=failed,exploring"), [ids[1], ids[0]])
        self.assertEqual(self.listed(f"agent=type1-{label}"), [ids[3], ids[1]])
        self.assertEqual(self.listed(f"{mine}&agent=absent"), [])

    def test_paging_meets_every_session_once(self):
        label = unique("label")
        ids = [unique("page") for _ in range(7)]
        for session in ids:
            self.client.open(session, labels={"group": label})
        found, cursor = [], ""
        while cursor is not None:
            page = self.client.get(f"/v1/sessions?label=group:{label}&limit=3{cursor}").json()
            found += [s["id"] for s in page["sessions"]]
            self.assertLessEqual(len(page["sessions"]), 3)
            cursor = None if page["next"] is None else f"&cursor={page['next']}"
        self.assertEqual(found, ids[::-1])


class Journal(SharedDaemonCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        client = cls.daemon.client()
        for start in range(0, 700, 7):  # rows of seven events, so that pages cut through them
            client.post("/v1/sessions/long/events", [{"type": "message", "data": {"text": str(start + i)}} for i in range(7)])
        client.close()

    def test_pages_are_gapless_whatever_their_size(self):
        whole = self.client.journal("long")
        self.assertEqual([e["n"] for e in whole], list(range(1, 702)))
        self.assertTrue(all(e["session"] == "long" for e in whole))
        for page in (1000, 100, 13):
            self.assertEqual(self.client.journal("long", page), whole)

    def test_a_page_starts_after_the_asked_number(self):
        for after in (0, 1, 7, 127, 128, 129, 400, 700, 701, 5000):
            reply = self.client.get(f"/v1/sessions/long/events?after={after}&limit=2").json()
            self.assertEqual([e["n"] for e in reply["events"]], [n for n in (after + 1, after + 2) if n <= 701])
            self.assertEqual((reply["head"], reply["more"]), (701, after + 2 < 701))

    def test_lines_are_the_same_events(self):
        reply = self.client.get("/v1/sessions/long/events?limit=50", Accept="application/x-ndjson")
        self.assertEqual(reply.headers["content-type"], "application/x-ndjson")
        self.assertEqual([reply.headers[f"x-{name}"] for name in ("head", "more", "next")], ["701", "true", "50"])
        events = [json.loads(line) for line in reply.body.decode().splitlines()]
        self.assertEqual(events, self.client.journal("long")[:50])


@unittest.skipUnless(LONG, "opens 201,000 sessions; HEADWAY_LONG=1")
class Crowd(SharedDaemonCase):
    def test_more_sessions_than_the_daemon_keeps_views_of(self):
        with RawConnection(self.daemon.port, timeout=60) as connection:
            for start in range(0, 201_000, 50):
                connection.send(b"".join(connection.format("PUT", f"/v1/sessions/c{start + i}") for i in range(50)))
                self.assertEqual([connection.reply().status for _ in range(50)], [201] * 50)
            # Two new sessions in one turn: the view of the first must not make room for the second before it is answered.
            for start in range(0, 400, 2):
                connection.send(b"".join(connection.format("POST", f"/v1/sessions/n{start + i}/heartbeat") for i in range(2)))
                self.assertEqual([connection.reply().status for _ in range(2)], [200] * 2)
        for session in ("c0", "c100000", "c200999", "n0"):
            self.assertEqual(self.client.get(f"/progress/{session}").json()["sessionId"], session)


if __name__ == "__main__":
    unittest.main()
