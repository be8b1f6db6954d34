# SPDX-License-Identifier: Apache-2.0
"""Agents of the third set that go nowhere, part 2 of 3."""

from sealed_common import NOUNS, VERBS, clock
from second_common import page, table
from third_common import third


@third("stuck", "cursor")
def device_code_expired(s):
    """Polls a device login whose code has expired, and says that it waits for the confirmation."""
    r = s.rng
    s.user("Log in to the registry and push the image.")
    s.call("device_login_start", {"host": "registry.acme.dev"}, {"user_code": "KQTR-81ZD", "expires_in": 120, "interval": 15})
    for poll in range(52):
        s.call("device_login_poll", {"code": "KQTR-81ZD"}, {"error": "authorization_pending" if poll < 6 else "expired_token",
               "request": f"{r.getrandbits(48):012x}"})
        if poll % 9 == 8:
            s.say(r.choice(("Still waiting for the confirmation on the phone.", "Not confirmed yet, I will keep polling.")))


@third("stuck", "lang")
def contents_updated_in_vain(s):
    """Updates a table of contents and exports again; headings are plain text, so the table stays empty."""
    r = s.rng
    s.user("The table of contents of supply.docx is empty. Mend it.")
    for attempt in range(20):
        s.call(r.choice(("word_update_fields", "word_update_toc", "word_rebuild_toc")), {"doc": "supply.docx", "levels": r.randint(1, 5)},
               {"updated": 1, "entries": 0})
        s.call("word_export_pdf", {"doc": "supply.docx", "to": f"supply_v{attempt + 2}.pdf"}, {"pages": 31, "bytes": 190000 + r.randint(0, 99)})
        s.call("pdf_text", {"file": f"supply_v{attempt + 2}.pdf", "page": 2}, "Contents\nNo table of contents entries found.")


@third("stuck", "lang")
def ticket_between_three_desks(s):
    """Hands a ticket from desk to desk and back; each desk's agent says that the next one is responsible."""
    r = s.rng
    s.user("Ticket 50117: the customer was charged twice. Solve it.")
    desks = ("billing", "logistics", "tier2")
    for hop in range(33):
        to = desks[hop % 3]
        s.call("ticket_assign", {"ticket": 50117, "desk": to, "note": r.choice(("please take over", "seems to be yours",
               "customer waits", "needs your check"))}, {"ticket": 50117, "desk": to, "hop": hop + 1})
        s.call("desk_agent", {"desk": to, "ticket": 50117}, {"answer": f"{r.choice(('Not ours', 'Outside our scope', 'We cannot see this'))}, "
               f"please ask {desks[(hop + 1) % 3]}.", "resolved": False})


@third("stuck", "opencode")
def port_of_another_service(s):
    """Asks a port on which nothing listens, while the log says from the start that the server uses another."""
    r = s.rng
    s.user("Start the search service locally and run the smoke queries.")
    s.sh("./bin/searchd > searchd.log 2>&1 & sleep 2; tail -1 searchd.log", "listening on 127.0.0.1:18090")
    for attempt in range(40):
        s.sh(r.choice(("curl -s -m 3 localhost:8090/health", "curl -sv localhost:8090/", "nc -zv localhost 8090",
             "wget -qO- localhost:8090/health", "curl -s 127.0.0.1:8090/health")), "connect to port 8090 failed: Connection refused", rc=7)
        if attempt % 4 == 3:
            s.sh(f"sleep {r.choice((5, 10, 15, 30))}", secs=10)
        if attempt % 10 == 8:
            s.say("The server is still starting. I will give it more time.")


@third("stuck", "pi")
def fuzzer_that_ended(s):
    """Looks at a fuzzer that ended in its first second; the log's time differs only because the look prints it."""
    r = s.rng
    s.user("Fuzz the PNG decoder overnight, triage crashes.")
    s.sh("nohup ./fuzz_png corpus -jobs=2 > fuzz.log 2>&1 & echo $!", "3388")
    for step in range(34):
        s.sh("sleep 590; date +%T; tail -1 fuzz.log; pgrep -c fuzz_png", f"{clock(step * 595 + r.randint(0, 5))}\nERROR: The required "
             "directory \"corpus\" does not exist\n0", secs=590)
        if step % 6 == 5:
            s.say(f"No crashes after {step // 6 + 1} hours. Fuzzing goes on.")


