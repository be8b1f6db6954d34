# SPDX-License-Identifier: Apache-2.0
"""60 behaviours that look like a loop or like idling, and are neither."""

from sealed_common import NOUNS, VERBS, behaviour, clock, pytest_out, sha


def legit(dialect="lang"):
    return behaviour("legit", dialect)


# --- waits that end when what is waited for happens

@legit("claude")
def ci_run_queued_then_green(s):
    """Polls a CI run that sits in the queue, then runs, then passes; then merges."""
    s.user("Open a PR for the parser fix and merge it when CI is green.")
    s.look_around("src/parser.py")
    s.edit("src/parser.py", "if depth > 64:", "if depth >= 64:")
    s.sh("git commit -qam 'parser: depth limit is inclusive' && git push -q && gh pr create --fill",
         "https://github.com/acme/ledger/pull/418")
    for state in ["queued"] * 9 + ["in_progress"] * 13:
        s.sh("sleep 30 && gh run view 9081123344 --json status,conclusion -q '.status+\" \"+.conclusion'", state,
             secs=31)
    s.sh("sleep 30 && gh run view 9081123344 --json status,conclusion -q '.status+\" \"+.conclusion'",
         "completed success", secs=31)
    s.sh("gh pr merge 418 --squash", "✓ Squashed and merged pull request #418")
    s.say("CI passed and the pull request is merged.")


@legit("gemini")
def rollout_slow_nodes(s):
    """A rollout whose pods come up one by one, each after many equal answers."""
    s.sh("kubectl -n shop apply -f deploy/checkout.yaml", "deployment.apps/checkout configured")
    for ready in range(7):
        for _ in range(s.rng.randint(2, 6)):
            s.sh("sleep 20; kubectl -n shop get deploy checkout", "NAME       READY   UP-TO-DATE   AVAILABLE   AGE\n"
                 f"checkout   {ready}/6     6            {ready}           41d", secs=20)
    s.sh("kubectl -n shop rollout status deploy/checkout", 'deployment "checkout" successfully rolled out')
    s.sh("curl -s https://shop.example.com/checkout/healthz", "ok v2.18.0")


@legit("mini")
def slurm_priority_queue(s):
    """A batch job that waits long for priority, runs, and leaves its result."""
    s.sh("sbatch align.sbatch", "Submitted batch job 5512043")
    row = "{:>10} batch    align      ana {} {:>10}      4 {}".format
    for _ in range(26):
        s.sh("sleep 300; squeue -h -j 5512043", row(5512043, "PD", "0:00", "(Priority)"), secs=300)
    for minutes in range(4, 60, 5):
        s.sh("sleep 300; squeue -h -j 5512043", row(5512043, "R ", f"{minutes}:12", "node[041-044]"), secs=300)
    s.sh("sleep 300; squeue -h -j 5512043", "", secs=300)
    s.sh("sacct -j 5512043 -o State,Elapsed -n", " COMPLETED   01:01:40")
    s.sh("tail -n 2 align.out", "aligned 41,220,118 reads (97.3%)\nwrote aligned.bam")


@legit("claude")
def background_build_output(s):
    """A background build that prints nothing for long stretches."""
    s.call("Bash", {"command": "bazel build //server:all", "run_in_background": True},
           "Command running in background with ID: bash_1")
    done = 0
    for _ in range(30):
        if s.rng.random() < 0.4:
            done += s.rng.randint(40, 260)
            text = f"<status>running</status>\n<stderr>\n[{done:,} / 4,096] 8 actions running\n</stderr>"
        else:
            text = "<status>running</status>\n(No new output)"
        s.call("Bash", {"command": "sleep 45"}, "", secs=45)
        s.call("BashOutput", {"bash_id": "bash_1"}, text)
    s.call("BashOutput", {"bash_id": "bash_1"},
           "<status>completed</status>\n<exit_code>0</exit_code>\n<stderr>\nINFO: Build completed successfully, 4096 "
           "total actions\n</stderr>")
    s.sh("bazel-bin/server/headline --version", "headline 4.1.0")


@legit("openhands")
def silent_build_heartbeats(s):
    """One long compile; nothing but heartbeats for forty beats while its call is in flight."""
    s.look_around()
    args = {"command": "cmake --build build -j2 > build.log 2>&1", "is_input": "false"}
    call = s.begin("execute_bash", args)
    for beat in range(40):
        s.beat(phase="execution", in_flight={"call_id": call, "counter": 1},
               resources={"cpu_ms": 58_000 + 19_400 * beat, "rss_bytes": 1_400_000_000 + beat * 3_100_000})
    s.finish("execute_bash", args, "\n[The command completed with exit code 0.]", call_id=call, secs=2412)
    s.sh("ctest --test-dir build -j2 | tail -n 3",
         "100% tests passed, 0 tests failed out of 212\n\nTotal Test time (real) = 48.10 sec")


@legit("lang")
def api_429_backoff(s):
    """An export slowed down by a rate limit: backs off, goes on with the page where it stood."""
    for page in range(1, 13):
        args = {"method": "GET", "url": f"https://api.crm.example.com/v2/contacts?page={page}&per_page=200"}
        if page in (4, 7, 9):
            for wait in (2, 4, 8, 16, 32):
                s.call("http_request", args, ok=False, error="HTTP 429 Too Many Requests (Retry-After: %d)" % wait)
                s.call("wait", {"seconds": wait}, "done", secs=wait)
        s.call("http_request", args, {"status": 200, "page": page,
                                      "items": [f"contact-{page * 200 + i}" for i in range(3)], "more": page < 12})
        s.call("append_rows", {"table": "contacts", "page": page, "count": 200}, {"rows_total": page * 200})
    s.say("All 2,400 contacts are exported.")


@legit("mini")
def download_over_bad_line(s):
    """A download that breaks off again and again and is resumed each time where it broke."""
    size, total = 0, 6_442_450_944
    while size < total:
        size = min(total, size + s.rng.randint(180_000_000, 620_000_000))
        broken = size < total
        s.sh("curl -sS -C - -O https://mirror.example.org/osm/europe-latest.osm.pbf; ls -l europe-latest.osm.pbf | cut "
             "-d' ' -f5",
             ("curl: (56) Recv failure: Connection reset by peer\n" if broken else "") + str(size), secs=90)
    s.sh("md5sum -c europe-latest.osm.pbf.md5", "europe-latest.osm.pbf: OK")


