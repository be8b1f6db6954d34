#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Rows of the Python client: `@s.tool` on a function and on a coroutine."""
import asyncio
import json
import os
import pathlib
import socket
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "clients/python"))
import headway  # noqa: E402

CALLS = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
WARM = 200


def row(client: str, daemon: bool, times: list):
    times.sort()
    print(json.dumps({"client": client, "daemon": daemon, "median_us": round(times[len(times) // 2] * 1e6, 1),
                      "p99_us": round(times[int(len(times) * 0.99)] * 1e6, 1), "calls": len(times)}))


def check(s, daemon: bool):
    if s._wire.away() is daemon:
        raise SystemExit("the daemon is away" if daemon else "a daemon is there")


def functions(url: str, daemon: bool):
    with headway.Session("measure", url=url, agent="bench") as s:
        @s.tool
        def bash(n, command):
            return n
        times = []
        for n in range(CALLS + WARM):
            began = time.perf_counter()
            bash(n=n, command="make test")
            times.append(time.perf_counter() - began)
        check(s, daemon)
    row("Python, function", daemon, times[WARM:])


async def coroutines(url: str, daemon: bool):
    async with headway.Session("measure", url=url, agent="bench") as s:
        @s.tool
        async def bash(n, command):
            return n
        times = []
        for n in range(CALLS + WARM):
            began = time.perf_counter()
            await bash(n=n, command="make test")
            times.append(time.perf_counter() - began)
        check(s, daemon)
    row("Python, coroutine", daemon, times[WARM:])


def nowhere() -> str:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return f"http://127.0.0.1:{server.getsockname()[1]}"


if __name__ == "__main__":
    for where, there in ((nowhere(), False), *(((os.environ["HEADWAY_URL"], True),) if os.environ.get("HEADWAY_URL") else ())):
        functions(where, there)
        asyncio.run(coroutines(where, there))
