# SPDX-License-Identifier: Apache-2.0
"""60 behaviours of agents that go nowhere, many of them in disguise."""

from sealed_common import NOUNS, VERBS, behaviour, clock, pytest_out, sha


def stuck(dialect="lang"):
    return behaviour("stuck", dialect)


# --- waits for what cannot happen

@stuck("claude")
def ci_poll_cancelled_run(s):
    """Waits for a green CI run that was cancelled before the first look."""
    s.look_around("src/parser.py")
    s.edit("src/parser.py", "if depth > 64:", "if depth >= 64:")
    s.sh("git push -q origin fix/depth", "")
    for _ in range(34):
        s.sh("sleep 30 && gh run view 9081123390 --json status,conclusion -q '.status+\" \"+.conclusion'",
             "completed cancelled", secs=31)
        if s.rng.random() < 0.3:
            s.say(s.rng.choice(["Not green yet, I'll check again in 30 seconds.", "CI has not passed yet. Waiting.",
                                "Let me wait a little longer for CI."]))


@stuck("gemini")
def image_never_pulls(s):
    """Watches pods whose image does not exist; the ages and back-off counts go up, nothing else."""
    s.sh("kubectl -n shop apply -f deploy/checkout.yaml", "deployment.apps/checkout configured")
    s.sh("kubectl -n shop describe pod checkout-7d9c-x2k | tail -n 2",
         "Failed to pull image \"registry.acme.test/checkout:v2.81\": manifest unknown")
    for minute in range(2, 36):
        s.sh("sleep 60; kubectl -n shop get pods -l app=checkout",
             "NAME                READY   STATUS             RESTARTS   AGE\n"
             f"checkout-7d9c-x2k   0/1     {'ImagePullBackOff' if minute % 3 else 'ErrImagePull'}   0          "
             f"{minute}m", secs=60)


@stuck("mini")
def slurm_dependency_never(s):
    """A job whose predecessor failed: it will stay in the queue for ever."""
    s.sh("sacct -j 5512043 -o State -n", "    FAILED")
    s.sh("sbatch --dependency=afterok:5512043 call.sbatch", "Submitted batch job 5512044")
    for _ in range(40):
        s.sh("sleep 120; squeue -h -j 5512044 -o '%i %T %r'", "5512044 PENDING DependencyNeverSatisfied", secs=120)


@stuck("claude")
def dead_background_shell(s):
    """Asks a background shell for news after it was killed."""
    s.call("Bash", {"command": "bazel build //server:all", "run_in_background": True},
           "Command running in background with ID: bash_1")
    for done in (120, 733, 1510):
        s.call("BashOutput", {"bash_id": "bash_1"},
               f"<status>running</status>\n<stderr>\n[{done:,} / 4,096] 8 actions running\n</stderr>")
        s.sh("sleep 45", secs=45)
    for number in range(30):
        s.call("BashOutput", {"bash_id": "bash_1"} | ({"filter": "error|done"} if number % 5 == 4 else {}),
               "<status>killed</status>\n<exit_code>137</exit_code>\n(No new output)")
        s.sh(f"sleep {s.rng.choice([30, 45, 60])}", secs=45)


@stuck("codex")
def training_killed_tail(s):
    """Tails the log of a training that was killed for lack of memory, with another number of lines each time."""
    s.sh("nohup python train.py --config conf/base.yaml > run.log 2>&1 & echo started", "started")
    for step in (400, 800, 1200):
        s.sh("sleep 600; tail -n 1 run.log", f"step {step}/18000 loss {3.9 - step / 2000:.3f} lr 2.9e-04", secs=600)
    log = ["step 1380/18000 loss 3.214 lr 2.9e-04", "step 1390/18000 loss 3.209 lr 2.9e-04",
           "step 1400/18000 loss 3.207 lr 2.9e-04", "Killed"]
    for number in range(36):
        lines = s.rng.choice([1, 2, 3, 4])
        if number % 6 == 5:
            s.sh("ps aux | grep train.py", f"ana  {s.rng.randint(20000, 60000)}  0.0  0.0   6332  2060 pts/0  S+  "
                                           f"{clock(number * 600)[:5]}  0:00 grep train.py")
        else:
            s.sh(f"sleep 600; tail -n {lines} run.log", "\n".join(log[-lines:]), secs=600)


@stuck("lang")
def nothing_listens(s):
    """Polls a local port for ever on which nothing was ever started."""
    for number in range(38):
        command = s.rng.choice(["curl -s http://localhost:8080/health", "curl -sf localhost:8080/health",
                                "curl -v --max-time 5 http://127.0.0.1:8080/health",
                                "curl http://localhost:8080/", "nc -z localhost 8080",
                                "curl -s -o /dev/null -w '%{http_code}' http://localhost:8080/health"])
        s.sh(f"sleep {2 + number % 4}; {command}", "" if command.startswith("nc") else
             f"curl: (7) Failed to connect to localhost port 8080 after {s.rng.randint(0, 2)} ms: Couldn't connect to "
             "server", rc=1 if command.startswith("nc") else 7, secs=4)


