#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Approvals: asked once, decided once for the bytes that were shown, used once, also through crashes."""
import json
import os
import signal
import subprocess
import sys
import threading
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from support.case import OwnDaemonCase, SharedDaemonCase, unique
from support.daemon import clean_environment, own_database
from support.http import Client
from support.limits import LONG, eventually, patient

ARGS = {"command": "rm -rf build", "cwd": "/srv", "n": 1.50}
RACES = 1000 if LONG else 30


def ask(client, session, tool="bash", args=ARGS, status=(200, 201), headers=None, **more) -> dict:
    body = {"tool": tool, "args": args, **more}
    return client._expect(status, client.post(f"/v1/sessions/{session}/approvals", body, headers))


def decide(client, approval, decision="approve", status=200, **more) -> dict:
    reply = client.post(f"/v1/approvals/{approval}/decision", {"decision": decision, **more})
    return client._expect((status,), reply)


def redeem(client, approval, status=200, **body) -> dict:
    return client._expect((status,), client.post(f"/v1/approvals/{approval}/redeem", body))


def document(client, approval, query="") -> dict:
    return client._expect((200,), client.get(f"/v1/approvals/{approval}{query}"))


def kinds(client, session, kind) -> list:
    return [e for e in client.journal(session) if e["type"] == kind]


class PersonCase(SharedDaemonCase):
    """Its client may decide, like the operator."""

    def setUp(self):
        self.client = self.daemon.operator()
        self.addCleanup(self.client.close)


class PersonsOwnCase(OwnDaemonCase):
    def client(self, daemon, **options):
        client = daemon.operator(**options)
        self.addCleanup(client.close)
        return client


class Tokens(PersonCase):
    def test_an_agents_token_is_refused_on_every_deciding_route(self):
        session = unique()
        approval = ask(self.client, session)["id"]
        token = self.client.post("/v1/tokens", {"name": "agent", "scopes": [f"report:{session}"]}).json()["token"]
        agent = self.daemon.client(token=token)
        anonymous = self.daemon.client()
        for client in (agent, anonymous):
            self.addCleanup(client.close)
        for path, body in ((f"/v1/approvals/{approval}/decision", {"decision": "approve"}),
                           (f"/v1/approvals/{approval}/revoke", {}),
                           (f"/v1/sessions/{session}/approve-agent", {"request_id": approval, "approved": True}),
                           (f"/v1/chat/{session}/approve-agent", {"approved": True})):
            refused = agent.post(path, body)
            self.assertEqual((refused.status, refused.json()["code"]), (403, "forbidden"), path)
            self.assertEqual(anonymous.post(path, body).status, 401, path)
        self.assertEqual(document(agent, approval)["status"], "pending")
        decide(self.client, approval, by="ana")
        self.assertIn("ana", document(agent, approval)["decision"]["by"])
        redeem(agent, approval, args=ARGS)


