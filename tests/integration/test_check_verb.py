#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`headway check`, `headway doctor` and what /metrics and `watch` show of a judge, with a stand-in for the model."""
import unittest

from support.case import OwnDaemonCase, unique
from support.cli import Cli, finish
from support.daemon import Daemon
from support.limits import eventually
from support.llm import LlmServer

NO_DAEMON = "http://127.0.0.1:1"  # tcpmux: without a listener


def endpoint(url: str, model: str, name: str = "local") -> str:
    return f'[judge]\nretries = 0\n[judge.endpoints.{name}]\nbase_url = "{url}"\nmodel = "{model}"\n'


class JudgedCase(OwnDaemonCase):
    def judged(self, model: str) -> tuple:
        """A daemon with a judge that this model's name scripts, and an open session."""
        self.llm = LlmServer()
        self.addCleanup(self.llm.stop)
        daemon = self.start(config=endpoint(self.llm.url, model))
        client = self.client(daemon)
        session = unique()
        client.open(session)
        client.report(session, "tool.finished", tool="bash", args={"command": "make"}, ok=True)
        return daemon, client, session

    def check(self, daemon, session: str, *arguments, code: int):
        output = Cli(daemon).run("check", session, *arguments)
        self.assertEqual(output.code, code, output)
        return output


class Answers(JudgedCase):
    def test_the_exit_code_is_the_answer_and_the_text_says_why(self):
        daemon, _, session = self.judged("ok:B: same again #2")
        output = self.check(daemon, session, "--wait", code=2)
        for part in ("B  looping", "same again", "#2", "local (stand-in-1)", "120 + 30 tokens"):
            self.assertIn(part, output.out)
        self.assertEqual(output.err, "")

    def test_progress_is_0_and_what_needs_a_look_is_4(self):
        for model, code, word in (("ok:A: it moves #2", 0, "progressing"), ("ok:C: no password #2", 4, "blocked"),
                                  ("ok:D: it gave up #2", 4, "failed")):
            daemon, _, session = self.judged(model)
            document = self.check(daemon, session, "--wait", "--json", code=code).json()
            self.assertEqual((document["answer"], document["evidence"]), (word, [2]))

    def test_without_wait_the_id_is_printed_and_the_answer_can_be_had_later(self):
        daemon, client, session = self.judged("ok:A: it moves #2")
        self.assertEqual(self.check(daemon, session, "--id", "monday", code=0).out, "monday\n")
        first = self.check(daemon, session, "--id", "monday", "--wait", "--json", code=0).json()
        again = self.check(daemon, session, "--id", "monday", "--wait", "--json", code=0).json()
        self.assertEqual(first, again)
        self.assertEqual(sum(e["type"] == "check.requested" for e in client.journal(session)), 1)

    def test_the_words_of_a_judge_do_not_steer_the_terminal(self):
        daemon, _, session = self.judged("ok")
        self.llm.play("ok:A: \x1b[2Jall fine #2")
        self.assertNotIn("\x1b", self.check(daemon, session, "--wait", code=0).out)


class NoAnswer(JudgedCase):
    def test_no_answer_is_1_with_its_outcome_and_the_next_step(self):
        for model, outcome, step in (("401", "refused", "headway doctor"), ("letter", "discarded", "ask again")):
            daemon, _, session = self.judged(model)
            output = self.check(daemon, session, "--wait", code=1)
            self.assertIn(outcome, output.err)
            self.assertIn(step, output.err)
            self.assertEqual(output.out, "")
            self.assertEqual(self.check(daemon, session, "--wait", "--json", code=1).json()["outcome"], outcome)

    def test_the_time_of_wait_is_124_and_the_check_goes_on(self):
        daemon, client, session = self.judged("silent")
        output = self.check(daemon, session, "--wait=200ms", "--id", "slow", code=124)
        self.assertIn("--id slow --wait", output.err)
        self.assertEqual(client.get("/check-status/slow").json()["state"], "running")
        asked = 'headway_judge_in_flight{judge="local"} 1\n'
        eventually(lambda: asked in client.get("/metrics").body.decode(), what="the judge has the question")

    def test_a_wait_is_for_the_check_of_its_session_whoever_else_has_the_id(self):
        daemon, client, session = self.judged("silent")
        self.check(daemon, session, "--id", "iter-5", code=0)
        client.beat("other")
        self.check(daemon, "other", "--id", "iter-5", code=0)
        self.check(daemon, session, "--wait=200ms", "--id", "iter-5", code=124)
        client.end("other")
        self.check(daemon, session, "--wait=200ms", "--id", "iter-5", code=124)

    def test_a_wait_outlives_the_daemon(self):
        daemon, client, session = self.judged("silent")
        process = Cli(daemon).start("check", session, "--id", "c", "--wait")
        polls = 'headway_http_route_requests_total{route="check"} 1\n'
        eventually(lambda: polls in client.get("/metrics").body.decode(), what="the long poll")
        daemon.restart()
        client = self.client(daemon)
        client.end(session)
        output = finish(process)
        self.assertEqual(output.code, 1, output)
        self.assertIn("cancelled", output.err)

    def test_no_daemon_is_69(self):
        output = Cli(None, NO_DAEMON).run("check", "a", "--wait")
        self.assertEqual(output.code, 69, output)

    def test_without_a_judge_it_says_how_to_add_one(self):
        daemon = self.start()
        client = self.client(daemon)
        client.open("a")
        output = Cli(daemon).run("check", "a")
        self.assertEqual(output.code, 1, output)
        self.assertIn("[judge.endpoints.NAME]", output.err)
        self.assertIn("headway config default", output.err)
        self.assertNotIn("headway_judge_", client.get("/metrics").body.decode())
        self.assertEqual(Cli(daemon).run("check", "absent").code, 1)