@stuck("mini")
def terraform_stale_lock(s):
    """Tries again and again although the lock was left behind by a laptop nine days ago."""
    s.sh("date -u +%F", "2024-03-11")
    s.sh("terraform init -input=false | tail -n 1", "Terraform has been successfully initialized!")
    for _ in range(26):
        s.sh(s.rng.choice(["terraform plan -input=false", "terraform plan -input=false -lock-timeout=30s",
                           "terraform plan -no-color"]),
             "Error: Error acquiring the state lock\n\nLock Info:\n  ID:        9db590f1-b6fe-c5f2-2678-8804f089deba\n"
             "  Who:       tim@tims-laptop\n"
             "  Created:   2024-03-02 17:41:08 +0000 UTC", rc=1, secs=31)
        s.sh("sleep 30", secs=30)


@stuck("lang")
def mail_bounced_wait(s):
    """Waits for the answer to a mail that came back at once."""
    s.call("send_email", {"to": "purchasing@acme-suplies.test", "subject": "Quote 4411", "body": "Please confirm."},
           "sent")
    s.call("list_inbox", {"unread": True}, [{"from": "MAILER-DAEMON",
                                             "subject": "Undelivered: host acme-suplies.test not found"}])
    for _ in range(36):
        s.call("wait", {"minutes": 10}, "ok", secs=600)
        s.call("list_inbox", {"unread": True, "from": "purchasing@acme-suplies.test"}, [])


@stuck("lang")
def lost_worker_poll(s):
    """Asks for the state of a worker that has failed; the answer has another time each time."""
    s.call("spawn_agent", {"name": "w-api", "task": "port the api package"}, {"id": "w-api"})
    for tick in range(40):
        s.call("get_agent", {"id": "w-api"}, {"id": "w-api", "status": "failed",
                                              "error": "worker lost, will not be restarted",
                                              "checked_at": f"2024-06-11T{clock(tick * 60)}Z"})
        s.call("sleep", {"seconds": 60}, None, secs=60)


@stuck("lang")
def uptime_noise_status(s):
    """A status page that has failed for good; only its uptime and its request counter move."""
    for tick in range(45):
        s.call("http_get", {"url": "http://build.acme.test/api/jobs/771"},
               {"job": 771, "state": "FAILED", "finished": True,
                "server": {"uptime_s": 880_120 + tick * 30, "requests": 51_230 + tick * s.rng.randint(3, 90)}})
        if tick % 4 == 3:
            s.say("The job is not finished successfully yet, checking again.")


@stuck("openhands")
def hung_prompt(s):
    """An interactive program waits for input; the agent sends nothing and asks for output."""
    s.call("execute_bash", {"command": "npm init", "is_input": "false"},
           "package name: (workspace) \n[The command has no new output after 10 seconds. You may wait longer to see "
           "additional output by sending empty command '']")
    for _ in range(28):
        s.call("execute_bash", {"command": "", "is_input": "true"},
               "package name: (workspace) \n[The command has no new output after 10 seconds. You may wait longer to "
               "see additional output by sending empty command '']", secs=10)


# --- no work at all

@stuck("lang")
def heartbeats_only(s):
    """Two steps, then nothing but heartbeats."""
    s.sh("ls", "data\nmain.py")
    s.read("main.py", "print('hello')")
    for _ in range(60):
        s.beat(phase="execution")


@stuck("lang")
def plan_rewrites_only(s):
    """Rewords its plan thirty times and begins none of it."""
    for _ in range(34):
        verbs = s.rng.sample(["Analyse", "Understand", "Review", "Examine", "Study", "Investigate"], 3)
        s.plan((f"{verbs[0]} the code base", "pending"), (f"{verbs[1]} the requirements", "pending"),
               (f"{verbs[2]} the tests", "pending"),
               (s.rng.choice(["Implement the feature", "Write the code", "Do the implementation"]), "pending"),
               ("Verify", "pending"))
        if s.rng.random() < 0.4:
            s.say(s.rng.choice(["Let me refine the plan first.", "A better plan will help here.",
                                "I restructure the plan to be clearer."]))


@stuck("claude")
def todo_toggle(s):
    """Sets its items to in progress and back to pending, and reads one file in between."""
    items = ["Find the failing test", "Fix the cause", "Run all tests"]
    for number in range(26):
        s.call("TodoWrite", {"todos": [{"content": item, "status": "in_progress" if i == number % 3 else "pending",
                                        "activeForm": item} for i, item in enumerate(items)]},
               "Todos have been modified successfully. Ensure that you continue to use the todo list to track your "
               "progress.")
        if number % 4 == 0:
            s.read("tests/test_api.py", "def test_get():\n    assert get('/').status == 200")