@legit("codex")
def training_log_watch(s):
    """Looks at a training log every ten minutes; the loss falls, with flat stretches."""
    s.sh("nohup python train.py --config conf/base.yaml > run.log 2>&1 & echo started", "started")
    loss = 3.91
    for step in range(1, 46):
        loss -= s.rng.choice([0, 0.001, 0.004, 0.02, 0.05]) if step % 9 else -0.01
        s.sh("sleep 600; tail -n 1 run.log", f"step {step * 400}/18000 loss {loss:.3f} lr 2.9e-04 tok/s "
                                             f"{s.rng.randint(41000, 43500)}", secs=600)
    s.sh("tail -n 2 run.log", f"eval loss {loss - 0.03:.3f}\nsaved checkpoints/final.pt")
    s.sh("python evaluate.py checkpoints/final.pt", "bleu 31.8 (baseline 29.4)")


@legit("lang")
def dns_record_appears(s):
    """Waits for a DNS record that somebody was asked to set; nothing for long, then it is there."""
    s.user("The registrar sets the CNAME for status.acme.test within the hour. Issue the certificate as soon as it "
           "resolves.")
    for _ in range(22):
        s.sh("sleep 120; dig +short CNAME status.acme.test @1.1.1.1", "", secs=120)
    s.sh("sleep 120; dig +short CNAME status.acme.test @1.1.1.1", "acme.pages.example.net.", secs=120)
    s.sh("certbot certonly --webroot -w /var/www -d status.acme.test -n", "Successfully received certificate.")
    s.sh("systemctl reload nginx && curl -sI https://status.acme.test | head -1", "HTTP/2 200")


@legit("openhands")
def package_lock_released(s):
    """The package manager is busy with the nightly upgrade; tries again until it has finished."""
    for attempt in range(14):
        s.sh("sudo apt-get install -y libpq-dev",
             "E: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 1187 (unattended-upgr)", rc=100)
        if attempt == 0:
            s.sh("ps -o pid,etime,cmd -p 1187", " 1187   02:10 /usr/bin/python3 /usr/bin/unattended-upgrade")
        s.sh("sleep 20", "", secs=20)
    s.sh("sudo apt-get install -y libpq-dev", "Setting up libpq-dev (15.8-0+deb12u1) ...")
    s.sh("pip install psycopg2", "Successfully installed psycopg2-2.9.9")
    s.sh("pytest -q tests/db", pytest_out([], 31, 4.1))


@legit("lang")
def batch_job_counts(s):
    """A batch at a model provider: same status for an hour, counters move now and then."""
    s.call("create_batch", {"input_file": "file-8Xa", "endpoint": "/v1/chat/completions"},
           {"id": "batch_71", "status": "validating"})
    done = 0
    for _ in range(40):
        if s.rng.random() < 0.45:
            done = min(5000, done + s.rng.randint(90, 500))
        s.call("get_batch", {"id": "batch_71"},
               {"id": "batch_71", "status": "in_progress",
                "request_counts": {"total": 5000, "completed": done, "failed": 0}})
        s.call("sleep", {"seconds": 90}, "", secs=90)
    s.call("get_batch", {"id": "batch_71"},
           {"id": "batch_71", "status": "completed", "request_counts": {"total": 5000, "completed": 5000, "failed": 0},
            "output_file": "file-9Qd"})
    s.call("download_file", {"id": "file-9Qd", "to": "out.jsonl"}, {"bytes": 18_204_411})


@legit("claude")
def review_awaited(s):
    """Asks for a review and looks in every half hour until the person has approved."""
    s.sh("gh pr edit 77 --add-reviewer mkoch && gh pr comment 77 -b 'Ready for review.'",
         "https://github.com/acme/api/pull/77")
    for _ in range(15):
        s.sh("sleep 1800; gh pr view 77 --json reviewDecision -q .reviewDecision", "REVIEW_REQUIRED", secs=1800)
    s.sh("sleep 1800; gh pr view 77 --json reviewDecision -q .reviewDecision", "CHANGES_REQUESTED", secs=1800)
    s.sh("gh pr view 77 --comments | tail -n 2", "mkoch: please keep the old flag as an alias")
    s.edit("cli/flags.go", 'flags.StringVar(&out, "output", "", "")',
           'flags.StringVar(&out, "output", "", "")\nflags.StringVar(&out, "out", "", "alias")')
    s.sh("go test ./cli/... && git commit -qam 'keep --out as an alias' && git push -q", "ok  \tacme/api/cli\t0.41s")
    for decision in ["CHANGES_REQUESTED"] * 5 + ["APPROVED"]:
        s.sh("sleep 1800; gh pr view 77 --json reviewDecision -q .reviewDecision", decision, secs=1800)
    s.sh("gh pr merge 77 --merge", "✓ Merged pull request #77")


@legit("codex")
def backfill_countdown(s):
    """A backfill in small batches; the same statement again and again until no row is left."""
    left = 41_300
    while left > 0:
        batch = min(left, 1000)
        left -= batch
        s.sh('psql -c "update orders set region=f(address) where id in (select id from orders where region is null '
             'limit 1000)"',
             f"UPDATE {batch}", secs=7)
        if left % 5000 < 1000:
            s.sh('psql -tAc "select count(*) from orders where region is null"', str(left))
    s.sh('psql -c "alter table orders alter region set not null"', "ALTER TABLE")


@legit("lang")
def orchestrator_children(s):
    """Supervises three workers; most looks at them show nothing new."""
    workers = {"w-docs": 14, "w-api": 23, "w-ui": 31}
    for name in workers:
        s.call("spawn_agent", {"name": name, "task": f"port the {name[2:]} package to the new config format"},
               {"id": name})
    for tick in range(1, 33):
        s.call("list_agents", {}, [{"id": name, "status": "running" if tick < end else "done"} for name,
                                   end in workers.items()])
        s.estimate(round(sum(min(tick, end) for end in workers.values()) / 0.68), "weighted by finished packages")
        for name, end in workers.items():
            if tick == end:
                s.call("get_result", {"id": name},
                       {"summary": f"{name}: {end} files changed, tests pass", "branch": f"port/{name}"})
                s.call("merge_branch", {"branch": f"port/{name}"}, {"merged": True})
        s.call("sleep", {"seconds": 60}, None, secs=60)
    s.say("All three packages are ported and merged.")


@legit("lang")
def oncall_quiet_night(s):
    """On watch, as told: a look at the alerts every five minutes, all quiet, one incident, quiet again."""
    s.user("You are on call until 06:00. Check the alerts every five minutes and act on what fires.")
    for tick in range(70):
        if tick == 43:
            s.call("get_alerts", {"state": "firing"}, [{"alert": "DiskAlmostFull", "host": "db-3", "value": "94%"}])
            s.call("run_on_host", {"host": "db-3", "cmd": "du -sh /var/log/* | sort -h | tail -2"},
                   "1.1G /var/log/nginx\n61G /var/log/audit")
            s.call("run_on_host", {"host": "db-3", "cmd": "logrotate -f /etc/logrotate.d/audit"}, "")
            s.call("run_on_host", {"host": "db-3", "cmd": "df -h / | tail -1"}, "/dev/sda1 200G 127G 73G 64% /")
        else:
            s.call("get_alerts", {"state": "firing"}, [])
        s.call("wait", {"seconds": 300}, "ok", secs=300)
    s.say("06:00. One alert in the night (db-3, disk): the audit log was rotated, 64 % now. Nothing else.")


