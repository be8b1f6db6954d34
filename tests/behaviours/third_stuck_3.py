# SPDX-License-Identifier: Apache-2.0
"""Agents of the third set that go nowhere, part 3 of 3."""

from sealed_common import NOUNS, VERBS, clock
from second_common import browse, page, table
from third_common import third


@third("stuck", "copilot")
def mirror_that_is_gone(s):
    """Starts an image build again after cleaning this or that; the same archive cannot be fetched each time."""
    r = s.rng
    s.user("Build the image for the gateway with bitbake.")
    for lap in range(18):
        s.sh(r.choice(("bitbake -c cleansstate libfoo", "rm -rf tmp/cache", "bitbake -c cleanall libfoo", "rm -rf downloads/libfoo*", "bitbake -p")),
             f"NOTE: Tasks Summary: Attempted {r.randint(1, 3)} tasks", secs=r.uniform(5, 60))
        s.sh("bitbake gateway-image 2>&1 | tail -2", f"ERROR: libfoo-2.1-r0 do_fetch: Fetcher failure: https://old.example/libfoo-2.1.tgz 410 Gone\n"
             f"Summary: {r.randint(1, 3)} ERROR messages, {r.randint(300, 900)} tasks did not need to be rerun", rc=1, secs=r.uniform(60, 300))


@third("stuck", "opencode")
def linter_rules_in_a_ring(s):
    """Goes round three comments that silence a linter; each needs another one, and the third brings the first back."""
    r = s.rng
    s.user("Make golangci-lint pass for pool.go without changing the configuration.")
    marks = ("//nolint:errcheck", "//nolint:errcheck // closed", "//nolint")
    says = ("nolintlint: directive needs an explanation", "nolintlint: directive is unused for linter \"errcheck\"", "nolintlint: should name a linter")
    for step in range(28):
        s.edit("pool.go", f"\tp.Close() {marks[step % 3]}", f"\tp.Close() {marks[(step + 1) % 3]}")
        s.sh("golangci-lint run ./...", f"pool.go:88: {says[(step + 1) % 3]}\n1 issues, took {r.uniform(1, 5):.1f}s", rc=1)


@third("stuck", "lang")
def dashboard_that_froze(s):
    """Watches a dashboard whose data source was switched off; panels change, the last sample stays at 02:11."""
    r = s.rng
    s.user("Watch the dashboard for the marathon livestream. Page Kim above 4 % errors.")
    for look in range(70):
        s.call("grafana_panel", {"panel": r.choice((12, 14, 15, 18))}, {"rendered_at": clock(look * 61), "last_sample_at": "02:11:00", "errors": 0.71,
               "note": "data source 'prom-b' was removed"})
        if look % 12 == 9:
            s.say(f"All quiet at look {look + 1}: 0.71 %.")