@stuck("gemini")
def estimates_climb(s):
    """Says that it is nearly done, ever nearer, while it looks at an unchanged work tree."""
    s.look_around()
    for number in range(28):
        s.estimate(min(99, 10 + number * 3.4),
                   s.rng.choice(["implementation progressing well", "core logic in place", "only polishing is left",
                                 "almost complete"]),
                   next_milestone="finish the feature")
        s.sh("git status --short", "")


@stuck("claude")
def cheerful_rereads(s):
    """Great progress, it says each time, and reads the same file again."""
    for number in range(27):
        s.say(s.rng.choice(["Excellent progress! ", "Great, this is coming together. ", "Perfect! ",
                            "Now I have a clear picture. "]) +
              s.rng.choice(["Let me check the handler once more.", "I just look at the handler to be sure.",
                            "Next I verify the handler."]))
        s.read("src/handler.ts", "export function handle(req: Request) {\n  throw new Error('not implemented')\n}")


@stuck("mini")
def sleep_only(s):
    """Sleeps, and sleeps, and never looks at anything."""
    s.sh("make release", "release queued")
    for _ in range(45):
        s.sh(f"sleep {s.rng.choice([5, 10, 15, 20, 30, 60])}", secs=20)


@stuck("gemini")
def echo_progress(s):
    """Faked work: `echo` of steps that nobody takes."""
    s.user("Add OAuth login to the portal.")
    for number in range(1, 36):
        noun = s.rng.choice(NOUNS)
        line = s.rng.choice([f"Step {number}: implementing {noun} handling...", f"Processing module {number}... done",
                             f"[{number * 2 + 20}%] {s.rng.choice(VERBS)} {noun} complete",
                             f"Feature part {number} finished successfully"])
        s.sh(s.rng.choice([f'echo "{line}"', f"printf '%s\\n' '{line}'"]), line)


@stuck("mini")
def idle_commands(s):
    """pwd, ls, date, whoami, in any order, for ever."""
    for number in range(60):
        command, out = s.rng.choice([("pwd", "/srv/work"), ("ls", "Makefile\nREADME.md\nsrc"),
                                     ("date", f"Tue Jun 11 {clock(number * 7)} UTC 2024"), ("whoami", "runner"),
                                     ("ls -la", "total 12\n-rw-r--r-- 1 runner 812 Makefile\n-rw-r--r-- 1 runner 240 "
                                                "README.md\ndrwxr-xr-x 2 runner 4096 src"),
                                     ("echo $?", "0"), ("git status -sb", "## main")])
        s.sh(command, out)


@stuck("lang")
def musing_only(s):
    """Thinks aloud for thirty turns without a call."""
    starts = ["Let me think about this", "I should consider", "First I need to understand",
              "Actually, wait. I need to look at", "Hmm, so the question is"]
    subjects = ["how the scheduler works", "the structure of the scheduler", "what the scheduler does",
                "the best way to approach the scheduler"]
    ends = [".", " before I make changes.", " more carefully.", ", step by step."]
    for _ in range(32):
        s.say(f"{s.rng.choice(starts)} {s.rng.choice(subjects)}{s.rng.choice(ends)}")


@stuck("claude")
def told_to_continue(s):
    """Is told to continue each turn, and each turn only announces that it will."""
    s.user("Please write the importer for the new price lists.")
    for _ in range(26):
        s.say(s.rng.choice(["I'll continue with the importer now. Let me first look at the project.",
                            "Continuing with the implementation. I will look at the layout.",
                            "Sure! I will go on with the importer.", "Understood, I proceed with the price lists."]))
        if s.rng.random() < 0.5:
            s.sh("ls", "README.md\nprices\nsrc")
        s.user("continue")


@stuck("lang")
def facts_relearned(s):
    """Notes the same finding in new words, again and again."""
    for number in range(30):
        text = s.rng.choice(["The timeout comes from", "Root cause candidate:", "It seems that the problem is in",
                             "Confirmed again: the issue is"]) + " the connection pool" + \
            s.rng.choice(["", " of the gateway", " (size 10)", ", as noted"])
        s.emit("fact.learned", text=text, source="gateway/pool.py")
        s.call("memory_write", {"key": f"finding_{number}", "value": text}, "stored")
        if number % 3 == 0:
            s.read("gateway/pool.py", "POOL_SIZE = 10\nTIMEOUT = 30")


# --- edits and tests that lead nowhere