@legit("claude")
def dev_server_boot(s):
    """A server that needs a while before it listens; then the page is tested."""
    s.edit("web/routes.ts", "path: '/cart'", "path: '/basket'")
    s.call("Bash", {"command": "npm run dev", "run_in_background": True},
           "Command running in background with ID: bash_2")
    for _ in range(9):
        s.sh("sleep 3; curl -s -o /dev/null -w '%{http_code}' http://localhost:5173/basket", "000", rc=7, secs=3)
    s.call("BashOutput", {"bash_id": "bash_2"},
           "<status>running</status>\n<stdout>\noptimizing dependencies...\n</stdout>")
    for _ in range(4):
        s.sh("sleep 3; curl -s -o /dev/null -w '%{http_code}' http://localhost:5173/basket", "000", rc=7, secs=3)
    s.sh("sleep 3; curl -s -o /dev/null -w '%{http_code}' http://localhost:5173/basket", "200", secs=3)
    s.sh("npx playwright test basket", "  4 passed (9.8s)")


@legit("lang")
def model_thinks_long(s):
    """A slow local model: long runs of beats while it thinks, and a real step after each."""
    for iteration, (path, old, new) in enumerate([("solver.py", "tol = 1e-3", "tol = 1e-6"),
                                                  ("solver.py", "steps = 50", "steps = 400"),
                                                  ("io.py", "open(p)", "open(p, newline='')"),
                                                  ("solver.py", "return x", "return x, k")], 1):
        for _ in range(s.rng.randint(6, 14)):
            s.beat(phase="reflection", iteration=iteration)
        s.edit(path, old, new)
        s.sh("pytest -q", pytest_out([(f"tests/test_solver.py::test_{i}", "assert not converged")
                                      for i in range(4 - iteration)], 8 + iteration, 1.2))


# --- code

@legit("mini")
def bisect_by_hand(s):
    """git bisect with the same test command at each step."""
    s.sh("git bisect start v5.2 v5.0", "Bisecting: 2047 revisions left to test after this (roughly 11 steps)")
    left = 2047
    for step in range(11):
        bad = s.rng.random() < 0.5
        s.sh("make -s -j4 && ./run_case slow_join", "slow_join: FAIL (rows 118, want 120)" if bad else "slow_join: ok",
             rc=int(bad), secs=80)
        left //= 2
        s.sh(f"git bisect {'bad' if bad else 'good'}",
             f"Bisecting: {left} revisions left to test after this (roughly {10 - step} steps)\n"
             f"[{s.rng.getrandbits(40):010x}] planner: tidy" if left
             else "3f1c99a27e is the first bad commit\n    planner: push limit below join")
    s.sh("git bisect reset", "Switched to branch 'main'")
    s.say("The first bad commit is 3f1c99a27e, which pushes the limit below the join.")


@legit("claude")
def reproduce_flake(s):
    """Runs one test many times because it fails about once in thirty; finds the race when it does."""
    s.user("TestLeaseRenew fails now and then on CI. Reproduce it, then fix it.")
    s.grep("func TestLeaseRenew", "internal", ["internal/lease/lease_test.go:88:func TestLeaseRenew(t *testing.T) {"])
    s.say("I'll run it with the race detector until it fails; CI shows about one failure in thirty.")
    for _ in range(27):
        s.sh("go test ./internal/lease -run TestLeaseRenew -race -count=1",
             "ok  \tacme/internal/lease\t1.0%ds" % s.rng.randint(11, 79), secs=6)
    s.sh("go test ./internal/lease -run TestLeaseRenew -race -count=1",
         "WARNING: DATA RACE\nWrite at 0x00c0001a by goroutine 21:\n  lease.(*Holder).renew() lease.go:141\nFAIL", rc=1,
         secs=6)
    s.read("internal/lease/lease.go", "func (h *Holder) renew() {\n\th.until = now().Add(h.ttl)\n}", 139, 4)
    s.edit("internal/lease/lease.go", "\th.until = now().Add(h.ttl)",
           "\th.mu.Lock()\n\th.until = now().Add(h.ttl)\n\th.mu.Unlock()")
    s.sh("go test ./internal/lease -run TestLeaseRenew -race -count=200", "ok  \tacme/internal/lease\t212.4s", secs=213)


@legit("codex")
def verify_fix_many_seeds(s):
    """After a fix, the same randomized test under many seeds: all pass, which is the point."""
    s.sh("python -m sim --seed 1187", "invariant broken: balance -3 at tick 40112", rc=1)
    s.edit("sim/ledger.py", "if amount > free:", "if amount > free - reserved:")
    for seed in [1187] + s.rng.sample(range(2000, 9000), 30):
        s.sh(f"python -m sim --seed {seed}", "200000 ticks, all invariants hold", secs=14)
    s.sh("git commit -qam 'ledger: reserved money is not free'", "")


@legit("claude")
def tdd_cycles(s):
    """Red, green, red, green: the same command, half of it fails, a new test each time."""
    for number in range(1, 19):
        what = f"{s.rng.choice(VERBS)}_{s.rng.choice(NOUNS)}_{number}"
        s.edit("tests/test_rules.py", "# next test",
               f"def test_{what}():\n    assert rules.{what}({number}) == {number * 7}\n\n# next test")
        s.sh("pytest -q tests/test_rules.py", pytest_out([(f"tests/test_rules.py::test_{what}",
             f"AttributeError: module 'rules' has no attribute '{what}'")], number - 1, 0.11, False), rc=1)
        s.edit("rules.py", "# next rule", f"def {what}(n):\n    return n * 7\n\n# next rule")
        s.sh("pytest -q tests/test_rules.py", pytest_out([], number, 0.12, False))
        s.tests(number, command="pytest -q tests/test_rules.py")


@legit("claude")
def rename_api_many_files(s):
    """The same replacement in 190 files, one edit each."""
    s.grep("legacy_client\\(", "src", ["(190 files)"])
    for number in range(190):
        path = f"src/{s.rng.choice(NOUNS)}/{s.rng.choice(VERBS)}_{number}.py"
        s.edit(path, "legacy_client(", "client(")
        if number % 40 == 39:
            s.sh("python -m compileall -q src", "")
        if number in (70, 140):
            s.emit("compacted", trigger="auto", summary=f"legacy_client -> client: {number + 1} of 190 files are done.",
                   tokens_before=161_000 + number, tokens_after=11_000 + number)
    s.grep("legacy_client\\(", "src")
    s.sh("pytest -q -n 8", pytest_out([], 2214, 96.3), secs=97)