class Asking(PersonCase):
    def test_a_request_is_made_once_and_blocks_the_session(self):
        session = unique()
        reply = self.client.post(f"/v1/sessions/{session}/approvals", {"tool": "bash", "args": ARGS, "call_id": "c1",
                                                                       "summary": "clean", "risk": "high"})
        self.assertEqual(reply.status, 201)
        first = reply.json()
        self.assertEqual(reply.headers["location"], f"/v1/approvals/{first['id']}")
        self.assertEqual(first["id"], f"{session}.a{first['n']}")
        self.assertEqual(first["args"], ARGS)
        self.assertEqual((first["status"], first["source"], first["risk"], first["identical"]), ("pending", "agent", "high", 1))
        again = self.client.post(f"/v1/sessions/{session}/approvals", {"args": dict(reversed(ARGS.items())), "tool": "bash",
                                                                       "call_id": "c1"})
        self.assertEqual((again.status, again.json()["id"]), (200, first["id"]))
        settled = self.client.wait(session, until="settled", wait="2m")
        self.assertEqual((settled["matched"], settled["verdict"]["detector"]), ("blocked", "approval"))
        self.assertIn("bash", settled["verdict"]["reason"])
        self.assertEqual(self.client.session(session)["state"], "awaiting_permission")
        self.assertEqual(self.client.session(session)["approvals_pending"], 1)

    def test_arguments_are_kept_and_compared_as_they_were_written(self):
        path = f"/v1/sessions/{unique()}/approvals"
        asked = [self.client.post(path, b'{"tool":"t","args":{"b":[1.50,"\u00e9"],"a":{"z":null,"y":' + y + b'}}}')
                 for y in (b"1", b"1.0", b"1e0", b"true")]
        digests = {reply.json()["args_digest"] for reply in asked}
        self.assertEqual([reply.status for reply in asked], [201] * 4)
        self.assertEqual(len(digests), 4)
        self.assertIn(b'"args":{"b":[1.50,', asked[0].body)

    def test_an_idempotency_key_is_honoured(self):
        session, headers = unique(), {"Idempotency-Key": unique("key")}
        first = ask(self.client, session, headers=headers)
        decide(self.client, first["id"])
        redeem(self.client, first["id"], args=ARGS)
        again = self.client.post(f"/v1/sessions/{session}/approvals", {"tool": "bash", "args": ARGS}, headers)
        self.assertEqual((again.status, again.headers["idempotent-replayed"]), (200, "true"))
        self.assertEqual((again.json()["id"], again.json()["status"]), (first["id"], "redeemed"))
        other = self.client.post(f"/v1/sessions/{session}/approvals", {"tool": "other"}, headers)
        self.assertEqual((other.status, other.json()["code"]), (422, "idempotency_mismatch"))

    def test_an_event_asks_too_and_is_known_when_it_comes_again(self):
        session = unique()
        for duplicates in (0, 1):
            reply = self.client.report(session, "approval.requested", tool="bash", args=ARGS, call_id="c1")
            self.assertEqual(reply["duplicates"], duplicates)
            self.assertEqual([(a["id"], a["status"]) for a in reply["approvals"]], [(f"{session}.a{reply['n']}", "pending")])
        self.assertEqual(len(kinds(self.client, session, "approval.requested")), 1)

    def test_a_started_call_asks_by_itself(self):
        session = unique()
        long = {"text": "x" * 20_000}
        reply = self.client.report(session, "tool.started", call_id="c1", tool="write", args=long, requires_approval=True)
        (notice,) = reply["approvals"]
        self.assertEqual((notice["tool"], notice["call_id"], reply["verdict"]["status"]), ("write", "c1", "blocked"))
        self.assertEqual(document(self.client, notice["id"])["args"], long)  # whole, though the event is cut
        batch = [{"type": "tool.started", "data": {"call_id": "c1", "tool": "write", "args": long, "requires_approval": True}},
                 {"type": "message", "data": {"text": "still here"}}]
        reply = self.client.post(f"/v1/sessions/{session}/events", batch).json()
        self.assertEqual([r["n"] for r in reply["results"]], [e["n"] for e in self.client.journal(session)
                                                              if e["type"] in ("tool.started", "message")][1:])
        self.assertEqual(len(reply["approvals"]), 1)
        decide(self.client, notice["id"])
        redeem(self.client, notice["id"], args=long)

    def test_a_policy_asks_whatever_the_report_says(self):
        session = unique()
        self.client.open(session, policy={"tools": [{"tool": "deploy", "requires_approval": True}]})
        reply = self.client.report(session, "tool.started", call_id="c1", tool="deploy", args={"to": "prod"})
        self.assertEqual(document(self.client, reply["approvals"][0]["id"])["source"], "policy")
        quiet = self.client.report(session, "tool.started", call_id="c2", tool="bash", args={})
        self.assertEqual(len(quiet["approvals"]), 1)

    def test_too_many_are_refused(self):
        session = unique()
        for i in range(32):
            ask(self.client, session, args={"i": i})
        reply = self.client.post(f"/v1/sessions/{session}/approvals", {"tool": "bash", "args": {"i": 32}})
        self.assertEqual((reply.status, reply.json()["code"]), (409, "too_many_approvals"))
        reply = self.client.post(f"/v1/sessions/{session}/events", {"type": "tool.started", "data": {
            "call_id": "c", "tool": "bash", "requires_approval": True}})
        self.assertEqual((reply.status, reply.json()["code"]), (409, "too_many_approvals"))


