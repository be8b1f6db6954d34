# SPDX-License-Identifier: Apache-2.0
"""Agents of the third set that go nowhere, part 1 of 3."""

from sealed_common import NOUNS, VERBS, clock
from second_common import browse, mcp, page
from third_common import third


@third("stuck", "goose")
def guesses_at_a_locked_account(s):
    """Guesses passwords of a training box whose account is locked, which every answer says."""
    r = s.rng
    s.user("CTF practice box 'cookies': get into the admin page.")
    s.sh("curl -si http://10.10.4.7/login", "HTTP/1.1 200 OK\n<form>user password</form>")
    for attempt in range(44):
        guess = f"{r.choice(NOUNS)}{r.choice(('', '!', '123', '2024', '_1'))}{r.randint(0, 99)}"
        s.sh(f"curl -s http://10.10.4.7/login -d 'user=admin&password={guess}'",
             f"{{\"error\":\"account admin is locked until an administrator unlocks it\",\"request\":\"{r.getrandbits(40):010x}\"}}")
        if attempt % 11 == 6:
            s.say(r.choice(("Perhaps a word from the page.", "Maybe with a year at the end.")))


@third("stuck", "codex")
def flashing_without_a_probe(s):
    """Builds and flashes again and again while no probe is plugged in; flags and speeds differ."""
    r = s.rng
    s.user("Flash the new image to the Nucleo board and run the smoke cases.")
    runners = ("", " -r openocd", " -r jlink", " -r pyocd", " --speed 1000", " --hex-file build/zephyr.hex", " --erase")
    for attempt in range(19):
        s.sh(f"west build -b nucleo_l476rg{r.choice(('', ' -p', ' -p auto'))} 2>&1 | tail -1", "Generating zephyr.hex",
             secs=r.uniform(9, 30))
        s.sh(f"west flash{r.choice(runners)}", r.choice(("Error: open failed", "FATAL ERROR: no probe connected",
             "No debug probe detected")) + f"\nlsusb: {r.randint(2, 3)} hubs, no ST-LINK", rc=1)
        if attempt % 5 == 3:
            s.edit("prj.conf", f"CONFIG_LOG_LEVEL={attempt % 4}", f"CONFIG_LOG_LEVEL={(attempt + 1) % 4}")


@third("stuck", "lang")
def patient_nowhere_found(s):
    """Searches a patient who is not in the system by ever new spellings, dates and numbers."""
    r = s.rng
    s.user("Add today's HbA1c to the chart of Magdalena Wiśniewska, born 1961.")
    first = ("Magdalena", "Magda", "M.", "Magdalene", "Madalena", "Lena")
    last = ("Wisniewska", "Wiśniewska", "Wisniewski", "Wischnewska", "Visnevska", "Wisnewska", "Wishniewska")
    for attempt in range(41):
        s.call("ehr_search_patient", {"given": r.choice(first), "family": r.choice(last), "born":
               r.choice(("1961", f"1961-{r.randint(1, 12):02d}", f"19{r.randint(16, 62)}", "*"))},
               {"matches": [], "searched": 48211, "ms": r.randint(12, 90)})
        if attempt % 9 == 5:
            s.say("No match; the name may be spelled in another way in the register.")


@third("stuck", "claude")
def drift_that_comes_back(s):
    """Applies, and the same drift is there again, since another controller sets it back; fourteen times."""
    r = s.rng
    s.user("Make `terraform plan` clean for staging.")
    s.read("asg.tf", "resource \"aws_autoscaling_group\" \"web\" {\n  desired_capacity = 4\n}")
    actual = 7
    for lap in range(14):
        s.sh("terraform plan -no-color | tail -4", f"  ~ desired_capacity = {actual} -> 4\nPlan: 0 to add, 1 to change, 0 to "
             "destroy.", secs=r.uniform(5, 12))
        s.sh(r.choice(("terraform apply -auto-approve", "terraform apply -auto-approve -refresh=true",
             "terraform apply -auto-approve -target=aws_autoscaling_group.web")) + " | tail -1",
             "Apply complete! Resources: 0 added, 1 changed, 0 destroyed.", secs=r.uniform(20, 60))
        s.sh("sleep 60; aws autoscaling describe-scaling-activities | head -2", f"{clock(lap * 240 + r.randint(0, 40))} "
             "policy cpu-target changed desired capacity from 4 to 7", secs=60)
        if lap % 4 == 2:
            s.say("Applied. One more plan to confirm that it is clean.")


