# SPDX-License-Identifier: Apache-2.0
"""Fifty agents of the second set that go nowhere, many of which look like work."""

from sealed_common import NOUNS, VERBS, clock, pytest_out, second
from second_common import browse, mcp, page, screen, table

# --- programming


@second("stuck", "claude")
def rerun_with_other_flags(s):
    """Reruns one failing test with other flags of the runner and changes nothing; the assertion is the same each time."""
    r = s.rng
    s.user("test_close fails. Fix it.")
    s.look_around("src/pool.py")
    s.edit("src/pool.py", "    self.closed = True", "    self.closed = True\n    self.jobs.clear()")
    flags = ("-x", "-v", "-vv", "--lf", "-p no:cacheprovider", "-p no:randomly", "--tb=short", "--tb=long", "-s",
             "--forked", "-n0", "-rA", "--maxfail=1", "--cache-clear", "-W error", "--capture=no", "--durations=5",
             "-k close", "--ff", "--setup-show")
    failure = [("tests/test_pool.py::test_close", "AssertionError: assert [<Job 7>] == []")]
    for attempt in range(46):
        chosen = " ".join(sorted(r.sample(flags, r.randint(1, 3))))
        s.sh(f"python -m pytest tests/test_pool.py {chosen}", pytest_out(failure, 11, r.uniform(0.2, 0.9),
                        header=attempt % 2 == 0), rc=1)
        if attempt % 8 == 5:
            s.say(r.choice(("Perhaps the cache gets in the way.", "It may be an order problem, let me try other "
                            "options.", "Let me see more output.", "This may be flaky, once more with isolation.")))


@second("stuck", "codex")
def bisect_started_over(s):
    """Bisects, doubts an answer, resets and starts again from the same ends; the same commits are built each time."""
    r = s.rng
    s.user("Since 4.2 the export is slow. Find the commit.")
    path = [(f"{r.getrandbits(40):010x}", 305 >> k, r.choice((True, False))) for k in range(6)]
    for lap in range(5):
        s.sh("git bisect reset; git bisect start v4.3 v4.2 --term-new=slow --term-old=fine", "Previous HEAD position "
             "was restored\nBisecting: 611 revisions left to test after this (roughly 9 steps)")
        for commit, left, slow in path[:r.randint(4, 6)]:
            s.sh("make -j8 export 2>&1 | tail -1", "  LD    build/export", secs=r.uniform(30, 90))
            s.sh("./repro.sh", f"export of 20000 rows: {r.randint(38000, 41000) if slow else r.randint(900, 1400)} "
                 "ms")
            s.sh(f"git bisect {'slow' if slow else 'fine'}", f"Bisecting: {left} revisions left to test after this "
                 f"(roughly {left.bit_length()} steps)\n[{commit}] step")
        s.say(r.choice(("I am not sure that the machine was quiet. I will start the bisect again to be safe.",
                        "One of these may be mislabelled; from the beginning.", "Let me restart it with a clean "
                        "state.")))


@second("stuck", "openhands")
def four_edits_in_a_ring(s):
    """Goes round four versions of one line; each breaks another of four tests, and the fifth is the first again."""
    r = s.rng
    s.user("Make the tests of parse_amount pass.")
    s.look_around("src/amount.py")
    versions = ["    return Decimal(text)", "    return Decimal(text.replace(',', '.'))",
                "    return Decimal(text.replace('.', ''))", "    return Decimal(text.replace(',', ''))"]
    broken = ["decimal_comma", "thousands_comma", "decimal_point", "swiss"]
    current = 0
    for step in range(22):
        following = (current + 1) % 4
        s.edit("src/amount.py", versions[current], versions[following])
        current = following
        s.sh("pytest -q tests/test_amount.py", pytest_out([(f"tests/test_amount.py::test_{broken[current]}",
                                                            "decimal.InvalidOperation or wrong value in "
                                                            f"{broken[current]}"),
                                                           ("tests/test_amount.py::test_mixed", "assert Decimal('1') "
                                                            "== Decimal('1000')")], 9, r.uniform(0.1, 0.4)), rc=1)
        if step % 4 == 1:
            s.say(f"Now only {broken[current]} and mixed fail; the separator has to be treated differently.")


@second("stuck", "claude")
def formatter_against_snapshot(s):
    """Updates a snapshot, the formatter's hook rewrites it, the test fails, and it updates it again; nothing else."""
    r = s.rng
    s.user("The commit hook fails for the header component. Get the branch committed.")
    s.look_around()
    old, new = "<header class=\"top\"><h1>Relay</h1></header>", "<header class=\"top\">\n  <h1>Relay</h1>\n</header>"
    for lap in range(13):
        s.sh("npx vitest run header -u | tail -3", "Snapshots  1 updated\nTests  14 passed (14)\nDuration  "
             f"{r.uniform(1, 2):.2f}s", changed={"header.snap": old})
        s.sh("git add -A && git commit -m 'header: new title'",
             "prettier.................................................................Failed\n- files were modified "
             "by this hook\nsrc/__snapshots__/header.test.ts.snap", rc=1, changed={"header.snap": new})
        s.sh("npx vitest run header | tail -12", f"Snapshot `header 1` mismatched\n- {old}\n+ {new}\nTests  1 failed "
             f"| 13 passed (14)\nDuration  {r.uniform(1, 2):.2f}s", rc=1)
        if lap % 3 == 2:
            s.read("src/__snapshots__/header.test.ts.snap", new)
            s.say("The snapshot is out of date, I will update it and commit.")


@second("stuck", "claude")
def type_errors_carousel(s):
    """Works at a type error by casts, ignores and annotations in turn; the count swings between 14 and 16."""
    r = s.rng
    s.user("mypy --strict has to pass.")
    s.look_around("src/store.py")
    forms = ["    row = self.rows[key]", "    row = cast(Row, self.rows[key])", "    row: Row = self.rows[key]",
             "    row = self.rows[key]  # type: ignore", "    row = self.rows.get(key)",
             "    row = typing.cast('Row', self.rows[key])"]
    says = ["Incompatible types in assignment  [assignment]", "Redundant cast to \"Row\"  [redundant-cast]",
            "Value of type \"Row | None\" is not indexable  [index]", "Unused \"type: ignore\" comment  "
            "[unused-ignore]", "Item \"None\" of \"Row | None\" has no attribute \"id\"  [union-attr]",
            "Redundant cast to \"Row\"  [redundant-cast]"]
    current = 0
    for step in range(24):
        following = r.choice([index for index in range(6) if index != current])
        s.edit("src/store.py", forms[current], forms[following])
        current = following
        count = 14 + (current % 3)
        s.sh("mypy --strict src | tail -3", f"src/store.py:88: error: {says[current]}\nsrc/store.py:91: error: "
             f"Returning Any from function declared to return \"Row\"  [no-any-return]\nFound {count} errors in 3 "
             "files (checked 58 source files)", rc=1)


