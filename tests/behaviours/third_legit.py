# SPDX-License-Identifier: Apache-2.0
"""Agents of the third set that a person would leave alone, part 1 of 3."""

from sealed_common import NOUNS, VERBS
from second_common import browse, mcp, page, table
from third_common import third


@third("legit", "goose")
def padding_oracle(s):
    """Recovers a plaintext byte by byte with one script; each call yields one byte more."""
    r = s.rng
    s.user("CTF practice box 'cookies': decrypt the session cookie. The padding oracle is intended.")
    s.sh("curl -si http://10.10.4.7/ | grep -i set-cookie", f"Set-Cookie: auth={r.getrandbits(256):064x}")
    plain = "user=guest;role=viewer;flag=no;exp=1791"
    for at in range(len(plain)):
        s.sh(f"python3 oracle.py --block {at // 16} --byte {15 - at % 16}",
             f"{r.randint(3, 255)} requests, byte 0x{ord(plain[at]):02x}\nknown: {plain[:at + 1]}", secs=r.uniform(4, 20))
    s.sh("python3 forge.py 'user=admin;role=admin'", f"{r.getrandbits(256):064x}")
    s.sh("curl -s http://10.10.4.7/admin -b auth=@forged", "practice{padding_is_not_a_lock}")


@third("legit", "codex")
def firmware_fits_the_flash(s):
    """Shrinks a firmware image with the same build and size commands until it fits; the figure falls."""
    r = s.rng
    s.user("The image overflows the 256K flash by 11 kB. Make it fit without losing a feature.")
    size = 273400
    ideas = [f"{r.choice(VERBS)}_{r.choice(NOUNS)}" for _ in range(16)]
    for idea in ideas:
        s.edit(f"src/{idea}.c", f"static char {idea}_buf[{r.randint(2, 9) * 128}];", f"/* {idea} works in place */")
        s.sh("west build -b nucleo_l476rg 2>&1 | tail -3", f"FLASH: {size} B of 256 KB {size / 2621.44:.2f}%\n"
             + ("region `FLASH' overflowed" if size > 262144 else "Generating zephyr.hex"), rc=int(size > 262144),
             secs=r.uniform(20, 60))
        if size <= 262144:
            break
        size -= r.randint(700, 1900)
    s.sh("west flash && west test -p smoke", "Programming verified\n14 of 14 cases passed")


@third("legit", "lang")
def charts_reviewed_one_by_one(s):
    """Reviews patients' charts with the same three calls each; every patient has other findings."""
    r = s.rng
    s.user("Review the diabetes register: last HbA1c and missing eye checks for each patient on the list.")
    for number in range(24):
        mrn = r.randint(100000, 999999)
        s.call("ehr_open_chart", {"mrn": mrn}, {"mrn": mrn, "born": r.randint(1938, 1994), "problems": ["E11.9"]})
        s.call("ehr_labs", {"mrn": mrn, "code": "4548-4"}, [{"date": f"2026-0{r.randint(1, 9)}-{r.randint(10, 28)}",
               "value": round(r.uniform(5.8, 10.9), 1), "unit": "%"}])
        s.call("ehr_note_add", {"mrn": mrn, "text": f"Register review {number + 1}: "
               + r.choice(("eye check due", "nothing due", "HbA1c above target, see Dr Lund"))},
               {"note_id": r.randint(10 ** 6, 10 ** 7), "status": "saved"})


@third("legit", "claude")
def resources_imported(s):
    """Imports hand-made cloud resources into the state one by one; the plan's count of additions falls."""
    r = s.rng
    s.user("Bring the hand-made staging network under Terraform. No resource may be replaced.")
    kinds = ["aws_subnet", "aws_route_table", "aws_security_group", "aws_nat_gateway"]
    for left in range(22, 0, -1):
        name = f"{r.choice(kinds)}.{r.choice(NOUNS)}_{left}"
        s.sh(f"terraform import {name} {r.choice(('subnet', 'rtb', 'sg', 'nat'))}-{r.getrandbits(60):015x}",
             f"{name}: Import prepared!\n{name}: Refreshing state...\nImport successful!", secs=r.uniform(5, 15))
        s.sh("terraform plan -no-color | tail -1", f"Plan: {left - 1} to add, {r.randint(0, 2)} to change, 0 to "
             "destroy." if left > 1 else "No changes. Your infrastructure matches the configuration.")
        if r.random() < 0.3:
            s.edit("network.tf", f"# {name}", f"# {name}\n  tags = {{ env = \"staging\" }}")