@stuck("openhands")
def edit_no_match_apologies(s):
    """The text to replace is not in the file; apologizes and tries it with other blanks."""
    s.look_around("src/table.py")
    for _ in range(24):
        blank = s.rng.choice(["    ", "  ", "        ", "\t", "   "])
        s.say(s.rng.choice(["I apologize for the confusion. Let me try with the right indentation.",
                            "Sorry about that! The whitespace must differ.",
                            "My mistake. I'll fix the old_str.", "You're right, I need the exact text."]))
        s.edit("src/table.py", f"{blank}for row in self.rows:\n"
                               f"{blank * 2}{s.rng.choice(['emit(row)', 'self.emit(row)', 'emit( row )'])}",
               f"{blank}for row in sorted(self.rows):\n{blank * 2}emit(row)", fail=True)


@stuck("codex")
def patch_context_mismatch(s):
    """Patches that never apply, with a look at another, unrelated part between."""
    for number in range(22):
        s.edit("pkg/cache/lru.go", "func (c *LRU) Get(k string) "
                                   f"{s.rng.choice(['any', 'interface{}', '(any, bool)', '(v any, ok bool)'])} {{\n"
                                   "\tc.mu.Lock()",
               "func (c *LRU) Get(k string) (any, bool) {\n\tc.mu.RLock()", fail=True)
        s.reflect("on_track", 0.8, next_action=s.rng.choice(["apply the patch", "apply a smaller patch",
                                                             "adjust the context"]))
        if number % 4 == 3:
            s.sh("git status --short && head -n 3 pkg/cache/lru.go", "package cache\n\nimport \"container/list\"")


@stuck("mini")
def edit_revert_redo(s):
    """Changes one line, sees the one test fail, changes it back, sees the other fail, and so on."""
    s.files["src/round.py"] = "def cents(x):\n    return int(x * 100)\n"
    for number in range(18):
        old, new = "int(x * 100)", "round(x * 100)"
        if number % 2:
            old, new = new, old
        s.edit("src/round.py", old, new)
        s.sh("pytest -q tests/test_round.py", pytest_out([("tests/test_round.py::test_down", "assert 1000 == 999")]
                                                         if number % 2 == 0 else
             [("tests/test_round.py::test_float", "assert 28 == 29")], 11, s.rng.uniform(0.2, 0.5), False), rc=1)
        s.tests(11, ["test_down" if number % 2 == 0 else "test_float"], "pytest -q tests/test_round.py")


@stuck("claude")
def three_way_whackamole(s):
    """Three constants in a circle: each repair breaks the test that the last one mended."""
    s.files["conf/limits.ts"] = "export const RETRIES = 3\n"
    values = ["3", "5", "0"]
    for number in range(27):
        s.say(s.rng.choice(["I see the issue now.", "Found it: the retry count is wrong.",
                            "This should fix the last failing test."]))
        s.edit("conf/limits.ts", f"RETRIES = {values[number % 3]}", f"RETRIES = {values[(number + 1) % 3]}")
        s.sh("npx jest limits", f"  ● {['slow upstream', 'no retry on POST', 'retries on 503'][number % 3]}\n    "
                                f"Expected: {['5', '0', '3'][number % 3]}\n"
             f"Tests: 1 failed, 2 passed, 3 total\nTime: {s.rng.uniform(0.8, 1.9):.3f} s", rc=1)


@stuck("gemini")
def renamed_scripts(s):
    """One script under ever new names, always with the same error."""
    names = ["fix", "fix_v2", "fix_final", "repair", "repair_db", "migrate", "migrate_new", "run_fix", "fix2", "db_fix",
             "final_fix", "fix_clean", "simple_fix", "fix_simple",
             "fix_try", "minimal", "minimal_fix", "patch_db", "patch_db2", "do_fix", "new_fix", "fix_works", "fix_last",
             "fix_ok"]
    for name in names:
        s.write(f"scripts/{name}.py", "import sqlite3\ncon = sqlite3.connect('/data/app.db')\ncon.execute('update "
                                      "users set active = 1')\ncon.commit()\n")
        s.sh(f"python scripts/{name}.py", f"Traceback (most recent call last):\n  File \"/repo/scripts/{name}.py\", "
                                          "line 3, in <module>\nsqlite3.OperationalError: attempt to write a readonly "
                                          "database", rc=1)


@stuck("codex")
def test_flag_shuffle(s):
    """The same failing test with other flags, and not one edit."""
    s.look_around("tests/test_import.py")
    flags = ["", "-x", "-v", "-vv", "--tb=short", "--tb=long", "-q", "-s", "--lf", "-x -v", "-rA",
             "-p no:cacheprovider", "--tb=line", "-vv -s", "--maxfail=1", "--ff", "-x --tb=short",
             "-l", "--showlocals -v", "-q -x", "--no-header", "-v --tb=native", "-rf", "--cache-clear", "-s -x"]
    for flag in flags + flags[:6]:
        s.sh(f"python -m pytest tests/test_import.py {flag}".strip(),
             pytest_out([("tests/test_import.py::test_roundtrip", "KeyError: 'currency'")], 9, s.rng.uniform(0.3, 0.9),
                        "-q" not in flag), rc=1)