@second("stuck", "mini")
def rebase_aborted_each_time(s):
    """Starts a rebase, meets the first conflict, aborts, tries another strategy, meets the same conflict, and so on."""
    r = s.rng
    s.user("Rebase feature/ledger-v2 (34 commits) onto main.")
    s.sh("git log --oneline main..HEAD | wc -l", "34")
    ways = ("git rebase main", "git rebase -X ours main", "git rebase -X theirs main", "git rebase --merge main",
            "git rebase -i --autosquash main", "git rebase --onto main main~1", "git rebase -X patience main",
            "git rebase --rebase-merges main", "git -c rerere.enabled=true rebase main",
            "git rebase -X ignore-all-space main")
    for lap in range(14):
        way = ways[lap % len(ways)]
        s.sh(way, "Rebasing (1/34)\nCONFLICT (modify/delete): src/ledger.py deleted in HEAD and modified in 3fd01ca "
             "(ledger: first draft).\nerror: could not apply 3fd01ca", rc=1)
        s.sh("git status --short | head -3", "DU src/ledger.py" if lap % 2 else "DU src/ledger.py\n?? notes.txt")
        s.sh("git rebase --abort && git log --oneline -1", "8d10f22 ledger: totals")
        if r.random() < 0.3:
            s.say("A conflict in the first commit. Let me try another strategy.")


@second("stuck", "gemini")
def pins_in_a_ring(s):
    """Pins one package, another conflicts, pins that, a third conflicts, and comes back to the first; five in a ring."""
    r = s.rng
    s.user("Make `pip install -r requirements.txt` work.")
    s.look_around()
    ring = [("pandas", "2.2.2", "1.5.3"), ("numpy", "2.0.1", "1.24.4"), ("numba", "0.60.0", "0.57.1"), ("llvmlite",
                    "0.43.0", "0.40.1"), ("scikit-learn", "1.5.1", "1.2.2")]
    state = dict.fromkeys((name for name, _, _ in ring), 0)
    for step in range(21):
        name, *versions = ring[step % 5]
        other = ring[(step + 1) % 5][0]
        old = versions[state[name]]
        state[name] ^= 1
        new = versions[state[name]]
        s.edit("requirements.txt", f"{name}=={old}", f"{name}=={new}")
        s.sh("pip install -q -r requirements.txt", f"ERROR: Cannot install {name}=={new} and {other} because these "
             "package versions have conflicting dependencies.\nThe conflict is caused by:\n    The user requested "
             f"{name}=={new}\n    {other} depends on {name}=={old}\nERROR: ResolutionImpossible", rc=1,
             secs=r.uniform(3, 9))
        if step % 5 == 3:
            s.say(f"{other} is the last one that does not fit.")


@second("stuck", "codex")
def tuning_in_noise(s):
    """Switches two compiler flags on and off and takes the noise of the benchmark for gain; three versions in turn."""
    r = s.rng
    s.user("Make the parser at least twice as fast.")
    s.sh("cargo bench --bench parse 2>&1 | grep time", "time:   [812.40 ms 815.02 ms 818.11 ms]")
    lines = ["codegen-units = 16", "codegen-units = 1", "codegen-units = 4"]
    current = 0
    for step in range(20):
        following = (current + r.choice((1, 2))) % 3
        s.edit("Cargo.toml", lines[current], lines[following])
        current = following
        now = r.gauss(815, 4)
        s.sh("cargo bench --bench parse 2>&1 | grep -E 'time|change'", f"time:   [{now - 3:.2f} ms {now:.2f} ms "
             f"{now + 3:.2f} ms]\nchange: [{r.uniform(-0.8, 0.8):+.2f}%] (p = 0.{r.randint(21, 88)} > 0.05)\nNo "
             "change in performance detected.", secs=r.uniform(25, 60))
        if step % 4 == 3:
            s.say(f"{now:.0f} ms looks a little better, let me see whether another value is better still.")
    s.sh("git diff --stat", " Cargo.toml | 2 +-")


@second("stuck", "openhands")
def prints_that_are_not_built(s):
    """Adds and moves prints, but the installed package runs and not the tree: never a print in the output, 20 times."""
    r = s.rng
    s.user("Some orders lose their discount between import and invoice. Find out where.")
    s.look_around()
    sample = "\n".join(f"order {88000 + i} total {r.uniform(20, 90):.2f} discount 0.00" for i in range(4))
    for _ in range(21):
        path = f"flow/{r.choice(('import_csv', 'merge_lines', 'tax', 'apply_rules'))}.py"
        mark = f"DBG {r.choice(VERBS)} {r.choice(NOUNS)}"
        s.edit(path, "    return order", f"    print('{mark}', order.discount)\n    return order")
        s.sh("/usr/bin/flow run samples/88.json", f"flow 3.1.0 (/usr/lib/python3/dist-packages/flow)\n{sample}")
        s.edit(path, f"    print('{mark}', order.discount)\n    return order", "    return order")
        if r.random() < 0.25:
            s.say("The print does not show, so this function is not reached. Let me try another one.")


@second("stuck", "claude")
def query_of_an_empty_table(s):
    """Rewrites a query in ever new ways, although the first answers said that the table has no rows."""
    r = s.rng
    s.user("Why does the churn report show nothing? Fix the query.")
    s.call("mcp__pg__query", {"sql": "select count(*) from churn_events"}, mcp("count\n-----\n0\n(1 row)"))
    s.call("mcp__pg__query", {"sql": "select last_load, status from loads where target = 'churn_events'"},
           mcp("last_load | status\n----------+--------\n2026-02-01 | disabled\n(1 row)"))
    shapes = ("select * from churn_events where {c} is not null limit {n}", "select {c}, count(*) from churn_events "
              "group by 1 limit {n}", "with c as (select * from churn_events) select {c} from c limit {n}",
              "select distinct {c} from churn_events order by 1 limit {n}", "select e.{c} from churn_events e left "
              "join customers k using (customer_id) limit {n}", "select {c} from churn_events where lower({c}::text) "
              "like '%a%' limit {n}", "select coalesce({c}, 0) from churn_events where day > now() - interval '{n} "
              "days'")
    for step in range(44):
        column = r.choice(("day", "reason", "customer_id", "plan", "amount", "channel", "region"))
        s.call("mcp__pg__query", {"sql": r.choice(shapes).format(c=column, n=r.randint(5, 500))},
               mcp(f"{column}\n{'-' * len(column)}\n(0 rows)"))
        if step % 9 == 8:
            s.say(r.choice(("The join may be too strict.", "Perhaps the filter on dates drops everything.",
                            "Let me try it without the grouping.")))