@legit("codex")
def cargo_errors_shrink(s):
    """`cargo check` after each edit; the number of errors falls slowly and rises twice."""
    errors = 58
    while errors > 0:
        path = f"crates/{s.rng.choice(NOUNS)}/src/lib.rs"
        s.edit(path, f"fn f{errors}(x: &str)", f"fn f{errors}(x: &Key)")
        errors = max(0, errors + s.rng.choice([-1, -2, -3, -4, -6, 0, 2]))
        code, name = s.rng.choice(["E0308", "E0277", "E0599"]), s.rng.choice(NOUNS)
        s.sh("cargo check --workspace 2>&1 | tail -n 3",
             f"error[{code}]: mismatched types\n  --> crates/{name}/src/lib.rs:{40 + errors}:9\nerror: could not "
             f"compile due to {errors} previous errors"
             if errors else "    Finished `dev` profile [unoptimized + debuginfo] target(s) in 21.7s", secs=22)
    s.sh("cargo test --workspace 2>&1 | tail -n 1", "test result: ok. 311 passed; 0 failed")


@legit("gemini")
def mypy_zigzag(s):
    """Typing an old package: fixing one place uncovers others, so the count goes up before it goes down."""
    for count in [31, 30, 44, 43, 41, 52, 50, 47, 39, 40, 33, 28, 28, 19, 21, 12, 9, 4, 5, 1]:
        name = s.rng.choice(NOUNS)
        s.edit(f"billing/{name}.py", f"def total(self, x{count}):", f"def total(self, x{count}: Decimal) -> Decimal:")
        s.sh("mypy billing | tail -n 2", f"billing/{name}.py:{count + 10}: error: Argument 1 has incompatible type "
                                         "\"float\"\n"
             f"Found {count} error{'s' * (count > 1)} in {max(1, count // 4)} files (checked 61 source files)", rc=1)
    s.edit("billing/tax.py", "RATE = 0.19", "RATE = Decimal('0.19')")
    s.sh("mypy billing | tail -n 2", "Success: no issues found in 61 source files")


@legit("mini")
def benchmark_tuning(s):
    """Change, measure, keep or take back: some ideas do not help, the best time falls."""
    best = 812.0
    s.sh("./bench join --reps 5", f"median {best:.1f} ms")
    for idea, gain in [("reserve hash table", 0.9), ("branchless compare", 1.02), ("prefetch 4 ahead", 0.93),
                       ("prefetch 16 ahead", 1.05),
                       ("align buckets to 64", 0.97), ("pool allocator", 0.81), ("simd filter", 0.88),
                       ("radix 6 bits", 1.1), ("radix 10 bits", 0.79),
                       ("radix 12 bits", 1.01), ("inline probe", 0.96), ("huge pages", 0.91)]:
        s.edit("src/join.c", "/* tuning */", f"/* tuning */ /* {idea} */")
        s.sh("make -s && ./bench join --reps 5", f"median {best * gain:.1f} ms", secs=30)
        s.reflect("on_track" if gain < 1 else "needs_adjustment", 0.6, next_action="keep" if gain < 1
                  else "take it back")
        if gain >= 1:
            s.sh("git checkout -q -- src/join.c", "",
                 changed={"src/join.c": s.files["src/join.c"].replace(f" /* {idea} */", "", 1)})
            s.files["src/join.c"] = s.files["src/join.c"].replace(f" /* {idea} */", "", 1)
        else:
            best *= gain
            s.sh(f"git commit -qam 'join: {idea}'", "")
    s.say(f"Join is down from 812 ms to {best:.0f} ms; four ideas did not help and are not in.")


@legit("claude")
def plan_file_reread(s):
    """Reads its plan again before each item, and ticks one off each time."""
    items = [f"port {verb} command" for verb in VERBS[:16]]
    for number, item in enumerate(items):
        s.read("PLAN.md", "\n".join(f"- [{'x' if i < number else ' '}] {text}" for i, text in enumerate(items)))
        s.write(f"src/commands/{VERBS[number]}.ts",
                f"export const {VERBS[number]} = command('{VERBS[number]}', run{number})\n")
        s.sh("npx tsc --noEmit", "")
        s.edit("PLAN.md", f"- [ ] {item}", f"- [x] {item}")
    s.sh("npm test", "Tests: 48 passed, 48 total")


@legit("claude")
def same_prompt_each_turn(s):
    """Driven from outside with one unchanging prompt; each turn closes another issue."""
    for number in range(201, 213):
        s.user("Look at the open issues, pick the most important one, fix it, commit, stop.")
        s.sh("gh issue list -L 1", f"{number}\tOPEN\t{s.rng.choice(VERBS)} fails for empty {s.rng.choice(NOUNS)}\tbug")
        s.edit(f"src/{s.rng.choice(NOUNS)}.py", f"def run{number}(items):",
               f"def run{number}(items):\n    if not items:\n        return []")
        s.sh("make test", f"{400 + number} passed")
        s.sh(f"git commit -qam 'Empty input is no error (closes #{number})' && gh issue close {number}",
             f"✓ Closed issue #{number}")
        s.say(f"Issue #{number} is fixed and closed.")


@legit("openhands")
def page_large_source(s):
    """Reads one file of 4,000 lines window by window, then writes down what it does."""
    for start in range(1, 4000, 100):
        s.read("src/legacy/billing.pas", "\n".join(f"{start + i}  procedure "
                                                   f"{s.rng.choice(VERBS)}{s.rng.choice(NOUNS)}{start + i};"
                                                   for i in range(6)),
               start, 100)
    s.write("docs/billing.md", "# Billing\n\nInvoices are numbered per tenant; rounding is half-even; 14 procedures "
                               "write to the ledger.\n")


@legit("gemini")
def audit_no_leftovers(s):
    """Proves that nothing uses what shall be deleted: forty searches that all find nothing, as hoped."""
    s.user("Before we delete the v1 endpoints: make sure that no client uses any of them any more.")
    names = sorted({f"v1_{a}_{b}" for a in VERBS for b in NOUNS[:4]})
    for name in s.rng.sample(names, 40):
        s.grep(name, "clients")
    s.sh("git rm -rq server/v1 && make test", "1180 passed")
    s.say("None of the forty endpoints is used by a client; server/v1 is deleted, tests pass.")


@legit("mini")
def grep_guards_configs(s):
    """A guard that fails in silence, then the repair, for each of 28 files."""
    for number in range(28):
        path = f"hosts/web{number:02d}/nginx.conf"
        missing = s.rng.random() < 0.7
        s.sh(f"grep -q 'ssl_protocols TLSv1.3' {path}", "", rc=int(missing))
        if missing:
            s.sh(f"sed -i '/^http {{/a ssl_protocols TLSv1.3;' {path}", "",
                 changed={path: f"http {{\nssl_protocols TLSv1.3;\n# {number}\n}}"})
    s.sh("grep -L 'ssl_protocols TLSv1.3' hosts/*/nginx.conf | wc -l", "0")
    s.sh("ansible-playbook -C site.yml | tail -n 1", "ok=28 changed=0 unreachable=0 failed=0")


