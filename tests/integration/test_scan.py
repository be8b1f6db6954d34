#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`headway scan`: stored sessions found, judged and counted without a daemon; nothing is written but a cache."""
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import tempfile
import unittest
from pathlib import Path

from support import stored_sessions
from support.cli import Cli
from support.daemon import BINARY

NO_DAEMON = "http://127.0.0.1:1"


def claude(session: str, calls: int, folder: str = "/home/dev/code", **more) -> list:
    """A session in which one command fails so many times."""
    base = {"sessionId": session, "cwd": folder, "version": "2.1.332", **more}
    lines = [{"type": "api-request-blob", "data": "x" * 1000},
             {**base, "type": "user", "timestamp": "2026-11-26T10:00:00.000Z", "message": {"content": "Fix the build"}}]
    for i in range(calls):
        at = f"2026-11-26T10:00:{i + 1:02}.000Z"
        name = f"{session}{i}"
        lines.append({**base, "type": "assistant", "timestamp": at, "message": {
            "id": "m" + name, "model": "claude-sonnet-4-5", "usage": {"input_tokens": 1000, "output_tokens": 200},
            "content": [{"type": "tool_use", "id": "t" + name, "name": "Bash", "input": {"command": "make"}}]}})
        lines.append({**base, "type": "user", "timestamp": at, "message": {"content": [
            {"type": "tool_result", "tool_use_id": "t" + name, "is_error": True, "content": "Exit code 2\nno rule"}]}})
    return lines


