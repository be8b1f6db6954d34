#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`headway install`, `uninstall` and `doctor AGENT` on settings files as people have them."""
import json
import os
import pty
import shlex
import shutil
import stat
import subprocess
import unittest
from pathlib import Path

from support.agent_home import FILES, VERSIONS, HomeCase
from support.daemon import BINARY
from support.limits import eventually, patient

OTHER = '{"type": "command", "command": "notify-send done", "timeout": 5}'
PRETTY = json.dumps({"model": "opus", "hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [json.loads(OTHER)]}],
                                                "Stop": [{"hooks": [json.loads(OTHER)]}]}}, indent=2)
BIG = json.dumps({"permissions": {"allow": [f"Bash(make target-{i}:*)" for i in range(35_000)]}}, indent=2)
# Contents of a settings file, by a name for each: installed and uninstalled it is the same to the byte.
KEPT = {
    "two spaces": PRETTY + "\n",
    "no newline at end": PRETTY,
    "four spaces": json.dumps(json.loads(PRETTY), indent=4) + "\n",
    "tabs": json.dumps(json.loads(PRETTY), indent="\t") + "\n",
    "CRLF": PRETTY.replace("\n", "\r\n") + "\r\n",
    "CR": PRETTY.replace("\n", "\r"),
    "byte order mark": "\ufeff" + PRETTY + "\n",
    "mark and CRLF": "\ufeff" + PRETTY.replace("\n", "\r\n"),
    "one line": json.dumps(json.loads(PRETTY)),
    "one line and newline": json.dumps(json.loads(PRETTY)) + "\n",
    "minified": json.dumps(json.loads(PRETTY), separators=(",", ":")),
    "line comments": '// mine\n{ // root\n  "hooks": { // all\n    "PreToolUse": [ // pre\n      ' + OTHER.replace('{', '{"hooks": [{', 1)
                     + ']} // last, with no comma\n    ] // end\n  } // of hooks\n} // of all\n',
    "block comments": '/* a */{/* b */"hooks"/* c */:/* d */{/* e */"PreToolUse"/* f */:/* g */[/* h */]/* i */}/* j */}/* k */',
    "a comment in an empty list": '{\n  "hooks": {\n    "PreToolUse": [\n      // nothing yet\n    ]\n  }\n}\n',
    "trailing commas": '{\n  "hooks": {\n    "PreToolUse": [\n      {"hooks": [' + OTHER + ',],},\n    ],\n  },\n  "model": "opus",\n}\n',
    "odd formatting": '{"a" :1 ,\n\n\n"hooks"\t:\n{ "Stop" : [\n{ "hooks":[' + OTHER + '] }\n,{"hooks":[]}] }\n ,"b":[ 1,2 , 3]}   \n\n',
    "commas first": '{ "a": 1\n, "hooks": { "Stop": [ {"hooks": [' + OTHER + ']}\n  , {"hooks": []}\n  ] }\n, "b": 2\n}\n',
    "empty object": "{}",
    "empty object and newline": "{}\n",
    "empty object with a space": "{ }\n",
    "empty object on two lines": "{\n}\n",
    "empty file": "",
    "only a newline": "\n",
    "only a mark": "\ufeff",
    "empty hooks": '{\n  "hooks": {}\n}\n',
    "empty hooks on two lines": '{\n  "hooks": {\n  }\n}\n',
    "empty lists": '{"hooks": {"PreToolUse": [], "Stop": [ ], "SessionStart": [\n]}}',
    "duplicate keys": '{\n  "env": {"A": "1"},\n  "env": {"A": "2"},\n  "hooks": {"Stop": [{"hooks": [' + OTHER + ']}]}\n}\n',
    "escapes": '{"h\\u006foks": {"Pre\\u0054oolUse": [{"hooks": [' + OTHER + ']}]}, "\\u00e9": "\\ud83d\\ude00 // no comment"}\n',
    "a megabyte": BIG + "\n",
    "others' entries of every event": json.dumps({"hooks": {event: [{"hooks": [json.loads(OTHER)]}] for event in (
        "SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure", "PostToolBatch", "PermissionRequest",
        "Notification", "Stop", "StopFailure", "SubagentStart", "SubagentStop", "PostCompact", "SessionEnd", "PreCompact")}}, indent=2),
    "broken UTF-8": b'{"name": "\xff\xfe", "hooks": {}}\n',
}
# Refused contents, and the place that is named.
REFUSED = {
    "{\n  \"hooks\": {\n    \"Stop\": [\n  }\n}\n": "line 4, column 3",
    "{'hooks': 1}": "line 1, column 2",
    '{"a": 1 "b": 2}\n': "line 1, column 9",
    "not json\n": "line 1, column 1",
    "{}\n{}\n": "line 2, column 1",
    '{"hooks": "none"}': "line 1, column 2",
    '{\n  "hooks": []\n}': "line 2, column 3",
    '{\n  "hooks": {\n    "PreToolUse": {}\n  }\n}': "line 3, column 5",
    '{"hooks": null}': "line 1, column 2",
    "[]": "line 1, column 1",
    "// words\n": "line 2, column 1",
    '{"a": "' : "line 1, column 8",
    "[" * 300: "line 1, column 202",
    '{\n  "hooks": {"Stop": []},\n  "hooks": {}\n}': "line 3, column 3",
    '{\n  "hooks": {\n    "Stop": [],\n    "St\\u006fp": []\n  }\n}': "line 4, column 5",
}