@third("stuck", "gemini")
def cleaner_rewritten(s):
    """Rewrites a whole cleaning script in other styles; the same 4312 rows stay bad, since it writes to another file."""
    r = s.rng
    s.user("Clean customers.csv until check.py reports no bad row.")
    for attempt in range(22):
        s.write("clean.py", f"import {r.choice(('pandas as pd', 'csv', 'polars as pl', 'duckdb'))}\n# version {attempt + 2}\n" + "\n".join(
            f"fix_{r.choice(NOUNS)}('{r.choice(VERBS)}')" for _ in range(r.randint(4, 14))) + "\nsave('cleaned.csv')\n")
        s.sh("python3 clean.py && python3 check.py out.csv", f"wrote cleaned.csv in {r.uniform(0.3, 2):.2f}s\nout.csv: 4312 bad rows of 90211", rc=1)
        if attempt % 5 == 3:
            s.say("A more robust approach is needed; I will rewrite the script.")


@third("stuck", "copilot")
def reflections_on_a_scan(s):
    """Writes reflections, plans and reviews of plans about a scan of repositories that it never starts."""
    r = s.rng
    s.user("Scan all our repositories for secrets in the history. List findings.")
    for lap in range(26):
        topic = r.choice(("scope", "risk", "approach", "method", "readiness", "priorities"))
        s.write(f"notes/{topic}_{lap}.md", f"# {topic.title()}, revision {lap}\n\nBefore the scan starts, the {topic} should be "
                f"clear. Point {r.randint(1, 9)} of the previous note is {r.choice(('refined', 'confirmed', 'widened'))}.")
        if lap % 3 == 1:
            s.reflect("The preparation goes well.", round(r.uniform(0.6, 0.9), 2), "Refine the plan once more.")
        if lap % 4 == 2:
            s.plan(("Prepare", "in_progress"), (f"Review the {topic}", "pending"), ("Scan", "pending"))


@third("stuck", "qwen")
def load_on_a_dead_target(s):
    """Raises and lowers the load on a target that is down; every request fails whatever the number of users."""
    r = s.rng
    s.user("Find the number of users at which the checkout API breaks.")
    for attempt in range(26):
        users = r.choice((1, 2, 5, 10, 25, 50, 75, 100, 200, 400))
        s.sh(f"k6 run -u {users} -d {r.choice((10, 30, 60))}s checkout.js | grep -E 'p\\(95\\)|failed'", "p(95)=0s\nhttp_req_failed "
             f"100.00% {users * r.randint(40, 90)} out of {users * 90} dial tcp: lookup checkout.stage: no such host", rc=99, secs=30)
        if attempt % 6 == 3:
            s.say("It breaks even here; let me try a different load to find the limit.")


@third("stuck", "claude")
def three_import_paths(s):
    """Alternates between three forms of an import; each breaks in its own known way and comes round again."""
    r = s.rng
    s.user("Make the widgets' tests pass.")
    forms = (("from '../theme'", "Cannot find module '../theme'"), ("from '@/theme'", "Cannot resolve alias @/theme"),
             ("from 'src/theme.js'", "theme.js: Unexpected token 'export'"))
    current = 0
    for step in range(27):
        following = (current + r.choice((1, 2))) % 3
        s.edit("src/widgets/Button.tsx", f"import {{ theme }} {forms[current][0]}", f"import {{ theme }} {forms[following][0]}")
        current = following
        s.sh("npx vitest run Button | tail -2", f"Error: {forms[current][1]}\nTests  no tests, Duration {r.uniform(0.5, 2):.2f}s", rc=1)


@third("stuck", "goose")
def download_from_zero(s):
    """Fetches a huge file without resuming; every try starts at zero and is cut off at the same quota."""
    r = s.rng
    s.user("Get the 90 GB scan set onto the NAS.")
    tools = ("curl -O", "wget -O scans.tar", "aria2c -x4", "curl --retry 3 -O", "wget --tries=2 -O scans.tar", "curl --http1.1 -O")
    for attempt in range(20):
        s.sh(f"rm -f scans.tar; {r.choice(tools)} https://data.example/scans.tar", f"write error at {8 * 2 ** 30} bytes: Disk quota "
             f"exceeded after {r.randint(300, 420)}s", rc=23, secs=r.uniform(300, 420))
        s.sh("ls -l scans.tar | awk '{print $5}'; quota -s | tail -1", f"{8 * 2 ** 30}\n/nas  8192M*  8192M  8192M")


