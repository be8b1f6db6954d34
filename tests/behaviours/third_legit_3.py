# SPDX-License-Identifier: Apache-2.0
"""Agents of the third set that a person would leave alone, part 3 of 3."""

from sealed_common import NOUNS, VERBS
from second_common import browse, page, table
from third_common import third


@third("legit", "copilot")
def image_of_an_embedded_linux(s):
    """Looks after a long image build: the count of tasks grows, one download fails and is repeated by the tool."""
    r = s.rng
    s.user("Build the image for the gateway with bitbake. It takes some hours. Tell me when it is there.")
    s.sh("nohup bitbake gateway-image > bb.log 2>&1 & echo $!", "8811")
    done = 12
    while done < 6144:
        s.sh("sleep 300; tail -1 bb.log", f"Running task {done} of 6144 ({r.choice(NOUNS)}-{r.randint(1, 9)}.{r.randint(0, 30)}: do_"
             f"{r.choice(('compile', 'configure', 'fetch', 'package', 'install'))})", secs=300)
        done += r.randint(90, 420)
    s.sh("tail -1 bb.log; ls -sh deploy/*.wic", "Tasks Summary: Attempted 6144 tasks, all succeeded.\n212M deploy/gateway.wic")


@third("legit", "opencode")
def comments_answered(s):
    """Answers a reviewer's comments one by one: edit, test, reply, resolve; the number of open ones goes to zero."""
    r = s.rng
    s.user("Address all 17 review comments of pull request 733.")
    for left in range(17, 0, -1):
        path = f"src/{r.choice(VERBS)}_{r.choice(NOUNS)}.go"
        s.edit(path, f"\treturn {r.choice(NOUNS)}{left}", f"\treturn fmt.Errorf(\"{r.choice(VERBS)} {left}: %w\", err)")
        s.sh("go test ./...", f"ok  \tacme.dev/shop/{r.choice(NOUNS)}\t{r.uniform(0.2, 3):.3f}s")
        s.call("github_resolve_thread", {"thread": f"PRRT_{r.getrandbits(48):012x}", "reply": f"Done in {path}."}, {"open": left - 1})


@third("legit", "lang")
def shift_of_monitoring(s):
    """Looks at a dashboard for the hour that was asked for; fresh values each time, one alarm is handled."""
    r = s.rng
    s.user("Watch the dashboard during the marathon livestream (60 looks, one a minute). Page Kim above 4 % errors.")
    for minute in range(60):
        high = minute == 37
        s.call("grafana_panel", {"panel": 14}, {"minute": minute, "viewers": 180000 + minute * 900 + r.randint(-400, 400),
               "errors": round(5.1 if high else r.uniform(0.4, 1.6), 2)})
        if high:
            s.call("page_person", {"who": "kim", "text": "errors at 5.1 %"}, {"acknowledged_by": "kim"})


@third("legit", "lang")
def slides_made(s):
    """Makes a deck slide by slide: add, fill, look at the picture; two slides are corrected."""
    r = s.rng
    s.user("Make the 22 slides of outline.md in our template.")
    for number in range(1, 23):
        s.call("pptx_add_slide", {"layout": r.choice(("Title and text", "Two columns")), "title": f"{r.choice(VERBS)} the {r.choice(NOUNS)}"},
               {"slide": number})
        s.call("pptx_fill", {"slide": number, "bullets": [f"{r.choice(VERBS)} {r.randint(2, 99)} {r.choice(NOUNS)}s" for _ in range(3)]}, {"ok": True})
        s.call("pptx_render", {"slide": number}, {"overflow": number in (6, 15), "image": f"{r.getrandbits(40):010x}.png"})
        if number in (6, 15):
            s.call("pptx_fill", {"slide": number, "bullets": ["shorter"]}, {"ok": True})


@third("legit", "lang")
def survey_flown(s):
    """Flies a simulated drone through a survey grid; the wind forces repeats of two legs, the area covered grows."""
    r = s.rng
    s.user("Survey the field in the simulator, 24 legs at 40 m.")
    covered = 0.0
    for leg in range(24):
        point = {"x": leg * 12, "y": 300 if leg % 2 else 0, "z": 40}
        if leg in (8, 17):
            s.call("drone_goto", point, {"reached": False, "reason": f"gust {r.uniform(11, 14):.1f} m/s", "battery": 90 - leg})
        s.call("drone_goto", point, {"reached": True, "battery": 90 - leg * 3})
        covered += r.uniform(0.38, 0.42)
        s.call("camera_sweep", {"leg": leg}, {"images": r.randint(30, 36), "hectares": round(covered, 2)})