@stuck("openhands")
def cosmetic_edits_same_error(s):
    """Comments and blank lines change, the compiler's one error does not."""
    for number in range(22):
        s.edit("src/queue.cpp", f"// note {number}" if number else "// queue", f"// note {number + 1}")
        s.sh("make -s 2>&1 | head -n 2", f"src/queue.cpp:{48 + number % 3}:17: error: 'std::span' has not been "
                                         "declared", rc=2)


@stuck("mini")
def sed_without_match(s):
    """`sed` with patterns that never match, checked by a `grep` that never changes."""
    for _ in range(20):
        s.sh(s.rng.choice(["sed -i 's/timeout: 30/timeout: 60/' conf/app.yaml",
                           "sed -i 's/timeout:30/timeout:60/' conf/app.yaml",
                           "sed -i 's|timeout: \"30\"|timeout: \"60\"|' conf/app.yaml",
                           "sed -i -e 's/^timeout: 30$/timeout: 60/' conf/app.yaml",
                           "sed -i 's/timeout:[ ]30/timeout: 60/g' ./conf/app.yaml",
                           "perl -pi -e 's/timeout: 30/timeout: 60/' conf/app.yaml"]))
        s.sh("grep -n timeout conf/app.yaml", "7:  timeout:\t30s")


@stuck("claude")
def formatter_war(s):
    """A hook takes each edit back before the commit; the agent makes the edit again."""
    s.files["src/menu.js"] = "const items = [a, b, c]\n"
    for number in range(16):
        s.edit("src/menu.js", "const items = [a, b, c]", "const items = [ a, b, c ]")
        s.sh("git commit -am 'menu: spacing as in the style guide'",
             "prettier.................................................................Failed\n- hook id: prettier\n- "
             "files were modified by this hook\n\nsrc/menu.js", rc=1,
             changed={"src/menu.js": "const items = [a, b, c]\n"})
        s.files["src/menu.js"] = "const items = [a, b, c]\n"
        if number % 3 == 2:
            s.sh("git diff --stat", "")


@stuck("codex")
def bisect_restarted(s):
    """Starts a bisection, gives up after three steps, starts it again, eight times."""
    for number in range(9):
        s.sh("git bisect start HEAD v5.0", "Bisecting: 2047 revisions left to test after this (roughly 11 steps)")
        for left in (1023, 511):
            s.sh("make -s && ./run_case slow_join", "slow_join: FAIL (rows 118, want 120)", rc=1, secs=80)
            s.sh("git bisect bad", f"Bisecting: {left} revisions left to test after this")
        s.say(s.rng.choice(["This takes too long, let me start over.", "I may have marked a wrong one. Restarting.",
                            "Let me reset and do it properly."]))
        s.sh("git bisect reset", "Previous HEAD position was 7d21e0a\nSwitched to branch 'main'")


# --- reading and searching in circles

@stuck("codex")
def nine_step_cycle(s):
    """Nine different looks, then the same nine again, eight times over."""
    steps = [("git diff HEAD --stat", ""), ("cat src/app.py", "app = App()\napp.run()"),
             ("cat src/config.py", "DEBUG = False"), ("grep -rn 'TODO' src", "src/app.py:9:# TODO cache"),
             ("ls src", "app.py\nconfig.py\nviews.py"), ("cat src/views.py", "def index():\n    return 'ok'"),
             ("python -c 'import src.app'", "ModuleNotFoundError: No module named 'flask'"),
             ("cat requirements.txt", "flask==3.0.3"), ("git log --oneline -3", "91c2f07 init")]
    for _ in range(8):
        for command, out in steps:
            s.sh(command, out, rc=1 if "Error" in out else 0)


@stuck("claude")
def symbol_not_there(s):
    """Looks for a function that does not exist, in every spelling of the same search."""
    spellings = ["computeNetTotal", "computeNetTotal\\(", "function computeNetTotal", "computeNetTotal =",
                 "\\bcomputeNetTotal\\b", "compute_?[nN]et_?[tT]otal", "computeNettotal",
                 "ComputeNetTotal", "computenettotal", "export.*computeNetTotal", "import.*computeNetTotal",
                 "\\.computeNetTotal"]
    for number in range(34):
        if number % 4 == 3:
            s.sh(s.rng.choice(["grep -rn computeNetTotal . | head", "rg -i computenettotal", "git grep computeNetTotal",
                               "find . -name '*computeNetTotal*'", "git log -S computeNetTotal --oneline"]),
                 "", rc=s.rng.choice([0, 1]))
        else:
            s.grep(s.rng.choice(spellings), s.rng.choice(["src", "src", ".", "lib"]))