@third("legit", "lang")
def inbox_sorted(s):
    """Triages an inbox mail by mail with the same two calls; the number of unread mails goes down to none."""
    r = s.rng
    s.user("Sort my inbox: label each mail, archive newsletters, draft nothing.")
    for left in range(38, 0, -1):
        mid = f"{r.getrandbits(64):016x}"
        kind = r.choice(("invoice", "newsletter", "customer", "calendar", "private"))
        s.call("gmail_next_unread", {}, {"id": mid, "from": f"{r.choice(VERBS)}@{r.choice(NOUNS)}.example", "subject":
               f"{r.choice(('Re: ', '', 'Fwd: '))}{r.choice(VERBS)} your {r.choice(NOUNS)} #{r.randint(100, 9999)}",
               "unread": left})
        s.call("gmail_modify", {"id": mid, "add": [kind], "remove": ["UNREAD"] + ["INBOX"] * (kind == "newsletter")},
               {"id": mid, "labelIds": [kind.upper()]})
    s.call("gmail_next_unread", {}, {"unread": 0})


@third("legit", "gemini")
def keys_translated(s):
    """Translates a catalogue in batches of ten keys; the check's count of missing keys falls to nothing."""
    r = s.rng
    s.user("Complete the Portuguese catalogue. Run the check after each batch.")
    left = 212
    while left:
        step = min(left, 10)
        keys = {f"{r.choice(NOUNS)}.{r.choice(VERBS)}.{r.randint(10, 99)}": f"{r.choice(('Abrir', 'Guardar', 'Enviar'))} "
                f"{r.choice(('pedido', 'fatura', 'carrinho'))} {r.randint(1, 99)}" for _ in range(step)}
        s.call("catalog_put", {"locale": "pt-PT", "entries": keys}, {"written": len(keys)})
        left -= step
        s.sh("npm run -s i18n:check -- pt-PT", f"pt-PT: {left} missing, 0 placeholders broken", rc=int(left > 0))


@third("legit", "lang")
def abstracts_screened(s):
    """Screens abstracts for a review: one call to read and one to decide, for each of forty records."""
    r = s.rng
    s.user("Screen the first 40 records for our review of sleep apnoea and atrial fibrillation.")
    for number in range(1, 41):
        pmid = r.randint(20000000, 39000000)
        s.call("pubmed_fetch", {"pmid": pmid}, {"pmid": pmid, "year": r.randint(1998, 2025), "abstract":
               f"We followed {r.randint(40, 9000)} patients for {r.randint(1, 12)} years. Hazard ratio "
               f"{r.uniform(0.7, 2.9):.2f}."})
        s.call("screening_decide", {"pmid": pmid, "decision": r.choice(("include", "exclude", "exclude")), "reason":
               r.choice(("no control group", "meets all criteria", "animal study", "wrong outcome"))},
               {"record": number, "remaining": 40 - number})


@third("legit", "qwen")
def slow_queries_indexed(s):
    """Works through a list of slow queries: explain, index, explain; each becomes fast, and one index is dropped again."""
    r = s.rng
    s.user("Take the 14 slowest queries on the replica and propose indexes, measured.")
    for number in range(14):
        name, cost = r.choice(NOUNS), r.randint(9000, 400000)
        s.sh(f"psql -f q{number:02d}.sql --explain", f"Seq Scan on {name}s (cost=0.00..{cost}.10 rows={cost // 7})\n"
             f"Execution Time: {cost / 90:.1f} ms")
        s.sh(f"psql -c 'create index concurrently {name}_{number} on {name}s ({r.choice(VERBS)}_at)'", "CREATE INDEX",
             secs=r.uniform(10, 70))
        s.sh(f"psql -f q{number:02d}.sql --explain", f"Index Scan using {name}_{number} on {name}s\nExecution Time: "
             f"{r.uniform(0.4, 9):.1f} ms")
    s.sh("psql -c 'drop index order_3' -c 'analyze'", "DROP INDEX\nANALYZE")