@third("legit", "lang")
def dungeon_level_by_level(s):
    """Plays a dungeon crawler: many equal keys, but turns, depth and gold move on."""
    r = s.rng
    s.user("Play the dungeon until level 5 or death.")
    gold, turn = 0, 1
    for step in range(90):
        turn += r.randint(1, 20)
        gold += r.choice((0, 0, r.randint(3, 40)))
        s.call("game_key", {"key": r.choice(("j", "k", "l", "h", "s", ">", "20s"))}, f"Dlvl:{1 + step // 20} $:{gold} HP:{r.randint(6, 30)}(30) "
               f"T:{turn}\n{r.choice(('You see here a dagger.', 'The jackal bites!', 'You find a hidden door.', ''))}")
    s.call("game_key", {"key": ">"}, f"Dlvl:5 $:{gold} HP:18(30) T:{turn + 3}")


@third("legit", "qwen")
def prompts_compared(s):
    """Tries prompt after prompt on a fixed set with the same command; the score rises with setbacks."""
    r = s.rng
    s.user("Improve prompt.txt for ticket routing, at least 88 % on dev.jsonl. Keep a log.")
    best = 61.0
    while best < 88:
        score = best + r.uniform(-4, 6)
        s.write("prompt.txt", f"You route tickets. {r.choice(('Think first.', 'Answer with one word.', 'Use the table.'))} "
                f"Example: {r.choice(NOUNS)} -> {r.choice(('billing', 'tech', 'sales'))}. Rule {r.randint(1, 99)}.")
        s.sh("python3 evaluate.py prompt.txt dev.jsonl", f"accuracy {score:.1f} % (n=400)", secs=r.uniform(30, 60))
        s.sh(f"echo '{score:.1f} {'kept' if score > best else 'dropped'}' >> log.txt", changed={"log.txt": f"{score}"})
        best = max(best, score)


@third("legit", "mini")
def disk_rescued(s):
    """Looks at the rescue of a dying disk for days; the rescued part grows, slowly and more slowly."""
    r = s.rng
    s.user("Rescue /dev/sdd with ddrescue. It is dying; this takes as long as it takes.")
    s.sh("nohup ddrescue -d /dev/sdd img map > dd.log 2>&1 & echo $!", "611")
    rescued = 12.0
    for step in range(32):
        s.sh("sleep 595; tail -2 dd.log", f"rescued: {rescued:.3f} GB, errors: {step * 3 + r.randint(0, 2)}, rate: "
             f"{r.randint(20, 9000)} kB/s\nremaining: {500 - rescued:.3f} GB", secs=595)
        rescued += (500 - rescued) * r.uniform(0.05, 0.3)
    s.sh("ddrescuelog -t map", f"rescued: {rescued:.3f} GB (99.9%)\nbad areas: 41")


@third("legit", "goose")
def partitions_move(s):
    """Moves the partitions of a topic batch by batch, and waits for each; the number left falls."""
    r = s.rng
    s.user("Move the orders topic off broker 3, four partitions at a time.")
    for batch in range(9):
        s.sh(f"kafka-reassign-partitions.sh --execute --reassignment-json-file b{batch}.json | tail -1", "Successfully started partition "
             f"reassignments for orders-{batch * 4},orders-{batch * 4 + 3}")
        for left in range(r.randint(2, 5), 0, -1):
            s.sh(f"kafka-reassign-partitions.sh --verify --reassignment-json-file b{batch}.json | tail -1", f"{left} of 4 still in "
                 f"progress, {r.randint(1, 90)} MB/s", secs=30)
        s.sh(f"kafka-reassign-partitions.sh --verify --reassignment-json-file b{batch}.json | tail -1", "all 4 complete")


@third("legit", "lang")
def register_by_letters(s):
    """Looks up companies in a register that shows only ten a page; each page has other names."""
    r = s.rng
    s.user("List all companies with 'Solar' in the register of Aargau. The site shows ten a page.")
    for number in range(1, 29):
        names = [f"Solar {r.choice(NOUNS).title()} {r.choice(('AG', 'GmbH'))} {r.randint(100, 999)}" for _ in range(3)]
        browse(s, "navigate", page(f"https://register.example/ag?q=solar&page={number}", f"Page {number} of 28",
               *[f"row \"{name}\"" for name in names]), url=f"https://register.example/ag?q=solar&page={number}")
        if r.random() < 0.3:
            s.call("sheet_append", {"rows": names}, {"rows": number * 10})