@legit("openhands")
def print_debugging(s):
    """The test fails the same way a dozen times, but each run prints something else until the cause shows."""
    error = "AssertionError: Decimal('10.01') != Decimal('10.00')"
    for probe, shown in [("amount", "10.005"), ("quantized", "10.01"), ("ctx.rounding", "ROUND_HALF_UP"),
                         ("rate", "1.0005"), ("lines", "[9.995, 0.01]"),
                         ("tax_mode", "per_line"), ("rule.id", "de-2021"), ("rule.source", "override"),
                         ("override.path", "conf/local.toml"),
                         ("override.keys", "['rounding']")]:
        s.edit("billing/total.py", "    # probe", f"    print('DBG {probe}', {probe})\n    # probe")
        s.sh("pytest -q tests/test_total.py -s",
             f"DBG {probe} {shown}\n" + pytest_out([("tests/test_total.py::test_half_even", error)], 11, 0.4, False),
             rc=1)
    s.sh("cat conf/local.toml", "[tax]\nrounding = 'half_up'")
    s.sh("git checkout billing/total.py && git rm -q --cached conf/local.toml && mv conf/local.toml /tmp/", "")
    s.sh("pytest -q tests/test_total.py", pytest_out([], 12, 0.3, False))


@legit("codex")
def upgrade_one_by_one(s):
    """Upgrades each dependency alone; some are taken back when tests fail, with the lock file flipping each time."""
    good = "lock v0"
    for number, name in enumerate(["zod", "vite", "react-router", "date-fns", "eslint", "jest", "msw", "axios", "sass",
                                   "swr", "yup", "clsx", "nanoid",
                                   "immer", "husky", "prettier"]):
        lock = f"lock v{number + 1}"
        s.sh(f"npm install {name}@latest", f"changed {s.rng.randint(1, 30)} packages",
             changed={"package-lock.json": lock}, secs=12)
        if name in ("react-router", "eslint", "date-fns", "yup", "jest"):
            s.sh("npm test -- --silent", f"Test Suites: {s.rng.randint(1, 9)} failed, 61 total\nTypeError: {name} is "
                                         "not a function", rc=1, secs=40)
            s.sh("git checkout -q package.json package-lock.json && npm ci --silent", "",
                 changed={"package-lock.json": good}, secs=20)
        else:
            good = lock
            s.sh("npm test -- --silent", "Test Suites: 70 passed, 70 total", secs=40)
            s.sh(f"git commit -qam 'Upgrade {name}'", "")
    s.say("Eleven of sixteen are upgraded; the other five break tests.")


@legit("claude")
def rebase_conflicts(s):
    """A rebase of twenty commits that stops with a conflict at nearly each of them."""
    s.sh("git rebase main", "CONFLICT (content): Merge conflict in src/router.go\ncould not apply 1f...", rc=1)
    for number in range(1, 20):
        path = s.rng.choice(["src/router.go", "src/router.go", "src/mux.go", "src/server.go"])
        s.sh("git diff --name-only --diff-filter=U", path)
        s.edit(path, f"<<<<<<< HEAD\nr.Handle({number})\n=======\nr.Route({number})\n>>>>>>> step {number}",
               f"r.Route({number})")
        s.sh("git add -A && GIT_EDITOR=true git rebase --continue",
             f"Rebasing ({number + 1}/20)\nCONFLICT (content): Merge conflict" if number < 19
             else "Successfully rebased and updated refs/heads/routes.",
             rc=int(number < 19))
    s.sh("go build ./... && go test ./...", "ok  \tacme/src\t3.2s")


@legit("mini")
def mutation_testing(s):
    """Breaks one line on purpose, sees the tests fail, restores it; the file goes to and fro thirty times."""
    original, survived = "int clamp(int v, int lo, int hi) { ... }", 0
    for number in range(30):
        op, new = s.rng.choice([("<", "<="), ("+", "-"), ("&&", "||"), ("==", "!="), ("return v", "return lo")])
        s.sh(f"python mut.py apply src/clamp.c --id {number}",
             f"mutant {number}: line {s.rng.randint(4, 80)}: {op} -> {new}",
             changed={"src/clamp.c": original + f"/* {number} */"})
        killed = s.rng.random() < 0.85
        survived += not killed
        s.sh("make -s test", "FAILED: 1 of 40 checks" if killed else "40 checks passed", rc=2 if killed else 0)
        s.sh("python mut.py restore src/clamp.c", "restored", changed={"src/clamp.c": original})
    s.sh("python mut.py report", f"30 mutants: {30 - survived} killed, {survived} survived")
    s.edit("tests/test_clamp.c", "/* more */", "check(clamp(5, 5, 5) == 5);\ncheck(clamp(INT_MIN, 0, 1) == 0);")


@legit("codex")
def ab_toggle_samples(s):
    """Interleaved A/B measurement: a flag goes off and on, the same load runs, samples add up."""
    for sample in range(14):
        for flag, centre in (("off", 41.8), ("on", 36.9)):
            s.sh(f"sed -i 's/^http3 = .*/http3 = \"{flag}\"/' edge.toml && systemctl restart edge", "",
                 changed={"edge.toml": f"http3 = {flag}"})
            s.sh("oha -z 30s --no-tui https://edge.test/ | grep p95", f"p95: {s.rng.gauss(centre, 1.2):.2f} ms",
                 secs=30)
    s.sh("python ttest.py samples.csv", "n=14+14  diff -4.9 ms  p=3.1e-09")
    s.say("HTTP/3 lowers the 95th percentile by 4.9 ms, well outside of the noise.")


@legit("openhands")
def missing_headers_chain(s):
    """The same build command fails again and again, each time over another missing header."""
    chain = [("zlib.h", "zlib1g-dev"), ("png.h", "libpng-dev"), ("jpeglib.h", "libjpeg-dev"), ("tiff.h", "libtiff-dev"),
             ("lcms2.h", "liblcms2-dev"),
             ("openjpeg.h", "libopenjp2-7-dev"), ("webp/decode.h", "libwebp-dev"), ("hb.h", "libharfbuzz-dev"),
             ("fribidi.h", "libfribidi-dev"),
             ("raqm.h", "libraqm-dev"), ("avif/avif.h", "libavif-dev")]
    for number, (header, package) in enumerate(chain):
        s.sh("make -j4 2>&1 | grep -m1 error",
             f"src/codec{number}.c:3:10: fatal error: {header}: No such file or directory", secs=9)
        s.sh(f"apt-get install -y {package} | tail -n 1", f"Setting up {package} ...", secs=6)
    s.sh("make -j4 2>&1 | tail -n 1", "LD imgtool", secs=60)
    s.sh("./imgtool --self-test", "11 codecs ok")