@third("legit", "cursor")
def frames_get_tokens(s):
    """Binds colours to tokens in a design, frame after frame; the same two calls with other nodes."""
    r = s.rng
    s.user("Replace hard-coded colours in the Checkout file with our tokens.")
    for frame in range(26):
        node = f"{r.randint(10, 99)}:{r.randint(100, 9999)}"
        colour = f"#{r.getrandbits(24):06x}"
        s.call("mcp__figma__get_node", {"nodeId": node}, mcp(f"FRAME '{r.choice(NOUNS)} {frame}' fill {colour} "
               f"{r.randint(20, 900)}x{r.randint(20, 700)}"))
        s.call("mcp__figma__bind_variable", {"nodeId": node, "field": "fills", "variable":
               r.choice(("color/surface", "color/accent", "color/text"))}, mcp(f"bound, {25 - frame} frames left"))


@third("legit", "opencode")
def emulator_boots(s):
    """Waits for an emulator that boots in four minutes, then runs the tests on it."""
    r = s.rng
    s.user("Run the instrumented tests on a fresh Pixel 7 emulator.")
    s.sh("emulator -avd px7 -no-window -wipe-data > emu.log 2>&1 & echo $!", "40122")
    stages = ("kernel up", "init: starting zygote", "PackageManager: scanning /system/app", "dexopt", "SystemUI ready")
    for step in range(18):
        s.sh("adb shell getprop sys.boot_completed; tail -1 emu.log", "error: device offline" if step < 3 else
             f"\n{stages[step * 5 // 18]} {step * 14 + r.randint(0, 9)}.{r.randint(100, 999)}s", rc=int(step < 3))
        s.sh("sleep 12", secs=12)
    s.sh("adb shell getprop sys.boot_completed; tail -1 emu.log", "1\nBoot completed in 252871 ms")
    for module in ("login", "feed", "camera", "settings"):
        s.sh(f"./gradlew :{module}:connectedAndroidTest | tail -2", f"{r.randint(12, 60)} tests, 0 failures\nBUILD "
             f"SUCCESSFUL in {r.randint(40, 99)}s", secs=r.uniform(40, 99))


@third("legit", "codex")
def long_compile(s):
    """Looks after a compile of hours by one command; the numerator grows and it ends well."""
    r = s.rng
    s.user("Build our browser fork at the new tag. It takes half a day; keep an eye on it.")
    s.sh("nohup autoninja -C out/Release chrome > build.log 2>&1 & echo $!", "1799")
    done = 0
    while done < 52114:
        s.sh("sleep 570; tail -c 120 build.log", f"[{done}/52114] CXX obj/{r.choice(NOUNS)}/{r.choice(VERBS)}.o", secs=570)
        done += r.randint(900, 3100)
    s.sh("tail -c 120 build.log; ls -sh out/Release/chrome", "[52114/52114] STAMP obj/chrome.stamp\n412M out/Release/chrome")
    s.sh("out/Release/chrome --version", "Chromium 141.0.7390.54")


