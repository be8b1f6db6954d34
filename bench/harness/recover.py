# SPDX-License-Identifier: Apache-2.0
"""recover: kill -9 over a big journal and the time until /readyz says 200; RSS at start and with many open sessions."""
import statistics
import time

from harness import report
from harness.load import EVENT
from harness.servers import Headway

EVENTS_PER_SESSION = 1000


def run(context) -> dict:
    journal, journal_facts = _restarts(context)
    memory, memory_facts = _memory(context)
    bars = [report.bar("s from start to ready, over the journal", journal["seconds_to_ready"]["median"], 2.0, False,
                       "agents wait for a restart"),
            report.bar("MB RssAnon of a fresh daemon", memory["rss_anon_fresh_bytes"] / 1e6, 3.1, False,
                       "what libcurl and OpenSSL take as they are loaded, and a fifth more"),
            report.bar("KB RSS per open session", memory["rss_bytes_per_session"] / 1024, 2.5, False,
                       "100,000 agents in 250 MB"),
            report.bar("CPU us more per report with all sessions in turn than with 64, after the first of each",
                       memory["cpu_many_sessions"] - memory["cpu_few_sessions"], 5, False,
                       "what a report touches of a session is cold then")]
    return {"text": report.facts("restart", journal_facts) + "\n" + report.facts("memory", memory_facts),
            "headline": journal | memory, "bars": bars, "sections": {}}


def _restarts(context):
    server = context.start(Headway)
    events = context.options.events
    requests = max(1, events // EVENTS_PER_SESSION)
    # A session per batch: {id} of the target is that of the batch's first event.
    first = context.client.next_id
    load = context.client.run(server, "http", target="/v1/sessions/rec-{id}/events", body=EVENT, connections=8,
                              batch=EVENTS_PER_SESSION, requests=requests)
    sessions = [f"rec-{first + k * EVENTS_PER_SESSION:016d}" for k in (0, requests // 2, requests - 1)]
    heads = [server.request("GET", f"/v1/sessions/{s}")[1]["n"] for s in sessions]
    seconds = []
    for _ in context.rounds():
        server.kill()
        seconds.append(server.start())
        found = [server.request("GET", f"/v1/sessions/{s}")[1]["n"] for s in sessions]
        if found != heads or min(found) < EVENTS_PER_SESSION:
            raise SystemExit(f"bench: events are missing after the restart: {heads} became {found}")
    rss = server.rss_bytes()
    size = sum(p.stat().st_size for p in (server.directory / "state").rglob("*") if p.is_file())
    context.stop_all(wipe=True)
    result = {"events": load["total_events"], "load_events_per_s": load["events_per_s"], "state_bytes": size,
              "seconds_to_ready": report.spread(seconds), "rss_after_restart_bytes": rss}
    facts = [("events in the journal, sessions", f"{load['total_events']:,}, {requests:,}"),
             ("state directory", f"{size / 1e6:.0f} MB ({size / max(1, load['total_events']):.0f} bytes an event)"),
             ("kill -9, start, GET /readyz 200 (warm page cache), s",
              report.three(result["seconds_to_ready"], lambda v: f"{v:.3f}")),
             ("RSS after it", f"{rss / 1e6:.1f} MB")]
    return result, facts


def _memory(context):
    client, count = context.client, context.options.sessions
    server = context.start(Headway)
    time.sleep(1)
    fresh, fresh_anon, libraries = server.rss_bytes(), server.rss_bytes("RssAnon"), server.libraries()
    few = client.run(server, "http", target="/v1/sessions/few-{conn}/events", body=EVENT, requests=min(count, 100_000))
    before = server.rss_bytes()
    first = client.next_id
    opened = client.run(server, "http", method="PUT", target="/v1/sessions/idle-{id}", body='{"goal":"bench"}',
                        requests=count)
    time.sleep(2)
    after = server.rss_bytes()
    # Every report meets another session: the worst case for the caches. The first report of a session also brings its
    # first change of verdict with a row of the index, and the memory that an idle session does not have; the 64 of
    # above had theirs long ago.
    rounds = [client.run(server, "http", target="/v1/sessions/idle-{id}/events", body=EVENT, first_id=first,
                         requests=min(count, 100_000))["cpu_us_per_req"] for _ in range(3)]
    context.stop_all(wipe=True)
    result = {"rss_fresh_bytes": fresh, "rss_anon_fresh_bytes": fresh_anon, "libraries_fresh": libraries,
              "sessions": count, "rss_bytes_per_session": (after - before) / count,
              "opens_per_s": opened["req_per_s"], "cpu_few_sessions": few["cpu_us_per_req"],
              "cpu_first_reports": rounds[0], "cpu_many_sessions": statistics.mean(rounds[1:])}
    facts = [("RSS of a fresh daemon, RssAnon of it, libraries",
              f"{fresh / 1e6:.1f} MB, {fresh_anon / 1e6:.2f} MB, {libraries}"),
             (f"RSS added by {count:,} open idle sessions", f"{(after - before) / 1e6:.1f} MB, "
              f"{(after - before) / count / 1024:.2f} KB each"),
             ("sessions opened per second (each durable)", report.thousands(opened["req_per_s"])),
             (f"CPU us per report: 64 sessions; all {count:,} in turn, first round, later ones",
              f"{few['cpu_us_per_req']:.1f}; {rounds[0]:.1f}, {result['cpu_many_sessions']:.1f}")]
    return result, facts