@third("stuck", "lang")
def pictures_pushed_about(s):
    """Pushes a picture and a title off each other, and looks each time; one overlaps whenever the other is free."""
    r = s.rng
    s.user("Slide 6: title and picture overlap. Mend it.")
    for step in range(22):
        shape = ("picture", "title")[step % 2]
        s.call("pptx_move", {"slide": 6, "shape": shape, "top": (40, 96)[step // 2 % 2] + r.randint(-2, 2)}, {"ok": True})
        s.call("pptx_render", {"slide": 6}, {"overlap": ["title", "picture"], "image": f"{r.getrandbits(40):010x}.png"})
        if step % 6 == 5:
            s.say(f"The {shape} has to go a little {r.choice(('up', 'down'))}.")


@third("stuck", "lang")
def simulator_reset_and_crash(s):
    """Resets a simulated drone and flies the same first leg into the same mast; wind seeds and speeds differ."""
    r = s.rng
    s.user("Survey the field in the simulator, 24 legs at 40 m.")
    for attempt in range(20):
        s.call("sim_reset", {"seed": r.getrandbits(16), "wind": round(r.uniform(0, 4), 1)}, {"state": "ready"})
        s.call("drone_takeoff", {"z": 40, "speed": round(r.uniform(2, 9), 1)}, {"reached": True, "battery": 99})
        s.call("drone_goto", {"x": 0, "y": 300, "z": 40}, ok=False, error=f"collision with mast_2 at y={151 + r.random():.2f}")


@third("stuck", "lang")
def inventory_opened_and_closed(s):
    """Opens and closes menus of a game; no turn passes in ninety keys."""
    r = s.rng
    s.user("Play the dungeon until level 5 or death.")
    for step in range(45):
        menu = r.choice(("i", "+", "\\", "^x", "?"))
        s.call("game_key", {"key": menu}, f"Dlvl:2 $:41 HP:18(30) T:611\n{r.choice(('a - a dagger', 'Discoveries:', 'You are lawful.', 'Spells: none'))} (end)")
        s.call("game_key", {"key": "Esc"}, "Dlvl:2 $:41 HP:18(30) T:611")
        if step % 11 == 8:
            s.say("Let me check what I carry before I decide.")


@third("stuck", "qwen")
def score_is_always_zero(s):
    """Rewrites a prompt forty times against a judge that cannot read any answer and gives nought for everything."""
    r = s.rng
    s.user("Improve prompt.txt for ticket routing, at least 88 % on dev.jsonl.")
    for attempt in range(24):
        s.write("prompt.txt", f"{r.choice(('You route tickets.', 'Act as a dispatcher.', 'Classify the ticket.'))} {r.choice(('Think first.', 'Be brief.', 'Be sure.'))} "
                f"Example: {r.choice(NOUNS)} -> {r.choice(('billing', 'tech', 'sales'))}. Rule {r.randint(1, 99)}.")
        s.sh("python3 evaluate.py prompt.txt dev.jsonl", f"400 of 400 answers: KeyError 'label' (took {r.uniform(30, 60):.1f}s)\naccuracy 0.0 % (n=400)", secs=40)


@third("stuck", "mini")
def check_of_a_mounted_disk(s):
    """Tries to check a file system that is mounted and busy by every option; it refuses each time."""
    r = s.rng
    s.user("Check the file system of /dev/sdd1.")
    for attempt in range(36):
        s.sh(r.choice(("fsck", "e2fsck -f", "e2fsck -fy", "fsck.ext4 -p", "e2fsck -c", "fsck -t ext4 -y", "e2fsck -b 32768")) + " /dev/sdd1"
             + r.choice(("", " -v", " -C 0")), "/dev/sdd1 is mounted.\ne2fsck: Cannot continue, aborting.", rc=8)
        if attempt % 5 == 4:
            s.sh("umount /srv/data", f"umount: /srv/data: target is busy (pid {r.randint(800, 99999)} postgres).", rc=32)


@third("stuck", "goose")
def consumer_without_rights(s):
    """Restarts a consumer and watches its lag, which only grows, since the group may not read the topic."""
    r = s.rng
    s.user("The orders consumer is behind. Get the lag down.")
    lag = 81220
    for lap in range(17):
        s.sh(r.choice(("kubectl rollout restart deploy/orders-consumer", "kubectl scale deploy/orders-consumer --replicas=0", "kubectl scale "
             f"deploy/orders-consumer --replicas={r.randint(2, 8)}")), "deployment.apps/orders-consumer updated")
        for _ in range(2):
            lag += r.randint(200, 900)
            s.sh("kafka-consumer-groups.sh --describe --group orders | tail -1; kubectl logs deploy/orders-consumer --tail=1", f"orders 0 current 4411 lag {lag}\n"
                 "GroupAuthorizationException: Not authorized to access group: orders", secs=30)


@third("stuck", "lang")
def banner_about_cookies(s):
    """Closes a cookie banner that comes back on each load, and loads the page again; no row is ever read."""
    r = s.rng
    s.user("List all companies with 'Solar' in the register of Aargau.")
    url = "https://register.example/ag?q=solar"
    for lap in range(18):
        browse(s, "navigate", page(url, "Register", "dialog \"Your privacy\"", "button \"Accept\"", "button \"Reject\""), url=url + f"&_={r.getrandbits(32)}")
        browse(s, "click", page(url, "Register", "status \"Saving your choice...\""), element=r.choice(("Accept", "Reject", "Close")), ref=f"e{r.randint(7, 13)}")
        browse(s, "wait_for", page(url, "Register", "dialog \"Your privacy\"", "button \"Accept\""), time=r.randint(2, 6))


@third("stuck", "lang")
def answer_to_an_unsent_draft(s):
    """Waits for the answer to a request that is still a draft; searches the inbox in other words for a whole day."""
    r = s.rng
    s.user("Ask Petra to approve the order of 40 sensors, then order.")
    s.call("mail_create_draft", {"to": "petra@acme.example", "subject": "PO 8812"}, {"draft": "d-771", "sent": False})
    for look in range(34):
        s.call("mail_search", {"query": r.choice(("from:petra", "PO 8812", "subject:approve", "petra sensors", "in:inbox newer_than:1d petra"))},
               {"messages": [], "drafts": 1, "at": clock(look * 910)})
        s.call("wait", {"minutes": 15}, "done", secs=580)
        if look % 8 == 6:
            s.say("Petra has not answered yet. I will look again in a quarter of an hour.")


@third("stuck", "lang")
def customer_has_left(s):
    """Goes on asking a customer who has left the chat whether they are still there, each time in other words."""
    r = s.rng
    s.user("Chat 771: the customer's router has no internet.")
    s.call("chat_send", {"chat": 771, "text": "Is the lamp green?"}, {"delivered": True})
    for lap in range(30):
        s.call("chat_wait", {"chat": 771, "seconds": 60}, {"new": [], "participants": ["agent"], "left": "customer closed the window"}, secs=60)
        s.call("chat_send", {"chat": 771, "text": f"{r.choice(('Hello?', 'Are you still there?', 'I am here to help.', 'Just checking in.'))} "
               f"{r.choice(('Take your time.', 'Is the lamp green?', 'Any news?'))} ({lap + 2})"}, {"delivered": False, "seq": lap + 2})


@third("stuck", "claude")
def challenge_on_a_closed_port(s):
    """Asks for a certificate for a host whose port 80 is closed to the world, again and again, then at the test server, then again."""
    r = s.rng
    s.user("Renew the certificate of portal.customers.example.")
    for attempt in range(32):
        server = r.choice(("", " --server https://acme-staging.example/dir", " --http.port :80", " --http.webroot /var/www", " --key-type ec384"))
        s.sh(f"lego -d portal.customers.example{server} run", f"acme: error: 400 :: connection :: 203.0.113.9: Fetching http://portal.customers.example/"
             f".well-known/acme-challenge/{r.getrandbits(96):024x}: Timeout during connect (likely firewall problem)", rc=1, secs=r.uniform(10, 20))
        if attempt % 6 == 5:
            s.sh("systemctl restart nginx; systemctl is-active nginx", "active")


@third("stuck", "pi")
def dockerfile_around_the_failure(s):
    """Edits labels, order and comments of a Dockerfile; the step that fails is never touched, and fails in each build."""
    r = s.rng
    s.user("docker build fails. Mend it.")
    for attempt in range(24):
        old, new = r.choice((("LABEL a=1", "LABEL a=2"), ("LABEL a=2", "LABEL a=1"), ("WORKDIR /app", "WORKDIR /srv"), ("WORKDIR /srv", "WORKDIR /app")))
        s.edit("Dockerfile", old, f"{new}  # {r.choice(VERBS)} {attempt}")
        s.sh(f"docker build{r.choice(('', ' --no-cache', ' --pull'))} . 2>&1 | tail -2", f"#{r.randint(8, 12)} [5/9] RUN make -C native\n"
             "make: *** native: No such file or directory.  Stop.", rc=1, secs=r.uniform(5, 60))


@third("stuck", "opencode")
def files_renamed_to_and_fro(s):
    """Renames the same files to another scheme and back for the sake of consistency; nothing is compared or moved out."""
    r = s.rng
    s.user("Go through the duplicates; keep the sharpest, move the rest to dup/.")
    for lap in range(20):
        a, b = ("img_", "photo-") if lap % 2 == 0 else ("photo-", "img_")
        s.sh(f"for f in {a}*; do mv $f {b}${{f#{a}}}; done; ls | head -3", "\n".join(f"{b}{k:03d}.jpg" for k in range(3)),
             changed={f"{b}{k:03d}.jpg": str(k) for k in range(3)})
        s.sh("dupes --count", f"28\nscanned in {r.uniform(1, 4):.1f}s")
        if lap % 4 == 3:
            s.say(f"'{a}' is the more consistent scheme; I will use it for all files first.")


@third("stuck", "gemini")
def packages_that_no_one_published(s):
    """Tries to install a package that does not exist under forty guessed names."""
    r = s.rng
    s.user("Use our internal licence table generator, it is called lictab or so.")
    for attempt in range(40):
        name = f"{r.choice(('', '@acme/', '@lictab/', 'node-', 'acme-'))}{r.choice(('lictab', 'lic-tab', 'license-table', 'lictable', 'licence-tab'))}{r.choice(('', '-cli', 'js', '-gen', '2'))}"
        s.sh(f"npm install {name}", f"npm error code E404\nnpm error 404 Not Found - GET https://registry.npmjs.org/{name}\nnpm error A complete log is in "
             f"_logs/{r.getrandbits(40):010x}.log", rc=1)


@third("stuck", "codex")
def traces_that_show_the_same(s):
    """Traces the way to one address by other tools and protocols; the way ends at the same hop in each, and it traces on."""
    r = s.rng
    s.user("10.0.9.1 does not answer. Find out why and make it reachable.")
    for attempt in range(33):
        s.sh(r.choice(("traceroute", "traceroute -I", "traceroute -T -p 443", "mtr -rc 10", "tracepath", "traceroute -U", "nmap --traceroute -sn")) + " 10.0.9.1 | tail -2",
             f"5  10.0.5.1  {r.uniform(9, 12):.3f} ms  !X (administratively prohibited)\n6  * * *", rc=1, secs=r.uniform(5, 30))
        if attempt % 7 == 6:
            s.say("The path ends after hop 5. Another kind of probe may get further.")


@third("stuck", "copilot")
def screenshots_of_a_crash(s):
    """Makes screenshots of an app that crashes at its start, language after language and round again; all are empty."""
    r = s.rng
    s.user("Make store screenshots in all 24 locales.")
    for number in range(30):
        locale = r.choice(("de-DE", "fr-FR", "pl-PL", "sv-SE"))
        s.sh(f"fastlane snapshot --languages {locale} --number_of_retries {r.randint(0, 3)} | tail -2", f"Shop crashed: missing GoogleService-Info.plist\n0 screens for {locale} in "
             f"{r.uniform(20, 40):.1f}s", rc=1, secs=30)
        if number % 3 == 2:
            s.sh(f"ls -s shots/{locale} | head -1", "total 0")


@third("stuck", "lang")
def researcher_spawned_again(s):
    """Sends out sub-agent after sub-agent for one question; each reports that it has no web access, in other words."""
    r = s.rng
    s.user("Which rules for balcony solar apply in Norway this year?")
    for lap in range(16):
        job = f"job_{r.getrandbits(32):08x}"
        s.call("spawn_agent", {"task": f"{r.choice(('Find', 'Research', 'Look up', 'Establish'))} the {r.choice(('current', 'latest', 'valid'))} rules for balcony solar in Norway"}, {"job": job})
        s.call("agent_result", {"job": job}, {"status": "running", "steps": r.randint(1, 4)})
        s.call("agent_result", {"job": job}, {"status": "done", "answer": f"{r.choice(('I could not open', 'I have no way to reach', 'I was unable to access'))} the web: "
               "tool web_fetch is disabled for this workspace."})


@third("stuck", "cursor")
def quota_is_zero_everywhere(s):
    """Asks zone after zone for a GPU; the limit of the whole account is zero, as each refusal says."""
    r = s.rng
    s.user("Start a machine with an A100 and run the fine-tuning.")
    for attempt in range(42):
        zone = f"{r.choice(('us-central1', 'europe-west4', 'asia-east1', 'us-east4', 'us-west1'))}-{r.choice('abc')}"
        s.sh(f"gcloud compute instances create tune-{attempt} --zone {zone} --accelerator type={r.choice(('nvidia-tesla-a100', 'nvidia-l4', 'nvidia-tesla-t4'))}",
             f"ERROR: Quota 'GPUS_ALL_REGIONS' exceeded. Limit: 0.0 globally. (operation-{r.getrandbits(48):012x})", rc=1, secs=r.uniform(3, 9))
        if attempt % 8 == 5:
            s.say("No luck in this zone, I will try another one.")