class Files(HomeCase):
    def test_install_and_uninstall_give_back_every_byte(self):
        self.assertGreaterEqual(len(KEPT), 30)
        for name, content in KEPT.items():
            with self.subTest(name):
                content = content if isinstance(content, bytes) else content.encode()
                path = self.settings()
                path.write_bytes(content)
                path.chmod(0o640)
                before = self.tree()
                self.install("claude")
                installed = path.read_bytes()
                self.assertNotEqual(installed, content)
                self.assertEqual(installed.count(b"/v1/hooks/claude"), 13)
                self.assertEqual(installed.count(b"headway-hook claude"), 5)
                self.assertEqual(stat.S_IMODE(path.stat().st_mode), 0o640)
                self.assertEqual(path.with_name("settings.json.headway-backup").read_bytes(), content)
                again = self.install("claude")
                self.assertEqual(again.out, "")
                self.assertIn("there already", again.err)
                self.assertEqual(path.read_bytes(), installed)
                self.uninstall("claude")
                self.assertEqual(self.tree(), before)

    def test_with_requirements_and_token_too(self):
        for name, content in KEPT.items():
            with self.subTest(name):
                path = self.settings()
                path.write_bytes(content if isinstance(content, bytes) else content.encode())
                before = self.tree()
                self.install("claude", "--require", "Bash|Write", "--token", "--url", "http://127.0.0.1:9999")
                self.assertEqual(path.read_bytes().count(b" --require"), 1)
                self.uninstall("claude")
                self.assertEqual(self.tree(), before)

    def test_what_is_no_settings_file_is_refused_with_its_place(self):
        for content, place in REFUSED.items():
            for verb in ("install", "uninstall"):
                with self.subTest(content=content[:40], verb=verb):
                    path = self.settings()
                    path.write_text(content)
                    before = self.tree()
                    done = self.run_verb(verb, "--yes", "claude")
                    self.assertEqual(self.tree(), before)
                    of_another_kind = "hooks" in content and content[0] == "{" and "'" not in content and content.count("}") == content.count("{")
                    if verb == "install" or not (of_another_kind or content == "[]"):
                        self.assertEqual(done.code, 1, done)
                        self.assertIn(place, done.err)
                        self.assertIn("settings.json", done.err)

    def test_a_read_only_file_and_folder_are_refused(self):
        path = self.settings()
        path.write_text(PRETTY)
        path.chmod(0o444)
        before = self.tree()
        done = self.install("claude", code=1)
        self.assertIn("read-only", done.err)
        self.assertEqual(self.tree(), before)

    @unittest.skipUnless(os.geteuid() == 0, "only root can give files away")
    def test_the_owner_stays(self):
        path = self.settings()
        path.write_text(PRETTY)
        os.chown(path, 12345, 12346)
        self.install("claude")
        for file in (path, path.with_name("settings.json.headway-backup")):
            self.assertEqual((file.stat().st_uid, file.stat().st_gid), (12345, 12346), file)

    @unittest.skipUnless(os.geteuid() == 0, "only root can give files away")
    def test_what_root_makes_in_the_folder_of_a_user_is_that_users(self):
        os.chown(self.home, 12345, 12346)
        for agent in ("claude", "copilot", "cline"):
            self.install(agent)
        made = [path for path in self.home.rglob("*") if ".c" in str(path.relative_to(self.home))]
        self.assertGreater(len(made), 10)
        for path in made:
            self.assertEqual((path.stat().st_uid, path.stat().st_gid), (12345, 12346), path)

    def test_what_another_program_writes_meanwhile_is_not_lost(self):
        path = self.settings()
        path.write_text(PRETTY)
        master, slave = pty.openpty()
        process = subprocess.Popen([str(BINARY), "install", "claude"], env=self.environment, cwd=self.home, stdin=slave,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        shown = b""
        while b"[y/N]" not in shown:
            part = os.read(process.stderr.fileno(), 4096)
            self.assertTrue(part, shown)
            shown += part
        path.write_text('{"theirs": 1}')
        os.write(master, b"y\n")
        shown = process.communicate(timeout=patient(60))[1].decode()
        os.close(master)
        os.close(slave)
        self.assertEqual(process.returncode, 1)
        self.assertIn("another program has changed it meanwhile", shown)
        self.assertEqual(path.read_text(), '{"theirs": 1}')
        self.assertEqual([file.name for file in path.parent.iterdir()], ["settings.json"])

    def test_too_much_is_refused(self):
        path = self.settings()
        path.write_text('{"a": "' + "x" * (4 * 1024 * 1024) + '"}')
        self.assertIn("more than 4 MiB", self.install("claude", code=1).err)

    def test_something_that_is_no_file_is_refused(self):
        path = self.settings()
        path.mkdir()
        self.assertIn("it is no file", self.install("claude", code=1).err)
        path.rmdir()
        os.mkfifo(path)
        self.assertIn("it is no file", self.install("claude", code=1).err)

    def test_a_link_stays_one(self):
        real = self.home / "dotfiles/claude.json"
        real.parent.mkdir()
        real.write_text(PRETTY)
        between = self.home / "dotfiles/link.json"
        between.symlink_to("claude.json")
        self.settings().symlink_to(between)
        before = self.tree()
        self.install("claude")
        self.assertIn("/v1/hooks/claude", real.read_text())
        self.assertTrue(self.settings().is_symlink() and between.is_symlink())
        self.uninstall("claude")
        self.assertEqual(self.tree(), before)

    def test_a_link_of_a_checkout_is_not_written_through(self):
        project, theirs = self.home / "checkout", self.home / "theirs"
        theirs.mkdir()
        (theirs / "settings.json").write_text("{}")
        for make in (lambda: (project / ".claude").symlink_to(theirs),
                     lambda: ((project / ".claude").mkdir(), (project / ".claude/settings.json").symlink_to(theirs / "settings.json")),
                     lambda: (project / ".claude").symlink_to(self.home / "gone")):
            project.mkdir()
            make()
            for verb in ("install", "uninstall"):
                ran = subprocess.run([str(BINARY), verb, "claude", "--project", "--yes"], env=self.environment, cwd=project, capture_output=True,
                                     text=True, check=False)
                self.assertEqual(ran.returncode, 1, (verb, ran.stderr))
                self.assertIn("it is a link to", ran.stderr)
            self.assertEqual((theirs / "settings.json").read_text(), "{}")
            self.assertEqual([path.name for path in theirs.iterdir()], ["settings.json"])
            self.assertFalse((self.home / "gone").exists())
            shutil.rmtree(project)

    def test_a_link_that_leads_nowhere_is_refused(self):
        self.settings().symlink_to(self.home / "gone.json")
        self.assertIn("leads nowhere", self.install("claude", code=1).err)
        self.assertFalse((self.home / "gone.json").exists())

    def test_a_missing_file_is_made_for_its_owner_and_deleted(self):
        before = self.tree()
        for agent in VERSIONS:
            self.install(agent)
        made = [self.home / file for file in FILES.values()]
        for path in made:
            self.assertEqual(stat.S_IMODE(path.stat().st_mode), 0o600, path)
        for folder in (".claude", ".codex", ".gemini", ".copilot/hooks", ".cline/hooks"):
            self.assertEqual(stat.S_IMODE((self.home / folder).stat().st_mode), 0o700, folder)
        self.uninstall()
        self.assertEqual(self.tree(), before)

    def test_a_backup_is_never_overwritten(self):
        path = self.settings()
        backup = path.with_name("settings.json.headway-backup")
        backup.write_text("older")
        path.write_text("{}\n")
        self.install("claude")
        self.assertEqual(backup.read_text(), "older")
        self.assertEqual(path.with_name(backup.name + ".1").read_text(), "{}\n")
        self.uninstall("claude")
        self.assertEqual(path.read_text(), "{}\n")
        self.assertEqual(backup.read_text(), "older")
        self.assertFalse(path.with_name(backup.name + ".1").exists())

    def test_what_others_change_meanwhile_stays(self):
        path = self.settings()
        path.write_text(PRETTY)
        self.install("claude")
        data = json.loads(path.read_text())
        data["theme"] = "dark"
        data["hooks"]["PreToolUse"][1]["hooks"].append(json.loads(OTHER))  # into our own group
        data["hooks"]["Stop"].append({"hooks": [json.loads(OTHER)]})
        path.write_text(json.dumps(data, indent=2))
        self.uninstall("claude")
        wanted = json.loads(PRETTY)
        wanted["theme"] = "dark"
        wanted["hooks"]["PreToolUse"].append({"hooks": [json.loads(OTHER)]})
        wanted["hooks"]["Stop"].append({"hooks": [json.loads(OTHER)]})
        self.assertEqual(json.loads(path.read_text()), wanted)
        self.assertEqual(path.with_name("settings.json.headway-backup").read_text(), PRETTY)

    def test_a_file_that_others_use_now_is_not_deleted(self):
        self.install("claude")
        path = self.settings()
        data = json.loads(path.read_text())
        data["model"] = "opus"
        path.write_text(json.dumps(data))
        self.uninstall("claude")
        self.assertEqual(json.loads(path.read_text()), {"model": "opus"})


class Entries(HomeCase):
    def installed(self, agent: str, *arguments) -> dict:
        self.install(agent, *arguments)
        return json.loads(self.settings(agent).read_text())["hooks"]

    def test_claude(self):
        hooks = self.installed("claude")
        self.assertEqual(list(hooks), ["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure", "PostToolBatch",
                                       "PermissionRequest", "PermissionDenied", "Notification", "Stop", "StopFailure", "SubagentStart", "SubagentStop",
                                       "PostCompact", "SessionEnd", "Elicitation", "ElicitationResult"])
        self.assertEqual(hooks["SessionStart"], [{"hooks": [{"type": "command", "command": f"{self.hook} claude", "timeout": 10}]}])
        url = "http://127.0.0.1:7717/v1/hooks/claude"
        session = {"headers": {"X-Headway-Session": "$HEADWAY_SESSION", "X-Headway-Url": "$HEADWAY_URL"},
                   "allowedEnvVars": ["HEADWAY_SESSION", "HEADWAY_URL"]}
        self.assertEqual(hooks["PreToolUse"], [{"hooks": [{"type": "http", "url": url, "timeout": 86400, **session}]}])
        self.assertEqual(hooks["PermissionRequest"], [{"hooks": [{"type": "http", "url": url, "timeout": 86400, **session}]}])
        self.assertEqual(hooks["SessionEnd"], [{"hooks": [{"type": "http", "url": url, "timeout": 5, **session}]}])
        for event in ("Stop", "StopFailure", "SubagentStop"):
            self.assertEqual(hooks[event], hooks["SessionStart"])
        beside = {"type": "command", "command": f"{self.hook} claude --usage", "timeout": 10, "async": True}
        self.assertEqual(hooks["PostToolBatch"], [*hooks["SessionEnd"], {"hooks": [beside]}])

    def test_claude_with_requirement_and_token(self):
        hooks = self.installed("claude", "--require", "Bash|Write", "--token")
        credentials = {"headers": {"X-Headway-Session": "$HEADWAY_SESSION", "X-Headway-Url": "$HEADWAY_URL",
                                   "Authorization": "Bearer $HEADWAY_TOKEN"},
                       "allowedEnvVars": ["HEADWAY_SESSION", "HEADWAY_URL", "HEADWAY_TOKEN"]}
        url = "http://127.0.0.1:7717/v1/hooks/claude"
        self.assertEqual(hooks["PreToolUse"], [
            {"hooks": [{"type": "http", "url": url, "timeout": 86400, **credentials}]},
            {"matcher": "Bash|Write", "hooks": [{"type": "command", "command": f"{self.hook} claude --require", "timeout": 86400}]}])
        again = self.installed("claude", "--token")
        self.assertEqual(len(again["PreToolUse"]), 2, "a requirement stays until it is taken back")
        self.assertEqual(len(self.installed("claude", "--token", "--require", "")["PreToolUse"]), 1)

    def test_a_goal_stays_until_it_is_taken_back(self):
        goal = "make 'the test' && true"
        for agent, event, seconds in (("claude", "Stop", 630), ("qwen", "Stop", 630_000), ("codex", "Stop", 630), ("gemini", "AfterAgent", 630_000)):
            with self.subTest(agent):
                before = self.installed(agent)
                hooks = self.installed(agent, "--until", goal)
                [hook] = hooks[event][0]["hooks"]
                self.assertEqual(shlex.split(hook["command"])[1:], [agent, "--until", goal])
                self.assertEqual(hook["timeout"], seconds)
                self.assertEqual({name: groups for name, groups in hooks.items() if name != event},
                                 {name: groups for name, groups in before.items() if name != event})
                self.assertEqual(self.installed(agent), hooks)
                self.assertEqual(self.installed(agent, "--until", ""), before)
        refused = self.run_verb("install", "--yes", "cline", "--until", "make")
        self.assertNotEqual(refused.code, 0)
        self.assertIn("has no hook that keeps it going", refused.out + refused.err)
        refused = self.run_verb("install", "--yes", "claude", "--until", "make\ntest")
        self.assertIn("a command of one line", refused.err)

    def test_qwen(self):
        hooks = self.installed("qwen")
        self.assertEqual(hooks.pop("SessionStart"), [{"hooks": [{"name": "headway", "type": "command", "command": f"{self.hook} qwen",
                                                                 "timeout": 10_000}]}])  # milliseconds
        for event, groups in hooks.items():
            with self.subTest(event):
                seconds = 86400 if event in ("PreToolUse", "PermissionRequest") else 5
                self.assertEqual(groups, [{"hooks": [{"name": "headway", "type": "http", "url": "http://127.0.0.1:7717/v1/hooks/qwen",
                                                      "timeout": seconds,
                                                      "headers": {"X-Headway-Session": "${HEADWAY_SESSION}", "X-Headway-Url": "${HEADWAY_URL}"},
                                                      "allowedEnvVars": ["HEADWAY_SESSION", "HEADWAY_URL"]}]}])

    def test_codex(self):
        hooks = self.installed("codex")
        self.assertEqual(hooks["SessionEnd"], [{"hooks": [{"type": "command", "command": f"{self.hook} codex", "timeout": 3}]}])
        self.assertEqual(hooks["PreToolUse"], [{"hooks": [{"type": "command", "command": f"{self.hook} codex", "timeout": 86400}]}])
        self.assertEqual(hooks["Interrupt"], hooks["SessionEnd"], "Codex gives both 3 s at most")

    def test_gemini_counts_milliseconds(self):
        hooks = self.installed("gemini")
        self.assertEqual(hooks["BeforeTool"], [{"hooks": [{"name": "headway", "type": "command", "command": f"{self.hook} gemini", "timeout": 86_400_000}]}])
        self.assertEqual(hooks["AfterTool"][0]["hooks"][0]["timeout"], 10_000)
        self.assertNotIn("PreCompress", hooks)

    def test_copilot_never_fails_and_never_goes_by_http(self):
        hooks = self.installed("copilot")
        self.assertEqual(hooks["PreToolUse"], [{"type": "command", "bash": f"{self.hook} copilot || true", "timeoutSec": 86400}])
        self.assertEqual(json.loads(self.settings("copilot").read_text())["version"], 1)
        self.assertNotIn("http", self.settings("copilot").read_text())
        self.assertIn("ErrorOccurred", hooks)

    def test_cline_has_a_script_for_each_event(self):
        self.install("cline")
        scripts = {path.name: path for path in (self.home / ".cline/hooks").iterdir()}
        self.assertIn("PreToolUse", scripts)
        for path in scripts.values():
            self.assertEqual(stat.S_IMODE(path.stat().st_mode), 0o700)
            self.assertIn(f"exec {self.hook} cline\n", path.read_text())
        self.assertEqual(subprocess.run([str(scripts["PreToolUse"])], input=b"{}", check=False, env=self.environment).returncode, 0)

    def test_a_script_or_plugin_of_another_is_refused(self):
        for file, agent in ((".cline/hooks/PreToolUse", "cline"), (FILES["opencode"], "opencode")):
            path = self.home / file
            path.parent.mkdir(parents=True)
            path.write_text("#!/bin/sh\necho mine\n")
            before = self.tree()
            self.assertIn("it is not of Headway", self.install(agent, code=1).err)
            self.uninstall(agent)
            self.assertEqual(self.tree(), before)

    def test_plugins_know_the_daemon(self):
        for agent in ("opencode", "kilo", "pi"):
            self.install(agent, "--url", "http://127.0.0.1:8123")
            self.assertIn("'http://127.0.0.1:8123'", self.settings(agent).read_text())

    def test_a_url_that_could_leave_its_quotes_is_refused(self):
        self.assertIn("not written into settings", self.run_verb("install", "--yes", "opencode", "--url", "http://h/'+x+'").err)

    def test_entries_of_an_older_form_are_renewed_in_their_place(self):
        path = self.settings()
        old = {"type": "http", "url": "http://localhost:1/v1/hooks/claude", "timeout": 1}
        theirs = {"hooks": [json.loads(OTHER)]}
        path.write_text(json.dumps({"hooks": {
            "PreToolUse": [{"hooks": [old]}, theirs, {"matcher": "x", "hooks": [old, json.loads(OTHER)]}],
            "SessionStart": [{"hooks": [{"type": "command", "command": "headway-hook claude"}]}],
            "PreCompact": [{"hooks": [old]}, theirs],
            "Stop": [{"hooks": [{"type": "command", "command": "env A=1 headway-hook claude"}]}]}}, indent=2))
        hooks = self.installed("claude")
        current = {"type": "http", "url": "http://127.0.0.1:7717/v1/hooks/claude", "timeout": 86400,
                   "headers": {"X-Headway-Session": "$HEADWAY_SESSION", "X-Headway-Url": "$HEADWAY_URL"},
                   "allowedEnvVars": ["HEADWAY_SESSION", "HEADWAY_URL"]}
        self.assertEqual(hooks["PreToolUse"], [{"hooks": [current]}, theirs, {"matcher": "x", "hooks": [json.loads(OTHER)]}])
        self.assertEqual(hooks["SessionStart"], [{"hooks": [{"type": "command", "command": f"{self.hook} claude", "timeout": 10}]}])
        self.assertEqual(hooks["PreCompact"], [theirs])
        self.assertEqual(len(hooks["Stop"]), 2, "a command of one's own that calls ours is one's own")
        self.assertIn("there already", self.install("claude").err)

    def test_other_agents_hooks_are_not_ours(self):
        path = self.settings()
        content = json.dumps({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "headway-hook codex"},
                                                            {"type": "http", "url": "http://127.0.0.1:7717/v1/hooks/claudette"}]}]}})
        path.write_text(content)
        self.uninstall("claude")
        self.assertEqual(path.read_text(), content)

    def test_a_path_with_blanks_is_quoted(self):
        folder = self.home / "my tools'"
        folder.mkdir()
        shutil.copy(self.tools / "bin/headway-hook", folder / "headway-hook")
        if Path(self.hook).parent != self.tools / "bin":
            self.skipTest("the one beside the program goes first")
        self.environment["PATH"] = f"{folder}:{self.environment['PATH']}"
        hooks = self.installed("codex")
        command = hooks["Stop"][0]["hooks"][0]["command"]
        self.assertEqual(subprocess.run(["sh", "-c", command], input=b"{}", check=False).returncode, 0)
        self.uninstall("codex")
        self.assertFalse(self.settings("codex").exists())

    def test_other_places(self):
        self.environment["CLAUDE_CONFIG_DIR"] = str(self.home / "elsewhere")
        self.install("claude")
        self.assertTrue((self.home / "elsewhere/settings.json").exists())
        self.install("gemini", "--project")
        self.assertFalse((self.home / ".gemini").exists() and self.home == Path.cwd())
        self.uninstall()
        self.assertFalse((self.home / "elsewhere/settings.json").exists())