class Deciding(PersonCase):
    test_clock = True

    settings = {"approvals.approve_on_expiry": "bash", "approvals.approve_on_expiry_after": "1s"}

    def test_changed_arguments_never_redeem(self):
        session = unique()
        approval = ask(self.client, session)["id"]
        decide(self.client, approval, by="ann")
        for other in ({**ARGS, "cwd": "/"}, {**ARGS, "n": 1.5001}, {}, [ARGS], {**ARGS, "extra": None}):
            refused = redeem(self.client, approval, 409, args=other)
            self.assertEqual(refused["code"], "digest_mismatch", other)
        digest = document(self.client, approval)["args_digest"]
        self.assertEqual(redeem(self.client, approval, 409, args_digest="sha256:" + "0" * 64)["code"], "digest_mismatch")
        body = b'{"key":"k","args":{"n":1.5,"cwd":"/srv","command":"rm -rf build"}}'
        used = self.client.post(f"/v1/approvals/{approval}/redeem", body)  # other order, same bytes as Python wrote them
        self.assertEqual((used.status, used.json()["status"]), (200, "redeemed"))
        self.assertEqual(redeem(self.client, approval, args_digest=digest, key="k")["redeemed_at"], used.json()["redeemed_at"])
        self.assertEqual(redeem(self.client, approval, 409, args_digest=digest, key="other")["code"], "already_redeemed")

    def test_edited_arguments_reach_the_agent_whole_and_are_the_only_ones(self):
        session = unique()
        approval = ask(self.client, session, call_id="c1")["id"]
        edited = {"command": "make clean", "note": "y" * 9000}
        decide(self.client, approval, "edit", edited_args=edited, reason="safer")
        (notice,) = self.client.beat(session)["approvals"]
        self.assertEqual((notice["status"], notice["edited_args"], notice["reason"]), ("edited", edited, "safer"))
        self.assertEqual(redeem(self.client, approval, 409, args=ARGS)["code"], "digest_mismatch")
        redeem(self.client, approval, args=edited)
        self.assertEqual(self.client.beat(session)["approvals"], [])
        self.client.report(session, "tool.finished", tool="bash", call_id="c1", args=edited, result="done")
        self.assertEqual(document(self.client, approval)["status"], "executed")
        self.assertEqual(kinds(self.client, session, "approval.alarm"), [])

    def test_edited_arguments_are_json_of_the_kind_that_was_asked_for(self):
        for asked, kind, others in ((ARGS, "an object", (["rm"], "rm", 7, None)), ({}, "an object", ([],)), (["a"], "an array", ({}, "a"))):
            approval = ask(self.client, unique(), args=asked)["id"]
            for other in others:
                problem = decide(self.client, approval, "edit", 400, edited_args=other)
                self.assertEqual(problem["field"], "/edited_args", other)
                if other is not None:
                    self.assertIn(f"must be {kind}", problem["detail"])
            decide(self.client, approval, "edit", edited_args=asked)

    def test_a_rejection_stops_the_agent_and_running_it_raises_the_alarm(self):
        session = unique()
        approval = ask(self.client, session, call_id="c1")["id"]
        decide(self.client, approval, "reject", reason="no", by="ann")
        advice = self.client.beat(session)
        self.assertEqual([d["type"] for d in advice["directives"]], ["stop"])
        self.assertEqual([(a["status"], a["decision"]) for a in advice["approvals"]], [("rejected", "reject")])
        self.assertEqual(redeem(self.client, approval, 409, args=ARGS)["code"], "not_approved")
        self.client.report(session, "tool.finished", tool="bash", args=ARGS, result="ran")
        (alarm,) = kinds(self.client, session, "approval.alarm")
        self.assertEqual((alarm["data"]["alarm"], alarm["data"]["id"]), ("executed_though_rejected", approval))
        self.assertEqual(document(self.client, approval)["alarm"], "executed_though_rejected")
        self.client.report(session, "directive.acknowledged", id=approval)
        self.assertEqual(self.client.beat(session)["approvals"], [])

    def test_an_alarm_stays_on_top_until_a_person_acknowledges_it(self):
        session = unique()
        approval = ask(self.client, session, tool="deploy", call_id="c1")["id"]
        decide(self.client, approval, "reject", reason="no", by="ann")
        self.client.report(session, "tool.finished", tool="deploy", args=ARGS, result="ran")
        (alarm,) = self.client.session(session)["alarms"]
        self.assertEqual((alarm["kind"], alarm["approval_id"], alarm["tool"], alarm["times"]),
                         ("executed_though_rejected", approval, "deploy", 1))

        def shown():
            overview = self.client._expect((200,), self.client.get("/v1/overview"))
            needs = [n for n in overview["needs_you"] if n["session"] == session and n["kind"] == "alarm"]
            rows = self.client._expect((200,), self.client.get(f"/v1/sessions?view=row&ids={session}"))["sessions"]
            progress = self.client._expect((200,), self.client.get(f"/progress/{session}"))
            return overview, needs, rows[0]["alarm"], progress["alarm"]

        overview, (need,), row, progress = shown()
        self.assertEqual((overview["alarm"], overview["needs_you"][0]["kind"]), ("executed_though_rejected", "alarm"))
        self.assertEqual((need["reason_code"], need["approval"], need["certain"]),
                         ("executed_though_rejected", approval, True))
        self.assertEqual((row, progress, need["up_to"]), (*("executed_though_rejected",) * 2, alarm["n"]))
        self.assertIn('headway_approval_alarms{alarm="executed_though_rejected"}', self.client.get("/metrics").body.decode())
        # Nothing that the agent says takes it away, nor its end.
        self.client.report(session, "directive.acknowledged", id=approval)
        self.client.report(session, "message", role="user", text="go on")
        self.client.end(session, "completed")
        self.assertEqual(shown()[2:], ("executed_though_rejected",) * 2)
        self.assertEqual(len(shown()[1]), 1)
        path = f"/v1/sessions/{session}/alarms/acknowledge"
        agent = self.daemon.client()
        self.addCleanup(agent.close)
        self.assertEqual(agent.post(path, {}).status, 401)
        self.assertEqual(self.client.post(path, {"n": alarm["n"] + 1}).json()["code"], "invalid_field")
        for body in ({"up_to": 0}, {"up_to": alarm["n"] - 1}, {"n": alarm["n"], "up_to": alarm["n"]}):
            refused = self.client.post(path, body)
            self.assertEqual((refused.status, refused.json()["field"]), (400, "/up_to"))
        seen = self.client._expect((200,), self.client.post(path, {"up_to": alarm["n"], "by": "ann"}))
        self.assertEqual((seen["alarms"], seen["outcome"]), ([], "completed"))
        self.assertEqual(self.client._expect((200,), self.client.post(path, {}))["n"], seen["n"])
        self.assertEqual((shown()[1], *shown()[2:]), ([], None, None))
        (event,) = kinds(self.client, session, "alarm.acknowledged")
        self.assertEqual(event["data"]["alarms"], [alarm["n"]])

    def test_a_question_is_answered(self):
        session = unique()
        body = {"kind": "question", "summary": "left or right?", "options": ["left", "right"]}
        question = self.client.post(f"/v1/sessions/{session}/approvals", body).json()
        self.assertEqual((question["options"], question["args"]), (["left", "right"], None))
        self.assertEqual(decide(self.client, question["id"], "edit", 400, edited_args={})["field"], "/decision")
        # The agent would only hear that it has no answer.
        refused = decide(self.client, question["id"], "approve", 400)
        self.assertEqual((refused["code"], refused["field"]), ("invalid_field", "/decision"))
        self.assertIn("headway answer", refused["detail"])
        decide(self.client, question["id"], "respond", response="left, " + "and so on " * 50)
        (notice,) = self.client.beat(session)["approvals"]
        self.assertTrue(notice["response"].startswith("left"))
        self.assertEqual(redeem(self.client, question["id"], 409, args={})["code"], "not_approved")

    def test_a_later_decision_gets_the_winner(self):
        approval = ask(self.client, unique())["id"]
        decide(self.client, approval, "approve", by="ann", channel="cli", reason="fine")
        self.assertEqual(decide(self.client, approval, "approve", by="bob")["approval"]["decision"]["by"], "ann")
        reply = self.client.post(f"/v1/approvals/{approval}/decision", {"decision": "reject", "by": "bob"})
        self.assertEqual(reply.headers["content-type"], "application/problem+json")
        problem = reply.json()
        self.assertEqual((reply.status, problem["code"]), (409, "already_decided"))
        winner = problem["winner"]["decision"]
        self.assertEqual((winner["by"], winner["channel"], winner["decision"], winner["reason"]), ("ann", "cli", "approve", "fine"))
        self.assertTrue(winner["at"].endswith("Z"))

    def test_a_grant_covers_equal_calls_until_it_is_revoked(self):
        session = unique()
        first = ask(self.client, session, call_id="c1")["id"]
        self.assertTrue(decide(self.client, first, scope="session", by="ann")["approval"]["granted"])
        later = ask(self.client, session, call_id="c2")
        self.assertEqual((later["status"], later["decision"]["by"]), ("approved", f"grant:{first}"))
        self.assertEqual(ask(self.client, session, args={"other": 1}, call_id="c3")["status"], "pending")
        revoked = self.client.post(f"/v1/approvals/{first}/revoke", {"by": "ann", "reason": "enough"})
        self.assertEqual((revoked.status, revoked.json()["granted"]), (200, False))
        self.assertIn("wait_approval", [d["type"] for d in self.client.beat(session)["directives"]])
        self.assertEqual(ask(self.client, session, call_id="c4")["status"], "pending")
        again = self.client.post(f"/v1/approvals/{first}/revoke")
        self.assertEqual((again.status, again.json()["code"]), (409, "no_grant"))

    def test_one_decision_answers_identical_requests_of_all_sessions(self):
        tool = unique("tool")
        asked = [ask(self.client, unique(), tool=tool)["id"] for _ in range(5)]
        other = ask(self.client, unique(), tool=tool, args={"other": 1})["id"]
        self.assertEqual(document(self.client, asked[0])["identical"], 5)
        self.assertEqual(decide(self.client, asked[0], by="ann")["left"], 4)
        done = decide(self.client, asked[0], apply_to_identical=True, by="ann")
        self.assertEqual((done["also"], done["left"]), (asked[1:], 0))
        for approval in asked:
            shown = document(self.client, approval)
            self.assertEqual((shown["status"], shown["decision"]["by"]), ("approved", "ann"))
        self.assertEqual(document(self.client, other)["status"], "pending")

    def test_an_approved_extension_is_written(self):
        session = unique()
        self.client.open(session, budget={"max_steps": 10})
        body = {"kind": "budget_extension", "extend": {"max_steps": 20}, "summary": "almost there"}
        approval = self.client.post(f"/v1/sessions/{session}/approvals", body).json()["id"]
        decide(self.client, approval, by="ann")
        (extended,) = [e for e in kinds(self.client, session, "budget.extended") if e["data"].get("approval")]
        self.assertEqual((extended["data"]["added"], extended["data"]["approval"]), ({"max_steps": 20}, approval))
        self.assertEqual(self.client.get(f"/v1/sessions/{session}/budget").json()["budget"]["max_steps"], 30)

    def test_expiry_decides_as_the_request_says(self):
        sessions = {action: unique() for action in ("reject", "approve", "hold", "escalate")}
        asked = {action: ask(self.client, session, expires_in_ms=60_000, on_expiry=action, risk="medium")["id"]
                 for action, session in sessions.items()}
        self.clock.advance(50)
        self.assertEqual({document(self.client, asked[action])["status"] for action in asked}, {"pending"})
        self.clock.advance(11)
        rejected = document(self.client, asked["reject"], "?wait=2m")
        self.assertEqual((rejected["status"], rejected["decision"]["channel"]), ("expired", "expiry"))
        self.assertEqual(document(self.client, asked["approve"], "?wait=2m")["status"], "approved")
        eventually(lambda: document(self.client, asked["hold"])["overdue"], what="the held request is overdue")
        eventually(lambda: document(self.client, asked["escalate"])["escalated"], what="the escalation")
        self.assertEqual(document(self.client, asked["escalate"])["risk"], "high")
        decide(self.client, asked["hold"])
        metrics = self.client.get("/metrics").body.decode()
        self.assertRegex(metrics, r'headway_approvals_expired_total [4-9]')
        self.assertRegex(metrics, r'headway_approvals_decided_total\{decision="reject"\} [1-9]')