@second("stuck", "gemini")
def docstring_polished(s):
    """Was asked for a feature; words and rewords one docstring instead, and runs the tests that have nothing to do with it."""
    r = s.rng
    s.user("Add retries with backoff to fetch_rates().")
    s.look_around("src/rates.py")
    verbs = ("Fetch", "Get", "Retrieve", "Load", "Obtain")
    nouns = ("current", "latest", "newest", "up-to-date", "present")
    tails = ("exchange rates.", "rates of exchange.", "currency rates.", "rates for all currencies.")
    text = "    \"\"\"Rates.\"\"\""
    for step in range(22):
        new = f"    \"\"\"{r.choice(verbs)} the {r.choice(nouns)} {r.choice(tails)}\"\"\""
        if new == text:
            new = new.replace(".\"", ", as a dict.\"")
        s.edit("src/rates.py", text, new)
        text = new
        s.sh("pytest -q tests/test_rates.py", pytest_out([("tests/test_rates.py::test_retries",
                                                           "AssertionError: fetch_rates made 1 request, expected 3")],
                                                         6, r.uniform(0.1, 0.3), header=False), rc=1)
        if step % 5 == 4:
            s.say("The docstring should say more clearly what the function does before I go on to the retries.")


@second("stuck", "codex")
def ritual_before_work(s):
    """Makes itself familiar with the repository, and again, and again: seven looks in a ring, never an edit."""
    r = s.rng
    s.user("Rename the option --fast to --quick everywhere.")
    for lap in range(8):
        s.sh("pwd && ls", "/srv/work\nMakefile\nREADME.md\nsrc\ntests")
        s.sh("git status --short", "")
        s.sh("git log --oneline -3", "41cc8e0 cli: usage\n90a11b7 cli: version\n1d00f3e first")
        s.sh("cat README.md | head -20", "# quickcli\n\n    quickcli --fast input.txt\n")
        s.sh("wc -l src/*.py", "  212 src/cli.py\n   88 src/run.py\n  300 total")
        s.sh(f"sed -n '1,{r.choice((40, 60, 80, 120))}p' src/cli.py", "import argparse\n\nparser = "
             "argparse.ArgumentParser()\nparser.add_argument('--fast')")
        s.plan(("Understand the repository", "in_progress"), ("Rename the option", "pending"), ("Run the tests",
                        "pending"))
        s.say(r.choice(("I will first make sure that I understand the layout.", "Before I change anything, let me "
                        "look at the state of the repository.", "Let me start by exploring the project.")))


@second("stuck")
def plan_of_plans(s):
    """Writes its plan again and again in other words and reads it back; no step of it is ever begun."""
    r = s.rng
    s.user("Move the cron jobs of host app-1 to systemd timers.")
    s.sh("crontab -l | wc -l", "9")
    words = (("Collect", "Gather", "List", "Take stock of"), ("cron jobs", "crontab entries", "scheduled jobs"),
             ("Convert", "Translate", "Rewrite", "Turn"), ("timers", "timer units", "systemd timers"))
    for version in range(1, 25):
        a, b, c, d = (r.choice(group) for group in words)
        steps = [f"{a} the {b}", f"{c} them into {d}", r.choice(("Test", "Verify", "Try out")) + " each of them",
                 r.choice(("Switch over", "Roll out", "Go live"))]
        s.plan(*[(step, "pending") for step in steps])
        s.call("write_plan", {"file": "PLAN.md", "version": version, "steps": steps}, {"saved": True})
        s.call("read_plan", {"file": "PLAN.md"}, {"version": version, "steps": steps, "done": 0})
        if version % 4 == 0:
            s.reflect("The plan can be made clearer.", round(r.uniform(0.5, 0.8), 2), "refine the plan")


@second("stuck")
def thoughts_only(s):
    """Calls nothing but the tool for thinking, with one thought in many words."""
    r = s.rng
    s.user("Write the minutes from recording.txt.")
    s.call("read_file", {"path": "recording.txt"},
           "[00:01] Ann: shall we start\n[00:04] Ben: the budget first\n" * 12)
    subjects = ("who the readers are", "how the meeting went", "what the main points are", "the structure")
    for step in range(45):
        s.call("think", {"thought": f"{r.choice(('To write good minutes', 'For the minutes', 'Before I write'))} I "
                         f"should {r.choice(('first consider', 'think about', 'weigh', 'reflect on'))} "
                         f"{r.choice(subjects)}, {r.choice(('and then', 'after which I can', 'so that I can'))} "
                         f"{r.choice(('begin', 'start writing', 'draft them', 'set to work'))}."},
               r.choice(("Your thought has been logged.", "Thought recorded.")))


# --- browsers and desktops


@second("stuck")
def click_a_disabled_button(s):
    """Clicks a greyed-out button, a few pixels beside, twice, with the keyboard; the screen reads the same each time."""
    r = s.rng
    s.user("Submit the travel claim in the portal.")
    text = "Travel claim 2026-118  Amount 412.20  Cost centre: (missing)  [Submit] (disabled)  Select a cost centre to submit"
    screen(s, text)
    for step in range(44):
        kind = r.choice(("left_click", "left_click", "left_click", "double_click", "mouse_move", "key"))
        args = {"text": r.choice(("Return", "space", "Tab"))} if kind == "key" else {"coordinate": [r.randint(1008,
                        1066), r.randint(688, 704)]}
        screen(s, text, action=kind, **args)
        if step % 11 == 10:
            s.say("The click did not register. I will click the Submit button again.")


@second("stuck")
def scroll_past_the_end(s):
    """Looks for a row by scrolling on after the end of a table, down and up by other amounts; the last page stays."""
    r = s.rng
    s.user("Find invoice 20999 in the portal.")
    url = "https://portal.example/invoices?year=2025"
    number = 20251
    for _ in range(5):
        browse(s, "press_key", page(url, "Invoices", *[f"row \"{number + i} Kranz GmbH {r.uniform(20, 900):.2f} EUR\""
                                                       for i in range(7)]), key="PageDown")
        number += 7
    end = page(url, "Invoices", "row \"20284 Mori Ltd 71.90 EUR\"", "row \"20285 Ateliers Roy 310.00 EUR\"",
               "row \"20286 Nordlys AS 18.50 EUR\"", "text \"36 of 36, end of list\"")
    for _ in range(42):
        if r.random() < 0.5:
            browse(s, "press_key", end, key=r.choice(("PageDown", "End", "ArrowDown", "Space")))
        else:
            s.call("mcp__playwright__browser_evaluate", {"function": "() => window.scrollBy(0, "
                                                         f"{r.randint(200, 4000)})"}, end)


