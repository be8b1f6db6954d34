# SPDX-License-Identifier: Apache-2.0
"""Agents of the third set that a person would leave alone, part 2 of 2."""

from sealed_common import NOUNS, VERBS
from third_common import third


@third("legit", "cursor")
def device_code_is_confirmed(s):
    """Polls a device login while the person looks for the phone; the person confirms and the work goes on."""
    r = s.rng
    s.user("Log in to the registry with my account (I confirm on the phone, give me some minutes) and push the image.")
    s.call("device_login_start", {"host": "registry.acme.dev"}, {"user_code": "KQTR-81ZD", "expires_in": 900, "interval": 15})
    for poll in range(17):
        s.call("device_login_poll", {"code": "KQTR-81ZD"}, {"error": "authorization_pending", "expires_in": 885 - poll * 15})
        if poll == 8:
            s.user("Still updating the app, nearly there.")
    s.call("device_login_poll", {"code": "KQTR-81ZD"}, {"token_type": "bearer", "scope": "push"})
    for tag in ("8.1", "8.1-arm64", "latest"):
        s.sh(f"docker push registry.acme.dev/shop:{tag} | tail -1", f"{tag}: digest: sha256:{r.getrandbits(128):032x}")


@third("legit", "lang")
def clauses_redlined(s):
    """Goes through a contract clause by clause; reading, and a tracked change where it is needed."""
    r = s.rng
    s.user("Redline the supply contract against our playbook.")
    for clause in range(1, 31):
        s.call("word_get_paragraph", {"doc": "supply.docx", "number": clause}, f"{clause}. The Supplier shall "
               f"{r.choice(VERBS)} each {r.choice(NOUNS)} within {r.randint(3, 90)} days.")
        if r.random() < 0.55:
            s.call("word_track_replace", {"doc": "supply.docx", "number": clause, "find": "shall", "replace":
                   r.choice(("must, at its own cost,", "shall use reasonable efforts to"))}, {"revision": clause + 100})
    s.call("word_save", {"doc": "supply.docx"}, {"bytes": 48211})


@third("legit", "lang")
def refunds_by_policy(s):
    """Works through refund tickets with the same three calls; each ticket is closed."""
    r = s.rng
    s.user("Work through the refund queue by the policy.")
    for left in range(21, 0, -1):
        ticket, order = r.randint(50000, 59999), f"A{r.randint(10 ** 6, 10 ** 7)}"
        s.call("ticket_next", {"queue": "refunds"}, {"ticket": ticket, "order": order, "open": left, "text":
               f"My {r.choice(NOUNS)} came {r.choice(('broken', 'late', 'twice'))}."})
        s.call("order_get", {"order": order}, {"total": round(r.uniform(9, 300), 2), "days": r.randint(1, 60)})
        s.call("ticket_close", {"ticket": ticket, "refund": r.choice((True, True, False))}, {"open": left - 1})


@third("legit", "opencode")
def service_comes_up(s):
    """Waits for a service that loads a large index; its log counts up, then the port answers."""
    r = s.rng
    s.user("Start the search service locally (it loads 40 GB) and run the smoke queries.")
    s.sh("./bin/searchd --port 8090 > searchd.log 2>&1 & echo $!", "7718")
    for segment in range(0, 210, 9):
        s.sh("curl -s -m 3 localhost:8090/health || tail -1 searchd.log", f"loading segment {segment}/210 "
             f"({segment * 0.19 + r.random():.1f} GB)", secs=15)
    s.sh("curl -s -m 3 localhost:8090/health || tail -1 searchd.log", "{\"status\":\"ok\",\"segments\":210}")
    for word in r.sample(NOUNS, 8):
        s.sh(f"curl -s 'localhost:8090/q?t={word}' | jq .hits", str(r.randint(20, 90000)))


@third("legit", "pi")
def fuzzer_looked_after(s):
    """Looks at a fuzzer every ten minutes for the night that was asked for; coverage and corpus grow."""
    r = s.rng
    s.user("Fuzz the PNG decoder overnight, look at it from time to time, triage crashes.")
    s.sh("nohup ./fuzz_png corpus -jobs=2 > fuzz.log 2>&1 & echo $!", "3388")
    cov, execs = 812, 0
    for step in range(30):
        execs += r.randint(900000, 1300000)
        cov += r.randint(0, 14)
        s.sh("sleep 590; tail -1 fuzz.log", f"#{execs} NEW cov: {cov} ft: {cov * 4 + step} corp: {cov // 3}/{cov}Kb exec/s: "
             f"{r.randint(1700, 2100)}", secs=590)
        if step in (11, 23):
            s.sh("ls crash-*; ./fuzz_png crash-* 2>&1 | grep SUMMARY", f"SUMMARY: AddressSanitizer: heap-buffer-overflow "
                 f"png.c:{r.randint(100, 900)} in read_plte", rc=1)
            s.edit("png.c", f"n = len[{step}];", f"n = min(len[{step}], MAX);")