@stuck("lang")
def search_reworded(s):
    """One question to a search engine in thirty wordings; the same three useless hits."""
    hits = [{"title": "Acme TX-400 product page", "url": "https://acme.example/tx400"},
            {"title": "TX-400 on sale", "url": "https://shop.example/tx400"},
            {"title": "Forum: TX-400?", "url": "https://forum.example/t/99"}]
    for _ in range(32):
        s.call("web_search", {"query": " ".join(s.rng.sample(["Acme", "TX-400", "service", "manual", "pdf", "download",
                                                              "error", "E17", "meaning"], s.rng.randint(4, 7)))},
               {"results": s.rng.sample(hits, 3)})


@stuck("lang")
def past_last_page(s):
    """Goes on to ask for the next page long after the list has ended."""
    for page in range(1, 46):
        s.call("list_orders", {"status": "open", "page": page, "per_page": 100},
               {"orders": [{"id": 5000 + page * 100 + i} for i in range(3)] if page < 7 else [], "total": 600})


@stuck("lang")
def page_param_ignored(s):
    """The server ignores the page number and always sends the first page."""
    first = [{"id": 5001, "total": 19.9}, {"id": 5002, "total": 7.5}, {"id": 5003, "total": 112.0}]
    for page in range(1, 50):
        s.call("list_orders", {"offset": page * 100, "limit": 100}, {"orders": first, "has_more": True})


@stuck("claude")
def rotating_reads(s):
    """The same five files over and over, in another order each time, without an edit."""
    files = {"src/auth.py": "def login(u, p):\n    return db.check(u, p)", "src/db.py": "def check(u, p):\n    ...",
             "src/models.py": "class User:\n    name: str",
             "tests/test_auth.py": "def test_login():\n    assert login('a', 'b')",
             "docs/auth.md": "# Login\nSessions last a day."}
    for _ in range(12):
        s.same_turn()
        for path in s.rng.sample(list(files), 5):
            s.read(path, files[path])
        s.next_turn()


@stuck("openhands")
def overlapping_windows(s):
    """Reads one file in windows that overlap, up and down, long after all of it was seen."""
    text = [f"{number:3d}  line {number * 37 % 101} of the parser" for number in range(1, 261)]
    for _ in range(48):
        start = s.rng.choice([1, 20, 40, 61, 80, 100, 130, 151, 180, 200])
        count = s.rng.choice([40, 50, 60])
        s.read("src/parser.c", "\n".join(text[start - 1:start - 1 + count]), start, count)


@stuck("claude")
def compaction_amnesia(s):
    """After each compaction it begins again with the same six steps."""
    for number in range(9):
        s.sh("git status --short", "")
        s.read("SPEC.md", "# Spec\n\nThe report lists tenants by revenue.")
        s.sh("ls src", "report.py\nstore.py")
        s.read("src/report.py", "def report():\n    raise NotImplementedError")
        s.read("src/store.py", "def revenue(tenant):\n    return 0")
        s.say("I have a clear understanding now and can begin to write the report.")
        s.emit("compacted", trigger="auto", summary="The user wants a report of tenants by revenue. I was looking at "
                                                    "the code.",
               tokens_before=s.rng.randint(150_000, 170_000), tokens_after=s.rng.randint(9_000, 14_000))


# --- screens, browsers, games

@stuck("lang")
def click_unchanged(s):
    """Clicks a button that is disabled; the page stays as it is."""
    s.call("browser_navigate", {"url": "https://portal.example.com/claims/new"}, "Page: New claim")
    for number in range(26):
        s.call("browser_click", {"element": s.rng.choice(["Submit button", "Submit", "the blue Submit button",
                                                          "'Submit claim' button"]), "ref": "e41"},
               "- button \"Submit claim\" [disabled] [ref=e41]\n- textbox \"Policy number\" [ref=e12]")
        if number % 3 == 2:
            s.call("browser_snapshot", {}, "- button \"Submit claim\" [disabled] [ref=e41]\n- textbox \"Policy "
                                           "number\" [ref=e12]")


@stuck("lang")
def jitter_clicks(s):
    """Clicks around one spot, a few pixels to and fro; every screenshot is the same."""
    for _ in range(34):
        s.call("computer", {"action": s.rng.choice(["left_click", "left_click", "double_click", "mouse_move"]),
                            "coordinate": [640 + s.rng.randint(-4, 4), 388 + s.rng.randint(-4, 4)]},
                            result_digest=sha("desktop with an error box"))


@stuck("lang")
def scroll_at_bottom(s):
    """Scrolls down at the end of a page."""
    s.call("go_to_url", {"url": "https://forum.example.org/t/4411"}, "Navigated")
    for number in range(36):
        s.call("scroll_down", {"amount": s.rng.choice([400, 500, 800, 1000]) if number > 3 else 500},
               f"Scrolled down the page. Visible: posts {number * 9 + 1} to {number * 9 + 9}" if number < 4
               else "Scrolled down the page. Visible: posts 28 to 36 (end of page)")