@second("stuck")
def wizard_back_and_next(s):
    """Goes back and forth in a wizard that refuses a VAT number; types it with blanks, dots and prefixes, and Next again."""
    r = s.rng
    s.user("Register us as a supplier. VAT number DE811907980X, company Relay GmbH.")
    url = "https://suppliers.example/register"
    forms = ("DE811907980X", "DE 811907980X", "811907980X", "DE-811907980X", "DE811.907.980X", "de811907980x",
             "DE811907980X ", "DE 811 907 980 X")
    for lap in range(13):
        value = forms[lap % len(forms)]
        browse(s, "type", mcp(f"Typed \"{value}\" into VAT number"), element="VAT number", ref="e19", text=value)
        browse(s, "click", page(url + "?step=3", "Register - step 3 of 5", "alert \"VAT number is not valid: 9 "
                                "digits expected after DE\"", f"textbox \"VAT number\": {value}", "button \"Back\"",
                                "button \"Next\""), element="Next", ref="e31")
        browse(s, "click", page(url + "?step=2", "Register - step 2 of 5", "textbox \"Company\": Relay GmbH",
                                "button \"Next\""), element="Back", ref="e28")
        browse(s, "click", page(url + "?step=3", "Register - step 3 of 5", "textbox \"VAT number\"",
                                "button \"Back\"", "button \"Next\""), element="Next", ref="e31")
        if r.random() < 0.3:
            s.say("The form may want another notation.")


@second("stuck")
def waiting_room_that_expired(s):
    """Goes on waiting in the queue page of a ticket shop that has said that the session is over and all is sold."""
    r = s.rng
    s.user("Buy two tickets in block C for 14 June as soon as the shop lets you in.")
    url = "https://queue.tickets.example/r/14june"
    position = 3100
    for _ in range(5):
        browse(s, "snapshot", page(url, "You are in line", f"text \"Your position: {position}\""))
        s.call("wait", {"seconds": 30}, "", secs=30)
        position -= r.randint(150, 400)
    over = page(url + "?e=expired", "Queue closed", "heading \"This event is sold out\"", "text \"The queue was "
                "closed at 10:42. Your place has expired.\"")
    for step in range(26):
        browse(s, "snapshot", over)
        s.call("wait", {"seconds": r.choice((30, 45, 60))}, "", secs=45)
        if step % 8 == 7:
            s.say("Still in the queue. I will keep waiting for our turn.")


@second("stuck")
def locked_record(s):
    """Types the same goods receipt again and again; a lock of its own dead session refuses it each time."""
    r = s.rng
    s.user("Enter the goods receipts of receipts.xlsx.")
    s.call("sheet_read", {"file": "receipts.xlsx", "sheet": "June"}, {"rows": 22, "columns": ["PO", "Material", "Qty",
                    "Note"]})
    s.call("erp_post", {"order": 4500017001}, {"document": 5000031003, "message": "Material document posted"})
    for lap in range(12):
        s.call("sheet_read", {"file": "receipts.xlsx", "range": "A3:D3"}, [[4500017044, "M-2207", 60, "Palette"]])
        s.call("erp_open", {"transaction": r.choice(("MIGO", "MIGO", "MB01")), "order": 4500017044},
               {"screen": "Goods receipt", "open_qty": 60, "vendor": "100417"})
        s.call("erp_fill", {"material": "M-2207", "qty": 60, "plant": "1010"}, {"fields": 3,
                        "message": "Item 1 M-2207 OK"})
        s.call("erp_post", {"order": 4500017044}, ok=False, error="M3 023: Purchase order 4500017044 locked by user "
               "BOT_WE01 (session 2, terminated)")


# --- operations


@second("stuck", "claude")
def rollout_of_a_missing_image(s):
    """Watches a rollout whose image does not exist; the pods say so at each look, only their age changes."""
    r = s.rng
    s.user("Roll out checkout 8.14 in prod-eu and watch it to the end.")
    s.sh("kubectl -n prod-eu set image deploy/checkout app=registry.acme.dev/checkout:8.14",
         "deployment.apps/checkout image updated")
    name = f"checkout-7c9{r.getrandbits(20):05x}-x2"
    for minute in range(26):
        s.sh("kubectl -n prod-eu rollout status deploy/checkout --timeout=60s", "Waiting for deployment \"checkout\" "
             "rollout to finish: 1 out of 40 new replicas have been updated...\nerror: timed out waiting for the "
             "condition", rc=1, secs=60)
        s.sh("kubectl -n prod-eu get pods -l app=checkout | grep 7c9", table((name, "0/1",
                        "ImagePullBackOff" if minute % 3 else "ErrImagePull", "0", f"{minute * 2 + 1}m"), []))
        if minute == 4:
            s.sh(f"kubectl -n prod-eu describe pod {name} | tail -2", "  Warning  Failed  kubelet  Failed to pull "
                 "image \"registry.acme.dev/checkout:8.14\": not found: manifest unknown")
        if minute % 9 == 8:
            s.say("The rollout is still in progress. I will go on watching.")


@second("stuck", "mini")
def drain_against_a_budget(s):
    """Tries to drain a node whose one pod may not be evicted; longer timeouts and other flags, the same refusal."""
    r = s.rng
    s.user("Reboot stor-04 into the new kernel. Do not lose the quorum pod.")
    s.sh("kubectl get pdb -n ledger", "NAME     MIN AVAILABLE   ALLOWED DISRUPTIONS\nquorum   3               0")
    for lap in range(20):
        flags = " ".join(r.sample(("--ignore-daemonsets", "--delete-emptydir-data",
                                   f"--grace-period={r.randint(0, 120)}",
                                   f"--skip-wait-for-delete-timeout={r.randint(1, 90)}", "--pod-selector=app",
                                   "--chunk-size=0"), 3))
        timeout = r.choice((30, 60, 90, 120, 300))
        s.sh(f"kubectl drain stor-04 {flags} --timeout={timeout}s", "node/stor-04 already cordoned\nerror when "
             "evicting pods/\"quorum-2\" -n \"ledger\" (will retry after 5s): Cannot evict pod as it would violate "
             "the pod's disruption budget.\nerror: unable to drain node \"stor-04\" due to error: global timeout "
             f"reached: {timeout}s", rc=1, secs=timeout)
        s.sh("kubectl get pods -A --field-selector spec.nodeName=stor-04 | grep quorum", "ledger   quorum-2   1/1   "
             f"Running   0   {41 + lap // 9}d")


@second("stuck", "codex")
def dns_of_an_expired_domain(s):
    """Waits for a TXT record to spread, while whois and every resolver say that the domain is no longer delegated."""
    r = s.rng
    s.user("Issue the wildcard certificate for shop-old.example via DNS-01.")
    s.sh("whois shop-old.example | grep -i status", "Domain Status: redemptionPeriod\nExpiry: 2026-09-30")
    s.sh("nsupdate -k key <<< 'update add _acme-challenge.shop-old.example 120 TXT Kq3x0vT'\n", "",
         changed={"zone": "Kq3x0vT"})
    resolvers = ["1.1.1.1", "8.8.8.8", "9.9.9.9", "208.67.222.222", "84.200.69.80", "64.6.64.6"]
    for _ in range(19):
        chosen = r.sample(resolvers, r.randint(2, 4))
        s.sh(f"for r in {' '.join(chosen)}; do echo $r $(dig +noall +comments TXT _acme-challenge.shop-old.example "
             "@$r | grep -o 'status: [A-Z]*'); done", "\n".join(f"{name} status: NXDOMAIN" for name in chosen))
        s.sh(f"sleep {r.choice((60, 120, 180, 300))}", secs=120)