class LongPoll(PersonCase):
    def test_the_agent_waits_for_the_decision(self):
        approval = ask(self.client, unique())["id"]
        waiting = self.daemon.operator()
        self.addCleanup(waiting.close)
        with ThreadPoolExecutor(1) as pool:
            answer = pool.submit(document, waiting, approval, "?wait=2m")
            eventually(lambda: "headway_approvals_pending" in self.client.get("/metrics").body.decode())
            self.assertFalse(answer.done())
            decide(self.client, approval, "reject", reason="no")
            self.assertEqual(answer.result(patient(60))["status"], "rejected")

    def test_a_wait_ends_with_the_document_as_it_is(self):
        approval = ask(self.client, unique())["id"]
        self.assertEqual(document(self.client, approval, "?wait=100ms")["status"], "pending")
        decide(self.client, approval)
        self.assertEqual(document(self.client, approval, "?wait=2m")["status"], "approved")

    def test_clients_that_go_away_while_waiting_do_no_harm(self):
        approval = ask(self.client, unique())["id"]
        for _ in range(5):
            gone = Client(self.daemon.port, timeout=0.05)
            with self.assertRaises(OSError):
                gone.get(f"/v1/approvals/{approval}?wait=2m")
            gone.close()
        decide(self.client, approval)
        self.assertEqual(document(self.client, approval, "?wait=2m")["status"], "approved")