@stuck("lang")
def login_bounces(s):
    """Types the same wrong credentials again and again in a form that rejects them."""
    for _ in range(11):
        s.call("browser_navigate", {"url": "https://portal.example.com/login"},
               "Page: Sign in\n- textbox \"User\" [ref=e3]\n- textbox \"Code\" [ref=e4]\n- button \"Sign in\" [ref=e5]")
        s.call("browser_type", {"element": "User", "ref": "e3", "text": "demo"}, "typed")
        s.call("browser_type", {"element": "Code", "ref": "e4", "text": "demo1234"}, "typed")
        s.call("browser_click", {"element": "Sign in", "ref": "e5"},
               "Page: Sign in\n- alert: User or code is not correct")


@stuck("lang")
def form_rejected_date(s):
    """A date that does not exist, in every notation."""
    for _ in range(22):
        s.call("input_text", {"index": 14, "text": s.rng.choice(["31/02/2025", "31.02.2025", "2025-02-31",
                                                                 "31 Feb 2025", "31-02-2025", "02/31/2025",
                                                                 "February 31, 2025"])}, "Input into index 14")
        s.call("click_element_by_index", {"index": 20},
               "Clicked button with index 20: Continue\nError shown: Please enter a valid date of departure")


@stuck("lang")
def game_wall(s):
    """Runs against a wall and presses A between."""
    for number in range(60):
        s.call("press_button", {"button": "A" if number % 7 == 6 else "UP", "frames": s.rng.choice([8, 10, 16])},
               {"map": "Cerul Cave 1F", "x": 14, "y": 3})
        if number % 9 == 0:
            s.say(s.rng.choice(["The ladder must be north of here. I go up.", "I keep moving north to the exit.",
                                "One more step up should do it."]))


@stuck("lang")
def game_two_rooms(s):
    """From the hall to the kitchen and back, for ever."""
    for number in range(44):
        s.call("act", {"command": "east" if number % 2 == 0 else s.rng.choice(["west", "go west"])},
               {"room": "Kitchen" if number % 2 == 0 else "Hall", "text": "A table with a lamp." if number % 2 == 0
                else "Doors lead east and north. The north door is locked.", "score": 5})


# --- operations

@stuck("gemini")
def scale_tug_of_war(s):
    """Scales down what an autoscaler scales up again, without asking why."""
    for _ in range(18):
        s.sh("kubectl -n web scale deploy front --replicas=3", "deployment.apps/front scaled")
        s.sh("sleep 30; kubectl -n web get deploy front -o jsonpath={.spec.replicas}", "5", secs=30)


@stuck("openhands")
def compose_restart_cycle(s):
    """Starts a container that dies of its configuration, reads the log, starts it again."""
    for _ in range(13):
        s.sh(s.rng.choice(["docker compose up -d", "docker compose restart app",
                           "docker compose up -d --force-recreate", "docker compose down && docker compose up -d"]),
                           " ✔ Container work-app-1  Started")
        s.sh("sleep 5; docker compose ps --format '{{.Status}}'", f"Restarting (1) {s.rng.randint(1, 5)} seconds ago",
             secs=5)
        s.sh("docker compose logs app | tail -n 1",
             f"app-1  | {clock(s.rng.randint(0, 9999))} FATAL config: unknown key 'listen_adress' in /etc/app.toml")


@stuck("codex")
def train_oom_restart(s):
    """Starts the same training again under new names and seeds; it runs out of memory each time."""
    for number in range(20):
        s.sh(f"python train.py --name run{number:02d} --seed {s.rng.randint(1, 9999)} --batch-size 512 2>&1 | tail -n "
             "1",
             "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.50 GiB. GPU 0 has 23.65 GiB of which "
             f"{s.rng.randint(200, 900)}.{s.rng.randint(10, 90)} MiB is free.", rc=1, secs=41)


@stuck("lang")
def bad_arguments(s):
    """Calls a tool with arguments that it cannot take, and never reads what is wrong."""
    for number in range(22):
        s.call("create_event", s.rng.choice([{"title": "Review", "when": "tomorrow 10:00"},
                                             {"name": "Review", "when": "10am tomorrow"},
                                             {"title": "Review meeting", "date": "tomorrow", "time": "10:00"},
                                             {"event": {"title": "Review", "when": "10:00"}},
                                             {"title": "Review", "start": "tomorrow at 10"}]),
               ok=False, error="validation error: start: field required, RFC 3339 date-time; end: field required, RFC "
                               "3339 date-time")


@stuck("lang")
def unreadable_turns(s):
    """The model's turns cannot be read, or are empty, for thirty turns."""
    for number in range(32):
        if number % 4 == 3:
            s.say("")
        else:
            s.emit("error.reported", **{"class": "json_parse",
                                        "message": f"Expecting ',' delimiter: line 1 column {s.rng.randint(20, 400)}",
                                        "retryable": True})