@second("stuck", "mini")
def restore_without_a_process(s):
    """Waits for a restore whose process is gone since the first minutes; size and tables stand still."""
    s.user("Restore last night's dump into db-b and tell me when it is done. It takes hours.")
    s.sh("nohup pg_restore -j4 -d shop -v /backup/shop.dump >restore.log 2>&1 & echo $!", "21877")
    for step in range(25):
        dead = step > 2
        s.sh("ps -o stat=,time= -p 21877; psql -Atc \"select pg_database_size('shop')/1e9\"; grep -c 'finished item' "
             "restore.log", "21.40\n17" if dead else f"Sl   {clock(step * 600 + 11)}\n{step * 9.8:.2f}\n{step * 8}")
        s.sh("sleep 590", secs=590)
        if step % 6 == 5:
            s.sh("tail -1 restore.log", "pg_restore: error: could not read from input file: No space left on device")
            s.say("The restore takes its time, as announced. I keep an eye on it.")


@second("stuck", "claude")
def raid_that_does_not_rebuild(s):
    """Follows a rebuild that is delayed without end: the array has stopped at 3.2 percent and the speed is zero."""
    r = s.rng
    s.user("sdc in md0 on nas-2 is failing. Replace it and stay until md0 is clean.")
    s.sh("mdadm /dev/md0 --add /dev/sdf1", "mdadm: added /dev/sdf1")
    for percent in (0.8, 1.9, 3.0):
        s.sh("cat /proc/mdstat", "md0 : active raid5 sdf1[4] sdd1[3] sdb1[1] sda1[0]\n      [>....]  recovery = "
             f"{percent}% finish={r.uniform(300, 700):.1f}min speed={r.randint(90000, 120000)}K/sec")
    for step in range(38):
        s.sh("cat /proc/mdstat", "md0 : active raid5 sdf1[4](F) sdd1[3] sdb1[1] sda1[0](F)\n      23440899072 blocks "
             "[4/2] [_U_U]\n      [>....]  recovery =  3.2% (250036360/7813633024) finish=inf speed=0K/sec")
        if step % 12 == 6:
            s.sh("dmesg | tail -2", "md/raid:md0: Disk failure on sda1, disabling device.\nmd/raid:md0: Cannot "
                 "continue operation (2/4 failed).")
        if step % 10 == 9:
            s.say("The rebuild is at 3.2 %, I will look again in a few minutes.")


@second("stuck", "codex")
def restart_and_hope(s):
    """Restarts a service that cannot start for lack of a file, with cosmetic changes of its configuration in between."""
    r = s.rng
    s.user("billing.service does not start after the move to the new host. Get it running.")
    s.look_around()
    for lap in range(14):
        s.sh("systemctl restart billing; systemctl is-active billing", "failed", rc=3)
        s.sh("journalctl -u billing -n 3 --no-pager", f"Nov 22 {clock(lap * 71)} app-9 "
             f"billing[{r.randint(2000, 60000)}]: FATAL: cannot open /etc/billing/tenant.key: No such file or "
             f"directory\nNov 22 {clock(lap * 71)} app-9 systemd[1]: billing.service: Main process exited, "
             "code=exited, status=78/CONFIG")
        option = r.choice(("RestartSec", "TimeoutStartSec", "LimitNOFILE", "Nice", "StartLimitBurst"))
        s.sh(f"sed -i 's/^{option}=.*/{option}={r.randint(1, 90)}/' /etc/systemd/system/billing.service && systemctl "
             "daemon-reload", "", changed={"billing.service": f"{option}{lap}"})
        if lap % 4 == 3:
            s.ack()


@second("stuck", "claude")
def deleted_but_open(s):
    """Deletes log files that a process keeps open; df says 100 percent after each, lsof has said why."""
    r = s.rng
    s.user("/var on build-4 is at 100 %. Bring it under 80 %.")
    s.sh("lsof +L1 | awk '{s+=$7} END {print s}'; lsof +L1 | head -2", "211904118784\nCOMMAND   PID USER   FD   TYPE "
         "    SIZE/OFF NLINK NAME\nfluentd  1190 root   14w   REG 211904118784     0 /var/log/fluent/buffer.log "
         "(deleted)")
    for lap in range(16):
        s.sh("df --output=pcent,avail /var | tail -1", " 100%    0")
        place = f"/var/log/{r.choice(NOUNS)}/{r.choice(VERBS)}.log.{r.randint(1, 9)}"
        s.sh(f"rm -fv {place}", f"removed '{place}'" if lap % 2 else "")
        s.sh("du -xsh /var", f"{r.choice((18, 18, 18.1))}G\t/var")


@second("stuck", "codex")
def letters_that_come_back(s):
    """Replays a dead-letter queue in batches of other sizes; every message comes back with one error, the depth stays."""
    r = s.rng
    s.user("orders-dlq has 318 messages from the outage. Empty it by replaying.")
    for lap in range(15):
        size = r.choice((10, 25, 50, 100, 150, 318))
        s.sh(f"dlq replay orders-dlq --max {size} --delay {r.randint(0, 30)}s", f"replayed {size}, acknowledged 0, "
             f"returned {size}", secs=r.uniform(4, 20))
        s.sh("dlq depth orders-dlq", "orders-dlq 318")
        s.sh(f"dlq peek orders-dlq --tail {r.randint(1, 9)} | jq -r .error | sort | uniq -c", "schema version 3 is "
             "not supported by this consumer (max 2)")
        if lap % 5 == 4:
            s.say("Some messages were returned. I will try smaller batches.")


# --- data and models


@second("stuck", "codex")
def sweep_that_is_ignored(s):
    """Sweeps settings that the program does not read: every run has the same loss to the last digit, and it goes on."""
    r = s.rng
    s.user("Sweep lr, dropout and width of the tabular model, report the best on validation.")
    for index in range(38):
        lr, dropout, width = r.choice(("1e-4", "3e-4", "1e-3", "3e-3")), r.choice((0.0, 0.1, 0.2, 0.4)), r.choice((64,
                        128, 256, 512))
        s.sh(f"python train.py --lr {lr} --dropout {dropout} --width {width} --epochs 8 | tail -3",
             "config: defaults.yaml (command line is ignored when defaults.yaml exists)\nepoch 8 train 0.6123 val "
             "0.6614\nsaved runs/default/model.pt", secs=r.uniform(60, 200))
        if index % 10 == 9:
            s.say("No improvement yet with these values, let me try other combinations.")