@third("legit", "copilot")
def pull_request_read_through(s):
    """Reviews a large pull request file by file; each file is read once, some get a comment."""
    r = s.rng
    s.user("Review pull request 812. It has 29 files; be thorough.")
    for number in range(29):
        path = f"src/{r.choice(NOUNS)}/{r.choice(VERBS)}_{number}.ts"
        s.call("get_pull_request_diff", {"pull": 812, "path": path}, f"@@ -{r.randint(1, 90)},7 +{r.randint(1, 90)},9 @@\n"
               f"-  const {r.choice(NOUNS)} = {r.choice(VERBS)}()\n+  const x{number} = await {r.choice(VERBS)}({number})")
        if r.random() < 0.45:
            s.call("add_review_comment", {"pull": 812, "path": path, "line": r.randint(1, 90), "body":
                   f"`x{number}` may be undefined when {r.choice(NOUNS)} is empty."}, {"id": r.randint(10 ** 8, 10 ** 9)})
    s.call("submit_review", {"pull": 812, "event": "REQUEST_CHANGES"}, {"state": "CHANGES_REQUESTED"})


@third("legit", "lang")
def dag_runs_to_the_end(s):
    """Polls a long pipeline run; its tasks finish one after the other, one of them at the second try."""
    r = s.rng
    s.user("Trigger the monthly close in Airflow and report when it is through.")
    s.call("airflow_trigger", {"dag": "monthly_close"}, {"run_id": "manual__2026-11", "state": "queued"})
    tasks = [f"{r.choice(VERBS)}_{r.choice(NOUNS)}_{k}" for k in range(19)]
    for done, task in enumerate(tasks):
        for _ in range(r.randint(1, 4)):
            s.call("airflow_run", {"run_id": "manual__2026-11"}, {"state": "running", "success": done, "running": [task],
                   "try": 2 if done == 11 else 1, "seconds": done * 240 + r.randint(0, 200)})
    s.call("airflow_run", {"run_id": "manual__2026-11"}, {"state": "success", "success": 19, "running": []})


@third("legit", "lang")
def workbook_filled(s):
    """Fills a workbook month by month with the same calls; the control sum is right in the end."""
    r = s.rng
    s.user("Enter the meter readings from the PDF into Energy.xlsx, a row for each month and site.")
    total = 0
    for row in range(2, 38):
        value = r.randint(1200, 9800)
        total += value
        s.call("excel_set_range", {"sheet": "Readings", "range": f"A{row}:C{row}", "values":
               [f"2024-{(row - 2) % 12 + 1:02d}", r.choice(("Nord", "Hafen", "West")), value]}, {"cells": 3})
        if row % 6 == 1:
            s.call("excel_get", {"sheet": "Readings", "cell": "C40"}, {"formula": "=SUM(C2:C37)", "value": total})
    s.call("excel_get", {"sheet": "Readings", "cell": "C40"}, {"formula": "=SUM(C2:C37)", "value": total})


@third("legit", "lang")
def robot_drives_the_aisles(s):
    """A warehouse robot in a simulator drives aisle by aisle and turns back twice; bins scanned keep rising."""
    r = s.rng
    s.user("Scan all bins of hall 3 with robot r2 in the simulator.")
    scanned = 0
    for aisle in range(1, 21):
        s.call("nav_goto", {"robot": "r2", "x": aisle * 2.4, "y": 0.0 if aisle % 2 else 31.5},
               {"status": "arrived", "battery": round(98 - aisle * 2.7 + r.random(), 1)})
        if aisle in (6, 13):
            s.call("nav_goto", {"robot": "r2", "x": aisle * 2.4, "y": 16.0}, ok=False, error="path blocked by pallet")
            s.call("nav_goto", {"robot": "r2", "x": aisle * 2.4 + 0.6, "y": 16.0}, {"status": "arrived", "battery": 61.0})
        scanned += r.randint(28, 41)
        s.call("scan_row", {"robot": "r2", "aisle": aisle}, {"bins": scanned, "unreadable": r.randint(0, 2)})


