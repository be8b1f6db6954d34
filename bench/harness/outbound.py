# SPDX-License-Identifier: Apache-2.0
"""outbound: what a heartbeat waits for while 50 webhook messages a second go to slow names, each by a cold TLS handshake."""
import os
import pathlib
import subprocess
import sys
import time

from harness import report
from harness.load import Client
from harness.servers import Headway, pinned

WEBHOOKS = 8  # as many as can be configured
MESSAGES_PER_SECOND = 50  # over all of them
BEAT = '{"type":"heartbeat","data":{}}'
BEATS_PER_SECOND = 200
NEWS = '{"type":"message","data":{"role":"assistant","text":"the news of the agent {id}"}}'
RATIO_MAX = 1.2  # of the p99 of a heartbeat while nothing is sent
SETTLE_SECONDS = 1.0  # until messages are under way on all webhooks
DRAIN_SECONDS_MAX = 60
SECRET = "whsec_" + "YSBzZWNyZXQgb2YgdGhlIGJlbmNoLCBsb25nIGVub3VnaA=="
SYSTEM_AUTHORITIES = pathlib.Path("/etc/ssl/certs/ca-certificates.crt")
RECEIVER = pathlib.Path(__file__).with_name("receiver.py")


class Notifying(Headway):
    """Sends each message of an agent to every webhook."""
    url = ""  # with {n} for the number of the webhook
    authorities = ""
    extra = {}

    def command(self) -> list:
        lines = ["[webhooks]", 'retry = ["0s", "1s"]']
        for n in range(WEBHOOKS):
            lines += [f"[webhooks.endpoints.hook-{n}]", f'url = "{self.url.format(n=n)}"', 'secret_env = "HOOK_SECRET"',
                      'allow_private_addresses = "on"', 'events = ["message"]', f'ca_file = "{self.authorities}"']
        settings = self.directory / "headway.toml"
        settings.write_text("\n".join(lines) + "\n")
        return [*super().command(), "--config", str(settings)]

    def environment(self) -> dict:
        return super().environment() | {"HOOK_SECRET": SECRET} | self.extra


class Tls(Notifying):
    name = "TLS, slow names"
    directory_name = "headway_tls"


class Plain(Notifying):
    name = "plain HTTP, addresses"
    directory_name = "headway_plain"


class Receiver:
    """On the client's core, behind the client that measures."""

    def __init__(self, context, *files):
        self.process = subprocess.Popen(["nice", "-n", "19", sys.executable, "-I", str(RECEIVER), *map(str, files)],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                        preexec_fn=pinned({context.client.core}))
        self.port = int(self.process.stdout.readline())

    def stop(self) -> None:
        self.process.stdin.close()
        self.process.wait(15)


class Urgent(Client):
    """Runs loadgen before all else on its core, which the receivers use too; without the right to it, beside them."""

    def popen(self, command: list, **kwargs) -> subprocess.Popen:
        pin = pinned({self.core})

        def prepare():
            pin()
            try:
                os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
            except PermissionError:
                pass
        return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, preexec_fn=prepare, **kwargs)


def certificate(directory: pathlib.Path) -> tuple:
    """(certificate, key, authorities): one that signs itself, and a file that trusts it beside the system's authorities."""
    files = directory / "receiver.pem", directory / "receiver.key"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
                    "-subj", "/CN=bench", "-addext", "subjectAltName=DNS:*.slow.test", "-out", files[0], "-keyout", files[1]],
                   check=True, capture_output=True)
    authorities = directory / "authorities.pem"
    # As many as a webhook without a ca_file has: to read them is most of the cost of a handshake.
    others = SYSTEM_AUTHORITIES.read_text() if SYSTEM_AUTHORITIES.exists() else ""
    authorities.write_text(others + files[0].read_text())
    return *files, authorities


def run(context) -> dict:
    pem, key, authorities = certificate(context.directory)
    receivers = Receiver(context, pem, key), Receiver(context)
    Tls.url, Plain.url = f"https://hook-{{n}}.slow.test:{receivers[0].port}/", f"http://127.0.0.1:{receivers[1].port}/"
    Tls.authorities = Plain.authorities = authorities
    Tls.extra = {"LD_PRELOAD": str(context.options.build / "bench" / "libslow_names.so")}
    try:
        return _measure(context, context.start(Tls), context.start(Plain))
    finally:
        context.stop_all()
        for receiver in receivers:
            receiver.stop()


def _measure(context, tls: Notifying, plain: Notifying) -> dict:
    options = context.options
    client = Urgent(options.build, context.client.core, options.seconds, options.warmup)
    loads = {"quiet": (tls, False), Plain.name: (plain, True), Tls.name: (tls, True)}
    cases, sent = {name: report.Case(name) for name in loads}, {name: [] for name in loads}
    for number in context.rounds():
        for name in context.rotated(list(loads), number):
            server, messages = loads[name]
            news = _send_news(client, server) if messages else None
            before, begin = _delivered(server), time.monotonic()
            cases[name].rounds.append(client.run(server, "http", target="/v1/sessions/beat-{conn}/events", body=BEAT,
                                                 connections=8, rate=BEATS_PER_SECOND, sleep=True))
            sent[name].append((_delivered(server) - before) / (time.monotonic() - begin))
            if news:
                news.kill()
                news.wait()
                _drain(server)
    return _report(cases, sent)


def _send_news(client: Client, server: Notifying) -> subprocess.Popen:
    process = client.popen(client.arguments(server, "http", {
        "target": "/v1/sessions/news/events", "body": NEWS, "connections": 1, "sleep": True,
        "rate": MESSAGES_PER_SECOND / WEBHOOKS, "seconds": 3600}))
    time.sleep(SETTLE_SECONDS)
    return process


def _delivered(server: Notifying) -> int:
    return server.gauge("headway_webhook_delivered_total")


def _drain(server: Notifying) -> None:
    deadline = time.monotonic() + DRAIN_SECONDS_MAX
    while server.gauge("headway_webhook_pending"):
        if time.monotonic() > deadline:
            raise SystemExit(f"bench: {server.name}: messages are not delivered")
        time.sleep(0.05)
    if server.gauge("headway_webhook_failed_total"):
        raise SystemExit(f"bench: {server.name}: messages were not taken")


def _report(cases: dict, sent: dict) -> dict:
    quiet = cases["quiet"]
    ratios = {name: report.spread(a["p99_us"] / b["p99_us"] for a, b in zip(cases[name].rounds, quiet.rounds))
              for name in (Plain.name, Tls.name)}
    rows = [(f"p99 beside messages by {name}, of quiet", report.three(ratios[name], lambda v: f"{v:.2f}")) for name in ratios]
    rows += [(f"delivered by {name}", report.three(report.spread(sent[name]), lambda v: f"{v:.0f} /s")) for name in ratios]
    text = report.table(f"{BEATS_PER_SECOND} heartbeats a second", list(cases.values()))
    return {"text": text + "\n" + report.facts("messages", rows), "headline": report.headline(cases[Tls.name]) | {"p99_ratios": ratios},
            "bars": [report.bar(f"p99 beside messages by {Tls.name}, of quiet", ratios[Tls.name]["median"], RATIO_MAX, at_least=False)],
            "sections": {"outbound": [c.summary() for c in cases.values()]}}
