# SPDX-License-Identifier: Apache-2.0
"""Agents of the third set that go nowhere, part 2 of 2."""

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