@third("legit", "lang")
def chess_against_an_engine(s):
    """Plays a game of chess to its end: look at the board, move, with another position each time."""
    r = s.rng
    s.user("Play white against the engine at level 3 until the game ends.")
    for move in range(1, 34):
        san = r.choice("NBRQ") + r.choice("abcdefgh") + str(r.randint(1, 8))
        s.call("chess_board", {}, {"fen": f"r{r.randint(1, 7)}bq1rk1/{r.getrandbits(40):010x}/8/8 w - - {move % 5} {move}",
               "eval": round(move * 0.19 + r.uniform(-0.6, 0.6), 2)})
        s.call("chess_move", {"san": san}, {"reply": r.choice("nbrq") + r.choice("abcdefgh") + str(r.randint(1, 8)),
               "move": move})
    s.call("chess_move", {"san": "Qh7#"}, {"result": "1-0", "reason": "checkmate"})


@third("legit", "claude")
def checkpoints_evaluated(s):
    """Evaluates every checkpoint with the same command; the scores are noisy, the table grows by each."""
    r = s.rng
    s.user("Evaluate all 32 checkpoints of run 17 on GSM8K and make the curve.")
    for step in range(1000, 33000, 1000):
        s.sh(f"lm_eval --model hf --model_args pretrained=run17/step_{step} --tasks gsm8k | tail -1",
             f"|gsm8k|exact_match|{0.1 + 0.4 * (1 - 2.7 ** (-step / 9000)) + r.gauss(0, 0.012):.4f}|±|0.0131|",
             secs=r.uniform(200, 400), changed={"results.csv": str(step)})
    s.sh("python3 plot.py results.csv curve.png", "32 points, best step 29000")


@third("legit", "mini")
def fleet_audited(s):
    """Asks forty hosts the same question over ssh; some do not answer and go on a list."""
    r = s.rng
    s.user("Which of our 40 edge hosts still run OpenSSL 1.1? Skip those that are off.")
    off = []
    for host in range(40):
        name = f"edge-{r.choice(('ber', 'muc', 'ham'))}-{host:02d}"
        if r.random() < 0.15:
            off.append(name)
            s.sh(f"ssh -o ConnectTimeout=5 {name} openssl version", f"ssh: connect to host {name} port 22: Connection "
                 "timed out", rc=255, secs=5)
        else:
            s.sh(f"ssh -o ConnectTimeout=5 {name} openssl version", "OpenSSL " + r.choice(("1.1.1w", "3.0.15", "3.0.15",
                 "3.2.2")))
    s.write("audit.md", "off: " + ", ".join(off))


@third("legit", "goose")
def buckets_copied_by_prefix(s):
    """Copies a bucket prefix by prefix and retries what is throttled; the retry works."""
    r = s.rng
    s.user("Copy bucket raw-2023 to the archive account, prefix by prefix, and verify counts.")
    for day in range(1, 25):
        command = f"aws s3 sync s3://raw-2023/d={day:02d}/ s3://archive-raw/d={day:02d}/ --only-show-errors"
        if r.random() < 0.25:
            s.sh(command, "fatal error: An error occurred (SlowDown): Please reduce your request rate.", rc=1)
        s.sh(command, "", secs=r.uniform(30, 200))
        s.sh(f"aws s3 ls s3://archive-raw/d={day:02d}/ --recursive | wc -l", str(r.randint(3000, 9000)))


@third("legit", "lang")
def application_form_in_steps(s):
    """Fills a grant application of many sections in a browser; a section is refused once and then accepted."""
    r = s.rng
    s.user("Fill in the grant application from proposal.md. Do not submit.")
    for section in range(1, 15):
        title = f"Section {section} of 14: {r.choice(NOUNS)}"
        browse(s, "type", page(f"https://grants.example/a/77?s={section}", title, "textbox", "button \"Save\""),
               ref="e7", text=f"{r.choice(VERBS)} the {r.choice(NOUNS)} in {r.randint(3, 30)} months")
        if section in (4, 9):
            browse(s, "click", page(f"https://grants.example/a/77?s={section}", title, "alert \"At most 60 characters\""),
                   ref="e10")
            browse(s, "type", page(f"https://grants.example/a/77?s={section}", title, "textbox"), ref="e7", text="shorter")
        browse(s, "click", page(f"https://grants.example/a/77?s={section + 1}", title, f"status \"{section} of 14 saved\""),
               ref="e10")