class ApproveAgent(PersonCase):
    def approve(self, session, status=200, prefix="/v1/chat", **body):
        return self.client._expect((status,), self.client.post(f"{prefix}/{session}/approve-agent", body))

    def test_it_says_what_waits_next(self):
        session = unique()
        tools = [ask(self.client, session, args={"i": i})["id"] for i in range(2)]
        question = self.client.post(f"/v1/sessions/{session}/approvals", {"kind": "question", "summary": "go on?"}).json()["id"]
        unclear = self.approve(session, 409, approved=True)
        self.assertEqual(unclear["code"], "approval_unclear")
        for approval in (*tools, question):
            self.assertIn(approval, unclear["detail"])
        reply = self.approve(session, request_id=tools[0], approved=True)
        self.assertEqual(set(reply), {"status", "message", "request_id", "pending"})
        self.assertEqual([one["action_type"] for one in reply["pending"]], ["tool", "question"])
        self.assertEqual(reply["status"], "awaiting_tool_approval")
        self.assertEqual(self.approve(session, request_id=tools[1], approved=True, prefix="/v1/sessions")["status"],
                         "awaiting_approval")
        self.assertEqual(self.approve(session, approved=True)["status"], "completed")
        self.assertEqual(self.approve(session, request_id=question, approved=True)["status"], "completed")
        # A question gets the approval as its answer.
        self.assertEqual(document(self.client, question)["decision"]["response"], "approved")
        self.assertEqual(self.approve(session, request_id=tools[0], approved=True)["status"], "completed")  # said again
        self.assertEqual(self.approve(session, 409, request_id=tools[0], approved=False)["code"], "already_decided")
        self.assertEqual(self.approve(session, 409, approved=True)["code"], "approval_unclear")

    def test_a_rejection_stops_unless_the_reason_asks_for_another_way(self):
        for reason, directive in (("no", "stop"), ("use the test host instead", "change_approach")):
            session = unique()
            ask(self.client, session)
            self.approve(session, approved=False, reason=reason)
            self.assertEqual([d["type"] for d in self.client.beat(session)["directives"]], [directive])

    def test_no_request_is_decided_in_the_name_of_another_session(self):
        mine, other = unique(), unique()
        ask(self.client, mine)
        theirs = ask(self.client, other)["id"]
        refused = self.approve(mine, 404, request_id=theirs, approved=True)
        self.assertEqual((refused["code"], refused["field"]), ("unknown_approval", "/request_id"))
        self.assertIn(other, refused["detail"])
        self.assertEqual(document(self.client, theirs)["status"], "pending")


class Races(PersonCase):
    def test_of_many_deciders_one_wins_and_the_others_get_the_winner(self):
        deciders = 64
        clients = {}
        session, barrier = unique(), threading.Barrier(deciders)

        def one(number, approval):
            barrier.wait()
            decision = ("approve", "reject", "ignore")[number % 3]
            me = threading.current_thread()  # the barrier gives each thread one decision of each race
            if me not in clients:
                clients[me] = self.daemon.operator()
                self.addCleanup(clients[me].close)
            return clients[me].post(f"/v1/approvals/{approval}/decision", {"decision": decision, "by": f"p{number}"})

        with ThreadPoolExecutor(deciders) as pool:
            for i in range(RACES):
                approval = ask(self.client, session, args={"i": i})["id"]
                replies = list(pool.map(one, range(deciders), [approval] * deciders))
                shown = document(self.client, approval)
                winner = shown["decision"]
                for number, reply in enumerate(replies):
                    said = ("approve", "reject", "ignore")[number % 3]
                    self.assertEqual(reply.status, 200 if said == winner["decision"] else 409, reply.body)
                    told = reply.json()["approval" if reply.status == 200 else "winner"]["decision"]
                    self.assertEqual((told["by"], told["at"]), (winner["by"], winner["at"]))
        decided = kinds(self.client, session, "approval.decided")
        self.assertEqual(len(decided), RACES)
        self.assertEqual(len({e["data"]["id"] for e in decided}), RACES)

    def test_of_many_redeemers_one_wins(self):
        session = unique()
        approval = ask(self.client, session)["id"]
        decide(self.client, approval)

        def one(number):
            client = self.daemon.operator()
            try:
                return client.post(f"/v1/approvals/{approval}/redeem", {"args": ARGS, "key": str(number)}).status
            finally:
                client.close()

        with ThreadPoolExecutor(32) as pool:
            statuses = list(pool.map(one, range(32)))
        self.assertEqual(sorted(statuses), [200] + [409] * 31)
        self.assertEqual(len(kinds(self.client, session, "approval.redeemed")), 1)


