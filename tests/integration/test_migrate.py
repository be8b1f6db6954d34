#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`headway migrate`, and what the other verbs say of a store in PostgreSQL."""
import contextlib
import shutil
import subprocess
import unittest

from support.case import OwnDaemonCase
from support.cli import Cli
from support.daemon import BINARY, POSTGRES, Daemon, postgres, store_in

NOWHERE = "http://127.0.0.1:9"


def rows(schema: str, query: str) -> str:
    found = subprocess.run(["psql", POSTGRES, "-qXAt", "-v", "ON_ERROR_STOP=1", "-c", f'SET search_path TO "{schema}"', "-c", query],
                           check=True, capture_output=True, text=True)
    return found.stdout.strip()


@unittest.skipUnless(POSTGRES, "no PostgreSQL here (HEADWAY_TEST_POSTGRES is not set)")
class Migrate(OwnDaemonCase):
    def own_daemon(self) -> tuple:
        """A daemon with a database of its own, and an empty schema."""
        daemon = Daemon()
        self.addCleanup(daemon.close)
        schema, daemon.store = daemon.schema, ""
        self.addCleanup(postgres, f'DROP SCHEMA IF EXISTS "{schema}" CASCADE')
        return daemon, schema

    def shared_daemon(self, schema: str) -> Daemon:
        daemon = Daemon(schema=schema)
        self.addCleanup(daemon.close)
        return daemon

    def migrate(self, daemon: Daemon, schema: str, *more, code: int = 0, store: str = ""):
        done = Cli(daemon, url=NOWHERE).run("migrate", "--from", f"sqlite:{daemon.state_dir / 'headway.db'}", "--to",
                                            store or store_in(schema), *more)
        self.assertEqual(done.code, code, done.err + done.out)
        return done

    def fill(self, daemon: Daemon) -> dict:
        """Parents and children, budgets, approvals, ended and open sessions; gives what a client sees of them."""
        client = self.client(daemon)

        def post(path, body, **headers):
            reply = client.post(path, body, headers=headers) if headers else client.post(path, body)
            self.assertIn(reply.status, (200, 201), reply.body)
            return reply.json()
        post("/v1/sessions", {"id": "parent", "agent": {"type": "coder"}, "goal": "all", "budget": {"max_steps": 50}})
        post("/v1/sessions", {"id": "child", "agent": {"type": "coder"}, "parent": "parent"})
        for number in range(30):
            post("/v1/sessions/child/events", [{"type": "tool.finished", "event_id": f"t{number}",
                                                "data": {"tool": "read", "args": {"file": f"f{number}"}, "result": str(number)}}])
        post("/v1/sessions", {"id": "done", "agent": {"type": "coder"}})
        post("/v1/sessions/done/end", {"outcome": "completed"})
        post("/v1/sessions/parent/approvals", {"tool": "shell", "args": {"command": "rm x"}, "summary": "delete x"})
        return self.seen(daemon)

    def seen(self, daemon: Daemon) -> dict:
        client = self.client(daemon)
        return {"journals": {name: client.journal(name) for name in ("parent", "child", "done")},
                "approvals": [a for a in client.get("/v1/approvals").json()["approvals"]],
                "sessions": [s["id"] for s in client.get("/v1/sessions").json()["sessions"]]}

    def test_what_stands_behind_a_long_session_that_is_being_deleted_is_there(self):
        daemon, schema = self.own_daemon()
        client = self.client(daemon.start())
        client.open("doomed")
        for _ in range(4_010):  # more rows than are copied at once
            client.report("doomed", "message", text="x")
        client.end("doomed")
        client.report("behind", "message", text="x")
        journal = client.journal("behind")
        daemon.stop()
        with contextlib.closing(daemon.database()) as database, database:
            database.execute("DELETE FROM session_index WHERE session=(SELECT key FROM session WHERE name='doomed')")
            database.execute("UPDATE session SET name=NULL WHERE name='doomed'")
        report = self.migrate(daemon, schema, "--json").json()
        self.assertEqual((report["sessions"], report["events"]), (1, len(journal)))
        shared = self.shared_daemon(schema).start()
        self.assertEqual(self.client(shared).journal("behind")[:len(journal)], journal)

    def test_sessions_approvals_and_tokens_are_the_same_there(self):
        daemon, schema = self.own_daemon()
        before = self.fill(daemon.start())
        token = Cli(daemon).run("token", "create", "ana", "--scope", "read").out.split()[0]
        head = self.client(daemon).get("/v1/sessions/child").json()
        daemon.stop()
        report = self.migrate(daemon, schema, "--json").json()
        events = sum(len(journal) for journal in before["journals"].values())
        self.assertEqual((report["sessions"], report["open_sessions"], report["events"]), (3, 2, events))
        self.assertEqual((report["approvals"], report["tokens"]), (1, 1))

        shared = self.shared_daemon(schema).start()
        after = self.seen(shared)
        for name, journal in before["journals"].items():
            self.assertEqual(after["journals"][name][:len(journal)], journal, name)
        self.assertEqual(after["approvals"], before["approvals"])
        self.assertEqual(after["sessions"], before["sessions"])
        self.assertEqual(self.client(shared, token=token).get("/v1/sessions/child").status, 200)
        client = self.client(shared)
        self.assertEqual(client.get("/v1/sessions/child").json()["verdict"], head["verdict"])
        # An event id of before counts once, and new sessions come behind the old ones.
        again = client.post("/v1/sessions/child/events", [{"type": "message", "event_id": "t3", "data": {"role": "user", "text": "x"}}])
        self.assertEqual(again.status, 200)
        self.assertFalse([e for e in client.journal("child") if e["type"] == "message"])
        self.assertEqual(client.post("/v1/sessions", {"id": "new"}).status, 201)
        self.assertEqual(client.get("/v1/sessions").json()["sessions"][0]["id"], "new")
        self.assertEqual(shared.stop(), 0)

    def test_the_positions_of_a_stream_stay_valid(self):
        daemon, schema = self.own_daemon()
        journals = self.fill(daemon.start())["journals"]
        daemon.stop()
        self.migrate(daemon, schema)
        with daemon.database() as database:
            old = database.execute("SELECT s.name,j.n,j.cursor FROM journal j JOIN session s ON s.key=j.session").fetchall()
            keys = database.execute("SELECT key,name FROM session ORDER BY key").fetchall()
        database.close()
        begins = {name: [n for session, n, _ in old if session == name] + [len(journal) + 1] for name, journal in journals.items()}
        wanted = {(cursor + i, name, n + i) for name, n, cursor in old for i in range(min(m for m in begins[name] if m > n) - n)}
        new = [line.split("|") for line in rows(schema, "SELECT t.pos,s.name,t.n,t.count FROM stream t JOIN session s ON s.key=t.session"
                                                ).splitlines()]
        found = {(int(pos) + i, name, int(n) + i) for pos, name, n, count in new for i in range(int(count))}
        self.assertEqual(found, wanted)
        self.assertEqual(rows(schema, "SELECT key,name FROM session ORDER BY key"), "\n".join(f"{key}|{name}" for key, name in keys))

    def refused(self, daemon, schema, why):
        """Before anything was copied: what is there is whole, and daemons open it."""
        said = self.migrate(daemon, schema, code=1).err
        self.assertIn(why, said)
        self.assertIn("nothing was copied", said)
        self.assertNotIn("no daemon opens", said)

    def test_a_store_in_use_or_not_empty_and_a_database_in_use_are_refused(self):
        daemon, schema = self.own_daemon()
        self.fill(daemon.start())
        self.refused(daemon, schema, "is in use by another process")
        daemon.stop()
        self.migrate(daemon, schema)
        self.refused(daemon, schema, "has sessions or access tokens already")
        shared = self.shared_daemon(schema).start()
        self.refused(daemon, schema, "a daemon serves this database")
        shared.stop()

    def test_an_interrupted_one_is_served_by_no_daemon_and_begins_again(self):
        daemon, schema = self.own_daemon()
        self.fill(daemon.start())
        daemon.stop()
        self.migrate(daemon, schema)
        # As a migration leaves it that ended before its last step.
        rows(schema, "INSERT INTO meta(name,value) VALUES('importing',1)")
        rows(schema, "DELETE FROM journal WHERE n>5")
        shared = self.shared_daemon(schema)
        process = shared.spawn()
        self.addCleanup(process.stdout.close)
        self.assertNotEqual(process.wait(30), 0)
        self.assertIn("part of a journal only", shared.log())
        doctor = Cli(None, url=NOWHERE).run("doctor", "--set", f"storage.store={store_in(schema)}")
        self.assertIn("did not come to its end", doctor.out)
        self.migrate(daemon, schema)
        self.assertEqual(self.shared_daemon(schema).start().stop(), 0)

    def test_a_copy_that_is_not_equal_stays_closed(self):
        daemon, schema = self.own_daemon()
        self.fill(daemon.start())
        daemon.stop()
        self.migrate(daemon, schema)  # makes the tables
        for table, change, words in (("journal", "IF NEW.n>20 THEN RETURN NULL; END IF;", "events instead of"),
                                     ("session", "NEW.name := NEW.name || 'x';", "another id"),
                                     ("journal", "NEW.crc := NEW.crc + 1;", "0 of 3 sessions")):
            rows(schema, "UPDATE feed SET pos=0; TRUNCATE session,token; CREATE OR REPLACE FUNCTION spoil() RETURNS trigger LANGUAGE "
                         f"plpgsql AS $$BEGIN {change} RETURN NEW; END$$; "
                         f"CREATE TRIGGER spoil BEFORE INSERT ON {table} FOR EACH ROW EXECUTE FUNCTION spoil()")
            self.assertIn(words, self.migrate(daemon, schema, code=1).err)
            self.assertEqual(rows(schema, "SELECT count(*) FROM meta WHERE name='importing'"), "1")
            rows(schema, f"DROP TRIGGER spoil ON {table}")

    def test_a_wrong_url_is_a_mistake_and_its_password_is_never_shown(self):
        daemon, schema = self.own_daemon()
        daemon.start()
        daemon.stop()
        for store, code in (("postgresql://h:geheim@et%zz@/x?foo=1", 2), ("postgresql://h:geheim@127.0.0.1:1/x", 1),
                            ("mysql://h:geheim@x/y", 64)):
            done = self.migrate(daemon, schema, code=code, store=store)
            self.assertNotIn("geheim", done.err + done.out)
            for verb in (("doctor",), ("config", "check")):
                said = Cli(None, url=NOWHERE).run(*verb, "--set", f"storage.store={store}")
                self.assertNotIn("geheim", said.err + said.out)

    def test_verbs_of_a_file_name_pg_dump(self):
        store = f"storage.store={POSTGRES}"
        for words in (("backup", "x.db"), ("restore", "x.db"), ("doctor", "--repair")):
            done = Cli(None, url=NOWHERE).run(*words, "--set", store)
            self.assertNotEqual(done.code, 0)
            self.assertIn("pg_dump", done.err + done.out, words)

    def test_doctor_says_what_the_store_is_like(self):
        shared = self.shared_daemon(self.own_daemon()[1]).start()
        done = Cli(shared).run("doctor", "--url", shared.url, "--state-dir", str(shared.state_dir), "--set",
                               f"storage.store={store_in(shared.schema)}")
        for words in ("store module", "PostgreSQL ", "without TLS", f"version 2 in {shared.schema}", "clock", "ready at"):
            self.assertIn(words, done.out)
        self.assertNotIn("headway.db", done.out)
        shared.stop()