class Scan(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.home = Path(folder.name)
        self.cli = Cli(None, NO_DAEMON)
        self.cli.environment["HOME"] = str(self.home)
        for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME"):
            self.cli.environment.pop(name, None)

    def store(self, path: str, lines: list) -> Path:
        file = self.home / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("".join(json.dumps(line) + "\n" for line in lines))
        return file

    def scan(self, *arguments, code=0):
        output = self.cli.run("scan", *arguments)
        self.assertEqual(output.code, code, output)
        return output

    def test_the_usual_stores_are_found_and_a_loop_is_named_with_its_cost(self):
        self.store(".claude/projects/-home-dev-code/one.jsonl", claude("one", 9))
        self.store(".claude/projects/-home-dev-code/two.jsonl", claude("two", 2))
        text = self.scan().out
        self.assertIn("2 sessions, 11.0s of work, 11 calls, 13.2k tokens, $0.066.", text)
        self.assertIn("1 stuck (at least 6.0k tokens, $0.030 after that)", text)
        self.assertRegex(text, r"one +claude +code +11-26 +9 +\$0.054 +\$0.030 +stuck from call 4: ")

    def test_a_sub_agent_stands_beside_its_parent(self):
        self.store(".claude/projects/p/one.jsonl", claude("one", 1))
        self.store(".claude/projects/p/one/subagents/agent-a1.jsonl", claude("one", 1, agentId="a1", isSidechain=True))
        found = json.loads(self.scan("--json").out)
        self.assertEqual((found["all"]["sessions"], found["all"]["sub_agents"]), (2, 1))
        self.assertEqual([one.get("parent") for one in found["sessions"] if one["id"] == "a1"], ["one"])

    def test_one_session_is_shown_with_its_verdicts(self):
        self.store(".claude/projects/p/one.jsonl", claude("one", 9))
        text = self.scan("--show", "on").out
        self.assertRegex(text, r"call 4 .* -> stuck")
        self.assertIn("no stored session begins with x", self.scan("--show", "x", code=1).err)

    def test_sessions_are_chosen_by_project_and_agent(self):
        self.store(".claude/projects/p/one.jsonl", claude("one", 1, "/home/dev/code"))
        self.store(".claude/projects/q/two.jsonl", claude("two", 1, "/home/dev/site"))
        found = json.loads(self.scan("--json", "--project", "site").out)
        self.assertEqual([one["id"] for one in found["sessions"]], ["two"])
        output = self.scan("--json", "--agent", "codex", code=1)
        self.assertEqual(json.loads(output.out)["sessions"], [])
        self.assertIn("no sessions found in ", output.err)
        self.assertIn("leave out --agent", output.err)
        self.assertIn("codex", self.scan("--agent", "cdex", code=64).err)

    def test_without_any_it_says_where_it_looked(self):
        output = self.scan(code=1)
        self.assertIn(f"no sessions found in {self.home}/.claude/projects (not there)", output.err)
        self.assertIn("name a file or a folder", output.err)

    def test_what_cannot_be_taken_costs_a_line_each_and_nothing_else(self):
        self.store(".claude/projects/p/one.jsonl", claude("one", 1))
        (self.home / ".claude/projects/p/link.jsonl").symlink_to("/etc/passwd")
        (self.home / ".claude/projects/p/empty.jsonl").write_text("")
        (self.home / ".claude/projects/p/noise.jsonl").write_bytes(os.urandom(4096) + b"\n{}\n[\n")
        output = self.scan()
        self.assertIn("1 session, ", output.out)
        self.assertIn("link.jsonl: is a symbolic link", output.err)
        self.assertRegex(output.err, r"skipped: .*noise.jsonl: no session, \d+ of \d+ lines are damaged")
        self.assertNotIn("empty.jsonl", output.err)

    def test_sessions_of_a_form_that_is_not_known_are_counted(self):
        self.store(".claude/projects/p/one.jsonl", claude("one", 1))
        for name in ("new-1", "new-2"):
            self.store(f".claude/projects/p/{name}.jsonl", [{"type": "v9", "sessionId": name}] * 4)
        output = self.scan()
        self.assertIn("1 session, ", output.out)
        self.assertIn("left out: 2 stored sessions in which nothing is understood", output.err)

    def test_a_damaged_session_is_counted_and_named(self):
        file = self.store(".claude/projects/p/one.jsonl", claude("one", 1))
        with file.open("a") as more:
            more.write('{"type":"user" broken\n')
        self.grow_old()
        for _ in range(2):  # from the file, then from the cache
            output = self.scan()
            self.assertIn("1 session, ", output.out)
            self.assertIn(f"in part: {file}: 1 of 5 lines is damaged", output.err)

    def test_a_beginning_of_several_ids_lists_them_and_shows_none(self):
        for session in ("one", "one-2", "only"):
            self.store(f".claude/projects/p/{session}.jsonl", claude(session, 1))
        output = self.scan("--show", "on", code=1)
        self.assertEqual(output.out, "")
        self.assertIn("3 stored sessions begin with on", output.err)
        self.assertRegex(output.err, r"one-2 claude .*/one-2.jsonl")
        self.assertIn("/one.jsonl", self.scan("--show", "one").out)

    def test_options_of_two_results_at_once_are_refused(self):
        for more in (["--show", "one"], ["--json"]):
            self.assertIn("cannot be used with --", self.scan("--html", "page.html", *more, code=64).err)

    def test_pipes_links_and_folders_without_permission_hold_nothing_up(self):
        one = self.store(".claude/projects/p/one.jsonl", claude("one", 1))
        os.mkfifo(one.parent / "pipe.jsonl")
        shut = self.home / ".claude/projects/shut"
        shut.mkdir(mode=0)
        self.addCleanup(shut.chmod, 0o700)
        (self.home / ".claude/projects/linked").symlink_to(self.home)
        skipped = json.loads(self.cli.run("scan", "--json", seconds=20).out)["skipped"]
        self.assertIn(f"{one.parent}/pipe.jsonl: is no file", skipped)
        self.assertIn(f"{self.home}/.claude/projects/linked: is a symbolic link", skipped)
        if os.geteuid() != 0:
            self.assertIn(f"{shut}: Permission denied", skipped)

    def test_replay_and_eval_wait_for_no_writer_of_a_pipe(self):
        folder = self.store("labelled/one.jsonl", claude("one", 1)).parent
        pipe = folder / "pipe.jsonl"
        os.mkfifo(pipe)
        for words in (["replay", str(pipe)], ["eval", str(folder)], ["eval", str(folder), "--labels", str(pipe)],
                      ["eval", str(folder), "--verdicts", str(pipe)], ["replay", "/dev/zero"]):
            output = self.cli.run(*words, seconds=20)
            self.assertEqual(output.code, 1, output)
            self.assertIn("is no file", output.err)

    def test_replay_reads_what_a_shell_opened(self):
        file = self.store("labelled/one.jsonl", claude("one", 9))
        for words in (f'cat "{file}"', f"head -n 300 \"{file}\""):
            ran = subprocess.run(["bash", "-c", f'"{BINARY}" replay <({words})'], env=self.cli.environment, capture_output=True, text=True,
                                 check=False, timeout=60)
            self.assertRegex(ran.stdout, "9 calls, stuck", ran)

    def test_as_many_models_as_answers_take_no_longer_than_one(self):
        lines = []
        for i in range(60_000):
            lines.append({"sessionId": "m", "cwd": "/w", "type": "assistant", "timestamp": "2026-11-26T10:00:00.000Z", "message": {
                "id": f"m{i}", "model": f"model-{i}", "usage": {"input_tokens": 1}, "content": []}})
        self.store(".claude/projects/p/one.jsonl", lines)
        found = json.loads(self.cli.run("scan", "--json", seconds=20).out)
        self.assertEqual(found["all"]["tokens"], 60_000)
        self.assertEqual(found["by_model"]["(more models)"]["tokens"], 60_000 - 64)

    def test_a_file_of_another_program_is_named(self):
        file = self.store("x/notes.jsonl", [{"a": 1}])
        self.assertIn("notes.jsonl: no session of a known agent", self.scan(str(file), code=1).err)

    def test_nothing_is_written_but_the_cache(self):
        self.store(".claude/projects/p/one.jsonl", claude("one", 3))
        stored_sessions.opencode(self.home)
        self.grow_old()
        before = self.files()
        self.scan("--no-cache")
        self.assertEqual(self.files(), before)
        self.scan()
        self.assertEqual({path for path, *_ in self.files()} - {path for path, *_ in before}, {".cache", ".cache/headway", ".cache/headway/scan"})
        self.assertEqual((self.home / ".cache/headway/scan").stat().st_mode & 0o777, 0o600)

    def test_the_cache_says_what_reading_says_and_only_changed_files_are_read_again(self):
        for store in stored_sessions.AGENTS.values():
            store(self.home)
        self.grow_old()
        whole = json.loads(self.scan("--json", "--no-cache").out)
        self.assertEqual(json.loads(self.scan("--json").out), whole)
        claude_file = self.home / ".claude/projects/-home-dev-code/claude-1.jsonl"
        claude_file.chmod(0)
        again = json.loads(self.scan("--json").out)
        self.assertEqual(again, whole)
        claude_file.chmod(0o600)
        with claude_file.open("a") as file:
            file.write(json.dumps(claude("claude-1", 1)[-2]) + "\n")
        self.assertEqual(json.loads(self.scan("--json").out)["all"]["tokens"], whole["all"]["tokens"] + 1200)

    def test_the_page_is_one_file_in_which_names_are_text_and_nothing_runs(self):
        self.store(".claude/projects/p/one.jsonl", claude("one", 9, "/home/<script>alert(1)</script>&"))
        page = self.home / "scan.html"
        self.assertEqual(self.scan("--html", str(page)).out, "")
        html = page.read_text()
        self.assertIn("/home/&lt;script&gt;alert(1)&lt;/script&gt;&amp;", html)
        self.assertIn("stuck from call 4: ", html)
        self.assertIn(html.count("</text>"), (11, 12), "a name for each month")
        self.assertIn("default-src 'none'; style-src 'unsafe-inline'", html)
        self.assertNotRegex(html, r"(?i)<script|<link|https?://|url\(|@import|\son[a-z]+=")
        page.unlink()
        page.symlink_to(self.home / "other")
        self.assertIn("it is a link", self.scan("--html", str(page), code=64).err)

    def test_a_damaged_cache_is_no_cache(self):
        self.store(".claude/projects/p/one.jsonl", claude("one", 3))
        self.grow_old()
        whole = self.scan("--json").out
        cache = self.home / ".cache/headway/scan"
        good = cache.read_bytes()
        for bad in (b"", good[:-1], good[:40], good[:60] + b"\xff" * 9 + good[69:], os.urandom(500)):
            cache.write_bytes(bad)
            self.assertEqual(self.scan("--json").out, whole)

    def test_nine_agents_say_the_same_of_the_same_work(self):
        for store in stored_sessions.AGENTS.values():
            store(self.home)
        found = json.loads(self.scan("--json").out)
        self.assertEqual(found["skipped"], [])
        sessions = {one["id"]: one for one in found["sessions"]}
        for agent in stored_sessions.AGENTS:
            one = sessions[agent + "-1"]
            told = (one["agent"], one["project"], one["used"]["calls"], one["used"]["failures"], one["used"]["tokens"], one["stuck"]["call"])
            self.assertEqual(told, (agent, "/home/dev/code", 6, 5, 7 * 1020, 5), one)
            self.assertEqual(one["open_calls"], 0 if agent == "gemini" else 1, agent)  # Gemini CLI does not store them
        subs = {one["id"]: one["parent"] for one in found["sessions"] if "parent" in one}
        self.assertEqual(subs, {"sub1": "claude-1", "sub2": "gemini-1", "opencode-sub": "opencode-1", "kilo-sub": "kilo-1"})

    def test_each_stored_session_gives_the_golden_report(self):
        for store in stored_sessions.AGENTS.values():
            store(self.home)
        text = json.dumps(json.loads(self.scan("--json").out.replace(str(self.home), "HOME")), indent=1, sort_keys=True) + "\n"
        golden = Path(__file__).parent / "support/scan_golden.json"
        if os.environ.get("HEADWAY_WRITE_GOLDEN"):
            golden.write_text(text)
        self.assertEqual(text, golden.read_text())

    def test_rows_that_are_still_in_the_log_of_sqlite_are_read_and_the_log_is_as_it_was(self):
        rows = stored_sessions.Rows(self.home / ".local/share/opencode/opencode.db", "opencode")
        self.addCleanup(rows.close)
        rows.fill()
        before = self.files()
        self.assertGreater((self.home / ".local/share/opencode/opencode.db-wal").stat().st_size, 0)
        found = json.loads(self.scan("--json", "--no-cache").out)
        self.assertEqual([one["id"] for one in found["sessions"]], ["opencode-1", "opencode-sub"])
        self.assertEqual(self.files(), before)

    def test_a_log_without_its_index_is_named_and_nothing_is_made(self):
        rows = stored_sessions.Rows(self.home / "live/opencode.db", "opencode")
        rows.fill()
        copy = self.home / "copy"
        copy.mkdir()
        for name in ("opencode.db", "opencode.db-wal"):
            shutil.copy(self.home / "live" / name, copy / name)
        rows.close()
        before = self.files()
        self.assertIn("its log has no index", self.cli.run("scan", "--no-cache", str(copy)).err)
        self.assertEqual(self.files(), before)

    def test_a_hostile_database_costs_a_line_and_no_time(self):
        spin = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS id, i AS session_id, i AS parent_id, i AS directory, " \
               "i AS version, i AS time_created, i AS data FROM n"
        plain = stored_sessions.SCHEMA
        schemas = {
            "view": f"CREATE VIEW session AS {spin}; CREATE VIEW message AS {spin}; CREATE VIEW part AS {spin};",
            "generated": plain.replace("version text NOT NULL", "version text GENERATED ALWAYS AS (hex(zeroblob(30000000)))"),
            "virtual": plain.partition("CREATE INDEX part_step")[0].replace("CREATE TABLE part (id text PRIMARY KEY", "CREATE VIRTUAL TABLE part USING fts5(id").replace(
                "message_id text NOT NULL, session_id text NOT NULL, time_created integer NOT NULL, time_updated integer NOT NULL,\n                   "
                "data text NOT NULL", "message_id, session_id, time_created, data"),
            "rowless": plain.replace("data text NOT NULL);", "data text NOT NULL) WITHOUT ROWID;"),
            "none": "CREATE TABLE other (id);",
        }
        for name, schema in schemas.items():
            file = self.home / name / "opencode.db"
            file.parent.mkdir()
            database = sqlite3.connect(file)
            database.executescript(schema)
            database.close()
        (self.home / "noise").mkdir()
        (self.home / "noise/kilo.db").write_bytes(b"SQLite format 3\0" + os.urandom(9000))
        (self.home / "empty").mkdir()
        (self.home / "empty/kilo.db").write_bytes(b"")
        output = self.cli.run("scan", "--json", *(str(self.home / name) for name in [*schemas, "noise", "empty"]), seconds=30)
        skipped = "\n".join(json.loads(output.out)["skipped"])
        for name in schemas:
            self.assertIn(f"{name}/opencode.db: no ", skipped)
        self.assertIn("noise/kilo.db", skipped)
        self.assertIn("empty/kilo.db", skipped)

    def test_what_lies_beside_a_session_of_cline_is_read_only_if_it_is_a_file(self):
        stored_sessions.cline(self.home)
        beside = self.home / ".cline/data/sessions/cline-1/cline-1.json"
        beside.unlink()
        os.mkfifo(beside)
        self.assertEqual(json.loads(self.cli.run("scan", "--json", seconds=20).out)["sessions"][0]["project"], "")
        beside.unlink()
        secret = self.home / "secret.json"
        secret.write_text('{"cwd": "/secret"}')
        beside.symlink_to(secret)
        self.assertEqual(json.loads(self.scan("--json").out)["sessions"][0]["project"], "")

    def test_replay_and_eval_read_the_documents_of_cline(self):
        stored_sessions.cline(self.home)
        folder = self.home / ".cline/data/sessions/cline-1"
        output = self.cli.run("replay", str(folder / "cline-1.messages.json"))
        self.assertRegex(output.out, "6 calls, stuck")
        output = self.cli.run("eval", str(folder), "--json")
        self.assertEqual((output.code, json.loads(output.out)["total"]["sessions"]), (0, 1), output)

    def test_control_c_ends_the_reading_and_what_was_read_is_printed_and_not_remembered(self):
        self.store(".claude/projects/p/one.jsonl", claude("one", 9))
        self.grow_old()

        def interrupted() -> None:  # waits for the program, which has not begun
            signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
            os.kill(os.getpid(), signal.SIGINT)

        ran = subprocess.run([BINARY, "scan"], env=self.cli.environment, preexec_fn=interrupted, capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(ran.returncode, 0, ran)
        self.assertIn("stopped: the files behind this were not read", ran.stderr)
        self.assertFalse((self.home / ".cache").exists())
        self.assertIn("1 session, ", self.scan().out)

    def grow_old(self) -> None:
        """A file that has just been written is not remembered."""
        for path in self.home.rglob("*"):
            if path.is_file():
                os.utime(path, (1_700_000_000, 1_700_000_000))

    def files(self) -> set:
        """All that is there, with what a write would change."""
        return {(str(path.relative_to(self.home)), *((path.stat().st_size, path.stat().st_mtime_ns) if path.is_file() else ()))
                for path in self.home.rglob("*")}

    def test_replay_and_eval_read_stored_sessions_too(self):
        file = self.store("labelled/one.jsonl", claude("one", 9))
        output = self.cli.run("replay", str(file))
        self.assertEqual(output.code, 0, output)
        self.assertRegex(output.out, "9 calls, stuck")
        labels = self.home / "labels.csv"
        labels.write_text("file,source,outcome,loop,how_labelled,loop_start_call,loop_len\none.jsonl,mine,failure,yes,human,0,9\n")
        output = self.cli.run("eval", str(self.home / "labelled"), "--labels", str(labels), "--json")
        self.assertEqual(output.code, 0, output)
        self.assertEqual(json.loads(output.out)["sources"]["mine"]["recall"], 1)


if __name__ == "__main__":
    unittest.main()