class Inbox(PersonsOwnCase):
    def inbox(self, client, query="") -> list:
        found, cursor = [], ""
        while True:
            page = client._expect((200,), client.get(f"/v1/approvals?limit=3{query}{cursor}"))
            found += page["approvals"]
            if page["next"] is None:
                return found
            cursor = f"&cursor={page['next']}"

    def test_it_shows_all_sessions_over_restarts(self):
        daemon = self.start({"storage.sessions_resident_max": 2})
        client = self.client(daemon)
        asked = [ask(client, f"s{i}", args={"i": i % 4, "text": "é" * i})["id"] for i in range(10)]
        question = client.post("/v1/sessions/s0/approvals", {"kind": "question", "summary": "?"}).json()["id"]
        decide(client, asked[3], "reject")
        pending = [a for a in asked if a != asked[3]] + [question]
        for restart in (None, daemon.restart, daemon.stop, daemon.restart):
            if restart:
                restart()
            if not daemon.running():
                daemon.start()
            client = self.client(daemon)
            self.assertEqual([a["id"] for a in self.inbox(client)], pending)
            self.assertEqual([a["id"] for a in self.inbox(client, "&status=resolved")], [asked[3]])
            self.assertEqual([a["id"] for a in self.inbox(client, "&status=all")], [question] + asked[::-1])
            self.assertEqual([a["id"] for a in self.inbox(client, "&session=s0")], [asked[0], question])
            self.assertEqual([a["id"] for a in self.inbox(client, "&kind=question")], [question])
            self.assertEqual(client.get("/v1/approvals?limit=1").json()["pending"], 10)
        shown = document(client, asked[9])
        self.assertEqual(shown["args"], {"i": 1, "text": "é" * 9})
        decide(client, asked[9], by="ann")
        self.assertNotIn(asked[9], [a["id"] for a in self.inbox(client)])

    @own_database
    def test_the_journal_alone_gives_the_same_approvals(self):
        daemon = self.start()
        client = self.client(daemon)
        approval = ask(client, "s", call_id="c")["id"]
        decide(client, approval, scope="session")
        before = (document(client, approval), client.session("s"))
        self.assertEqual(daemon.stop(), 0)
        daemon.forget_snapshots()
        daemon.start()
        client = self.client(daemon)
        self.assertEqual((document(client, approval), client.session("s")), before)
        self.assertEqual(ask(client, "s", call_id="d")["status"], "approved")


class Rules(PersonsOwnCase):
    def test_the_daemons_own_list_always_applies_and_late_calls_raise_alarms(self):
        daemon = self.start({"approvals.require_tools": "deploy,drop", "approvals.execute_within": "1m"}, test_clock=True)
        client = self.client(daemon)
        client.open("s", policy={"tools": [{"tool": "deploy", "requires_approval": False}]})
        approval = client.report("s", "tool.started", call_id="c", tool="deploy", args=ARGS)["approvals"][0]["id"]
        decide(client, approval)
        self.assertIsNone(document(client, approval)["alarm"])
        daemon.clock.advance(62)
        shown = eventually(lambda: (d := document(client, approval))["alarm"] and d, what="the alarm of a late call")
        self.assertEqual((shown["alarm"], shown["status"]), ("never_executed", "never_executed"))
        client.report("s", "tool.finished", call_id="c", tool="deploy", args=ARGS, result="late")
        self.assertEqual(document(client, approval)["status"], "executed")
        client.report("s", "tool.finished", call_id="e", tool="drop", args={}, result="ran")
        found = [e["data"]["alarm"] for e in kinds(client, "s", "approval.alarm")]
        self.assertEqual(found, ["never_executed", "executed_unapproved"])

    def test_what_expired_while_the_daemon_was_down_is_settled_after_it(self):
        daemon = self.start()
        client = self.client(daemon)
        approval = ask(client, "s", expires_in_ms=1, on_expiry="reject")["id"]
        for end in (daemon.kill, daemon.stop):
            end()
            daemon.start()
            self.assertEqual(document(self.client(daemon), approval, "?wait=2m")["status"], "expired")