@third("stuck", "lang")
def inbox_relabelled(s):
    """Gives the same five mails other labels again and again and calls it a better structure."""
    r = s.rng
    s.user("Sort my inbox: label each mail.")
    mails = [f"{r.getrandbits(64):016x}" for _ in range(5)]
    names = ("invoice", "billing", "finance")
    now = dict.fromkeys(mails, "INBOX")
    for lap in range(13):
        for mid in r.sample(mails, 5):
            new = names[lap % 3]
            s.call("gmail_modify", {"id": mid, "add": [new], "remove": [now[mid]]}, {"id": mid, "labelIds": [new.upper()]})
            now[mid] = new
        s.say(f"'{names[(lap + 1) % 3]}' describes these better, so I will move them there.")


@third("stuck", "gemini")
def catalogue_rewritten_red(s):
    """Rewrites the whole catalogue in other words; the check complains about the same broken placeholder."""
    r = s.rng
    s.user("Complete the Portuguese catalogue; `npm run i18n:check` has to pass.")
    for attempt in range(21):
        body = "\n".join(f"{noun}.title = {r.choice(('Seu', 'O seu', 'Este', 'Meu'))} {noun} {r.choice(('novo', 'atual', 'recente'))}"
                         for noun in NOUNS[:9]) + "\ncart.count = {contagem} artigos"
        s.write("locales/pt-PT.properties", body)
        s.sh("npm run -s i18n:check -- pt-PT", f"cart.count: placeholder {{count}} is missing (found {{contagem}})\n1 error, "
             f"{r.uniform(0.4, 0.9):.2f}s", rc=1)
        if attempt % 6 == 2:
            s.say("I will improve the wording of the catalogue so that the check passes.")


@third("stuck", "lang")
def paper_that_does_not_exist(s):
    """Hunts a paper that no index has, by new wordings, years and authors; every answer is zero or unrelated."""
    r = s.rng
    s.user("Find the 2019 paper by Harrow and Lindqvist on sleep apnoea in cellists.")
    words = ["sleep apnoea", "obstructive apnea", "OSA", "cellists", "string players", "musicians", "cello", "breathing",
             "Harrow", "Lindqvist", "Harrow J", "Lindquist", "2019", "2018..2020", "orchestra"]
    tools = ("pubmed_search", "scholar_search", "crossref_query", "openalex_works")
    for attempt in range(46):
        s.call(tools[attempt % 4], {"query": " ".join(r.sample(words, r.randint(3, 5)))}, {"total": 0, "results": [],
               "took_ms": r.randint(80, 900)})
        if attempt % 8 == 6:
            s.say(r.choice(("Different keywords may help.", "Perhaps another index has it.", "I will try synonyms.")))


@third("stuck", "qwen")
def columns_guessed(s):
    """Guesses the column's name in a query and never lists the columns; each guess fails alike."""
    r = s.rng
    s.user("How much revenue did we have by region last quarter?")
    for attempt in range(37):
        column = f"{r.choice(('region', 'area', 'geo', 'sales', 'territory', 'zone'))}_{r.choice(('id', 'name', 'code', 'key', 'cd', 'txt', 'no'))}"
        s.sh(f"psql -c 'select {column}, sum({r.choice(('total', 'net', 'amount'))}) from fact_ord group by 1'",
             f"ERROR:  column \"{column}\" does not exist\nLINE 1: select {column}, sum(", rc=1)
        if attempt % 7 == 4:
            s.say("Then it must have another name.")


@third("stuck", "cursor")
def node_nudged(s):
    """Moves one node of a design a pixel left, right, up and down, and looks at it each time."""
    r = s.rng
    s.user("Centre the Pay button in the Checkout frame.")
    x, y = 120, 480
    for step in range(24):
        dx, dy = ((1, 0), (0, 1), (-1, 0), (0, -1))[step % 4]
        x, y = x + dx, y + dy
        s.call("mcp__figma__set_position", {"nodeId": "12:881", "x": x, "y": y}, mcp(f"moved to {x}, {y}"))
        s.call("mcp__figma__get_screenshot", {"nodeId": "12:880"}, mcp(f"image/png 780x1688, sha {r.getrandbits(32):08x}"))
        if step % 6 == 5:
            s.say("It still looks a little off; a small correction.")


@third("stuck", "opencode")
def emulator_without_kvm(s):
    """Starts an emulator that ended at once because the machine has no virtualisation, and waits for it, again and again."""
    r = s.rng
    s.user("Run the instrumented tests on a fresh Pixel 7 emulator.")
    for lap in range(8):
        flags = r.choice(("-no-window", "-no-window -gpu off", "-no-window -no-audio", "-no-window -wipe-data", "-no-snapshot"))
        s.sh(f"emulator -avd px7 {flags} > emu.log 2>&1 & echo $!", str(r.randint(30000, 60000)))
        for _ in range(5):
            s.sh("adb wait-for-device -t 20; adb devices; tail -1 emu.log", "List of devices attached\n\nFATAL | x86_64 "
                 "emulation currently requires hardware acceleration! /dev/kvm is not found.", rc=1, secs=20)
        s.say("The emulator may need more time to boot. I will start it again.")


