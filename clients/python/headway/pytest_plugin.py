# SPDX-License-Identifier: Apache-2.0
"""pytest: the fixture `headway` is a daemon of the test run (or that of HEADWAY_URL), `headway.wait(id)` waits for what it says
instead of sleeping, and a failed test shows what its sessions did."""
from __future__ import annotations

import os
from typing import Any, Iterator

import pytest

from ._daemon import Client, Daemon, NoDaemon

_CLIENT = "_headway_client"


@pytest.fixture(scope="session")
def headway_daemon() -> Iterator[Any]:
    """The daemon of this test run; None where HEADWAY_URL names one."""
    if os.environ.get("HEADWAY_URL"):
        yield None
        return
    try:
        daemon = Daemon()
    except NoDaemon as error:
        pytest.skip(str(error))
    try:
        yield daemon
    finally:
        daemon.close()


@pytest.fixture
def headway(headway_daemon: Any, request: Any, monkeypatch: Any) -> Iterator[Client]:
    """Reports of the code under test go to this daemon: HEADWAY_URL is set."""
    token = os.environ.get("HEADWAY_TOKEN")
    client = Client(os.environ["HEADWAY_URL"] if headway_daemon is None else headway_daemon.url, token, headway_daemon)
    before = set(client.opened()) if headway_daemon is not None else set()
    monkeypatch.setenv("HEADWAY_URL", client.url)
    monkeypatch.delenv("HEADWAY_SESSION", raising=False)
    setattr(request.node, _CLIENT, (client, before))
    yield client
    delattr(request.node, _CLIENT)


def _report(item: Any, call: Any) -> Iterator[None]:
    outcome: Any = yield
    report = outcome.get_result()
    known = getattr(item, _CLIENT, None)
    if known is None or not report.failed:
        return
    client, before = known
    try:
        used = list(client.used)
        if client.daemon is not None:
            used += [name for name in reversed(client.opened()) if name not in before and name not in used]
        for name in used[:10]:
            report.sections.append((f"headway: {name}", "\n".join(client.timeline(name))))
    except Exception as error:
        report.sections.append(("headway", f"no timelines: {error}"))


pytest_runtest_makereport = pytest.hookimpl(hookwrapper=True)(_report)