class Crashes(PersonsOwnCase):
    def test_a_decision_whose_reply_was_lost_can_be_said_again(self):
        daemon = self.start()
        for i, decision in enumerate(["approve", "reject", "approve", "ignore", "reject"]):
            client = self.client(daemon)
            approval = ask(client, "s", args={"i": i})["id"]
            lost = daemon.operator()

            def send():
                try:
                    lost.post(f"/v1/approvals/{approval}/decision", {"decision": decision, "by": "ann"})
                except OSError:
                    pass  # the point of the test
                except Exception:  # a reply cut off in its middle
                    pass

            sender = threading.Thread(target=send, daemon=True)
            sender.start()
            if i % 2:
                sender.join()
            daemon.kill()
            sender.join()
            lost.close()
            daemon.start(daemon.port)
            client = self.client(daemon)
            decide(client, approval, decision, by="ann")
            self.assertEqual(document(client, approval)["decision"]["decision"], decision)
            events = [e for e in kinds(client, "s", "approval.decided") if e["data"]["id"] == approval]
            self.assertEqual(len(events), 1)

    def test_five_approvals_in_a_loop_survive_the_death_of_both_sides(self):
        daemon = self.start()
        done = daemon.root / "done"
        agent = None
        for step in range(5):
            if agent is None:
                agent = self.agent(daemon, done)
            client = self.client(daemon)
            pending = eventually(lambda: client.get("/v1/approvals").json()["approvals"], what=f"request {step}")
            if step == 1:  # the daemon dies while the agent waits
                daemon.restart()
            if step == 2:  # the agent dies while it waits, and is started again
                agent.kill()
                agent.wait()
                agent = self.agent(daemon, done)
            if step == 3:  # both
                agent.kill()
                agent.wait()
                daemon.restart()
                agent = self.agent(daemon, done)
            client = self.client(daemon)
            (request,) = eventually(lambda: client.get("/v1/approvals").json()["approvals"], what="the same request")
            self.assertEqual(request["id"], pending[0]["id"])
            self.assertEqual(request["args"]["step"], step)
            reply = client.post("/v1/chat/loop/approve-agent", {"request_id": request["id"], "approved": True})
            self.assertEqual((reply.status, reply.json()["status"]), (200, "completed"))
            if step == 0:  # right after the decision
                daemon.restart()
            eventually(lambda: done.exists() and len(done.read_text().splitlines()) > step, what=f"step {step} to run")
        self.assertEqual(agent.wait(patient(60)), 0)
        self.assertEqual(done.read_text().split(), [str(i) for i in range(5)])
        client = self.client(daemon)
        self.assertEqual(client.wait("loop", until="ended", wait="2m")["matched"], "completed")
        for kind in ("approval.requested", "approval.decided", "approval.redeemed", "tool.finished"):
            self.assertEqual(len(kinds(client, "loop", kind)), 5, kind)
        self.assertEqual(kinds(client, "loop", "approval.alarm"), [])

    def agent(self, daemon, done: Path) -> subprocess.Popen:
        process = subprocess.Popen([sys.executable, __file__, "agent", str(daemon.port), str(done)], env=clean_environment(),
                                   cwd=Path(__file__).parent)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process


def run_agent(port: int, done: Path):
    """Five calls that each need approval. It may die anywhere and be started again; a step is taken once."""
    client = Client(port)

    def insist(call):
        """The daemon may be gone for a while."""
        def once():
            try:
                reply = call()
                return reply if reply.status < 500 else None
            except (OSError, EOFError, ValueError):
                return None
            except Exception as error:  # http.client: a reply cut off
                if type(error).__module__ == "http.client":
                    return None
                raise
        return eventually(once, 30, "an answer of the daemon")

    for step in range(5):
        taken = done.read_text().split() if done.exists() else []
        if str(step) in taken:
            continue
        args, call = {"step": step}, f"call-{step}"
        asked = insist(lambda: client.post("/v1/sessions/loop/approvals", {"tool": "deploy", "call_id": call, "args": args})).json()
        while asked["status"] == "pending":
            asked = insist(lambda: client.get(f"/v1/approvals/{asked['id']}?wait=5s")).json()
        used = insist(lambda: client.post(f"/v1/approvals/{asked['id']}/redeem", {"args": args, "key": call}))
        if used.status != 200:
            sys.exit(f"step {step} may not run: {used.body!r}")
        insist(lambda: client.post("/v1/sessions/loop/events", {"type": "tool.finished", "event_id": call, "data": {
            "tool": "deploy", "call_id": call, "args": args, "result": f"deployed {step}"}}))
        with open(done, "a", encoding="utf-8") as file:
            file.write(f"{step}\n")
    insist(lambda: client.post("/v1/sessions/loop/end", {"outcome": "completed"}))