class Module(unittest.TestCase):
    """Where the program and its module do not fit."""

    def setUp(self):
        self.daemon = Daemon()
        self.addCleanup(self.daemon.close)
        self.program = self.daemon.root / "bin/headway"
        self.program.parent.mkdir()
        shutil.copy(BINARY, self.program)

    def check(self) -> subprocess.CompletedProcess:
        return subprocess.run([self.program, "config", "check", "--set", "storage.store=postgresql:///x"], capture_output=True, text=True,
                              check=False, env=Cli(None, url=NOWHERE).environment)

    def test_a_program_without_it_says_what_to_install(self):
        done = self.check()
        self.assertEqual(done.returncode, 2)
        self.assertIn("install the package headway-postgres", done.stderr)

    @unittest.skipUnless((BINARY.parent / "headway-postgres.so").exists(), "built without libpq")
    def test_it_is_found_in_lib_headway_and_one_of_another_version_is_refused(self):
        place = self.daemon.root / "lib/headway/headway-postgres.so"
        place.parent.mkdir(parents=True)
        content = (BINARY.parent / "headway-postgres.so").read_bytes()
        place.write_bytes(content)
        self.assertEqual(self.check().returncode, 0)
        version = subprocess.run([self.program, "--version"], capture_output=True, text=True, check=True).stdout
        git = version.split("(")[1].split(",")[0].encode()
        self.assertIn(git, content)
        place.write_bytes(content.replace(git, b"0" * len(git)))
        done = self.check()
        self.assertEqual(done.returncode, 2)
        self.assertIn("is of version 0.1.0 000", done.stderr)


if __name__ == "__main__":
    unittest.main()
