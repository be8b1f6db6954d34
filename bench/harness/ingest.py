# SPDX-License-Identifier: Apache-2.0
"""ingest: single durable reports side by side with servers that store nothing (and Redis, which does), then batches."""
from harness import peers, report
from harness.load import EVENT, EVENT_WITH_ID
from harness.servers import BareBeast, BareDurable, Headway, Nginx, Redis

BATCH = 100
BATCH_CONNECTIONS = 8


def run(context) -> dict:
    kinds = [BareBeast, BareDurable, Nginx, Redis, Headway]
    if peers.installed(context.options.build):
        kinds += [peers.FastifySqlite] + [peers.FastifyPostgres] * peers.FastifyPostgres.available()
    servers = {kind: context.start(kind) for kind in kinds}
    sections, text, bars = {}, [], []
    for connections in context.options.connections:
        cases = _singles(context, servers, connections)
        sections[f"single_{connections}_connections"] = [c.summary() for c in cases.values()]
        text.append(report.table(f"one report, {connections} connections", list(cases.values())))
        if connections == 64 or len(context.options.connections) == 1:
            best = cases["headway"]
            head = report.headline(best)
            bars = _bars(head, report.headline(cases["headway_id"]), report.headline(cases["redis"]))
    batch = _batches(context, servers[Headway])
    sections["batches"] = [batch.summary()]
    text.append(report.table(f"batches of {BATCH}, {BATCH_CONNECTIONS} connections", [batch], "events/s"))
    bars.append(report.bar("events/s in batches of 100", batch.summary()["events_per_s"]["median"], 250_000,
                           why="reached before the verdict engine; recordings and harnesses send batches"))
    context.stop_all()
    return {"text": "\n".join(text), "bars": bars, "headline": head, "sections": sections}


def _bars(plain: dict, with_id: dict, redis: dict) -> list:
    """A report with an `event_id` is what every client sends that repeats what was not answered."""
    return [report.bar("reports with event_id, of bare Beast with a log", with_id["ratio_to_bare_durable"]["median"], 0.5,
                       why="the least that a server does which loses nothing"),
            report.bar("reports with event_id, of bare Beast", with_id["ratio_to_bare_beast"]["median"], 0.45,
                       why="half of it is the kernel's TCP, which bare Beast has too"),
            report.bar("the same, of Redis XADD appendfsync always", with_id["ratio_to_redis"]["median"], 1.0,
                       why="stores an event as durably, and judges nothing"),
            report.bar("reports without, of bare Beast", plain["ratio_to_bare_beast"]["median"], 0.48,
                       why="no table of ids"),
            report.bar("p99 of reports with event_id, of Redis's", with_id["p99_us"]["median"] / redis["p99_us"]["median"], 1.5,
                       at_least=False, why="a hook waits for the answer before each call"),
            report.bar("CPU us of a report with event_id", with_id["cpu_us_per_req"]["median"], 15, at_least=False,
                       why="the daemon runs beside agents on small machines")]


def _singles(context, servers: dict, connections: int) -> dict:
    client = context.client
    cases = {"bare": report.Case("bare Beast 204"), "wrk": report.Case("bare Beast 204, by wrk"),
             "durable": report.Case(BareDurable.name),
             "nginx": report.Case("nginx 204"), "redis": report.Case("Redis XADD, appendfsync always"),
             "headway": report.Case("headway"), "headway_id": report.Case("headway, with event_id")}
    steps = {
        "bare": lambda target: client.run(servers[BareBeast], "http", target=target, body=EVENT,
                                          connections=connections),
        "wrk": lambda target: client.wrk(servers[BareBeast], target, EVENT, connections, context.directory),
        "durable": lambda target: client.run(servers[BareDurable], "http", target=target, body=EVENT_WITH_ID,
                                             connections=connections),
        "nginx": lambda target: client.run(servers[Nginx], "http", target=target, body=EVENT,
                                           connections=connections),
        "redis": lambda target: client.run(servers[Redis], "redis", body=EVENT, connections=connections),
        "headway": lambda target: client.run(servers[Headway], "http", target=target, body=EVENT,
                                             connections=connections),
        "headway_id": lambda target: client.run(servers[Headway], "http", target=target, body=EVENT_WITH_ID,
                                                connections=connections),
    }
    for kind in (kind for kind in servers if kind not in (BareBeast, BareDurable, Nginx, Redis, Headway)):
        cases[kind.directory_name] = report.Case(kind.name)
        steps[kind.directory_name] = lambda target, kind=kind: client.run(servers[kind], "http", target=target,
                                                                          body=EVENT_WITH_ID, connections=connections)
    for number in context.rounds():
        for key in context.rotated(list(steps), number):
            servers[Redis].reset()
            cases[key].rounds.append(steps[key](f"/v1/sessions/{key}-{connections}-{number}-{{conn}}/events"))
    for key in set(cases) - {"bare", "wrk"}:
        cases[key].ratio_to("bare_beast", cases["bare"])
    for key in set(cases) - {"bare", "wrk", "nginx", "durable"}:
        cases[key].ratio_to("bare_durable", cases["durable"])
    for key in set(cases) - {"bare", "wrk", "durable", "nginx", "redis"}:
        cases[key].ratio_to("nginx", cases["nginx"])
        cases[key].ratio_to("redis", cases["redis"])
    return cases


def _batches(context, server: Headway) -> report.Case:
    case = report.Case("headway, NDJSON", "events_per_s")
    for number in context.rounds():
        case.rounds.append(context.client.run(server, "http", target=f"/v1/sessions/batch-{number}-{{conn}}/events",
                                              body=EVENT, batch=BATCH, connections=BATCH_CONNECTIONS))
    return case