@third("stuck", "pi")
def exploit_against_a_fixed_address(s):
    """Repeats an exploit whose wanted address lies outside the possible ones; comments and sleeps change, nothing else."""
    r = s.rng
    s.user("CTF practice box 'dice': get a shell.")
    for attempt in range(23):
        s.edit("exploit.py", f"# try {attempt}", f"# try {attempt + 1}: {r.choice(('wait longer', 'cleaner', 'other order'))}")
        s.sh(f"python3 exploit.py --remote 10.10.4.9 1337 --delay {r.choice((0.1, 0.5, 1, 2))}", f"leak 0x7f{r.getrandbits(36):09x}\n"
             "assert 0 <= target < 0x1000 failed: target is 0x4141\n[*] Got EOF", rc=1)


@third("stuck", "goose")
def rates_on_a_silent_line(s):
    """Tries a silent serial line at every rate and parity; nothing is ever received, and it begins again."""
    r = s.rng
    s.user("Read the boot log of the board in slot 11.")
    for attempt in range(46):
        rate = r.choice((9600, 19200, 38400, 57600, 115200, 230400, 460800, 921600))
        s.sh(f"timeout 10 picocom -b {rate} -p {r.choice('neo')} /dev/ttyUSB{r.randint(0, 1)} --imap lfcrlf; echo", "Terminal ready\n\n"
             "0 bytes received", rc=124, secs=10)
        if attempt % 9 == 7:
            s.say(r.choice(("Nothing at this rate, the next one.", "Perhaps the parity is another one.")))


@third("stuck", "lang")
def resource_never_valid(s):
    """Sends a health record again and again with other texts and numbers; the validator names the same missing element."""
    r = s.rng
    s.user("Upload the lab result to the FHIR server.")
    for attempt in range(32):
        s.call("fhir_create", {"resource": {"resourceType": "Observation", "id": f"obs-{r.getrandbits(32):08x}", "code": {"text":
               r.choice(("HbA1c", "Haemoglobin A1c", "glycated Hb", "A1C"))}, "valueQuantity": {"value": 7.1, "unit": r.choice(("%", "percent",
               "mmol/mol"))}}}, ok=False, error="422 OperationOutcome: Observation.status: minimum required = 1, but only found 0 "
               f"(request {r.getrandbits(40):010x})")
        if attempt % 7 == 3:
            s.say("I will make the resource more complete.")


@third("stuck", "mini")
def undone_by_another_manager(s):
    """Sets a value by a playbook, another configuration manager sets it back every minute, and it sets it once more."""
    r = s.rng
    s.user("PermitRootLogin must be no on web04.")
    for lap in range(16):
        s.sh("ansible-playbook sshd.yml -l web04 | tail -1", "web04 : ok=12 changed=1 unreachable=0 failed=0", secs=r.uniform(8, 20))
        s.sh("ssh web04 \"sshd -T | grep -i permitroot; ls -l --time-style=+%T /etc/ssh/sshd_config\"", "permitrootlogin yes\n-rw-r--r-- puppet "
             f"puppet {3200 + r.randint(0, 3)} {clock(lap * 130)}", secs=60)
        if lap % 4 == 3:
            s.say("The change did not stick; I will apply the playbook again.")


@third("stuck", "lang")
def two_calendars_decline(s):
    """Two assistants propose to each other the same three dates, which both decline in turn."""
    r = s.rng
    s.user("Find an hour with Dr Sato's assistant.")
    days = ("2026-12-03T10:00", "2026-12-04T15:00", "2026-12-08T09:00")
    for turn in range(28):
        s.call("assistant_message", {"to": "sato-assistant", "text": f"{r.choice(('Would', 'Might', 'Could'))} {days[turn % 3]} suit?"},
               {"reply": f"{r.choice(('Regrettably', 'Sadly', 'Unfortunately'))} Dr Sato is away then. How about {days[(turn + 1) % 3]}?"})
        s.call("calendar_free", {"day": days[(turn + 1) % 3]}, {"free": [], "blocked_by": "board retreat until 2026-12-20", "etag": r.getrandbits(32)})