@third("legit", "lang")
def approval_arrives(s):
    """Waits for a person's approval of a purchase, reminds twice as the user asked, gets it, and goes on."""
    r = s.rng
    s.user("Ask Petra to approve the order of 40 sensors, remind her every two hours, then order.")
    s.call("slack_post", {"to": "petra", "text": "Please approve PO 8812 (40 sensors)."}, {"ts": "1791.1"})
    for look in range(22):
        s.call("approval_status", {"po": 8812}, {"status": "waiting", "viewed_by_petra": look > 12})
        s.call("wait", {"minutes": 15}, "done", secs=580)
        if look in (8, 16):
            s.call("slack_post", {"to": "petra", "text": f"A reminder: PO 8812 ({look // 8} of 2)."}, {"ts": f"1791.{look}"})
    s.call("approval_status", {"po": 8812}, {"status": "approved", "by": "petra"})
    for part in range(4):
        s.call("shop_order", {"po": 8812, "line": part + 1, "qty": 10}, {"confirmation": f"C{r.getrandbits(32):08x}"})


@third("legit", "lang")
def customer_answers_slowly(s):
    """Helps a slow customer in a chat through a reset; long waits between answers, but each answer is another step."""
    r = s.rng
    s.user("Chat 771: the customer's router has no internet.")
    steps = ("power lamp green", "cable in port 1", "held reset 10 s", "lamp blinks", "sees the network", "typed the code", "page opens")
    for step, answer in enumerate(steps):
        s.call("chat_send", {"chat": 771, "text": f"Step {step + 1}: please {r.choice(VERBS)} and tell me: {answer}?"}, {"delivered": True})
        for _ in range(r.randint(1, 5)):
            s.call("chat_wait", {"chat": 771, "seconds": 60}, {"new": [], "typing": r.random() < 0.5}, secs=60)
        s.call("chat_wait", {"chat": 771, "seconds": 60}, {"new": [f"ok, {answer}"]}, secs=r.uniform(5, 50))


@third("legit", "claude")
def certificates_renewed(s):
    """Renews the certificates of many domains by the same two commands; two need a second try after the rate limit."""
    r = s.rng
    s.user("Renew the 22 customer certificates; wait if the CA limits us.")
    for number in range(22):
        domain = f"{r.choice(NOUNS)}{number}.customers.example"
        if number in (10, 19):
            s.sh(f"lego -d {domain} renew", "429 urn:ietf:params:acme:error:rateLimited :: retry after 300 s", rc=1)
            s.sh("sleep 305", secs=305)
        s.sh(f"lego -d {domain} renew", f"[INFO] [{domain}] Server responded with a certificate.", secs=8)
        s.sh(f"openssl x509 -in {domain}.crt -noout -serial", f"serial={r.getrandbits(72):018X}")


@third("legit", "pi")
def layers_made_smaller(s):
    """Edits a Dockerfile and builds it again and again; each build is smaller or is taken back."""
    r = s.rng
    s.user("Get the image below 200 MB.")
    size = 912.0
    while size > 200:
        package = r.choice(NOUNS)
        s.edit("Dockerfile", f"RUN apt-get install -y {package}-dev", f"RUN apt-get install -y --no-install-recommends {package}")
        now = size * r.uniform(0.76, 1.02)
        s.sh("docker build -q -t app . && docker image ls app --format '{{.Size}}'", f"sha256:{r.getrandbits(128):032x}\n{now:.0f}MB",
             secs=r.uniform(20, 90))
        if now > size:
            s.sh("git checkout Dockerfile", "Updated 1 path from the index", changed={"Dockerfile": f"{size}"})
        size = min(size, now)
    s.sh("docker run --rm app --selftest", "ok")


@third("legit", "opencode")
def photos_deduplicated(s):
    """Goes through groups of equal photos one by one: compare, keep the best, move the others; groups left fall."""
    r = s.rng
    s.user("Go through the 28 groups of duplicates; keep the sharpest, move the rest to dup/.")
    for left in range(28, 0, -1):
        group = [f"IMG_{r.randint(1000, 9999)}.jpg" for _ in range(r.randint(2, 4))]
        s.sh(f"sharpness {' '.join(group)}", "\n".join(f"{name} {r.uniform(0.1, 0.9):.3f}" for name in group))
        s.sh(f"mv {' '.join(group[1:])} dup/ && dupes --count", str(left - 1), changed={f"dup/{name}": name for name in group[1:]})