@legit("codex")
def lean_proof(s):
    """A proof in small steps: the same compile command, an error each time, other goals each time."""
    tactics = ["rw [add_comm]", "simp only [mul_add]", "induction n with", "have h := ih k", "nlinarith [sq_nonneg k]"]
    for step in range(24):
        s.edit("Proof/Sum.lean", "  sorry", f"  {s.rng.choice(tactics)} -- {step}\n  sorry")
        s.sh("lake build 2>&1 | tail -n 3",
             f"error: Proof/Sum.lean:{12 + step}:2: unsolved goals\nn k : ℕ\nh{step} : k ^ {step % 5 + 1} ≤ n\n"
             f"⊢ {24 - step} * k + {s.rng.randint(1, 9)} ≤ n ^ 2", rc=1, secs=18)
    s.edit("Proof/Sum.lean", "  sorry", "  omega")
    s.sh("lake build 2>&1 | tail -n 3", "Build completed successfully.", secs=18)


@legit("claude")
def hook_noise(s):
    """Each edit is followed by the harness's own formatter hook, which says the same each time."""
    for number in range(22):
        path = f"app/{s.rng.choice(NOUNS)}_{number}.py"
        s.edit(path, "from app.old import log", "from app.logs import log")
        s.finish("Bash", {"command": "ruff format --quiet ."}, "", origin="hook")
    s.sh("ruff check . && pytest -q", "All checks passed!\n" + pytest_out([], 340, 12.0, False))


@legit("openhands")
def advice_heeded(s):
    """Fails at one edit a few times, takes the advice, reads the file, and gets on."""
    s.look_around("src/table.py")
    for spaces in (4, 8, 4, 2, 4):
        s.edit("src/table.py", " " * spaces + "for row in rows:", " " * spaces + "for row in sorted(rows):", fail=True)
    s.ack()
    s.say("The text that I look for is not in the file. I read it before I edit again.")
    s.read("src/table.py", "def render(rows):\n\tfor r in rows:\n\t\tyield fmt(r)", 1, 40)
    s.edit("src/table.py", "\tfor r in rows:", "\tfor r in sorted(rows):")
    s.sh("pytest -q tests/test_table.py", pytest_out([("tests/test_table.py::test_stable",
                                                       "assert ['b', 'a'] == ['a', 'b']")], 6, 0.2, False), rc=1)
    s.edit("src/table.py", "sorted(rows)", "sorted(rows, key=lambda r: r.name)")
    s.sh("pytest -q tests/test_table.py", pytest_out([], 7, 0.2, False))
    for path in ("docs/table.md", "CHANGELOG.md"):
        s.edit(path, "rows in input order", "rows by name")
    s.sh("git commit -qam 'Tables are sorted by name'", "")


# --- operations

@legit("lang")
def reconcile_operator(s):
    """An operator whose duty is to look every minute; nearly always all is in sync."""
    s.user("Keep the cluster in line with the repository until you are told to stop.")
    for tick in range(48):
        drift = tick in (17, 38, 39)
        s.call("diff_cluster", {"app": "payments"}, {"out_of_sync": ["ConfigMap/payments-env"] if drift else [],
                                                     "revision": "a41f9" if tick < 38 else "b07c2"})
        if drift:
            s.call("sync_app", {"app": "payments", "prune": False}, {"applied": 1, "status": "Synced", "tick": tick})
        s.call("wait", {"seconds": 60}, None, secs=60)


@legit("gemini")
def chaos_recovery(s):
    """Kills a pod and sees it come back, twelve times, with equal commands: that is the test."""
    for number in range(12):
        s.emit("phase.started", number=number + 1, name=f"restart {number + 1}", total=12)
        s.sh("kubectl -n bus delete pod bus-broker-0 --now", 'pod "bus-broker-0" deleted')
        for _ in range(s.rng.randint(1, 3)):
            s.sh("sleep 10; kubectl -n bus get pod bus-broker-0 --no-headers", "bus-broker-0   0/1   Running   0   9s",
                 secs=10)
        s.sh("sleep 10; kubectl -n bus get pod bus-broker-0 --no-headers", "bus-broker-0   1/1   Running   0   24s",
             secs=10)
        s.sh("./count_lost.sh", "lost 0 of 50000 messages")
        s.emit("phase.completed", number=number + 1, ok=True)
    s.say("Twelve restarts of the broker, no message lost.")


@legit("openhands")
def firmware_flash(s):
    """A board that only takes new firmware when somebody holds a button; asks, tries, gets through."""
    flash = "esptool.py --port /dev/ttyUSB0 write_flash 0x0 build/firmware.bin"
    for _ in range(4):
        s.sh(flash, "Connecting......................................\nA fatal error occurred: Failed to connect to "
                    "ESP32: Timed out waiting for packet header", rc=2, secs=21)
    s.say("The board does not enter the bootloader by itself. Please hold BOOT while I try again.")
    s.user("ok holding it")
    for _ in range(3):
        s.sh(flash, "Connecting......................................\nA fatal error occurred: Failed to connect to "
                    "ESP32: Timed out waiting for packet header", rc=2, secs=21)
    s.user("sorry, wrong button. now")
    s.sh(flash, "Connecting....\nWrote 1048576 bytes at 0x00000000 in 93.1 seconds\nHash of data verified.", secs=96)
    for line in ("boot: v3.1", "wifi: connected", "mqtt: subscribed plant/7"):
        s.sh("timeout 5 cat /dev/ttyUSB0 | tail -n 1", line, secs=5)


# --- data, research, office

@legit("lang")
def label_tickets(s):
    """Labels 180 tickets; few labels, so the calls and their answers look alike."""
    for number in range(180):
        s.call("label_item", {"item": f"T-{40000 + number}",
                              "label": s.rng.choice(["billing", "billing", "billing", "bug", "spam"])}, "ok")


@legit("gemini")
def translate_segments(s):
    """Translates a manual, one segment a call; each is answered by the same word."""
    words = ["Ventil", "Pumpe", "Filter", "Deckel", "Schraube", "Dichtung", "Schalter", "Anzeige"]
    for number in range(110):
        if number in (37, 38, 81):
            s.emit("error.reported", **{"class": "overloaded", "message": "Overloaded", "status": 529,
                                        "retryable": True})
        s.call("set_translation", {"id": number, "lang": "de",
                                   "text": f"{s.rng.choice(words)} {number} gegen den Uhrzeigersinn lösen, "
                                   f"dann {s.rng.choice(words)} {s.rng.choice(['reinigen', 'prüfen', 'ersetzen'])}."},
                                   {"status": "saved"})
    s.call("export_xliff", {"lang": "de"}, {"segments": 110, "missing": 0})