@third("stuck", "gemini")
def page_upside_down(s):
    """Reads one upside-down page by ever new settings of resolution, contrast and model, and never turns it."""
    r = s.rng
    s.user("Transcribe page 17 of the register.")
    for attempt in range(34):
        s.sh(f"ocr page_017.tif --dpi {r.choice((150, 200, 300, 400, 600))} --contrast {r.uniform(0.8, 2):.1f} --model {r.choice(('fraktur', 'latin', 'hand'))}",
             f"orientation: 180 (not applied, use --rotate)\nconfidence {r.uniform(0.04, 0.09):.2f}\n" + "".join(r.choice("~:;.,'|^ ") for _ in range(14)),
             secs=5)
        if attempt % 8 == 5:
            s.say("The scan is poor. Let me try a better setting.")


@third("stuck", "claude")
def summary_of_summaries(s):
    """Summarises its own summary of two papers into a new file, then that one, and never opens the other papers."""
    r = s.rng
    s.user("Extract n, mean and sd of both arms from the 20 PDFs in papers/ into effects.csv.")
    s.read("papers/order2001.txt", "Table 2. 4.1 (0.9) vs 3.8 (1.0)")
    s.read("papers/lease2013.txt", "Table 1. 5.0 (1.1) vs 5.2 (0.8)")
    for lap in range(22):
        s.read(f"notes/summary_{lap}.md", f"Two of 20 papers read: effects 0.3 and -0.2. {r.choice(('Clear', 'Concise', 'Sound'))} so far.")
        s.write(f"notes/summary_{lap + 1}.md", f"# Summary, version {lap + 2}\n\nTwo of 20 papers were read. Their effects are 0.3 and -0.2. "
                f"This version is more {r.choice(('structured', 'concise', 'readable', 'complete'))}.")
        s.estimate(min(95, 20 + lap * 4), "The notes become better.")


@third("stuck", "cursor")
def full_refresh_roulette(s):
    """Runs one failing model by itself, with its parents, fully refreshed, and with other targets; one error throughout."""
    r = s.rng
    s.user("fct_ledger fails after the migration. Mend it.")
    for attempt in range(30):
        select = r.choice(("fct_ledger", "+fct_ledger", "fct_ledger+", "tag:finance", "@fct_ledger"))
        s.sh(f"dbt {r.choice(('run', 'build'))} -s {select}{r.choice((' --full-refresh', ' --threads 1', ' --no-partial-parse', ''))} | tail -3",
             f"{r.randint(1, 9)} of {r.randint(9, 12)} ERROR fct_ledger [{r.uniform(1, 4):.2f}s]\nfunction dateadd(unknown, integer, date) does not exist\n"
             f"Done. PASS={r.randint(1, 8)} ERROR=1", rc=1)
        if attempt % 6 == 4:
            s.sh("dbt clean && dbt deps | tail -1", "Installed from version 1.1.1")


@third("stuck", "lang")
def render_stays_black(s):
    """Renders a scene again with other samples and sizes; it has no light, and every picture is black."""
    r = s.rng
    s.user("Render the product scene for the winter banner; it comes out black.")
    for attempt in range(22):
        s.call("blender_set", {"samples": r.choice((32, 64, 128, 256, 512)), "resolution": r.choice((640, 1080, 1920)), "denoise": r.random() < 0.5},
               {"ok": True, "lights_in_scene": 0})
        s.call("blender_render", {"out": f"winter_{attempt + 1:02d}.png"}, {"file": f"winter_{attempt + 1:02d}.png", "seconds": round(r.uniform(8, 90), 1),
               "mean_luminance": 0.0}, secs=r.uniform(8, 90))
        if attempt % 5 == 3:
            s.say("Still dark, more samples should bring it out.")


@third("stuck", "codex")
def signing_guesses(s):
    """Guesses settings of code signing one after the other and back; no certificate is installed at all."""
    r = s.rng
    s.user("Make the archive of the iOS app.")
    lines = ["CODE_SIGN_STYLE = Automatic", "CODE_SIGN_STYLE = Manual", "CODE_SIGN_IDENTITY = Apple Distribution", "DEVELOPMENT_TEAM = 8KQ2",
             "PROVISIONING_PROFILE_SPECIFIER = match"]
    current = 0
    for attempt in range(22):
        following = r.choice([k for k in range(5) if k != current])
        s.edit("Shop.xcconfig", lines[current], lines[following])
        current = following
        s.sh("xcodebuild archive -scheme Shop | tail -2; security find-identity -v", "error: No signing certificate \"iOS Distribution\" found\n"
             f"** ARCHIVE FAILED ** [{r.uniform(9, 30):.1f} sec]\n0 valid identities found", rc=65)