@third("legit", "gemini")
def licences_looked_up(s):
    """Looks up the licence of each dependency; a call for each name, and the table grows."""
    r = s.rng
    s.user("Make a table of the licences of our 45 npm dependencies.")
    for number in range(45):
        name = f"{r.choice(VERBS)}-{r.choice(NOUNS)}-{number}"
        s.sh(f"npm view {name} license version", f"license = '{r.choice(('MIT', 'MIT', 'ISC', 'Apache-2.0', 'BSD-3-Clause'))}'\nversion = "
             f"'{r.randint(0, 9)}.{r.randint(0, 30)}.{r.randint(0, 9)}'")
        if number % 9 == 8:
            s.write("LICENSES.md", f"| package | licence |\n{number + 1} rows, last {name}\n")


@third("legit", "codex")
def loss_located(s):
    """Measures packet loss hop by hop and hour by hour as asked; figures differ and lead to one link."""
    r = s.rng
    s.user("Measure loss to all 9 hops in 4 rounds, and tell me which link is bad.")
    for lap in range(4):
        for hop in range(1, 10):
            lost = r.randint(9, 16) if hop > 5 else 0
            s.sh(f"ping -c100 -q 10.0.{hop}.1 | tail -2", f"100 packets transmitted, {100 - lost} received, {lost}% packet loss\nrtt avg "
                 f"{hop * 2.1 + r.random():.3f} ms", rc=0, secs=100)
        s.sh(f"echo 'round {lap + 1}: loss begins at hop 6' >> report.md", changed={"report.md": str(lap)})


@third("legit", "copilot")
def locales_photographed(s):
    """Makes the screenshots of the shop in every language; the same three calls with another locale."""
    r = s.rng
    s.user("Make store screenshots in all 24 locales.")
    for number in range(24):
        locale = f"{r.choice(('de', 'fr', 'pl', 'sv', 'ja', 'pt', 'es', 'it'))}-{number:02d}"
        s.sh(f"fastlane snapshot --languages {locale} | tail -1", f"captured 6 screens in {r.uniform(40, 80):.1f}s", secs=r.uniform(40, 80))
        s.sh(f"ls -s shots/{locale} | head -1", f"total {r.randint(2100, 3900)}")
        s.sh(f"python3 clipped_text.py shots/{locale}", r.choice(("0 clipped", "0 clipped", "1 clipped: buy_button, shortened")))


@third("legit", "lang")
def researchers_sent_out(s):
    """Sends sub-agents to research one country each, and collects what they bring; each brings other facts."""
    r = s.rng
    s.user("Compare rules for balcony solar in 16 countries; one sub-agent each.")
    jobs = [(f"country {k:02d}", f"job_{r.getrandbits(32):08x}") for k in range(16)]
    for country, job in jobs:
        s.call("spawn_agent", {"task": f"Rules for balcony solar in {country}"}, {"job": job})
    for country, job in jobs:
        for _ in range(r.randint(0, 2)):
            s.call("agent_result", {"job": job}, {"status": "running", "steps": r.randint(3, 40)})
        s.call("agent_result", {"job": job}, {"status": "done", "answer": f"{country}: up to {r.randint(3, 12) * 100} W, "
               f"{r.choice(('notice', 'no notice', 'permit'))}"})


@third("legit", "cursor")
def places_in_the_gpu_queue(s):
    """Waits in the queue for a GPU; the place in it goes from 41 to the front, then the job runs."""
    r = s.rng
    s.user("Run the fine-tuning on the shared A100s; the queue is long today, wait for it.")
    s.sh("gpuq submit tune.yaml", "job 5512, place 41")
    place = 41
    while place > 0:
        s.sh("sleep 300; gpuq status 5512", f"job 5512 queued, place {place}, free 0 of 16, since {r.randint(1, 59)} min", secs=300)
        place -= r.choice((0, 1, 2, 3))
    for step in range(0, 1000, 125):
        s.sh("sleep 300; gpuq status 5512", f"job 5512 running, step {step}/1000, loss {2.1 - step / 900 + r.random() / 20:.3f}", secs=300)
    s.sh("gpuq status 5512", "job 5512 done, adapter saved")