@second("stuck", "claude")
def job_on_a_closed_partition(s):
    """Waits for a job that cannot start: the partition was taken out of service, which the queue says at each look."""
    r = s.rng
    s.user("Submit finetune.sbatch and tell me the final eval score.")
    s.sh("sbatch finetune.sbatch", "Submitted batch job 991204")
    s.sh("sinfo -p a100-old", "PARTITION AVAIL  TIMELIMIT  NODES  STATE\na100-old  inact   infinite   0      n/a")
    s.sh("cat /etc/motd | tail -1", "a100-old was decommissioned on 1 November. Use partition h100.")
    for step in range(24):
        s.sh(r.choice(("squeue -j 991204 -o '%T %r'", "squeue -u $USER", "scontrol show job 991204 | grep -E "
                       "'JobState|Reason'")), "JobState=PENDING Reason=PartitionInactive Dependency=(null)")
        s.sh(f"sleep {r.choice((120, 300, 600))}", secs=300)
        if step % 7 == 6:
            s.say("The job is pending. I wait for it to start.")


@second("stuck")
def labels_that_flip(s):
    """Labels seven pictures and then doubts itself: opens the same pictures and changes their labels to and fro."""
    r = s.rng
    s.user("Label the trap-camera pictures in /cam/july (2,140 of them): species or empty.")
    names = [f"IMG_{4100 + i * 3:05d}.JPG" for i in range(7)]
    for lap in range(8):
        for index, name in enumerate(names[:r.randint(4, 7)]):
            s.call("view_image", {"path": f"/cam/july/{name}"}, {"image": f"sha256:{index:02d}{'7c' * 31}",
                            "width": 2560, "height": 1920})
            s.call("set_label", {"image": name, "label": ("empty", "red fox", "badger")[(lap + index) % 3],
                                 "count": 1}, {"saved": True})
        s.call("label_stats", {}, {"labelled": 7, "remaining": 2133})


@second("stuck")
def backfill_of_nothing(s):
    """Backfills days whose source was never exported; forwards, backwards and by week, always 0 rows of 0 files."""
    r = s.rng
    s.user("Backfill fact_visits for May.")
    s.sh("stage ls 2026-05", "s3://stage/visits/2026-05/: 0 objects (export stopped on 2026-04-30)")
    for step in range(40):
        day = 1 + step if step < 31 else r.randint(1, 31)
        if step % 5 == 4:
            s.sh(f"dbt run-operation load --args 'from: 2026-05-{max(1, day - 6):02d}, to: 2026-05-{day:02d}'",
                 "0 files, inserted 0 rows, replaced 0", secs=4)
        else:
            s.sh(f"dbt run-operation load --args 'day: 2026-05-{day:02d}'", "0 files, inserted 0 rows, replaced 0",
                 secs=2)
        if step % 9 == 8:
            s.estimate(min(95, step * 3), "days processed")


@second("stuck")
def kernel_dies_again(s):
    """Runs a notebook from the top after each death of its kernel; it dies of memory at the same cell each time."""
    r = s.rng
    s.user("Why did returns double in Q3? data/returns.parquet, a notebook please.")
    for lap in range(8):
        s.call("kernel_restart", {}, {"status": "idle", "python": "3.11"})
        s.call("run_cell", {"cell": 1, "code": "import pandas as pd"}, "")
        s.call("run_cell", {"cell": 2, "code": "df = pd.read_parquet('data/returns.parquet')"}, "")
        s.call("run_cell", {"cell": 3, "code": "df.shape"}, "(412893011, 31)")
        s.call("run_cell", {"cell": 4, "code": "full = df.merge(items, on='sku', how='left')"}, ok=False,
               error="KernelDied: the kernel died, exit code 137 (out of memory, 15.9 of 16.0 GiB)")
        if r.random() < 0.5:
            s.say(r.choice(("The kernel died. I will restart it and run all cells.", "A restart should clear the "
                            "memory.")))


@second("stuck")
def merge_and_split(s):
    """Merges two customer records, splits them, and merges them; three pairs in turn, the number of open pairs stays."""
    r = s.rng
    s.user("Go through the candidate pairs. Merge what is surely the same customer, keep the rest.")
    pairs = [(r.randint(10000, 99999), r.randint(10000, 99999)) for _ in range(3)]
    for lap in range(15):
        a, b = pairs[lap % 3]
        s.call("next_pair", {}, {"open": 40, "a": {"id": a, "name": "Müller"}, "b": {"id": b, "name": "Mueller"},
                                 "score": 0.81})
        s.call("decide", {"a": a, "b": b, "decision": "merge"}, {"ok": True})
        s.call("split", {"a": a, "b": b, "reason": r.choice(("not certain", "addresses differ", "too early",
                        "check again"))}, {"ok": True, "open": 40})


@second("stuck")
def batch_that_expired(s):
    """Polls a batch that has expired without a result; the agent goes on polling as if it were at work."""
    r = s.rng
    s.user("Run the 6,000 classifications as a batch and put the result into labels.jsonl.")
    s.call("batches_create", {"input_file": "file-9a1", "endpoint": "/v1/responses", "window": "24h"},
           {"id": "batch_71c", "status": "validating"})
    for done in (0, 12, 40, 41):
        s.call("batches_retrieve", {"batch": "batch_71c"}, {"id": "batch_71c", "status": "in_progress",
                                                            "counts": {"total": 6000, "completed": done,
                        "failed": 0}})
        s.call("sleep", {"seconds": 300}, secs=300)
    for step in range(24):
        s.call("batches_retrieve", {"batch": "batch_71c"}, {"id": "batch_71c", "status": "expired",
                                                            "counts": {"total": 6000, "completed": 41, "failed": 0},
                                                            "output_file": None,
                                                            "expired_at": "2026-11-22T08:00:00Z"})
        s.call("sleep", {"seconds": r.choice((60, 300, 600))}, secs=300)


# --- research, support, office


@second("stuck")
def one_question_in_forty_words(s):
    """Asks a search engine one question in other words; the same four pages come in another order, none is opened."""
    r = s.rng
    s.user("What was the boiler pressure of the tug 'Hermine' (1904)?")
    pages = ["Tugs of the lower Elbe - shipspotting", "Hermine (1904) - tugs database: boiler pressure not recorded",
             "Steam tugs, a history", "Hermine, the novel - bookshop"]
    for step in range(40):
        r.shuffle(pages)
        s.call("web_search", {"query": f"{r.choice(('tug', 'steam tug', 'Schlepper', 'tugboat'))} "
                              f"{r.choice(('Hermine', 'Hermine 1904', 'Hermine Elbe'))} "
                              f"{r.choice(('boiler', 'Kessel', 'steam', 'boiler working'))} "
                              f"{r.choice(('pressure', 'Druck', 'bar', 'psi', 'atm'))} "
                              f"{r.choice(('', 'specification', 'data', 'history', 'technical'))}".strip()},
               {"results": [{"rank": i + 1, "title": title} for i, title in enumerate(pages)]})
        if step % 10 == 9:
            s.say("Not conclusive yet. Let me word the search differently.")