@legit("lang")
def orders_pagination(s):
    """Goes through all pages of a list by cursor."""
    cursor, total = None, 0
    for page in range(55):
        following = f"eyJvIjo{s.rng.getrandbits(48):x}" if page < 54 else None
        s.call("list_orders", {"status": "open", "limit": 100, "cursor": cursor},
               {"orders": [{"id": 90000 + page * 100 + i, "total": s.rng.randint(900, 99000) / 100} for i in range(4)],
                "next_cursor": following})
        total, cursor = total + 100, following
    s.call("write_report", {"name": "open-orders", "rows": total}, {"ok": True})


@legit("lang")
def shop_next_page(s):
    """Clicks the same `next` link of a web shop thirty times; each page lists other goods."""
    s.call("go_to_url", {"url": "https://shop.example.com/c/lamps"}, "Navigated")
    for page in range(1, 31):
        s.call("extract_content", {"goal": "name and price of each lamp"},
               "\n".join(f"Lamp {s.rng.choice(NOUNS)} {s.rng.randint(100, 999)}: {s.rng.randint(15, 300)},90 EUR"
                         for _ in range(5)))
        s.call("click_element_by_index", {"index": 87}, "Clicked button with index 87: Next page")
    s.call("done", {"text": "Collected 150 lamps; the cheapest costs 15,90 EUR.", "success": True}, "ok")


@legit("lang")
def literature_search(s):
    """Reworded searches on a rare subject: several find nothing, the others find different papers."""
    found = 0
    for number, query in enumerate(["lichen growth on photovoltaic glass", "biofouling solar panels lichen",
                                    "epilithic lichen PV module soiling loss",
                                    "lichen colonisation glass substrate rate", "thallus diameter growth glass facade",
                                    "PV soiling biological northern Europe",
                                    "solar panel algae lichen cleaning damage", "Lecanora glass colonisation",
                                    "crustose lichen transmittance loss measurement",
                                    "lichens stained glass windows deterioration",
                                    "biological soiling photovoltaics Estonia", "moss lichen PV yield field study",
                                    "lichen acid etching glass", "lichenometry artificial substrates",
                                    "Xanthoria parietina glass", "PV module edge growth organic"]):
        if number % 3 == 1:
            s.call("web_search", {"query": query}, {"results": []})
            continue
        found += 1
        s.call("web_search", {"query": query},
               {"results": [{"title": f"{query.title()}: study {found}",
                             "url": f"https://journal{found}.example.org/a/{s.rng.randint(100, 999)}"}]})
        s.emit("fact.learned", text=f"Study {found} has figures on: {query}", source=f"journal{found}.example.org")
        s.call("fetch_page", {"url": f"https://journal{found}.example.org/a"},
               f"We measured {s.rng.randint(1, 40) / 10} mm per year on {s.rng.randint(3, 60)} panels ({query}).")
    s.call("write_file", {"path": "review.md", "content": "Eleven sources; growth on glass 0.3 to 3.8 mm a year; loss "
                                                          "of yield below 2 %."}, "written")


@legit("claude")
def sql_narrowing(s):
    """Looks for one lost payment: a series of queries without a row, each ruling something out, then there it is."""
    tables = ["payments", "payments_archive", "refunds", "chargebacks", "pending_transfers", "sepa_inbox",
              "manual_bookings", "suspense", "dead_letters"]
    for table in tables:
        s.same_turn()
        s.call("mcp__postgres__query", {"sql": f"select id from {table} where reference = 'RE-2024-11873'"}, "[]")
        s.call("mcp__postgres__query", {"sql": f"select id from {table} where amount = 1187.30 and day between "
                                               "'2024-11-02' and '2024-11-09'"}, "[]")
        s.next_turn()
    s.call("mcp__postgres__query", {"sql": "select id, raw from bank_lines where raw like '%1187,30%'"},
           '[{"id": 771204, "raw": "RE 2024 11873 1187,30 EUR MUELLER"}]')
    s.say("The payment is in bank_lines (771204): the reference came with spaces and was never matched.")


# --- people

@legit("lang")
def customer_asks_again(s):
    """An impatient customer asks the same thing all day; the agent looks each time, and at last it has changed."""
    asks = ["where is my parcel?", "any news?", "still nothing??", "where is it", "hello? parcel?",
            "can you check again", "and now?", "it said today",
            "please check once more", "??", "so?", "check again please", "is it moving now"]
    for ask in asks:
        s.user(ask)
        s.call("track_parcel", {"number": "JJD0003120911"}, {"status": "in_transit", "place": "Leipzig hub"})
        s.say(s.rng.choice(["It is still at the hub in Leipzig. I look again whenever you ask.",
                            "No change yet: in transit, Leipzig.",
                            "The carrier still shows it in Leipzig; delivery by tomorrow evening."]))
    s.user("now?")
    s.call("track_parcel", {"number": "JJD0003120911"},
           {"status": "out_for_delivery", "place": "Dresden", "window": "14:00-16:00"})
    s.say("Good news: it is on the van and comes between 14:00 and 16:00.")


@legit("lang")
def faq_front_desk(s):
    """Different callers, the same question, the same look-up, the same answer."""
    for number in range(20):
        s.user(s.rng.choice([f"Hi, this is room {100 + number}, when is breakfast?",
                             f"Guest {number}: breakfast hours please", f"what time breakfast? ({100 + number})"]))
        s.call("get_hours", {"what": "breakfast"}, "06:30-10:00, Saturdays and Sundays until 11:00")
        s.say("Breakfast is from 6:30 to 10:00, on Saturdays and Sundays until 11:00.")


@legit("lang")
def tutor_dialogue(s):
    """A lesson: no tool at all, the same exercise until the pupil has it."""
    s.say("What is 3/4 + 1/8?", )
    for answer, reply in [("4/12", "Not yet. Can you write 3/4 in eighths?"),
                          ("3/8?", "That is three eighths. How many eighths are in one quarter?"),
                          ("2", "Yes! So three quarters are how many eighths?"),
                          ("5", "Nearly. Two eighths, three times."),
                          ("6", "Right: 6/8. Now the task again: 3/4 + 1/8?"),
                          ("7/16", "The numerator is right. Does the size of the pieces change when you add them?"),
                          ("no", "So: what is 6/8 + 1/8?"),
                          ("7/8", "Correct! Now 2/3 + 1/6?"), ("3/9", "First write 2/3 in sixths."),
                          ("4/6", "Good. And then?"), ("5/6", "Correct. One more: 1/2 + 1/8?"),
                          ("5/8", "Correct, and without help this time.")]:
        s.user(answer)
        s.say(reply)


