# SPDX-License-Identifier: Apache-2.0
"""judge: what reports cost while a language model is asked about 1,000 sessions at once and takes 30 s for each."""
import json
import pathlib
import signal
import subprocess
import sys
import time

from harness import report
from harness.load import EVENT
from harness.servers import Headway, pinned

SESSIONS = 1000
ANSWER_SECONDS = 30
STAND_IN = pathlib.Path(__file__).resolve().parents[2] / "tests" / "integration" / "support" / "llm_server.py"


class Judged(Headway):
    """With a judge that is asked by one connection a question, as a hosted one would let it."""
    name = "headway, 1,000 checks in flight"
    directory_name = "headway_judged"
    judge_port = 0

    def command(self) -> list:
        settings = self.directory / "headway.toml"
        settings.write_text(f"""[judge]
estimates = "off"
[judge.endpoints.bench]
base_url = "http://127.0.0.1:{self.judge_port}/v1"
model = "sleep:{ANSWER_SECONDS}"
concurrency = {SESSIONS}
""")
        return [*super().command(), "--config", str(settings)]


def run(context) -> dict:
    judge = _start_judge(context)
    try:
        return _measure(context, int(judge.stdout.readline()))
    finally:
        judge.stdin.close()  # ends it
        judge.wait(15)


def _start_judge(context) -> subprocess.Popen:
    return subprocess.Popen([sys.executable, "-I", str(STAND_IN)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                            text=True, preexec_fn=pinned({context.client.core}))


def _measure(context, judge_port: int) -> dict:
    if 2 * (context.options.seconds + context.options.warmup) > ANSWER_SECONDS - 10:
        raise SystemExit(f"bench: with --seconds {context.options.seconds:g} the checks end before the load")
    plain, judged = context.start(Headway), None
    Judged.judge_port = judge_port
    judged = context.start(Judged)
    cases = {"plain": report.Case(Headway.name), "judged": report.Case(Judged.name)}
    for i in range(SESSIONS):
        judged.request("POST", f"/v1/sessions/asked-{i}/events", json.loads(EVENT.replace("{id}", str(i))))
    rss_before, rss_most, waits = judged.rss_bytes(), 0, []
    for number in context.rounds():
        asked_at = _ask_all(judged)
        for key in context.rotated(["plain", "judged"], number):
            server = plain if key == "plain" else judged
            cases[key].rounds.append(context.client.run(server, "http", body=EVENT, connections=64,
                                                        target=f"/v1/sessions/{key}-{number}-{{conn}}/events"))
            if judged.gauge("headway_judge_in_flight") != SESSIONS:
                raise SystemExit("bench: checks ended while the load was on")
        rss_most = max(rss_most, judged.rss_bytes())
        waits.append(_until_all_answered(judged, asked_at, number + 1))
    _ask_all(judged)
    stop_seconds = _stop(judged)
    return _report(context, cases, rss_most - rss_before, waits, stop_seconds)


def _ask_all(server: Judged) -> float:
    """Returns when the last one is in flight; gives when the first was asked."""
    begin = time.monotonic()
    for i in range(SESSIONS):
        status, _ = server.request("POST", "/check-status", {"sessionId": f"asked-{i}"})
        if status != 202:
            raise SystemExit(f"bench: a check was answered {status}")
    while server.gauge("headway_judge_in_flight") < SESSIONS:
        if time.monotonic() - begin > ANSWER_SECONDS - 10:
            raise SystemExit("bench: the checks do not all get in flight")
        time.sleep(0.05)
    return begin


def _until_all_answered(server: Judged, asked_at: float, rounds: int) -> float:
    answered = 'headway_judge_outcomes_total{judge="bench",outcome="answered"}'
    while server.gauge(answered) < rounds * SESSIONS:
        if time.monotonic() - asked_at > 3 * ANSWER_SECONDS:
            raise SystemExit(f"bench: {server.gauge(answered)} of {rounds * SESSIONS} checks were answered")
        time.sleep(0.1)
    return time.monotonic() - asked_at


def _stop(server: Judged) -> float:
    begin = time.monotonic()
    server.process.send_signal(signal.SIGTERM)
    if server.process.wait(15) != 0:
        raise SystemExit(f"bench: with checks in flight it ended with {server.process.returncode}")
    return time.monotonic() - begin


def _report(context, cases: dict, rss_bytes: int, waits: list, stop_seconds: float) -> dict:
    context.stop_all()
    pairs = zip(cases["judged"].rounds, cases["plain"].rounds)
    p99 = report.spread(a["p99_us"] / b["p99_us"] for a, b in pairs)
    cases["judged"].ratio_to("headway", cases["plain"])
    rows = [("p99 with checks, of p99 without", report.three(p99, lambda v: f"{v:.2f}")),
            ("RSS that 1,000 checks in flight and the load add", f"{rss_bytes / 2**20:.1f} MB"),
            ("asked to all answered", report.three(report.spread(waits), lambda v: f"{v:.1f} s")),
            ("SIGTERM to exit status 0, with 1,000 in flight", f"{stop_seconds:.2f} s")]
    text = report.table("one report, 64 connections", list(cases.values()), ratios=("headway",))
    return {"text": text + "\n" + report.facts("checks", rows),
            "headline": report.headline(cases["judged"]) | {"p99_ratio": p99, "rss_bytes_added": rss_bytes},
            "sections": {"single": [c.summary() for c in cases.values()]},
            "bars": [report.bar("p99 of reports with 1,000 checks in flight, of that without", p99["median"], 1.1,
                                at_least=False)]}
