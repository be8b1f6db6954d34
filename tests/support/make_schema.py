#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/unit/storage/schemas/schema-<N>.sql: a small database as a Headway of that schema would have left it.

Run it once, when a schema is released, with a build of it: HEADWAY_BINARY=build/dev/headway tests/support/make_schema.py
What is there already is not written again: it stands for what users have. Rows are those of the build that runs it; the
tables are made by the first N steps of storage/sqlite/migrations.cpp.
"""
import re
import sqlite3
import sys
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(PROJECT / "tests" / "integration"))
from support.daemon import Daemon  # noqa: E402

FOLDER = PROJECT / "tests" / "unit" / "storage" / "schemas"
SINCE = {"session": 1, "journal": 1, "mark": 1, "event_id": 1, "idempotency": 1, "meta": 1, "used": 2, "token": 3,
         "approval": 4, "judge_check": 5, "estimate": 5, "estimate_score": 5, "session_index": 6,
         "webhook_endpoint": 7, "webhook_message": 7, "inbox": 10, "expectation": 11}
# Without a listener, so its messages wait.
WEBHOOK = '[webhooks.endpoints.ops]\nurl = "http://127.0.0.1:9/x"\nsecret_env = "HOOK_SECRET"\n'


def steps() -> list:
    return re.findall(r'R"sql\((.*?)\)sql"', (PROJECT / "storage" / "migrations.cpp").read_text(), re.S)


def fill() -> sqlite3.Connection:
    """The database of a daemon that has seen a little of everything, in memory."""
    daemon = Daemon(config=WEBHOOK)
    daemon.environment["HOOK_SECRET"] = "whsec_" + "a" * 32
    try:
        daemon.start()
        client, operator = daemon.client(), daemon.operator()
        client.open("plain", goal="say hello", agent={"type": "plan"}, labels={"team": "a"})
        for number in range(3):
            client.report("plain", "message", event_id=f"e{number}", role="assistant", text=f"text {number}")
        client.beat("busy", phase="work", iteration=3)
        client.report("busy", "progress.estimated", percent=40)
        client.report("ended", "message", event_id="m", role="assistant", text="bye")
        client.end("ended", "completed", result={"answer": 42})
        client.post("/v1/sessions", {"goal": "once"}, {"Idempotency-Key": "key"})
        client.post("/v1/sessions/plain/approvals", {"tool": "bash", "args": {"command": "ls"}, "summary": "look"})
        operator.post("/v1/tokens", {"name": "reader", "scopes": ["read"]})
        client.close()
        operator.close()
        assert daemon.stop() == 0
        memory = sqlite3.connect(":memory:")
        with daemon.database() as database:
            database.backup(memory)
        database.close()
        return memory
    finally:
        daemon.close()


def literal(value) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, bytes):
        return f"x'{value.hex()}'"
    return str(value) if isinstance(value, int) else "'" + value.replace("'", "''") + "'"


def rows(source: sqlite3.Connection, table: str, version: int) -> list:
    lines = []
    cursor = source.execute(f"SELECT * FROM {table}")
    names = [column[0] for column in cursor.description]
    for row in cursor:
        values = dict(zip(names, row))
        if table == "session":  # a snapshot is made again with every schema
            values.update(state=None, n=0, tail=0)
            values.pop("crc", None)
        if table == "meta" and values["name"] in ("snapshot_cursor", "snapshot_check", "session_index_due"):
            continue
        lines.append(f"INSERT INTO {table}({','.join(values)}) VALUES({','.join(map(literal, values.values()))});")
    return lines


def newest(below: int) -> tuple:
    """The fixture of the newest schema below this one, in memory, and that schema; 0 when there is none."""
    for version in range(below - 1, 0, -1):
        file = FOLDER / f"schema-{version}.sql"
        if file.exists():
            memory = sqlite3.connect(":memory:")
            memory.executescript(file.read_text(encoding="utf-8"))
            return memory, version
    return None, 0


def main():
    FOLDER.mkdir(exist_ok=True)
    made = fill()
    for version in range(1, len(steps()) + 1):
        file = FOLDER / f"schema-{version}.sql"
        if file.exists():
            continue
        known, known_version = newest(version)  # all of them hold the same sessions
        text = "".join(re.split(r"INSERT (?:OR REPLACE )?INTO meta", step)[0] for step in steps()[:version])
        lines = [line for table, since in SINCE.items() if since <= version
                 for line in rows(known if since <= known_version else made, table, version)]
        file.write_text(f"PRAGMA application_id={0x48445759};\nBEGIN;{text}" + "\n".join(lines) +
                        f"\nPRAGMA user_version={version};\nCOMMIT;\n", encoding="utf-8")


if __name__ == "__main__":
    main()
