# SPDX-License-Identifier: Apache-2.0
"""read: GET /progress/{id} side by side with servers that answer 204 to a GET."""
from harness import report
from harness.load import EVENT
from harness.servers import BareBeast, Headway, Nginx


def run(context) -> dict:
    servers = {"bare": context.start(BareBeast), "nginx": context.start(Nginx), "headway": context.start(Headway)}
    cases = {"bare": report.Case("bare Beast 204"), "nginx": report.Case("nginx 204"),
             "headway": report.Case("headway GET /progress/{id}")}
    context.client.run(servers["headway"], "http", target="/v1/sessions/read-{conn}/events", body=EVENT, requests=640)
    for number in context.rounds():
        for key in context.rotated(list(cases), number):
            cases[key].rounds.append(context.client.run(servers[key], "http", method="GET",
                                                        target="/progress/read-{conn}"))
    for key in ("nginx", "headway"):
        cases[key].ratio_to("bare_beast", cases["bare"])
    cases["headway"].ratio_to("nginx", cases["nginx"])
    context.stop_all()
    head = report.headline(cases["headway"])
    return {"text": report.table("one read, 64 connections", list(cases.values())), "headline": head,
            "bars": [report.bar("GET /progress, of bare Beast", head["ratio_to_bare_beast"]["median"], 0.85,
                                why="a read asks no other thread")],
            "sections": {"reads": [c.summary() for c in cases.values()]}}
