# SPDX-License-Identifier: Apache-2.0
"""Names of events, in the order of time, and the process that the daemon follows."""
from __future__ import annotations

import os
import time
from typing import Optional

_process: Optional[tuple[int, dict[str, str]]] = None


def new_id() -> str:
    """Made once for each event and the same whenever it is sent. Its time is for people: the random part makes it unique."""
    return f"{time.time_ns() // 1_000_000:012x}{os.urandom(10).hex()}"


def _read(path: str) -> str:
    with open(path, encoding="ascii", errors="replace") as file:
        return file.read().strip()


def process_headers() -> dict[str, str]:
    """Identity of this process, so that the daemon sees it end; nothing where /proc does not have it."""
    global _process
    known = _process
    if known is not None and known[0] == os.getpid():
        return known[1]
    try:
        stat = _read("/proc/self/stat")
        space = os.readlink("/proc/self/ns/pid")
        found = {"X-Headway-Agent-Pid": str(os.getpid()), "X-Headway-Agent-Start": stat[stat.rindex(")") + 2:].split()[19],
                 "X-Headway-Agent-Boot": _read("/proc/sys/kernel/random/boot_id"),
                 "X-Headway-Agent-Pid-Ns": "".join(c for c in space if c.isdigit())}
    except (OSError, ValueError, IndexError):
        found = {}
    _process = (os.getpid(), found)
    return found


def folder() -> Optional[str]:
    """Where this process works; None where that is gone."""
    try:
        return os.getcwd()
    except OSError:
        return None