class Shown(JudgedCase):
    def test_metrics_count_what_was_asked(self):
        daemon, client, session = self.judged("ok:A: it moves #2")
        self.check(daemon, session, "--wait", code=0)
        metrics = client.get("/metrics").body.decode()
        for line in ('headway_judge_outcomes_total{judge="local",outcome="answered"} 1',
                     'headway_judge_tokens_total{judge="local",kind="prompt"} 120',
                     'headway_judge_tokens_total{judge="local",kind="completion"} 30',
                     'headway_judge_breaker_state{judge="local"} 0',
                     'headway_judge_answer_seconds_count{judge="local"} 1', "headway_judge_turned_away_total 0"):
            self.assertIn(line + "\n", metrics)

    def test_watch_shows_question_and_answer_in_a_line_each(self):
        daemon, _, session = self.judged("ok:B: same again #2")
        self.check(daemon, session, "--wait", code=2)
        lines = Cli(daemon).run("events", session).out
        self.assertIn("judge asked (", lines)
        self.assertRegex(lines, r"judge: B looping, 0\.\d+: .*same again.* \(#2\)")


class Doctor(JudgedCase):
    def doctor(self, daemon: Daemon, *arguments, code: int):
        words = ("doctor", "--config", str(daemon.config_file), "--state-dir", str(daemon.state_dir), *arguments)
        output = Cli(daemon).run(*words)
        self.assertEqual(output.code, code, output)
        return output

    def test_a_healthy_installation_is_0(self):
        daemon, _, _ = self.judged("ok:A")
        output = self.doctor(daemon, code=0)
        self.assertNotIn("WRONG", output.out)
        self.assertIn("ready at " + daemon.url, output.out)
        self.assertRegex(output.out, "ok +judge local +stand-in-1 answered within")
        document = self.doctor(daemon, "--json", code=0).json()
        self.assertEqual([c["check"] for c in document["checks"]],
                         ["configuration", "state directory", "database", "sqlite", "disk space", "disk sync", "operator's token", "daemon",
                          "judge local", "webhooks"])

    def test_a_daemon_that_was_started_with_another_address_is_found_by_its_database(self):
        daemon = self.start()
        words = ("doctor", "--config", str(daemon.config_file), "--state-dir", str(daemon.state_dir))
        cli = Cli(daemon)
        del cli.environment["HEADWAY_URL"]
        self.assertRegex(cli.run(*words).out, "ok +daemon +ready at unix:")

    def test_each_thing_that_is_wrong_has_its_line_and_its_fix(self):
        daemon, _, _ = self.judged("401")
        daemon.operator_file.chmod(0o644)
        daemon.kill()
        output = self.doctor(daemon, code=1).out
        self.assertRegex(output, "WRONG +operator's token .*chmod 600")
        self.assertRegex(output, "WRONG +daemon .*headway serve")
        self.assertRegex(output, "WRONG +judge local .*refused: .*API key")
        self.assertRegex(output, "ok +state directory ")

    def test_a_judge_with_tls_is_probed_too(self):
        with LlmServer(tls=True) as llm:
            trusted = endpoint(llm.url, "ok:A") + f'ca_file = "{llm.certificate}"\n'
            for config, code, words in ((trusted, 0, "answered within"), (endpoint(llm.url, "ok:A"), 1, "set its ca_file")):
                daemon = self.start(config=config)
                self.assertIn(words, self.doctor(daemon, code=code).out)

    def test_a_mistake_in_the_settings_is_1(self):
        daemon = self.start()
        daemon.config_file.write_text("[server]\nlisen = 1\n", encoding="utf-8")
        self.assertIn("WRONG  configuration", self.doctor(daemon, code=1).out)


if __name__ == "__main__":
    unittest.main()