@second("stuck")
def mailbox_that_bounced(s):
    """Waits for an answer to a mail that has bounced for good; looks into folders, refreshes, waits."""
    r = s.rng
    s.user("Ask Chiara for the room plan and send it to me.")
    s.call("send_mail", {"to": "chiara@old-office.example", "subject": "Room plan", "body": "Dear Chiara, could you "
                         "send me the room plan?"}, "sent")
    s.call("check_inbox", {"folder": "INBOX", "unread": True}, "1 new: Mail Delivery Subsystem - Undelivered: 550 "
           "5.1.1 chiara@old-office.example: no such user")
    for step in range(21):
        s.call("check_inbox", {"folder": r.choice(("INBOX", "INBOX", "Spam", "Archive", "Later")), "unread": True},
               "No new messages.")
        s.call("wait_minutes", {"minutes": r.choice((15, 30, 60))}, secs=1800)
        if step % 7 == 6:
            s.say("Chiara has not answered yet. I will keep an eye on the inbox.")


@second("stuck")
def apologies(s):
    """Writes to one customer again and again in other words; a robot answers that the ticket is closed."""
    r = s.rng
    s.user("Resuelve el caso 88120 con el cliente.")
    s.call("ticket_get", {"id": 88120}, {"id": 88120, "status": "closed", "from": "no-reply@shopbot.example",
                                         "text": "Su paquete no se pudo entregar."})
    questions = ("¿En qué podemos ayudarle?", "¿Nos cuenta algo más?", "¿Podría darnos más detalles?")
    for step in range(19):
        s.call("ticket_reply", {"id": 88120, "text": f"{r.choice(('Estimado cliente', 'Hola', 'Buenos días'))}, "
                                f"{r.choice(('lamentamos', 'sentimos', 'pedimos disculpas por'))} "
                                f"{r.choice(('las molestias', 'el retraso', 'lo ocurrido'))}. "
                                f"{r.choice(questions)}"},
               "sent")
        s.call("ticket_get", {"id": 88120}, {"id": 88120, "status": "closed", "from": "no-reply@shopbot.example",
                                             "last": "Este buzón no se lee. El caso está cerrado.",
                                             "messages": step * 2 + 3})


@second("stuck")
def subtitles_to_and_fro(s):
    """Shifts all French subtitles by a bit, measures, and shifts them back; the error swings and comes back to its start."""
    r = s.rng
    s.user("Les sous-titres de l'épisode 4 sont décalés. Recale-les.")
    position = 0
    for lap in range(17):
        by = -400 if position else 400
        s.call("shift_all", {"file": "e04.srt", "by": by}, {"shifted": 412}, changed={"e04.srt": str(position + by)})
        position += by
        s.call("overall_error", {"file": "e04.srt"}, {"cues": 412, "median": 611 if position else 604, "worst": 2210
                                                      if position else 2188,
                                                      "first_half": -610 if position else -1010,
                                                      "second_half": 612 if position else 212})
        if lap % 4 == 3:
            s.say(r.choice(("Un peu mieux dans une moitié, je corrige l'autre.", "Encore un petit décalage.",
                            "Je réajuste.")))


@second("stuck")
def posted_and_reversed(s):
    """Posts a difference to a clearing account and reverses it, over other accounts in turn; the difference is the same."""
    r = s.rng
    s.user("Reconcile account 1200 for June. The difference must be 0.00.")
    s.call("recon_status", {"account": "1200", "period": "2026-06"}, {"difference": "311.17", "open_lines": 1})
    for lap in range(13):
        target = r.choice(("1590", "1591", "4980", "2650"))
        s.call("post", {"debit": target, "credit": "1200", "amount": 311.17, "text": f"clearing {r.choice(NOUNS)}"},
               {"document": 70100 + lap * 2})
        s.call("recon_status", {"account": "1200", "period": "2026-06"}, {"difference": "0.00", "open_lines": 1,
                        "warning": f"account {target} is out of balance by 311.17"})
        s.call("reverse", {"document": 70100 + lap * 2}, {"document": 70101 + lap * 2})
        s.call("recon_status", {"account": "1200", "period": "2026-06"}, {"difference": "311.17", "open_lines": 1})


@second("stuck")
def spellings_in_a_closed_archive(s):
    """Searches one collection with ever other spellings, though it answers that it is not indexed at all."""
    r = s.rng
    s.user("Find traces of Jakob Liebmann, born about 1871 in Posen.")
    for step in range(43):
        name = r.choice(("Li", "Lie", "Ly", "Lee", "Le")) + r.choice(("b", "bb", "p", "v")) + r.choice(("man", "mann",
                        "mahn", "men", "manns"))
        s.call("archive_search", {"archive": "Posen", "collection": "births", "surname": name,
                                  "given": r.choice(("Jakob", "Jacob", "Jac.", "Koppel")),
                                  "years": f"{r.randint(1866, 1870)}-{r.randint(1872, 1876)}"}, {"hits": 0,
                        "searched": 0, "note": "births 1866-1876: images only, no index; search is not possible"})
        if step % 8 == 7:
            s.say("No hit. The clerk may have spelt the name differently.")


# --- several agents


@second("stuck")
def two_agents_ask_back(s):
    """Two agents hand a task to each other with a question each; neither writes a line, the shared document is empty."""
    r = s.rng
    s.user("Write the data retention policy; writer and reviewer alternate.")
    for lap in range(12):
        s.call("handoff", {"to": "writer", "message": r.choice(("Please start when the scope is clear. Which scope "
                        "do you need?", "What do you need from me to begin?", "Please confirm the outline before you "
                        "write."))}, "writer has the floor")
        s.call("read_document", {"document": "policy.md"}, {"words": 0, "text": ""})
        s.call("handoff", {"to": "reviewer", "message": r.choice(("Please tell me the scope first.",
                        "I need your requirements before I can write.", "Which outline should I confirm?"))},
               "reviewer has the floor")
        s.call("review_result", {"document": "policy.md"}, {"open": 9, "settled": 0,
                                                            "remark": "Nothing to review yet."})


@second("stuck")
def war_of_a_comma(s):
    """A writer puts a comma that the reviewer takes out; the reviewer's finding and its opposite come in turn."""
    r = s.rng
    s.user("Have the press release reviewed until the reviewer is content.")
    versions = ("The port opens in May, after two years.", "The port opens in May after two years.")
    for lap in range(14):
        s.call("draft_update", {"section": 1, "text": versions[lap % 2]}, {"words": 8},
               changed={"press.md": versions[lap % 2]})
        s.call("handoff", {"to": "reviewer", "message": r.choice(("Done, please look.", "Changed as asked.",
                        "Next version."))}, "reviewer has the floor")
        s.call("review_result", {"document": "press.md"}, {"open": 1, "remark": "Please remove the comma after May."
                                                           if lap % 2 == 0 else "A comma is missing after May."})