# --- data, people, other agents

@stuck("lang")
def labels_never_saved(s):
    """Labels one item again and again: saving fails, so the same item comes next."""
    for number in range(24):
        s.call("next_item", {}, {"item": "T-40017", "text": "Invoice twice?", "version": 3})
        s.call("label_item", {"item": "T-40017", "label": s.rng.choice(["billing", "billing", "question"]),
                              "version": 2}, ok=False, error="409 conflict: version is 3")


@stuck("lang")
def translation_seesaw(s):
    """One sentence, two wordings, to and fro."""
    for number in range(30):
        s.call("set_translation", {"id": 12, "lang": "de",
                                   "text": ["Den Deckel abnehmen.", "Nehmen Sie den Deckel ab."][number % 2]},
                                   {"status": "saved"})
        s.call("get_review", {"id": 12}, {"comment": ["Please address the reader directly.",
                                                      "Please use the infinitive, as in the style guide."][number % 2]})


@stuck("lang")
def sql_same_error(s):
    """A column that does not exist, queried in twenty spellings of the same statement."""
    for number in range(24):
        name = s.rng.choice(["o", "ord", "t", "x"])
        select, total = s.rng.choice(["SELECT", "select"]), s.rng.choice(["sum", "SUM"])
        group, tail = s.rng.choice(["1", name + ".customer_nr"]), s.rng.choice(["", f" limit {number + 5}"])
        s.call("execute_sql", {"query": f"{select} {name}.customer_nr, {total}({name}.total) from orders {name} "
                                        f"group by {group}{tail}"},
               ok=False, error=f"column {name}.customer_nr does not exist")


@stuck("lang")
def bot_asks_again(s):
    """A service agent that asks for an order number which it was given each time."""
    for number in range(18):
        s.user(s.rng.choice(["It is 4471-B.", "4471-B, as I said", "I already told you: 4471-B",
                             "order number 4471-B!!", "4471-B. Please."]))
        s.call("find_order", {"number": "4471"}, {"found": False})
        s.say(s.rng.choice(["I'm sorry, I could not find your order. May I have your order number?",
                            "Apologies! Could you please give me your order number?",
                            "Thank you. To help you I need the number of your order."]))


@stuck("lang")
def handoff_pingpong(s):
    """Two agents hand a task to each other, each for want of the other's input."""
    for number in range(26):
        if number % 2:
            s.call("transfer_to_writer", {"note": s.rng.choice(["Please write first, I then check the sources.",
                                                                "I need a draft before I research."])},
                                                                "Transferred to writer")
            s.say("I need the research results before I can write.")
        else:
            s.call("transfer_to_researcher", {"note": s.rng.choice(["Please supply the facts for the draft.",
                                                                    "Research is needed before I write."])},
                                                                    "Transferred to researcher")
            s.say("I need a draft to know what to research.")


@stuck("claude")
def respawn_same_task(s):
    """Sends one helper after the other with the same impossible task in other words."""
    asks = ["Read", "Please read", "Carefully study", "Open and summarise"]
    ends = ["and list all fields", "and report the frame layout", "in full"]
    replies = ["I could not find docs/protocol-v3.pdf in the repository.",
               "The file docs/protocol-v3.pdf does not exist.",
               "There is no docs/protocol-v3.pdf; docs/ only holds index.md."]
    for number in range(20):
        s.call("Task", {"description": f"Find spec {number + 1}", "subagent_type": "general-purpose",
                        "prompt": f"{s.rng.choice(asks)} the file docs/protocol-v3.pdf {s.rng.choice(ends)}"},
               s.rng.choice(replies), secs=60)


@stuck("lang")
def phases_renamed(s):
    """Declares a new phase each time, and makes the same failing call in it."""
    for number in range(24):
        s.emit("phase.started", number=number + 1,
               name=s.rng.choice(["analysis", "deep analysis", "repair", "second repair", "verification", "recovery",
                                  "integration", "final"]) + f" {number + 1}")
        s.call("deploy", {"stack": "edge", "region": "eu-1"}, ok=False,
               error="stack edge: template parameter 'CertArn' has no value")
        s.emit("phase.completed", number=number + 1, ok=False)


@stuck("codex")
def ack_and_repeat(s):
    """Acknowledges each advice politely and does the same again."""
    for number in range(5):
        for _ in range(6):
            s.sh("make integration", "ERROR: fixture 'pg' needs docker: Cannot connect to the Docker daemon at "
                                     "unix:///var/run/docker.sock. Is the docker daemon running?", rc=2, secs=8)
        s.ack()
        s.say(s.rng.choice(["Understood. I take another approach: I run the integration tests.",
                            "Thanks, I will do something else. First the tests once more."]))