@legit("claude")
def pair_chat_then_work(s):
    """A person thinks aloud with the agent for long before anything is done."""
    for number in range(14):
        s.user(s.rng.choice(["hmm, and what about ", "wouldn't that break ", "ok but consider ",
                             "what did we say on "]) + s.rng.choice(NOUNS) + f" handling? ({number})")
        s.say(f"For the {s.rng.choice(NOUNS)} I would {s.rng.choice(VERBS)} it in one place; the cost is a second "
              f"lookup in case {number}.")
    s.user("good, do it like that")
    s.write("docs/decision-12.md", "# One place for expiry\n\nLeases expire in the store, not in the callers.\n")
    s.edit("src/store.py", "def get(key):", "def get(key):\n    drop_expired(key)")
    s.sh("pytest -q", pytest_out([], 88, 2.0))


# --- screens and games

@legit("lang")
def web_form_long(s):
    """A tax form with sixty fields: type, Tab, type, Tab, and a new screen after each page."""
    for field in range(60):
        s.call("computer", {"action": "type", "text": str(s.rng.randint(10, 9999))},
               result_digest=sha(f"form screen {field} a"))
        s.call("computer", {"action": "key", "text": "Tab"}, result_digest=sha(f"form screen {field} b"))
        if field % 15 == 14:
            s.call("computer", {"action": "left_click", "coordinate": [1012, 688]},
                   result_digest=sha(f"form page {field}"))
    s.call("computer", {"action": "screenshot"}, "Your return was submitted. Receipt 7731-2209")


@legit("lang")
def scroll_feed(s):
    """Scrolls down a long list until the entry is there."""
    s.call("go_to_url", {"url": "https://forum.example.org/t/recovering-old-firmware/4411"}, "Navigated")
    for number in range(34):
        s.call("scroll_down", {"amount": 800},
               f"Scrolled down the page by 800 pixels. Visible: posts {number * 9 + 1} to {number * 9 + 9}")
    s.call("extract_content", {"goal": "the post with the working image"},
           "post 304 by hw_anna: use image 2.1.7b, checksum in the attachment")


@legit("lang")
def game_dialogue_and_grind(s):
    """A role-playing game: presses A through dialogues, walks to and fro in the grass, and its points rise."""
    for line in ["PROF: Hello there!", "PROF: Welcome to this world!", "PROF: It is full of creatures.",
                 "PROF: People live beside them.", "PROF: Some keep them.",
                 "PROF: I study them.", "PROF: First, your name?", "PROF: Right! So it is RED.",
                 "PROF: Your journey begins!"]:
        s.call("press_button", {"button": "A"}, {"screen": line})
    experience = 0
    for step in range(60):
        s.call("press_button", {"button": "LEFT" if step % 2 else "RIGHT"},
               {"map": "Route 1", "x": 7 + step % 2, "y": 12, "exp": experience})
        if step % 6 == 5:
            s.call("press_button", {"button": "A"}, {"screen": "Wild RATTA fainted!", "exp": experience + 27})
            experience += 27
    s.call("press_button", {"button": "A"}, {"screen": "SPROUT grew to level 9!", "exp": experience})


@legit("lang")
def game_2048(s):
    """Four moves over and over, but the board and the score move on."""
    score, tile = 0, 2
    for move in range(120):
        score += s.rng.choice([0, 4, 8, 16, 32])
        tile = max(tile, 2 ** min(10, 2 + move // 14))
        s.call("move", {"direction": s.rng.choice(["left", "down", "left", "down", "right", "up"])},
               {"board": [[s.rng.choice([0, 2, 4, 8, 16]) for _ in range(4)] for _ in range(3)] + [[tile, 8, 4, 2]],
                "score": score})


@legit("lang")
def installer_progress_bar(s):
    """Waits in front of an installer whose bar stands still for a while, then clicks on."""
    s.call("computer", {"action": "left_click", "coordinate": [640, 512]}, result_digest=sha("installer 0"))
    for percent in [3] * 4 + [18] * 3 + [41] * 9 + [42] * 6 + [88] * 3 + [100]:
        s.call("computer", {"action": "wait", "duration": 10}, f"screenshot: 'Installing components' {percent}%",
               secs=10)
    s.call("computer", {"action": "left_click", "coordinate": [702, 540]}, "screenshot: 'Setup was completed'")
    s.call("computer", {"action": "left_click", "coordinate": [702, 540]}, "screenshot: desktop, application started")


# --- long and mixed

@legit("claude")
def todo_after_each_step(s):
    """Updates its list after each of eighteen steps; the work between is real."""
    names = s.rng.sample(NOUNS, 18)
    for number, name in enumerate(names):
        s.call("TodoWrite", {"todos": [{"content": f"Document {other}", "status": "completed" if i < number
                                        else "in_progress" if i == number else "pending"}
                                       for i, other in enumerate(names)]}, "Todos have been modified successfully.")
        s.plan(*[(f"Document {other}", "completed" if i < number else "pending") for i, other in enumerate(names)])
        s.grep(f"class {name.title()}", "src", [f"src/{name}.py:{10 + number}:class {name.title()}:"])
        s.write(f"docs/{name}.md", f"# {name.title()}\n\nA {name} belongs to a tenant and is kept for {number + 3} "
                                   "months.\n")


@legit("lang")
def log_tail_until_event(s):
    """Follows a log for the nightly job that starts at two; lines come, then the one that counts."""
    s.user("Watch the scheduler log until the 02:00 export has run, then tell me how many rows it wrote.")
    for minute in range(26):
        s.sh("sleep 60; tail -n 1 /var/log/scheduler.log", f"{clock(70_000 + minute * 60)} heartbeat ok" if minute % 5
             else
             f"{clock(70_000 + minute * 60)} cache trimmed to {s.rng.randint(200, 300)} MB", secs=60)
    s.sh("sleep 60; tail -n 1 /var/log/scheduler.log",
         "02:00:04 export: wrote 184,220 rows to s3://exports/nightly.parquet", secs=60)
    s.say("The export wrote 184,220 rows.")


@legit("mini")
def sweep_learning_rates(s):
    """A sweep: the same script, other numbers, other scores; two runs diverge."""
    best = (0, 0, 0)
    for number in range(24):
        rate, width = [1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2][number % 6], [128, 256, 512, 1024][number // 6]
        bad = rate == 3e-2 and width >= 512
        score = 0.61 + 0.03 * (number // 6) + s.rng.uniform(0, 0.04)
        best = max(best, (0 if bad else score, rate, width))
        s.sh(f"python train.py --lr {rate} --width {width} --epochs 3 | tail -n 1",
             "loss nan, stopped at epoch 1" if bad else f"val_acc {score:.4f}", secs=140)
    s.sh("sort -rn results.tsv | head -1", "%.4f\t%g\t%d" % best)