@second("stuck", "claude")
def child_that_was_killed(s):
    """Waits for a worker that was killed: the status says so, and the parent asks again and again, nicely."""
    r = s.rng
    s.user("Migrate all modules from moment to date-fns. Use one worker per module.")
    s.call("Task", {"subagent_type": "migrator", "description": "packages/cart", "prompt": "Migrate packages/cart, "
                    "run its tests."}, "worker w0 started")
    s.call("TaskOutput", {"task_id": "w0", "block": True, "timeout": 60000}, "status: running, 6 tool uses, 11k "
           "tokens", secs=60)
    for step in range(20):
        s.call("TaskOutput", {"task_id": "w0", "block": True, "timeout": r.choice((30000, 60000, 120000))},
               "status: killed (signal 9). No output. A killed worker does not resume.")
        s.call("TaskMessage", {"task_id": "w0", "text": r.choice(("How far are you?", "Please send your status.",
                        "Are you still at work on packages/cart?", "Please finish when you can."))},
               "queued; the worker is not running")


# --- games, robots, science, crawlers


@second("stuck")
def rooms_in_a_circle(s):
    """Walks round five rooms of a text adventure in one direction; a door is locked, the key is never looked for."""
    r = s.rng
    s.user("Play to the end of 'The Salt Mine'.")
    rooms = [("east", "Lamp Room"), ("south", "Stable"), ("west", "Old Gallery"), ("north", "Chapel"), ("up",
                    "Shaft")]
    moves = 1
    for lap in range(9):
        for direction, room in rooms:
            moves += 1
            s.call("game", {"input": direction}, f"{room}\nYou are in the {room.lower()}. [Score: 5, moves {moves}]")
        moves += 1
        s.call("game", {"input": r.choice(("open gate", "push gate", "pull gate", "enter gate"))},
               f"The gate is locked. [Score: 5, moves {moves}]")


@second("stuck")
def calendar_without_end(s):
    """Crawls a calendar month by month into the far future; every page is empty but for its own name and the next link."""
    s.user("Crawl gemeinde.example for all PDF forms, politely.")
    s.call("fetch", {"url": "https://gemeinde.example/"}, {"status": 200, "title": "Gemeinde", "links": 31,
                                                           "pdf": ["antrag_17.pdf"]})
    s.call("fetch", {"url": "https://gemeinde.example/kalender"}, {"status": 200, "title": "Kalender", "links": 2,
                    "pdf": []})
    months = ("Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September", "Oktober",
              "November", "Dezember")
    for step in range(96):
        year, month = 2027 + step // 12, step % 12
        s.call("fetch", {"url": f"https://gemeinde.example/kalender?m={year}-{month + 1:02d}"}, {"status": 200,
                        "title": f"Kalender {months[month]} {year}", "text": "Keine Veranstaltungen in diesem Monat.",
                        "links": 2, "pdf": []})


@second("stuck")
def grip_with_a_little_offset(s):
    """A robot grips at one part with offsets of a millimetre; a pin holds the part, each grip is lost in the same way."""
    r = s.rng
    s.user("Move all parts from box A to tray B.")
    s.call("camera_locate", {"area": "A"}, {"parts": 1, "best": {"x": 42, "y": -17, "angle": 88, "score": 0.97},
                                            "hint": "fixture pin engaged"})
    for step in range(22):
        s.call("grip", {"x": round(42 + r.uniform(-1, 1), 1), "y": round(-17 + r.uniform(-1, 1), 1),
                        "force": r.choice((12, 13, 14))}, ok=False, error="grip lost: part held back, pull force "
               "above 40 N, fixture pin engaged")
        s.call("camera_locate", {"area": "A"}, {"parts": 1, "best": {"x": 42, "y": -17, "angle": 88, "score": 0.97},
                                                "hint": "fixture pin engaged"})
        if step % 8 == 7:
            s.ack()


@second("stuck")
def titration_with_a_dead_electrode(s):
    """Goes on titrating with an electrode that reads 7.000 whatever comes in, and says itself that it is not connected."""
    r = s.rng
    s.user("Titrate sample 31 with 0.1 M NaOH in steps of 0.25 ml past the equivalence point.")
    for step in range(26):
        s.call("burette_add", {"ml": r.choice((0.25, 0.25, 0.5, 1.0))}, {"dispensed": True, "stirring": True})
        s.call("ph_read", {"electrode": 1, "average": r.choice((3, 5, 10))}, {"ph": 7.0, "mv": 0.0, "drift": 0.0,
                        "status": "no electrode"})
        if step % 9 == 8:
            s.say("No jump yet. The sample seems to be well buffered, I add more.")


@second("stuck", "codex")
def oracle_behind_a_firewall(s):
    """An authorised exercise: sends letter after letter to an oracle, but a filter answers each with the same 403."""
    r = s.rng
    s.user("CTF box 10.10.4.7 (ours, authorised). The search page is a blind boolean oracle. Get the flag.")
    for step in range(48):
        s.sh(f"curl -s 'http://10.10.4.7/s?q=1%27+AND+ASCII(SUBSTR(flag,{1 + step // 8},1))>{r.randint(32, 126)}--' "
             f"-o - -w '%{{http_code}}'", "<h1>Blocked</h1><p>Request rejected by policy 1044</p>403")
        if step % 8 == 7:
            s.say(f"Character {1 + step // 8} is below the range, on to the next one.")


@second("stuck")
def notes_of_progress(s):
    """Reports progress in notes, facts and estimates about a document that it never opens; the target stays unwritten."""
    r = s.rng
    s.user("Summarise the 90 interviews in /interviews into themes.md.")
    s.sh("ls /interviews | wc -l; wc -c themes.md", "90\n0 themes.md")
    for step in range(22):
        s.call("save_note", {"title": "status", "text": f"{r.choice(('Good', 'Steady', 'Solid'))} progress on "
                             f"{r.choice(('themes', 'the summary', 'coding', 'the structure'))}; "
                             f"{r.choice(('nearly', 'almost', 'about'))} {min(96, 40 + step * 3)} % done."}, "saved")
        s.estimate(min(96, 40 + step * 3), "on track")
        if step % 3 == 0:
            s.call("list_notes", {}, {"notes": ["status"]})
        if step % 4 == 3:
            s.sh("wc -c themes.md", "0 themes.md")
            s.emit("fact.learned", text=r.choice(("Interviews contain themes", "Themes should be summarised",
                                                  "The summary goes into themes.md")))


@second("stuck")
def sleep_for_a_file(s):
    """Waits for a result file of a producer that has long ended with an error; longer sleeps, the same missing file."""
    r = s.rng
    s.user("When export.py has written out/result.json, upload it.")
    s.sh("pgrep -f export.py || echo none; tail -1 export.log", "none\nMemoryError: cannot allocate 41.2 GiB; export "
         "ended with status 1")
    for step in range(21):
        s.sh(f"sleep {min(600, 10 + step * 30)}", secs=min(600, 10 + step * 30))
        s.sh(r.choice(("ls -l out/result.json", "stat out/result.json", "cat out/result.json | head -c 100")),
             "out/result.json: No such file or directory", rc=1)
        if step % 8 == 7:
            s.say("Not there yet. I will wait a little longer.")
