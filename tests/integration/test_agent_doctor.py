#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`headway doctor AGENT` against a daemon that runs, one for each way in which hooks reach it, and settings of agents that keep hooks
from being called."""
import json
import shutil
import socket
import unittest
from contextlib import closing
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

from support.agent_home import VERSIONS, HomeCase
from support.daemon import BINARY, Daemon
from test_install import CODEX

HOOK = BINARY.resolve().with_name("headway-hook")
BY_REQUEST = ("claude", "qwen", "opencode", "kilo", "pi")
BY_COMMAND = ("codex", "gemini", "copilot", "cline")


@unittest.skipUnless(HOOK.exists(), "headway-hook is not built beside the program")
class DoctorCase(HomeCase):
    def setUp(self):
        super().setUp()
        (self.home / "bin").mkdir()
        (self.home / "bin/codex.py").write_text(CODEX)
        self.program(self.home / "bin/codex", f'exec python3 "{self.home}/bin/codex.py" "$@"')
        self.environment["PATH"] = f"{self.home}/bin:{self.environment['PATH']}"

    def daemon(self, **settings) -> Daemon:
        daemon = Daemon({key.replace("__", "."): value for key, value in settings.items()}).start()
        self.addCleanup(daemon.close)
        return daemon

    def token(self, daemon: Daemon, scope: str) -> str:
        with closing(daemon.operator()) as operator:
            return operator.post("/v1/tokens", {"name": scope.strip(":-"), "scopes": [scope]}).json()["token"]

    def checks(self, *arguments, code: int = 1) -> dict:
        done = self.run_verb("doctor", *arguments, "--json")
        self.assertEqual(done.code, code, done)
        return {check["check"]: check for check in json.loads(done.out)["checks"]}

    def wrong(self, *arguments) -> dict:
        return {name: check for name, check in self.checks(*arguments).items() if not check["ok"]}

    def put(self, agent: str, *arguments):
        self.install(agent, *(["--trust"] if agent == "codex" else []), *arguments)

    def write(self, path: str, settings):
        file = self.home / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(settings if isinstance(settings, str) else json.dumps(settings))


class Healthy(DoctorCase):
    def test_every_agent_is_right_on_a_healthy_daemon(self):
        daemon = self.daemon()
        for agent in VERSIONS:
            with self.subTest(agent):
                self.put(agent, "--url", daemon.url)
                done = self.run_verb("doctor", agent)
                self.assertEqual(done.code, 0, done)
                self.assertNotIn("WRONG", done.out)
        with closing(daemon.client()) as client:
            self.assertEqual(client.get("/v1/sessions").json()["sessions"], [], "a probe is no session")

    def test_commands_that_find_the_daemon_by_its_socket(self):
        daemon = self.daemon()
        self.environment["HEADWAY_HOOK_SOCKET"] = str(Path(daemon.state_dir) / "report.sock")
        for agent in BY_COMMAND:
            with self.subTest(agent):
                self.put(agent)
                checks = self.checks(agent, code=0)
                self.assertIn("reaches the daemon", checks[f"{agent} command"]["detail"])

    def test_with_a_token(self):
        daemon = self.daemon(access__mode="token")
        for agent in VERSIONS:
            with self.subTest(agent):
                self.put(agent, "--url", daemon.url, "--token")
                self.environment["HEADWAY_TOKEN"] = self.token(daemon, f"report:{agent}-")
                self.checks(agent, code=0)

    def test_required_calls_and_hooks_as_commands(self):
        daemon = self.daemon()
        self.install("claude", "--url", daemon.url, "--require", "Bash")
        self.checks("claude", code=0)
        self.write(".claude/settings.local.json", {"allowedHttpHookUrls": []})
        self.install("claude", "--url", daemon.url)
        checks = self.checks("claude", code=0)
        self.assertNotIn("claude daemon", checks, "no hook is a request")
        self.assertIn("reaches the daemon", checks["claude command"]["detail"])


class Unhealthy(DoctorCase):
    def test_the_daemon_is_away(self):
        daemon = self.daemon()
        for agent in VERSIONS:
            self.put(agent, "--url", daemon.url)
        daemon.stop()
        # Bound and not listening: connections are refused, and no daemon of another test gets the port.
        held = self.enterContext(socket.socket())
        held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        held.bind(("127.0.0.1", daemon.port))
        for agent in VERSIONS:
            with self.subTest(agent):
                wrong = self.wrong(agent)
                names = {f"{agent} daemon"} if agent in BY_REQUEST else set()
                names |= {f"{agent} command"} if agent not in ("opencode", "kilo", "pi") else set()
                self.assertEqual(set(wrong), names)
                for check in wrong.values():
                    self.assertIn("none answers", check["detail"])
                    self.assertIn("headway serve", check["fix"])

    def test_a_token_that_is_missing_wrong_or_of_another_agent(self):
        daemon = self.daemon(access__mode="token")
        other = self.token(daemon, "report:job-")
        for agent in VERSIONS:
            self.put(agent, "--url", daemon.url, "--token")
            for token, words in (("", "show none"), ("hw_no_such", " token"), (other, f"begins with {agent}-")):
                with self.subTest(agent=agent, token=token):
                    self.environment["HEADWAY_TOKEN"] = token
                    wrong = self.wrong(agent)
                    self.assertTrue(any(words in check["detail"] for check in wrong.values()), wrong)
                    self.assertTrue(all(f"report:{agent}-" in check["fix"] for check in wrong.values()), wrong)

    def test_the_hook_program_is_gone(self):
        daemon = self.daemon()
        for agent in (*BY_COMMAND, "claude", "qwen"):
            with self.subTest(agent):
                self.put(agent, "--url", daemon.url)
                for path in self.home.rglob("*"):
                    if path.is_file() and str(self.hook) in path.read_text(errors="replace"):
                        path.write_text(path.read_text().replace(str(self.hook), "/nonexistent/headway-hook"))
                wrong = self.wrong(agent)
                self.assertIn("/nonexistent/headway-hook, which the hooks call, is not there", wrong[f"{agent} command"]["detail"])

    def test_an_event_is_missing(self):
        daemon = self.daemon()
        for agent, event in (("claude", "Elicitation"), ("codex", "Interrupt"), ("gemini", "BeforeTool"), ("copilot", "ErrorOccurred"),
                             ("qwen", "StopFailure")):
            with self.subTest(agent):
                self.put(agent, "--url", daemon.url)
                data = json.loads(self.settings(agent).read_text())
                del data["hooks"][event]
                self.settings(agent).write_text(json.dumps(data))
                wrong = self.wrong(agent)
                self.assertEqual(set(wrong), {f"{agent} hooks"} | ({"codex trust"} if "codex trust" in wrong else set()))
                self.assertIn(f"no entry of Headway for {event}", wrong[f"{agent} hooks"]["detail"])

    def test_an_old_agent(self):
        daemon = self.daemon()
        self.install("gemini", "--url", daemon.url)
        self.program(self.home / "bin/gemini", "echo 0.9.1")
        self.assertIn("older than 0.61.0", self.wrong("gemini")["gemini"]["detail"])

    def test_a_host_that_the_daemon_does_not_answer_to(self):
        daemon = self.daemon()
        url = daemon.url.replace("127.0.0.1", "[::ffff:127.0.0.1]")
        for agent in ("claude", "opencode"):
            with self.subTest(agent):
                self.install(agent, "--url", url)
                check = self.wrong(agent)[f"{agent} daemon"]
                self.assertIn("does not answer to the Host", check["detail"])
                self.assertIn("server.allowed_hosts", check["fix"])

    def test_another_server_on_the_port(self):
        class Other(BaseHTTPRequestHandler):
            def do_POST(self):  # pylint: disable=invalid-name  # the name is the library's
                self.rfile.read(int(self.headers["content-length"]))
                body = b"<html>hello</html>"
                self.send_response(200)
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):  # pylint: disable=arguments-differ
                pass

        server = HTTPServer(("127.0.0.1", 0), Other)
        Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        for agent, check in (("claude", "claude daemon"), ("gemini", "gemini command"), ("pi", "pi daemon")):
            self.install(agent, "--url", f"http://127.0.0.1:{server.server_port}")
            self.assertIn("another program listens there, not Headway", self.wrong(agent)[check]["detail"])


class Barriers(DoctorCase):
    """Settings by which hooks that are installed are not called."""
    URL = "http://127.0.0.1:7717/v1/hooks/claude"

    def kinds(self, agent: str = "claude") -> set:
        """The kinds of the hooks that were written."""
        data = json.loads(self.settings(agent).read_text())
        return {hook["type"] for event, groups in data["hooks"].items() for group in groups for hook in group["hooks"]
                if event not in ("SessionStart", "Stop", "StopFailure", "SubagentStop")}

    def test_lists_that_do_not_name_the_daemon_are_said_and_commands_written(self):
        places = (".claude/settings.json", ".claude/settings.local.json", "managed/claude/managed-settings.json",
                  "managed/claude/managed-settings.d/10-hooks.json")
        lists = ({"allowedHttpHookUrls": ["https://hooks.corp.example/*"]}, {"allowedHttpHookUrls": []}, {"allowedHttpHookUrls": "all"},
                 {"httpHookAllowedEnvVars": ["PATH"]}, {"httpHookAllowedEnvVars": ["HEADWAY_SESSION"]},
                 {"httpHookAllowedEnvVars": []})
        for place in places:
            for settings in lists:
                with self.subTest(place=place, settings=settings):
                    self.write(place, settings)
                    done = self.install("claude")
                    name = next(iter(settings))
                    self.assertIn(name, done.err)
                    self.assertIn(place, done.err)
                    self.assertIn("written as commands", done.err)
                    self.assertEqual(self.kinds(), {"command"})
                    self.assertIn(name, self.checks("claude")["claude settings"]["detail"])
                    self.assertTrue(self.checks("claude")["claude settings"]["ok"])
                    shutil.rmtree(self.home / ".claude")
                    shutil.rmtree(self.home / "managed", ignore_errors=True)

    def test_lists_that_name_it_bar_nothing(self):
        for settings in ({"allowedHttpHookUrls": ["http://127.0.0.1:*"]}, {"allowedHttpHookUrls": ["*"]}, {"allowedHttpHookUrls": [self.URL]},
                         {"httpHookAllowedEnvVars": ["HEADWAY_SESSION", "HEADWAY_URL"]}):
            with self.subTest(settings):
                self.write(".claude/settings.json", settings)
                self.assertNotIn("commands", self.install("claude").err)
                self.assertEqual(self.kinds(), {"http", "command"})  # --usage is a command
                self.assertNotIn("claude settings", self.checks("claude"))

    def test_lists_of_several_files_are_put_together(self):
        self.write(".claude/settings.json", {"allowedHttpHookUrls": ["https://a.example/*"]})
        self.write("managed/claude/managed-settings.json", {"allowedHttpHookUrls": ["http://127.0.0.1:7717/*"]})
        self.assertNotIn("commands", self.install("claude").err)
        self.write(".claude/settings.json", {"httpHookAllowedEnvVars": ["HEADWAY_SESSION", "HEADWAY_URL"]})
        self.assertIn("HEADWAY_TOKEN", self.install("claude", "--token").err)

    def test_the_doctor_names_them_when_they_come_later(self):
        self.install("claude")
        self.write(".claude/settings.local.json", {"allowedHttpHookUrls": ["https://hooks.corp.example/*"]})
        check = self.wrong("claude")["claude settings"]
        self.assertIn("calls none of the HTTP hooks", check["detail"])
        self.assertIn(self.URL, check["detail"])
        self.assertIn("headway install claude", check["fix"])
        self.install("claude")
        self.assertEqual(self.kinds(), {"command"})
        (self.home / ".claude/settings.local.json").unlink()
        self.assertNotIn("commands", self.install("claude").err)
        self.assertIn("http", self.kinds())

    def test_required_calls_stay_required_as_commands(self):
        self.write(".claude/settings.json", {"allowedHttpHookUrls": []})
        self.install("claude", "--require", "Bash|Write")
        groups = json.loads(self.settings().read_text())["hooks"]["PreToolUse"]
        self.assertEqual(groups[1], {"matcher": "Bash|Write", "hooks": [{"type": "command", "command": f"{self.hook} claude --require",
                                                                         "timeout": 86400}]})
        self.install("claude")
        self.assertEqual(len(json.loads(self.settings().read_text())["hooks"]["PreToolUse"]), 2)
        self.uninstall("claude")
        self.assertEqual(json.loads(self.settings().read_text()), {"allowedHttpHookUrls": []})

    def test_switches_that_turn_all_hooks_off(self):
        managed = "managed/claude/managed-settings.json"
        for agent, place, settings, words in (
                ("claude", ".claude/settings.json", {"disableAllHooks": True}, "disableAllHooks"),
                ("claude", ".claude/settings.local.json", {"disableAllHooks": True}, "disableAllHooks"),
                ("claude", managed, {"disableAllHooks": True}, "disableAllHooks"),
                ("claude", managed, {"allowManagedHooksOnly": True}, "allowManagedHooksOnly"),
                ("claude", managed, {"strictPluginOnlyCustomization": ["hooks"]}, "strictPluginOnlyCustomization"),
                ("qwen", ".qwen/settings.json", {"disableAllHooks": True}, "disableAllHooks"),
                ("qwen", "managed/qwen", {"disableAllHooks": True}, "disableAllHooks"),
                ("copilot", ".copilot/settings.json", {"disableAllHooks": True}, "disableAllHooks"),
                ("gemini", ".gemini/settings.json", {"hooksConfig": {"enabled": False}}, "hooksConfig.enabled"),
                ("gemini", "managed/gemini", {"hooksConfig": {"disabled": ["headway"]}}, "hooksConfig.disabled"),
                ("codex", ".codex/config.toml", "[features]\nhooks = false # off\n", "features.hooks=false")):
            with self.subTest(agent=agent, place=place, words=words):
                self.write(place, settings)
                done = self.install(agent)
                self.assertIn(words, done.err)
                self.assertIn("will not call these hooks", done.err)
                wrong = self.wrong(agent)[f"{agent} settings"]
                self.assertIn(words, wrong["detail"])
                self.assertIn(place, wrong["detail"])
                self.uninstall(agent)
                (self.home / place).unlink(missing_ok=True)

    def test_a_switch_of_administrators_counts_in_their_files_only(self):
        self.write(".claude/settings.json", {"allowManagedHooksOnly": True})
        self.assertIn("counts in managed settings only", self.install("claude").err)
        self.assertTrue(self.checks("claude")["claude settings"]["ok"])

    def test_qwen_takes_an_empty_list_for_none(self):
        for settings, kinds in (({"security": {"allowedHttpHookUrls": []}}, {"http"}),
                                ({"security": {"allowedHttpHookUrls": ["https://a.example/*"]}}, {"command"})):
            self.write(".qwen/settings.json", settings)
            self.install("qwen")
            data = json.loads(self.settings("qwen").read_text())["hooks"]
            self.assertEqual({hook["type"] for group in data["PreToolUse"] for hook in group["hooks"]}, kinds)


class Packages(DoctorCase):
    def test_both_packages_of_pi_are_pi(self):
        shutil.rmtree(self.home / ".pi")
        for package, version in (("@earendil-works/pi-coding-agent", "1.6.0"), ("@mariozechner/pi-coding-agent", "0.73.1")):
            with self.subTest(package):
                folder = self.home / "lib/node_modules" / package
                (folder / "dist/bundle").mkdir(parents=True)
                (folder / "package.json").write_text(json.dumps({"name": package, "version": version}))
                self.program(folder / "dist/bundle/cli.js", "exit 1")
                (self.home / "bin/pi").unlink(missing_ok=True)
                (self.home / "bin/pi").symlink_to(folder / "dist/bundle/cli.js")
                self.environment["PATH"] = f"{self.home}/bin:/usr/bin:/bin"
                done = self.run_verb("install", "--dry-run")
                self.assertIn(".pi/agent/extensions/headway.ts", done.out)
                self.assertIn(version, self.checks("pi")["pi"]["detail"])

    def test_another_program_of_that_name_is_not_pi(self):
        shutil.rmtree(self.home / ".pi")
        self.program(self.home / "bin/pi", "echo 3.14.15")
        self.environment["PATH"] = f"{self.home}/bin:/usr/bin:/bin"
        self.assertIn("pi is not on PATH", self.checks("pi")["pi"]["detail"])


if __name__ == "__main__":
    unittest.main()