class BadInput(PersonCase):
    def refused(self, reply, status, code, field=None):
        problem = reply.json()
        self.assertEqual((reply.status, problem["code"]), (status, code), reply.body)
        if field is not None:
            self.assertEqual(problem["field"], field)

    def test_bad_requests_name_the_field(self):
        path = f"/v1/sessions/{unique()}/approvals"
        long = "x" * 70_000
        for body, code, field in (
                ({}, "missing_field", "/tool"), ({"tool": "t", "args_digest": "sha256:1"}, "invalid_field", "/args_digest"),
                ({"tool": "t", "source": "policy"}, "invalid_field", "/source"), ({"tool": "t", "question": 1}, "unknown_field", "/question"),
                ({"kind": "question"}, "missing_field", "/summary"), ({"kind": "nothing"}, "invalid_field", "/kind"),
                ({"kind": "budget_extension"}, "missing_field", "/extend"), ({"tool": "t", "extend": {"max_steps": 1}}, "invalid_field", "/extend"),
                ({"kind": "budget_extension", "extend": {}}, "invalid_field", "/extend"),
                ({"tool": "t", "args": {"text": long}}, "invalid_field", "/args"), ({"tool": "t", "call_id": "x" * 129}, "invalid_field", "/call_id"),
                ({"tool": "t", "expires_in_ms": 0}, "invalid_field", "/expires_in_ms"), ({"tool": "t", "on_expiry": "reject"}, "missing_field", "/expires_in_ms"),
                ({"tool": "t", "options": ["o"] * 17}, "invalid_field", "/options"), ({"tool": 1}, "invalid_field", "/tool")):
            self.refused(self.client.post(path, body), 400, code, field)
            event = {"type": "approval.requested", "data": body}
            self.refused(self.client.post(path.replace("approvals", "events"), event), 400, code, "/data" + field)
        self.refused(self.client.post(path, b"{"), 400, "invalid_json")
        self.refused(self.client.post(path, {"tool": "t"}, {"Idempotency-Key": "k" * 256}), 400, "invalid_field", "Idempotency-Key")
        started = {"type": "tool.started", "data": {"call_id": "c", "tool": "t", "args": {"text": long}, "requires_approval": True}}
        self.refused(self.client.post(path.replace("approvals", "events"), [started]), 400, "invalid_field", "/0/data/args")
        for kind in ("approval.decided", "approval.redeemed", "approval.expired", "approval.revoked", "approval.alarm"):
            self.refused(self.client.post(path.replace("approvals", "events"), {"type": kind, "data": {"id": "x"}}), 400, "invalid_field", "/type")

    def test_bad_decisions_name_the_field(self):
        approval = ask(self.client, unique())["id"]
        path = f"/v1/approvals/{approval}/decision"
        for body, code, field in (
                ({}, "missing_field", "/decision"), ({"decision": "maybe"}, "invalid_field", "/decision"),
                ({"decision": "edit"}, "missing_field", "/edited_args"), ({"decision": "approve", "edited_args": {}}, "invalid_field", "/edited_args"),
                ({"decision": "respond"}, "missing_field", "/response"), ({"decision": "respond", "response": "x"}, "invalid_field", "/decision"),
                ({"decision": "approve", "response": "x"}, "invalid_field", "/response"), ({"decision": "approve", "then": "stop"}, "invalid_field", "/then"),
                ({"decision": "approve", "scope": "until"}, "missing_field", "/until"),
                ({"decision": "approve", "scope": "until", "until": "2001-01-01T00:00:00Z"}, "invalid_field", "/until"),
                ({"decision": "approve", "until": "2101-01-01T00:00:00Z"}, "invalid_field", "/until"),
                ({"decision": "reject", "scope": "session"}, "invalid_field", "/scope"), ({"decision": "approve", "match": "tool"}, "invalid_field", "/match"),
                ({"decision": "approve", "by": "policy"}, "invalid_field", "/by"), ({"decision": "approve", "by": "grant:x"}, "invalid_field", "/by"),
                ({"decision": "approve", "by": "x" * 129}, "invalid_field", "/by"), ({"decision": "approve", "channel": "expiry"}, "invalid_field", "/channel")):
            self.refused(self.client.post(path, body), 400, code, field)
        redeems = f"/v1/approvals/{approval}/redeem"
        for body, code, field in (({}, "missing_field", "/args_digest"), ({"args_digest": "md5:1"}, "invalid_field", "/args_digest"),
                                  ({"args": {}, "args_digest": "sha256:" + "0" * 64}, "invalid_field", "/args_digest"),
                                  ({"args": {}, "key": "x" * 256}, "invalid_field", "/key")):
            self.refused(self.client.post(redeems, body), 400, code, field)
        self.assertEqual(document(self.client, approval)["status"], "pending")

    def test_unknown_ones_are_404_and_bad_ids_400(self):
        session = unique()
        self.client.open(session)
        for approval in (f"{session}.a99", "absent.a1"):
            for reply in (self.client.get(f"/v1/approvals/{approval}"), self.client.get(f"/v1/approvals/{approval}?wait=1s"),
                          self.client.post(f"/v1/approvals/{approval}/decision", {"decision": "approve"}),
                          self.client.post(f"/v1/approvals/{approval}/redeem", {"args": {}}),
                          self.client.post(f"/v1/approvals/{approval}/revoke")):
                self.refused(reply, 404, "unknown_approval")
        for bad in ("x", "x.a0", "x.a", "%20.a1", "x.a1x"):
            self.refused(self.client.get(f"/v1/approvals/{bad}"), 400, "invalid_id", "id")
        self.refused(self.client.post("/v1/chat/absent/approve-agent", {"approved": True}), 404, "unknown_session")
        self.refused(self.client.post(f"/v1/chat/{session}/approve-agent", {}), 400, "missing_field", "/approved")
        self.refused(self.client.post(f"/v1/chat/{session}/approve-agent", {"approved": True, "request_id": "uuid"}), 400, "invalid_field", "/request_id")
        for query, field in (("status=old", "status"), ("kind=x", "kind"), ("limit=101", "limit"), ("cursor=x", "cursor"), ("x=1", "x")):
            self.refused(self.client.get(f"/v1/approvals?{query}"), 400, "invalid_parameter", field)
        self.refused(self.client.get("/v1/approvals?session=absent"), 404, "unknown_session")
        self.refused(self.client.get(f"/v1/approvals/{session}.a1?wait=11m"), 400, "invalid_parameter", "wait")

    def test_the_end_of_a_session_closes_its_requests(self):
        session = unique()
        approval = ask(self.client, session)["id"]
        self.client.end(session)
        self.assertEqual(document(self.client, approval)["status"], "cancelled")
        self.refused(self.client.post(f"/v1/approvals/{approval}/decision", {"decision": "approve"}), 409, "already_decided")
        self.refused(self.client.post(f"/v1/sessions/{session}/approvals", {"tool": "t"}), 409, "session_ended")


if __name__ == "__main__":
    if sys.argv[1:2] == ["agent"]:
        run_agent(int(sys.argv[2]), Path(sys.argv[3]))
    else:
        unittest.main()
