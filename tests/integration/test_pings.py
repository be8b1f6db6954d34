#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Ping URLs, as those of healthchecks.io: the vendor's own clients with only another URL."""
import http.client
import shutil
import subprocess
import sys
import threading
import unittest
import urllib.request
import uuid

from support.case import OwnDaemonCase, SharedDaemonCase, unique
from support.cli import Cli, finish
from support.daemon import POSTGRES, Daemon
from support.http import RawConnection
from support.limits import eventually


class Runs(SharedDaemonCase):
    def ping(self, path: str, body: bytes | None = None, status: int = 200, method: str = "", **headers):
        method = method or ("GET" if body is None else "POST")
        reply = self.client.request(method, f"/ping/{path}", body, headers or {"Content-Type": "application/x-www-form-urlencoded"})
        self.assertEqual(reply.status, status, reply.body)
        return reply

    def kinds(self, session: str) -> list:
        return [event["type"] for event in self.client.journal(session)]

    def reason(self, session: str):
        return self.client.journal(session)[-1]["data"].get("reason")

    def test_the_answer_is_ok_as_plain_text(self):
        reply = self.ping(unique("job"))
        self.assertEqual((reply.body, reply.headers["content-type"]), (b"OK", "text/plain; charset=utf-8"))
        self.assertEqual(reply.headers["ping-body-limit"], "100000")
        self.assertEqual(self.ping(unique("job"), method="HEAD").body, b"")

    def test_start_and_success_are_one_completed_session(self):
        job = unique("job")
        self.ping(f"{job}/start")
        self.assertIsNone(self.client.session(job)["ended_at"])
        self.ping(job)
        read = self.client.session(job)
        self.assertEqual((read["outcome"], read["agent"]["type"], read["agent"]["name"]), ("completed", "job", job))
        self.assertEqual(self.kinds(job).count("tool.finished"), 1)

    def test_fail_and_exit_status_end_it_as_failed_with_the_reason(self):
        for action, says in (("fail", "the disk is full"), ("7", "exit status 7: the disk is full")):
            job = unique("job")
            self.ping(f"{job}/start")
            self.ping(f"{job}/{action}", b"the disk is full\n")
            read = self.client.session(job)
            self.assertEqual((read["outcome"], self.reason(job)), ("failed", says))

    def test_a_rejection_and_a_used_up_limit_are_of_one_run(self):
        operator = self.daemon.operator()
        self.addCleanup(operator.close)
        job = unique("job")
        self.ping(f"{job}/start")
        self.assertEqual(operator.post(f"/v1/sessions/{job}/budget", {"set": {"max_tokens": 10}}).status, 200)
        asked = self.client.post(f"/v1/sessions/{job}/approvals", {"tool": "deploy", "args": {}}).json()["id"]
        self.assertEqual(operator.post(f"/v1/approvals/{asked}/decision", {"decision": "reject"}).status, 200)
        self.client.report(job, "tool.finished", tool="read", args={}, result="", usage={"tokens": 50})
        for run in (f"{job}~2", f"{job}~3"):
            self.ping(f"{job}/start")
            read = self.client.session(run)
            self.assertEqual((read["ended_at"], read.get("stopped")), (None, None))
            self.assertEqual(operator.get(f"/v1/sessions/{run}/budget").json()["budget"]["max_tokens"], 10)
            self.ping(job)
            self.assertEqual(self.client.session(run)["outcome"], "completed")

    def test_the_list_has_one_row_for_the_completed_runs_of_a_job_and_one_for_each_that_failed(self):
        job = unique("hourly")
        for action in ("", "", "/fail", "", "", ""):
            self.ping(job + action)
        cli = Cli(self.daemon)
        shown = cli.run("sessions", "--agent", "job", "--limit", "100")
        rows = [line for line in shown.out.splitlines() if line.startswith(job)]
        self.assertEqual(len(rows), 2, shown.out)
        self.assertRegex(rows[0], rf"^{job}~6 \(5 runs\) +completed")
        self.assertRegex(rows[1], rf"^{job}~3 +failed")
        self.assertIn("--all shows each", shown.err)
        every = cli.run("sessions", "--agent", "job", "--all", "--limit", "1000").out
        self.assertEqual(sum(line.startswith(job) for line in every.splitlines()), 6)
        self.assertEqual(sum(one["agent"]["name"] == job for one in cli.run("sessions", "--json", "--limit", "1000").json()), 6)
        for _ in range(3):
            self.ping(unique("other"))
        self.assertEqual(len(cli.run("sessions", "--agent", "job", "--limit", "2").out.splitlines()), 3)

    def test_exit_status_0_is_success(self):
        job = unique("job")
        self.ping(f"{job}/0")
        self.assertEqual(self.client.session(job)["outcome"], "completed")

    def test_a_success_without_a_start_is_a_run_of_its_own(self):
        job = unique("job")
        self.ping(job)
        self.ping(job)
        self.ping(f"{job}/fail")
        self.assertEqual([self.client.session(run)["outcome"] for run in (job, f"{job}~2", f"{job}~3")], ["completed", "completed", "failed"])

    def test_a_start_that_is_sent_again_changes_nothing(self):
        job = unique("job")
        self.ping(f"{job}/start")
        self.ping(f"{job}/start")
        self.assertEqual(self.kinds(job).count("tool.started"), 1)
        self.assertEqual(self.client.get(f"/v1/sessions/{job}~2").status, 404)

    def test_a_hundred_runs_without_rid_are_a_hundred_sessions(self):
        job = unique("job")
        for _ in range(100):
            self.ping(f"{job}/start")
            self.ping(job)
        self.assertEqual(self.client.session(f"{job}~100")["outcome"], "completed")
        self.assertEqual(self.client.get(f"/v1/sessions/{job}~101").status, 404)

    def test_every_open_rid_is_a_session_of_its_own(self):
        job, one, two = unique("job"), str(uuid.uuid4()), str(uuid.uuid4())
        self.ping(f"{job}/start?rid={one}")
        self.ping(f"{job}/start?rid={two.upper()}")
        self.ping(f"{job}/fail?rid={two}")
        self.assertIsNone(self.client.session(f"{job}.{one}")["ended_at"])
        self.assertEqual(self.client.session(f"{job}.{two}")["outcome"], "failed")
        self.ping(f"{job}?rid={one}")
        read = self.client.session(f"{job}.{one}")
        self.assertEqual(read["outcome"], "completed")
        self.assertIn({"key": "rid", "value": one}, [{"key": k, "value": v} for k, v in read["labels"].items()])

    def test_a_ping_with_rid_that_is_sent_again_counts_once(self):
        job, rid = unique("job"), str(uuid.uuid4())
        for _ in range(3):
            self.ping(f"{job}/start?rid={rid}")
        for _ in range(3):
            self.ping(f"{job}/3?rid={rid}", b"late")
        session = f"{job}.{rid}"
        self.assertEqual([self.kinds(session).count(kind) for kind in ("tool.started", "tool.finished", "session.ended")], [1, 1, 1])

    def test_log_tells_what_a_run_does_and_changes_no_state(self):
        job = unique("job")
        self.ping(f"{job}/start")
        self.ping(f"{job}/log", b"half of it is done")
        self.assertIn("half of it is done", [event["data"].get("note") for event in self.client.journal(job)])
        self.ping(job)
        reply = self.ping(f"{job}/log", b"too late", status=409)
        self.assertEqual(reply.json()["code"], "session_ended")

    def test_a_long_body_keeps_its_end_and_no_secret(self):
        job = unique("job")
        text = b"noise\n" * 40_000 + b"password=hunter2hunter2hunter2\nlast \xff words"
        self.ping(f"{job}/fail", text)
        self.assertNotIn("hunter2", str(self.client.journal(job)))
        last = "last \N{REPLACEMENT CHARACTER} words"
        self.assertTrue(self.reason(job).endswith(last))
        self.assertTrue(self.client.session(job)["verdict"]["reason"].endswith(last))
        call = next(event for event in self.client.journal(job) if event["type"] == "tool.finished")
        self.assertTrue(call["data"]["error"]["message"]["tail"].endswith(last))
        self.assertGreater(call["data"]["error"]["message"]["bytes"], 90_000)

    def test_a_secret_that_the_cut_goes_through_is_not_kept(self):
        job = unique("job")
        self.ping(f"{job}/fail", b"password=" + b"hunter" * 8 + b" " + b"x" * 99_950)
        self.assertNotIn("hunter", str(self.client.journal(job)))

    def test_pings_at_the_same_time_are_a_run_each(self):
        job, threads, rounds = unique("job"), 8, 12
        statuses = []

        def ping_all():
            connection = http.client.HTTPConnection("127.0.0.1", self.daemon.port, timeout=30)
            for _ in range(rounds):
                connection.request("GET", f"/ping/{job}")
                reply = connection.getresponse()
                reply.read()
                statuses.append(reply.status)
            connection.close()

        workers = [threading.Thread(target=ping_all) for _ in range(threads)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        self.assertEqual(statuses, [200] * (threads * rounds))
        self.assertEqual(self.client.session(f"{job}~{threads * rounds}")["outcome"], "completed")

    def test_no_time_makes_a_run_silent(self):
        job = unique("job")
        self.ping(f"{job}/start")
        self.clock.advance(12 * 3600, step=600)
        verdict = self.client.session(job)["verdict"]["status"]
        self.assertNotIn(verdict, ("silent", "stuck", "blocked"))

    test_clock = True

    def test_wrong_urls_say_what_is_right(self):
        for path, status, code in (("", 404, "unknown_route"), ("a/b", 404, "unknown_route"), ("a/256", 404, "unknown_route"),
                                   ("a/-1", 404, "unknown_route"), ("a/start/", 404, "unknown_route"), ("a/start/x", 404, "unknown_route"),
                                   ("a%2Fb", 400, "invalid_id"), ("a?rid=7", 400, "invalid_parameter"), ("a?wait=1", 400, "invalid_parameter"),
                                   ("a" * 125, 400, "invalid_id")):
            reply = self.ping(path, status=status)
            self.assertEqual(reply.json()["code"], code, path)
        refused = self.ping("a", method="PUT", status=405)
        self.assertEqual(refused.headers["allow"], "GET, HEAD, POST")
        self.assertNotIn("field", refused.json())
        self.ping("a" * 120)

    def test_a_web_page_cannot_ping(self):
        job = unique("job")
        for site in ("cross-site", "same-site"):
            self.assertEqual(self.ping(f"{job}/start", status=403, **{"Sec-Fetch-Site": site}).json()["code"], "forbidden_origin")
        self.ping(f"{job}/start", status=403, Origin="https://evil.example")
        self.ping(f"{job}/start", status=403, Origin="null")
        for site in ("same-origin", "none"):  # a page of ours; a link in a letter
            for action in ("/start", "/fail", "/log", ""):
                self.ping(job + action, status=401, **{"Sec-Fetch-Site": site})
        self.assertEqual(self.client.get(f"/v1/sessions/{job}").status, 404)

    def test_large_body_in_pieces_and_chunked(self):
        job = unique("job")
        with RawConnection(self.daemon.port) as raw:
            head = f"POST /ping/{job}/fail HTTP/1.1\r\nHost: 127.0.0.1:{self.daemon.port}\r\nTransfer-Encoding: chunked\r\n\r\n"
            raw.send(head.encode() + b"6\r\nhello \r\n")
            raw.send(b"5\r\nworld\r\n0\r\n\r\n")
            self.assertEqual(raw.reply().status, 200)
        self.assertEqual(self.reason(job), "hello world")

    def test_wait_sees_the_end_of_a_run(self):
        job = unique("job")
        self.ping(f"{job}/start")
        waiting = Cli(self.daemon).start("wait", job)
        self.ping(f"{job}/3", b"no")
        self.assertEqual(finish(waiting).code, 1)


class Snippets(SharedDaemonCase):
    """Calls that the vendor's documentation recommends to its users, with our URL."""

    def setUp(self):
        super().setUp()
        self.job = unique("job")
        self.url = f"http://127.0.0.1:{self.daemon.port}/ping/{self.job}"

    def shell(self, script: str):
        done = subprocess.run(["sh", "-c", script], capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)

    def outcome(self) -> str:
        return self.client.session(self.job)["outcome"]

    def test_curl(self):
        self.shell(f"curl -fsS -m 10 --retry 5 -o /dev/null {self.url}")
        self.assertEqual(self.outcome(), "completed")

    def test_curl_with_exit_status_and_output(self):
        self.shell(f"curl -fsS -m 10 --retry 5 -o /dev/null {self.url}/start; m=$(ls /none 2>&1); "
                   f'curl -fsS -m 10 --retry 5 --data-raw "$m" -o /dev/null {self.url}/$?; true')
        self.assertEqual(self.outcome(), "failed")

    def test_curl_with_rid(self):
        self.shell(f'RID=$(cat /proc/sys/kernel/random/uuid); curl -fsS -m 10 --retry 5 -o /dev/null "{self.url}/start?rid=$RID"; '
                   f'curl -fsS -m 10 --retry 5 -o /dev/null "{self.url}?rid=$RID"')
        listed = self.client.get(f"/v1/sessions?q={self.job}").json()["sessions"]
        self.assertEqual([one["outcome"] for one in listed if one["id"].startswith(self.job + ".")], ["completed"])

    @unittest.skipUnless(shutil.which("wget"), "there is no wget")
    def test_wget(self):
        self.shell(f"wget {self.url} -T 10 -t 5 -q -O /dev/null")
        self.assertEqual(self.outcome(), "completed")

    def test_python(self):
        done = subprocess.run([sys.executable, "-c", "import socket, urllib.request\n"
                               f"try:\n    urllib.request.urlopen('{self.url}', timeout=10)\n"
                               "except socket.error as e:\n    print('Ping failed: %s' % e)\n"],
                              capture_output=True, text=True, timeout=60, check=True)
        self.assertEqual(done.stdout, "")
        self.assertEqual(self.outcome(), "completed")

    @unittest.skipUnless(shutil.which("node"), "there is no node")
    def test_node(self):
        subprocess.run(["node", "-e", f"require('http').get('{self.url}').on('error', (err) => {{ console.log('Ping failed: ' + err); }});"],
                       timeout=60, check=True, capture_output=True)
        self.assertEqual(self.outcome(), "completed")


class Keys(OwnDaemonCase):
    def setUp(self):
        self.daemon = self.start({"access.mode": "token"})
        self.operator = self.client(self.daemon, token=self.daemon.operator_token())
        self.anyone = self.client(self.daemon)

    def key(self, *scopes) -> str:
        reply = self.operator.post("/v1/tokens", {"name": "cron", "scopes": list(scopes)})
        self.assertEqual(reply.status, 201, reply.body)
        return reply.json()["token"]

    def test_a_key_in_the_path_reports_for_its_sessions_and_does_no_more(self):
        key = self.key("report:backup")
        self.assertEqual(self.anyone.get("/ping/backup").status, 401)
        self.assertEqual(self.anyone.get(f"/ping/{key}/backup/start").status, 200)
        self.assertEqual(self.anyone.get(f"/ping/{key}/backup").status, 200)
        self.assertEqual(self.operator.session("backup")["outcome"], "completed")
        refused = self.anyone.get(f"/ping/{key}/other")
        self.assertEqual((refused.status, refused.json()["code"]), (403, "forbidden"))

    def test_a_key_that_may_do_more_is_refused(self):
        for key in (self.daemon.operator_token(), self.key("report:", "read"), self.key("read"), self.key("control", "report:")):
            refused = self.anyone.get(f"/ping/{key}/backup")
            self.assertEqual(refused.status, 403, refused.body)
            self.assertIn("only reports", refused.json()["detail"])
        self.assertEqual(self.operator.get("/v1/sessions/backup").status, 404)

    def test_a_wrong_key_is_refused_and_never_becomes_a_session(self):
        key = self.key("report:")
        wrong = key[:-8] + ("A" * 8)
        cut = key[:-3]
        for path in (f"/ping/{wrong}/backup", f"/ping/{cut}/backup", f"/ping/{cut}/start"):
            self.assertEqual(self.anyone.get(path).status, 401)
        self.assertEqual(self.anyone.get(f"/ping/{key}").status, 404)
        self.assertEqual(self.operator.get(f"/ping/%68{key[1:]}").status, 400)
        self.assertEqual(self.operator.get("/v1/sessions").json()["sessions"], [])

    def test_no_answer_and_no_log_has_the_key(self):
        key = self.key("report:backup")
        for path in (f"/ping/{key}/other", f"/ping/{key}/backup/none", f"/ping/{key}/backup?rid=x", f"/ping/{key}",
                     f"/ping/backup/{key}", f"/ping//{key}/backup"):
            self.assertNotIn(key, self.anyone.get(path).body.decode())
        self.assertEqual(self.daemon.stop(), 0)
        self.assertNotIn(key, self.daemon.log())

    def test_a_token_in_the_header_pings_too(self):
        client = self.client(self.daemon, token=self.key("report:backup"))
        self.assertEqual(client.get("/ping/backup").status, 200)

    def test_a_run_outlives_a_restart(self):
        key = self.key("report:")
        self.assertEqual(self.anyone.get(f"/ping/{key}/backup").status, 200)
        self.assertEqual(self.anyone.get(f"/ping/{key}/backup/start").status, 200)
        self.daemon.kill()
        self.daemon.start()
        self.assertEqual(self.client(self.daemon).get(f"/ping/{key}/backup/1").status, 200)
        operator = self.client(self.daemon, token=self.daemon.operator_token())
        self.assertEqual(operator.session("backup~2")["outcome"], "failed")



class Schedules(OwnDaemonCase):
    def setUp(self):
        super().setUp()
        self.daemon_ = Daemon(test_clock=True)
        self.addCleanup(self.daemon_.close)
        self.daemon_.environment |= {"TZ": "UTC"}
        self.daemon_.start()

    @property
    def ops(self):
        return self.client(self.daemon_)

    def ping(self, path: str, status: int = 200):
        reply = self.ops.get(f"/ping/{path}")
        self.assertEqual(reply.status, status, reply.body)
        return reply

    def missing(self, session: str):
        return eventually(lambda: self.ops.get(f"/v1/sessions/{session}").json().get("end_code") == "missing", 60, f"{session} is not missing")

    def sleep(self, seconds: float):
        """The machine sleeps. The clock of a database elsewhere goes on, so that all daemons pause for its time."""
        (self.daemon_.clock.stall if POSTGRES else self.daemon_.clock.suspend)(seconds)

    def runs(self, job: str) -> list:
        rows = self.ops.get("/v1/sessions?agent=job&limit=200").json()["sessions"]
        return sorted(r["id"] for r in rows if r["agent"]["name"] == job)

    def test_a_job_that_does_not_start_is_told_once_and_again_after_it_has_started(self):
        self.ping("backup/start?every=1h&grace=10m")
        self.ping("backup")
        self.daemon_.clock.advance(65 * 60)
        self.ops.get("/livez")
        self.assertEqual(self.runs("backup"), ["backup"])
        self.daemon_.clock.advance(10 * 60)
        self.missing("backup~2")
        end = self.ops.journal("backup~2")[-1]
        events = self.ops.journal("backup~2")
        ended = next(e for e in events if e["type"] == "session.ended")["data"]
        self.assertEqual((ended["outcome"], ended["code"], ended["automatic"]), ("failed", "missing", True), end)
        self.assertIn("it has not started by", ended["reason"])
        self.assertIn("every 1h, grace 10m", ended["reason"])
        self.daemon_.clock.advance(5 * 3600)
        self.assertEqual(self.runs("backup"), ["backup", "backup~2"])
        self.ping("backup")
        self.daemon_.clock.advance(75 * 60)
        self.missing("backup~4")

    def test_a_run_that_never_ends_and_has_no_next_ends_as_missing(self):
        self.ping("stays/start?every=1h&grace=0s")
        self.daemon_.clock.advance(62 * 60)
        self.missing("stays")

    def test_a_job_whose_session_was_opened_otherwise_begins_again_after_it_was_missing(self):
        self.assertEqual(self.ops.put("/v1/sessions/opened", {"labels": {"team": "a"}}).status, 201)
        self.ping("opened/log?every=1m&grace=0s")
        self.daemon_.clock.advance(3 * 60)
        self.missing("opened")
        self.ping("opened/start")

    def test_no_schedule_ends_the_run_of_an_operator(self):
        operator = self.client(self.daemon_, token=self.daemon_.operator_token())
        opened = operator.put("/v1/sessions/nightly-43", {"agent": {"type": "command"}})
        self.assertEqual(opened.status, 201, opened.body)
        refused = self.ops.get("/ping/nightly-43/log?every=1m&grace=0s")
        self.assertEqual(refused.status, 403, refused.body)
        self.ping("other/start?every=1m&grace=0s")
        self.daemon_.clock.advance(3 * 60)
        self.missing("other")
        self.assertIsNone(self.ops.session("nightly-43")["ended_at"])

    def test_a_job_on_time_is_never_missing(self):
        for _ in range(4):
            self.ping("hourly?every=1h&grace=5m")
            self.daemon_.clock.advance(3600)
        self.assertEqual(self.runs("hourly"), ["hourly", "hourly~2", "hourly~3", "hourly~4"])

    def test_it_survives_a_restart_after_which_there_is_grace_again(self):
        self.ping("nightly?every=1h&grace=10m")
        self.daemon_.clock.advance(50 * 60)
        self.daemon_.stop()
        self.daemon_.start()
        self.daemon_.clock.advance(25 * 60)
        self.missing("nightly~2")

    def test_a_machine_that_slept_leaves_its_jobs_their_grace(self):
        self.ping("laptop?every=1h&grace=10m")
        self.sleep(8 * 3600)
        self.daemon_.clock.advance(60)
        self.assertEqual(self.runs("laptop"), ["laptop"])
        self.daemon_.clock.advance(15 * 60, 2)
        self.missing("laptop~2")

    def test_a_machine_that_wakes_for_moments_leaves_them_their_grace_after_the_last_sleep(self):
        self.ping("laptop?every=1h&grace=10m")
        for _ in range(2):
            self.sleep(4 * 3600)
            self.daemon_.clock.advance(60)
        self.assertEqual(self.runs("laptop"), ["laptop"])
        self.daemon_.clock.advance(15 * 60, 2)
        self.missing("laptop~2")

    def test_a_daemon_that_begins_again_and_again_puts_nothing_off(self):
        self.ping("nightly?every=1h&grace=10m")
        self.daemon_.clock.advance(66 * 60)
        self.daemon_.stop()
        self.daemon_.start()
        self.ping("other?every=5m&grace=0s")
        self.daemon_.clock.advance(6 * 60)
        self.missing("other~2")
        self.assertEqual(self.runs("nightly"), ["nightly"])
        self.daemon_.stop()
        self.daemon_.start()
        self.daemon_.clock.advance(6 * 60)
        self.missing("nightly~2")

    def test_a_schedule_by_cron(self):
        self.ping("cron?cron=*/30+*+*+*+*&grace=5m")
        self.daemon_.clock.advance(37 * 60)
        self.missing("cron~2")

    def test_a_ping_with_a_schedule_too_many_counts_without_it(self):
        for number in range(200):
            self.ping(f"many-{number}?every=1h&grace=5m")
        reply = self.ping("one-more/start?every=1h&grace=5m")
        self.assertIn("without its schedule", reply.body.decode())
        self.assertIsNone(self.ops.session("one-more")["ended_at"])
        self.ping("many-0?every=2h&grace=5m")
        self.daemon_.clock.advance(66 * 60)
        self.missing("many-199~2")
        for number in range(199):  # each takes the place of one that is missing
            eventually(lambda number=number: self.ops.get(f"/ping/more-{number}?every=1h&grace=5m").body == b"OK", 60,
                       "no schedule has ended")
        self.ping("many-1/start")
        notes = [event["data"].get("note", "") for event in self.ops.journal("many-1~3") if event["type"] == "heartbeat"]
        self.assertEqual(len([note for note in notes if "schedule of this job is off" in note]), 1, notes)

    def test_a_log_does_not_put_the_next_start_off(self):
        self.ping("late/start?every=1h&grace=5m")
        self.daemon_.clock.advance(59 * 60)
        self.ping("late/log?every=1h&grace=6m")
        self.daemon_.clock.advance(8 * 60)
        self.missing("late")

    def test_a_ping_with_a_rid_is_a_start(self):
        self.ping("runs?every=1h&grace=5m")
        self.daemon_.clock.advance(50 * 60)
        self.ping(f"runs?rid={uuid.uuid4()}")
        self.daemon_.clock.advance(30 * 60)
        self.assertFalse(any("~" in run for run in self.runs("runs")))
        self.daemon_.clock.advance(40 * 60)
        self.missing("runs~2")

    def test_off_takes_it_away(self):
        self.ping("off?every=1h")
        self.ping("off?every=off")
        self.daemon_.clock.advance(5 * 3600)
        self.assertEqual(self.runs("off"), ["off", "off~2"])

    def test_bad_input_names_the_parameter(self):
        for query, field, words in (
                ("every=tomorrow", "every", "from 1m to 15d"), ("every=1s", "every", "from 1m to 15d"), ("every=16d", "every", "from 1m to 15d"),
                ("cron=61+*+*+*+*", "cron", "minute"), ("cron=*+*", "cron", "2 fields"), ("cron=0+0+31+2+*", "cron", "no time"),
                ("every=1h&cron=*+*+*+*+*", "cron", "leave one of them out"), ("grace=1h", "grace", "needs every or cron"),
                ("every=1h&grace=long", "grace", "from 0s to 7d")):
            problem = self.ping(f"bad?{query}", 400).json()
            self.assertEqual(problem["field"], field, query)
            self.assertIn(words, problem["detail"])
        self.assertEqual(self.runs("bad"), [])


if __name__ == "__main__":
    unittest.main()