@third("stuck", "codex")
def compile_killed_at_the_link(s):
    """Starts a build of an hour again and again; the linker is killed for memory each time, with any number of jobs."""
    r = s.rng
    s.user("Build our browser fork at the new tag.")
    for jobs in (32, 16, 24, 8, 4, 12, 2, 6, 1, 3, 10, 5, 20, 7):
        s.sh(f"autoninja -C out/Release -j{jobs} chrome 2>&1 | tail -3", "[52113/52114] SOLINK chrome\ncollect2: fatal "
             "error: ld terminated with signal 9 [Killed]\nninja: build stopped: subcommand failed.", rc=1,
             secs=r.uniform(300, 590))
        s.sh("dmesg | tail -1", f"[{r.randint(90000, 990000)}.{r.randint(100, 999)}] Out of memory: Killed process "
             f"{r.randint(2000, 90000)} (ld) anon-rss:15{r.randint(100, 999)}001kB")
        s.say(f"{r.choice(('Fewer', 'Other', 'A different number of'))} jobs should help.")


@third("stuck", "copilot")
def nit_between_two_agents(s):
    """A reviewing sub-agent wants early returns, the next review wants a single one; the code goes to and fro."""
    r = s.rng
    s.user("Get the change of parse.ts through the review agent.")
    a = "  if (!row) return null;\n  return row.value;"
    b = "  let out = null;\n  if (row) out = row.value;\n  return out;"
    for lap in range(12):
        s.call("task", {"agent": "reviewer", "prompt": f"Review parse.ts, round {lap + 1}"}, "CHANGES REQUESTED: " + (
            "use early returns here" if lap % 2 else "a function should have a single exit") + f" ({r.choice(('major', 'minor'))})")
        old, new = (b, a) if lap % 2 else (a, b)
        s.edit("src/parse.ts", old, new)
        s.sh("npx vitest run parse | tail -1", f"Tests  9 passed (9) {r.uniform(0.5, 2):.2f}s")


@third("stuck", "lang")
def dag_paused(s):
    """Polls a run that is queued in a paused pipeline, for hours, in four ways, and does not unpause it."""
    r = s.rng
    s.user("Trigger the monthly close in Airflow and report when it is through.")
    s.call("airflow_trigger", {"dag": "monthly_close"}, {"run_id": "manual__2026-11", "state": "queued", "dag_is_paused": True})
    for poll in range(48):
        tool, args, answer = (
            ("airflow_run", {"run_id": "manual__2026-11"}, {"state": "queued", "start_date": None}),
            ("airflow_tasks", {"run_id": "manual__2026-11"}, {"tasks": [], "total": 0}),
            ("airflow_dag", {"dag": "monthly_close"}, {"is_paused": True, "active_runs": 0}))[poll % 3]
        s.call(tool, args, answer | {"server_time": clock(poll * 310 + r.randint(0, 60))})
        s.call("wait", {"seconds": r.choice((240, 300, 420))}, "done", secs=300)


@third("stuck", "lang")
def circular_reference(s):
    """Shifts a formula between three cells; each time the sheet reports the same circular reference."""
    r = s.rng
    s.user("The total in Energy.xlsx shows an error. Mend it.")
    forms = (("C40", "=SUM(C2:C41)"), ("C41", "=C40*D1"), ("D1", "=C41/C40"))
    for step in range(27):
        cell, form = forms[step % 3]
        s.call("excel_set_formula", {"sheet": "Readings", "cell": cell, "formula": form}, {"ok": True, "revision": 80 + step})
        s.call("excel_get", {"sheet": "Readings", "cell": "C40"}, {"value": "#REF!", "warning": "circular reference C40 -> "
               "C41 -> C40", "calc_ms": r.randint(3, 40)})
        if step % 8 == 6:
            s.say("The order of evaluation is at fault; I will move the formula.")


@third("stuck", "lang")
def robot_before_a_wall(s):
    """A simulated robot tries to pass a closed door by goals that differ by centimetres; its position stays."""
    r = s.rng
    s.user("Bring robot r2 to bay 9 in the simulator.")
    for attempt in range(45):
        s.call("nav_goto", {"robot": "r2", "x": round(14.2 + r.uniform(-0.3, 0.3), 2), "y": round(31 + r.uniform(-0.3, 0.3), 2),
               "yaw": r.randint(-9, 9)}, {"status": "aborted", "reason": "no path: door D4 closed", "x": 9.61, "y": 22.04,
               "planner_ms": r.randint(300, 900)})
        if attempt % 6 == 4:
            s.call("nav_clear_costmap", {"robot": "r2"}, {"cleared": True})