class Asking(HomeCase):
    def test_every_agent_on_the_path_with_its_version(self):
        done = self.run_verb("install", "--dry-run")
        self.assertEqual(done.code, 0, done)
        for agent, file in FILES.items():
            self.assertIn(f"+++ {self.home}/{file}", done.out, agent)
        self.assertEqual(self.tree(), {})

    def test_without_agents_it_says_so(self):
        self.environment["PATH"] = "/nonexistent"
        done = self.run_verb("install", "--yes")
        self.assertEqual(done.code, 1)
        self.assertIn("no agent that Headway knows is on PATH", done.err)

    def test_an_unknown_agent_is_a_mistake(self):
        self.assertEqual(self.run_verb("install", "--yes", "clod").code, 64)

    def test_no_terminal_and_no_yes(self):
        for verb in ("install", "uninstall"):
            done = self.run_verb(verb, "claude")
            self.assertEqual(done.code, 64)
            self.assertIn("--yes", done.err)
        self.assertEqual(self.tree(), {})

    def test_a_person_answers(self):
        for answer, written in (("n\n", False), ("\n", False), ("y\n", True)):
            code, shown = self.in_terminal(answer, "install", "claude")
            self.assertIn("+++ ", shown)
            self.assertIn("[y/N]", shown)
            self.assertEqual((code, self.settings().exists()), (0, True) if written else (1, False), shown)
        code, shown = self.in_terminal("n\n", "uninstall", "claude")
        self.assertEqual((code, self.settings().exists()), (1, True), shown)

    def test_the_diff_applies(self):
        path = self.settings()
        path.write_text(PRETTY + "\n")
        done = self.run_verb("install", "--dry-run", "claude", "--require", "Bash")
        copy = self.home / "copy.json"
        shutil.copy(path, copy)
        patch = subprocess.run(["patch", "-s", str(copy)], input=done.out, text=True, capture_output=True, check=False) if shutil.which("patch") else None
        if patch is None:
            self.skipTest("patch is not installed")
        self.assertEqual(patch.returncode, 0, patch)
        self.install("claude", "--require", "Bash")
        self.assertEqual(copy.read_text(), path.read_text())

    def test_print_reads_and_writes_nothing(self):
        self.settings().write_text("no json")
        done = self.run_verb("install", "claude", "--print")
        self.assertEqual(done.code, 0)
        self.assertIn("PreToolUse", json.loads(done.out)["hooks"])
        self.assertEqual(self.settings().read_text(), "no json")

    def test_one_refusal_does_not_stop_the_others(self):
        self.settings().write_text("{")
        done = self.install("claude", "gemini", code=1)
        self.assertIn("line 1, column 2", done.err)
        self.assertTrue(self.settings("gemini").exists())

    def test_warnings(self):
        self.environment["HTTP_PROXY"] = "http://127.0.0.1:3128"
        self.assertIn("HTTP_PROXY", self.install("claude").err)
        self.environment["NO_PROXY"] = "localhost,127.0.0.1"
        self.settings().write_text('{"disableAllHooks": true}')
        done = self.install("claude")
        self.assertNotIn("HTTP_PROXY", done.err)
        self.assertIn("disableAllHooks", done.err)
        self.assertIn('local_control = "token"', done.err)
        self.assertNotIn("tested", done.err)
        old = self.home / "bin"
        old.mkdir()
        self.program(old / "claude", "echo 9.9.9")
        self.environment["PATH"] = f"{old}:{self.environment['PATH']}"
        self.assertIn("9.9.9 is not among the versions that were tested", self.install("claude").err)

    def test_an_agent_that_hangs_or_talks_without_end(self):
        slow = self.home / "bin"
        slow.mkdir()
        self.program(slow / "claude", "sleep 600")
        self.program(slow / "gemini", "exec yes")
        self.environment["PATH"] = f"{slow}:{self.environment['PATH']}"
        self.install("claude", "gemini")
        self.assertTrue(self.settings().exists())

    def test_a_version_beside_the_program(self):
        package = self.home / "lib/node_modules/@anthropic-ai/claude-code"
        package.mkdir(parents=True)
        (package / "package.json").write_text('{"name": "@anthropic-ai/claude-code", "version": "8.8.8"}')
        self.program(package / "cli.js", "exit 1")
        (self.home / "bin").mkdir()
        (self.home / "bin/claude").symlink_to(package / "cli.js")
        self.environment["PATH"] = f"{self.home}/bin:{self.environment['PATH']}"
        self.assertIn("8.8.8", self.install("claude").err)

    def test_settings_of_the_daemon_decide_url_and_token(self):
        (self.home / "headway.toml").write_text('[server]\nlisten = "127.0.0.1:8899"\n[access]\nmode = "token"\n')
        done = self.install("claude", "--config", "headway.toml")
        text = self.settings().read_text()
        self.assertIn('"url": "http://127.0.0.1:8899/v1/hooks/claude"', text)
        self.assertIn("Bearer $HEADWAY_TOKEN", text)
        self.assertIn("claude --url http://127.0.0.1:8899", text)
        self.assertIn("report:claude-", done.err)
        self.assertNotIn("local_control", done.err)

    def daemon(self, *options) -> str:
        """URL of this user's daemon, in its default state directory, on a port of its own."""
        ports = self.home / "ports.json"
        process = subprocess.Popen([str(BINARY), "serve", "--listen", "127.0.0.1:0", "--ports-file", str(ports), *options], env=self.environment,
                                   cwd=self.home, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
        self.addCleanup(process.wait)
        self.addCleanup(process.terminate)
        eventually(lambda: ports.exists() and (self.home / "state/headway.sock").exists())
        return "http://" + json.loads(ports.read_text())["http"]

    def test_the_daemon_that_commands_use_is_the_one_of_the_hooks(self):
        url = self.daemon()
        done = self.install("claude", "gemini")
        self.assertIn(f'"url": "{url}/v1/hooks/claude"', self.settings().read_text())
        self.assertIn(f"claude --url {url}", self.settings().read_text())
        self.assertIn(f"gemini --url {url}", self.settings("gemini").read_text())
        self.assertIn(f"the daemon at {url}", done.err)
        self.assertNotIn("Authorization", self.settings().read_text())
        checks = json.loads(self.run_verb("doctor", "claude", "--json").out)["checks"]
        self.assertEqual([check["detail"] for check in checks if not check["ok"]], [])
        (self.home / "headway.toml").write_text('[server]\nlisten = "127.0.0.1:8899"\n')
        self.install("claude", "--config", "headway.toml")
        self.assertIn('"http://127.0.0.1:8899/v1/', self.settings().read_text(), "settings that are named go first")
        (self.home / "headway.toml").unlink()
        self.install("claude", "--url", "http://127.0.0.1:9")
        self.assertIn('"http://127.0.0.1:9/v1/', self.settings().read_text())

    def test_that_daemon_also_says_whether_a_token_is_needed(self):
        url = self.daemon("--set", "access.mode=token")
        self.install("claude")
        self.assertIn(f'"url": "{url}/v1/hooks/claude"', self.settings().read_text())
        self.assertIn("Bearer $HEADWAY_TOKEN", self.settings().read_text())


CODEX = r"""
import json, os, sys
state = os.path.join(os.environ["HOME"], "trusted")
if sys.argv[1:] == ["--version"]:
    sys.exit(print("codex-cli 0.171.0"))
path = os.path.join(os.environ["HOME"], ".codex/hooks.json")
def hooks():
    trusted = os.path.exists(state)
    found = []
    for event, groups in json.load(open(path))["hooks"].items():
        for i, group in enumerate(groups):
            for j, hook in enumerate(group["hooks"]):
                found.append({"key": f"{path}:{event}:{i}:{j}", "command": hook["command"], "sourcePath": path, "currentHash": "sha256:1",
                              "trustStatus": "trusted" if trusted and "headway" in hook["command"] else "untrusted"})
    return {"data": [{"cwd": os.getcwd(), "hooks": found}]}
for line in sys.stdin:
    message = json.loads(line)
    if message["method"] == "initialize":
        print(json.dumps({"method": "noise", "params": {}}), flush=True)
        result = {}
    elif message["method"] == "hooks/list":
        result = hooks()
    elif message["method"] == "config/batchWrite":
        open(state, "w").write(json.dumps(message["params"]))
        result = {}
    else:
        continue
    print(json.dumps({"id": message["id"], "result": result}), flush=True)
"""


class Trust(HomeCase):
    def setUp(self):
        super().setUp()
        (self.home / "bin").mkdir()
        (self.home / "bin/codex.py").write_text(CODEX)
        self.program(self.home / "bin/codex", f'exec python3 "{self.home}/bin/codex.py" "$@"')
        self.environment["PATH"] = f"{self.home}/bin:{os.environ['PATH']}:{self.tools}/bin"

    def test_only_when_a_person_says_so(self):
        done = self.install("codex")
        self.assertIn("install codex --trust", done.err)
        self.assertFalse((self.home / "trusted").exists())

    def test_only_ours(self):
        self.settings("codex").write_text(json.dumps({"hooks": {"Stop": [{"hooks": [json.loads(OTHER)]}]}}))
        done = self.install("codex", "--trust")
        self.assertIn("Codex trusts 11 hooks", done.err)
        edit = json.loads((self.home / "trusted").read_text())["edits"][0]
        self.assertEqual((edit["keyPath"], edit["mergeStrategy"]), ("hooks.state", "upsert"))
        self.assertEqual(len(edit["value"]), 11)
        self.assertNotIn(f"{self.home}/.codex/hooks.json:Stop:0:0", edit["value"])
        self.assertEqual(set(map(str, edit["value"].values())), {"{'trusted_hash': 'sha256:1'}"})

    def test_a_codex_that_does_not_answer(self):
        self.program(self.home / "bin/codex", "echo 0.171.0")
        self.assertIn("could not be trusted", self.install("codex", "--trust", code=1).err)


class UsersLines(HomeCase):
    def test_lines_that_a_user_added_to_our_file_are_kept_beside_it(self):
        self.install("cline")
        script = self.home / ".cline/hooks/PreToolUse"
        with script.open("a") as file:
            file.write("# my own\n")
        self.uninstall("cline")
        kept = [path.read_text() for path in script.parent.iterdir() if path.is_file()]
        self.assertTrue(any("# my own" in text for text in kept), kept)
        self.assertEqual(len(kept), 1, "only of the file that was changed")


class Doctor(HomeCase):
    def checks(self, *arguments, code: int) -> dict:
        done = self.run_verb("doctor", *arguments, "--json")
        self.assertEqual(done.code, code, done)
        return {check["check"]: check for check in json.loads(done.out)["checks"]}

    def test_claude_without_hooks_and_daemon(self):
        checks = self.checks("claude", "--url", "http://127.0.0.1:9", code=1)
        self.assertTrue(checks["claude"]["ok"])
        self.assertIn("2.1.332", checks["claude"]["detail"])
        self.assertIn("has none of Headway's entries", checks["claude hooks"]["detail"])
        self.assertFalse(checks["claude daemon"]["ok"])

    def test_hooks_that_are_there_old_broken_or_off(self):
        self.install("claude", "--url", "http://127.0.0.1:9")
        self.assertTrue(self.checks("claude", code=1)["claude hooks"]["ok"])
        self.assertIn("in another form", self.checks("claude", "--url", "http://127.0.0.1:8", code=1)["claude hooks"]["detail"])
        path = self.settings()
        now = path.read_text()
        before = json.loads(now)  # of a version without the run's address
        for group in (group for groups in before["hooks"].values() for group in groups):
            for hook in group["hooks"]:
                hook.get("headers", {}).pop("X-Headway-Url", None)
                if "allowedEnvVars" in hook:
                    hook["allowedEnvVars"] = ["HEADWAY_SESSION"]
        path.write_text(json.dumps(before))
        self.assertIn("of an older version", self.checks("claude", code=1)["claude hooks"]["detail"])
        self.install("claude", "--url", "http://127.0.0.1:9")
        self.assertEqual(json.loads(path.read_text()), json.loads(now))
        path.write_text(path.read_text().replace('{', '{"disableAllHooks": true,', 1))
        self.assertIn("disableAllHooks", self.checks("claude", code=1)["claude settings"]["detail"])
        data = json.loads(path.read_text())
        del data["hooks"]["Stop"], data["hooks"]["SessionEnd"]
        path.write_text(json.dumps(data))
        self.assertIn("no entry of Headway for Stop, SessionEnd", self.checks("claude", code=1)["claude hooks"]["detail"])
        path.write_text("{")
        self.assertIn("line 1, column 2", self.checks("claude", code=1)["claude hooks"]["detail"])
        self.environment["HTTP_PROXY"] = "http://127.0.0.1:3128"
        self.assertIn("NO_PROXY", self.checks("claude", code=1)["claude proxy"]["detail"])

    def test_the_daemon_is_the_one_that_the_hooks_name(self):
        self.install("claude", "gemini", "opencode", "copilot", "--url", "http://127.0.0.1:9", "--token")
        checks = self.checks("claude", "gemini", "opencode", "copilot", code=1)
        for agent in ("claude", "gemini", "opencode", "copilot"):
            self.assertTrue(checks[f"{agent} hooks"]["ok"], checks)
        for agent in ("claude", "opencode"):
            self.assertIn("http://127.0.0.1:9/", checks[f"{agent} daemon"]["detail"])

    def test_the_hook_program_is_run(self):
        if Path(self.hook).parent != self.tools / "bin":
            self.skipTest("the one beside the program goes first")
        self.install("gemini")
        self.assertEqual({name: check["ok"] for name, check in self.checks("gemini", code=0).items()},
                         {"gemini": True, "gemini hooks": True, "gemini command": True})
        folder = self.home / "bin"
        folder.mkdir()
        self.environment["PATH"] = f"{folder}:{self.environment['PATH']}"
        for script, words in (("exit 0", "is not answered"), ("exit 7", "ends with 7"), ("sleep 100", "does not end")):
            self.program(folder / "headway-hook", script)
            self.assertIn(words, self.checks("gemini", code=1)["gemini command"]["detail"])

    def test_scripts_and_plugins(self):
        self.install("cline", "opencode", "--url", "http://127.0.0.1:9")
        checks = self.checks("cline", "opencode", "--url", "http://127.0.0.1:9", code=1)
        self.assertTrue(checks["cline hooks"]["ok"] and checks["opencode hooks"]["ok"])
        plugin = self.settings("opencode")
        plugin.write_text(plugin.read_text() + "// mine\n")
        (self.home / ".cline/hooks/PreToolUse").unlink()
        checks = self.checks("cline", "opencode", "--url", "http://127.0.0.1:9", code=1)
        self.assertIn("was changed", checks["opencode hooks"]["detail"])
        self.assertIn("PreToolUse is missing", checks["cline hooks"]["detail"])

    def test_one_line_a_check(self):
        self.environment["PATH"] = "/nonexistent"
        lines = self.run_verb("doctor", "gemini").out.splitlines()
        self.assertTrue(all(line.startswith(("ok     ", "WRONG  ")) for line in lines), lines)
        self.assertIn("Gemini CLI is not on PATH", lines[0])

    def test_codex_trust(self):
        (self.home / "bin").mkdir()
        (self.home / "bin/codex.py").write_text(CODEX)
        self.program(self.home / "bin/codex", f'exec python3 "{self.home}/bin/codex.py" "$@"')
        self.environment["PATH"] = f"{self.home}/bin:{os.environ['PATH']}:{self.tools}/bin"
        self.install("codex")
        self.assertIn("skips 11 of Headway's hooks", self.run_verb("doctor", "codex").out)
        self.install("codex", "--trust")
        self.assertIn("Codex trusts 11 hooks", self.run_verb("doctor", "codex").out)


class Service(HomeCase):
    def setUp(self):
        super().setUp()
        (self.home / "bin").mkdir()
        self.environment["PATH"] = f"{self.home}/bin:/usr/bin:/bin"
        self.unit = self.home / ".config/systemd/user/headway.service"
        self.systemctl('echo "$@" >> "$HOME/said"')

    def systemctl(self, script: str):
        self.program(self.home / "bin/systemctl", script)

    def said(self) -> list:
        return (self.home / "said").read_text().splitlines()

    def test_install_and_uninstall(self):
        (self.home / "my %h.toml").touch()
        done = self.run_verb("service", "install", "--yes", "--config", "my %h.toml")
        self.assertEqual(done.code, 0, done)
        text = self.unit.read_text()
        self.assertIn(f'ExecStart="{BINARY.resolve()}" serve --config "{self.home}/my %%h.toml"\n', text)
        self.assertEqual(self.said(), ["--user show-environment", "--user daemon-reload", "--user enable --now headway.service"])
        self.assertEqual(self.run_verb("service", "uninstall", "--yes").code, 0)
        self.assertFalse(self.unit.exists())
        self.assertEqual(self.said()[-3:], ["--user show-environment", "--user disable --now headway.service", "--user daemon-reload"])
        self.assertIn("no service of ours", self.run_verb("service", "uninstall", "--yes").err)

    def test_with_a_unit_that_continues_agents(self):
        second = self.unit.with_name("headway-continue.service")
        self.assertEqual(self.run_verb("service", "install", "--yes").code, 0)
        self.assertFalse(second.exists())
        self.assertEqual(self.run_verb("service", "install", "--yes", "--keep-going").code, 0)
        text = second.read_text()
        self.assertIn(f'ExecStart="{BINARY.resolve()}" keep-going continue\n', text)
        self.assertIn("After=headway.service\n", text)
        self.assertEqual(self.said()[-2:], ["--user enable --now headway.service", "--user enable headway-continue.service"])
        self.assertEqual(self.run_verb("service", "uninstall", "--yes").code, 0)
        self.assertFalse(self.unit.exists() or second.exists())
        self.assertIn("--user disable --now headway-continue.service", self.said())
        second.write_text("[Service]\n")
        self.assertEqual(self.run_verb("service", "install", "--yes", "--keep-going").code, 1)
        self.assertEqual((second.read_text(), self.unit.exists()), ("[Service]\n", False))

    def test_without_systemd(self):
        self.systemctl("exit 1")
        done = self.run_verb("service", "install", "--yes")
        self.assertEqual(done.code, 1)
        self.assertIn("systemd does not run for this user", done.err)
        self.assertFalse(self.unit.exists())
        printed = self.run_verb("service", "install", "--print")
        self.assertEqual(printed.code, 0)
        self.assertIn("[Service]", printed.out)

    def test_one_of_another_stays(self):
        self.unit.parent.mkdir(parents=True)
        self.unit.write_text("[Service]\n")
        for verb in ("install", "uninstall"):
            self.assertEqual(self.run_verb("service", verb, "--yes").code, 1)
        self.assertEqual(self.unit.read_text(), "[Service]\n")

    def test_a_person_is_asked(self):
        self.assertEqual(self.run_verb("service", "install").code, 64)
        self.assertEqual(self.in_terminal("n\n", "service", "install")[0], 1)
        self.assertFalse(self.unit.exists())

    def test_what_systemd_thinks_of_the_unit(self):
        if not shutil.which("systemd-analyze"):
            self.skipTest("systemd-analyze is not installed")
        file = self.home / "headway.service"
        file.write_text(self.run_verb("service", "install", "--print").out)
        done = subprocess.run(["systemd-analyze", "--user", "verify", str(file)], capture_output=True, text=True, check=False,
                              env={**self.environment, "XDG_RUNTIME_DIR": str(self.home)})
        self.assertNotRegex(done.stderr, r"headway\.service:\d+")
        both = self.run_verb("service", "install", "--print", "--keep-going").out
        second = self.home / "headway-continue.service"
        second.write_text("# Written" + both.split("# Written")[2])
        done = subprocess.run(["systemd-analyze", "--user", "verify", str(second)], capture_output=True, text=True, check=False,
                              env={**self.environment, "XDG_RUNTIME_DIR": str(self.home)})
        self.assertNotRegex(done.stderr, r"headway-continue\.service:\d+")


if __name__ == "__main__":
    unittest.main()