@third("legit", "gemini")
def rules_cleaned_until_green(s):
    """Rewrites a whole cleaning script again and again; each version leaves fewer bad rows, the last none."""
    r = s.rng
    s.user("Clean customers.csv until check.py reports no bad row.")
    bad, rules = 4312, []
    while bad:
        rules.append(f"df['{r.choice(NOUNS)}'] = df['{r.choice(NOUNS)}'].str.{r.choice(('strip', 'lower', 'title'))}()")
        s.write("clean.py", "import pandas as pd\ndf = pd.read_csv('customers.csv')\n" + "\n".join(rules)
                + "\ndf.to_csv('out.csv')\n")
        bad = bad * r.randint(40, 80) // 100 if bad > 9 else 0
        s.sh("python3 clean.py && python3 check.py out.csv", f"{bad} bad rows of 90211", rc=int(bad > 0))


@third("legit", "copilot")
def secrets_scanned_in_each_repository(s):
    """Scans one repository after the other with the same commands; a finding is checked and written down."""
    r = s.rng
    s.user("Scan all our repositories for secrets in the history. List findings.")
    for number in range(26):
        name = f"{r.choice(NOUNS)}-{r.choice(VERBS)}-{number}"
        found = r.random() < 0.2
        s.sh(f"git clone -q --mirror git@git.acme.dev:{name} && gitleaks git {name}.git --no-banner | tail -2",
             f"{r.randint(20, 9000)} commits scanned.\n" + (f"leaks found: {r.randint(1, 3)}" if found else "no leaks found"),
             rc=int(found), secs=r.uniform(2, 30))
        if found:
            s.sh(f"echo '- {name}' >> FINDINGS.md", changed={"FINDINGS.md": name})


@third("legit", "qwen")
def load_raised_in_steps(s):
    """Raises the load step by step with one command and finds the knee; the errors at the end are the answer."""
    r = s.rng
    s.user("Find the number of users at which the checkout API breaks.")
    for users in range(50, 1050, 50):
        late = max(0, users - 800)
        s.sh(f"k6 run -u {users} -d 60s checkout.js | grep -E 'p\\(95\\)|failed'", f"p(95)={60 + users / 9 + late * 4:.1f}ms\n"
             f"http_req_failed {late / 30 + r.random() / 50:.2f}%", rc=int(late > 0), secs=62)
    for users in (810, 820, 830, 840):
        s.sh(f"k6 run -u {users} -d 60s checkout.js | grep -E 'p\\(95\\)|failed'", f"p(95)={190 + users - 800:.1f}ms\n"
             f"http_req_failed {(users - 800) / 30:.2f}%", rc=1, secs=62)


@third("legit", "claude")
def components_moved_to_types(s):
    """Moves components to TypeScript one by one: read, write, check; one check is red and mended at once."""
    r = s.rng
    s.user("Convert src/widgets to TypeScript, a file at a time, tsc must stay green.")
    for number in range(18):
        name = f"{r.choice(NOUNS).title()}{r.choice(VERBS).title()}{number}"
        s.read(f"src/widgets/{name}.jsx", f"export function {name}(props) {{\n  return <b>{{props.x{number}}}</b>\n}}")
        s.write(f"src/widgets/{name}.tsx", f"export function {name}(props: {{ x{number}: string }}) {{\n  return <b/>\n}}")
        if r.random() < 0.25:
            s.sh("npx tsc --noEmit", f"src/widgets/{name}.tsx(2,{r.randint(3, 60)}): error TS2322", rc=2)
            s.edit(f"src/widgets/{name}.tsx", "string }", "string | number }")
        s.sh("npx tsc --noEmit", "")


@third("legit", "goose")
def download_resumes(s):
    """Fetches a huge file over a line that drops; every try continues where the last one ended."""
    r = s.rng
    s.user("Get the 90 GB scan set onto the NAS; the line drops now and then, just continue.")
    done = 0.0
    while done < 90:
        gain = min(90 - done, r.uniform(1.5, 7))
        done += gain
        s.sh("curl -C - -O https://data.example/scans.tar", f"** Resuming transfer from byte position "
             f"{int((done - gain) * 1e9)}\n" + (f"curl: (18) transfer closed with {int((90 - done) * 1e9)} bytes remaining"
                                               if done < 90 else "100"), rc=18 if done < 90 else 0, secs=r.uniform(100, 500))
    s.sh("sha256sum -c scans.sha256", "scans.tar: OK", secs=300)