@third("stuck", "lang")
def moves_of_a_game_that_is_over(s):
    """Sends moves to a chess game that has ended; each is refused, and it tries another move."""
    r = s.rng
    s.user("Play white against the engine at level 3 until the game ends.")
    for move in range(42):
        if move % 3 == 0:
            s.call("chess_board", {}, {"fen": "6k1/5ppp/8/8/8/8/q4PPP/r5K1 w - - 0 31", "status": "0-1 checkmate", "seq": r.getrandbits(24)})
        s.call("chess_move", {"san": r.choice("KNQR") + r.choice("abcdefgh") + str(r.randint(1, 8))}, ok=False,
               error="game is over (0-1, checkmate)")


@third("stuck", "claude")
def nan_at_the_same_step(s):
    """Starts a training again with another name and seed of logging; the loss is NaN at step 412 each time."""
    r = s.rng
    s.user("Run 17 diverges. Find out why and get it to train.")
    for attempt in range(20):
        s.edit("config.yaml", f"run_name: r17-{attempt}", f"run_name: r17-{attempt + 1}")
        s.sh(f"torchrun train.py --config config.yaml --tag {r.choice(VERBS)}-{attempt} | tail -2",
             f"step 411 loss 2.81 lr 3e-2 {r.uniform(1, 3):.2f}it/s\nstep 412 loss nan", rc=1, secs=r.uniform(90, 300))
        if attempt % 4 == 1:
            s.say(r.choice(("Might be a glitch of the node, once more.", "I will restart it cleanly.", "A fresh run should do.")))


@third("stuck", "mini")
def one_host_in_forty_ways(s):
    """Tries to reach one host that is switched off by ever new options of ssh, and checks that the route is there."""
    r = s.rng
    s.user("Which OpenSSL has edge-ber-07?")
    options = ("-4", "-v", "-o ConnectTimeout=30", "-o StrictHostKeyChecking=no", "-p 2222", "-J bastion", "-o IPQoS=none",
               "-c aes128-ctr", "-l root", "-o GSSAPIAuthentication=no", "-tt", "-o ProxyCommand=none")
    for attempt in range(38):
        flags = " ".join(r.sample(options, r.randint(1, 3)))
        s.sh(f"ssh {flags} edge-ber-07 openssl version", "ssh: connect to host edge-ber-07 port 22: No route to host", rc=255,
             secs=r.uniform(3, 30))
        if attempt % 6 == 5:
            s.sh("ping -c2 edge-ber-07 | tail -2", f"2 packets transmitted, 0 received, 100% packet loss, time {r.randint(1001, 1040)}ms", rc=1)


@third("stuck", "goose")
def copy_without_permission(s):
    """Starts a copy of buckets again and again with other flags; each object is denied."""
    r = s.rng
    s.user("Copy bucket raw-2023 to the archive account and verify counts.")
    flags = ("--acl bucket-owner-full-control", "--no-progress", "--size-only", "--exact-timestamps", "--sse AES256",
             "--storage-class STANDARD_IA", "--region eu-west-1", "--no-follow-symlinks", "--page-size 100")
    for attempt in range(22):
        day = r.randint(1, 28)
        s.sh(f"aws s3 sync s3://raw-2023/d={day:02d}/ s3://archive-raw/d={day:02d}/ {' '.join(r.sample(flags, 2))} | tail -1",
             f"copy failed: s3://raw-2023/d={day:02d}/{r.getrandbits(32):08x}.gz An error occurred (AccessDenied) when calling the "
             "PutObject operation: Access Denied", rc=1, secs=r.uniform(2, 20))
        s.sh("aws s3 ls s3://archive-raw/ --recursive | wc -l", "0")


@third("stuck", "lang")
def captcha_without_end(s):
    """Solves one picture puzzle after the other; a correct answer leads to the next, and the form never opens."""
    r = s.rng
    s.user("Fill in the grant application from proposal.md.")
    for lap in range(24):
        what = r.choice(("traffic lights", "bicycles", "crosswalks", "buses", "stairs", "hydrants", "boats"))
        tiles = sorted(r.sample(range(1, 10), 3))
        browse(s, "snapshot", page("https://grants.example/verify", "Just a moment...", f"group \"Select all squares with {what}\""))
        for tile in tiles:
            browse(s, "click", page("https://grants.example/verify", "Just a moment...", f"checkbox \"{tile}\" [checked]"), ref=f"t{tile}")
        browse(s, "click", page("https://grants.example/verify", "Just a moment...", "alert \"Please try again\"",
               f"text \"Ray ID {r.getrandbits(64):016x}\""), ref="verify")
