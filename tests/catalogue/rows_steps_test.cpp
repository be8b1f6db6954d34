// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <string_view>

#include <catch2/catch.hpp>

#include "tests/catalogue/expect.hpp"
#include "tests/catalogue/texts.hpp"

// An action for the next item, then the same check, which passes: a migration, a rolling restart, a
// codemod. The answers are alike for every item. Beside them loops that look much the same.

using namespace headway::tests::catalogue;
using headway::core::Verdict;

namespace {

constexpr int kItems = 40;

/// `{}` is the number of the item.
struct Lap {
    std::string_view action;
    std::string_view receipt;
    std::string_view check;
    std::string_view answer;
};

void go(Agent& agent, const Lap& lap, int from, int to) {
    for (int item = from; item < to; ++item) {
        agent.does(bash(with(lap.action, item)).result(with(lap.receipt, item)))
            .does(bash(lap.check).result(with(lap.answer, item)));
    }
}

void expect_work(const Lap& lap) {
    CAPTURE(lap.action, lap.check);
    Agent agent{each_hook()};
    go(agent, lap, 0, kItems);
    INFO(agent.trace());
    CHECK_FALSE(agent.ever(Verdict::kSuspect));
    CHECK_FALSE(agent.ever(Verdict::kStuck));
}

void expect_loop(const Lap& lap) {
    CAPTURE(lap.action, lap.check);
    Agent agent{each_hook()};
    go(agent, lap, 0, kItems);
    INFO(agent.trace());
    CHECK((agent.ever(Verdict::kSuspect) || agent.ever(Verdict::kStuck)));
}

Call other_tool(std::string_view name, int item) {
    return call(std::string{name}, with(R"({"id":"12:{}","name":"button"})", item));
}

}  // namespace

TEST_CASE("an action for each item with a check that passes behind it is work") {
    const auto lap = GENERATE(
        Lap{"npx jscodeshift -t codemods/dayjs.js src/comp{}.tsx",
            "Results:\n0 errors\n0 unmodified\n0 skipped\n1 ok", "npx tsc --noEmit", ""},
        Lap{"2to3 -w -n src/m{}.py >/dev/null 2>&1", "", "python -m pytest -q",
            "....\n42 passed in 1.2{}s"},
        Lap{"npm uninstall package-{}",
            "removed 1 package, and audited 812 packages in 3s\n\nfound 0 vulnerabilities",
            "npm test --silent", "Tests: 88 passed, 88 total\nTime: 3.{}s"},
        Lap{"ssh es{} sudo systemctl restart elasticsearch", "", "curl -s es1:9200/_cluster/health",
            R"({"cluster_name":"prod","status":"green","timed_out":false,"active_shards":480})"},
        Lap{"terraform import aws_s3_bucket.b{} acme-b{}",
            "Import successful!\n\nThe resources that were imported are shown above.",
            "terraform plan -no-color | tail -1",
            "No changes. Your infrastructure matches the configuration."},
        Lap{"mysql -e 'ALTER TABLE t{} CONVERT TO CHARACTER SET utf8mb4'", "",
            "mysql -e 'SHOW SLAVE STATUS\\G' | grep Seconds_Behind",
            "        Seconds_Behind_Master: 0"},
        Lap{"./migrate_tenant.sh tenant-{}", "done", "./smoke.sh", "smoke ok"},
        Lap{"python3 -c \"p='src/m{}.py'; t=open(p).read(); open(p,'w').write(t+'x')\"", "",
            "pytest -q", "88 passed in 0.4s"},
        Lap{"python3 -c \"from PIL import Image; Image.open('a{}.psd').save('a{}.png')\"", "",
            "python tools/validate.py", "all assets valid"},
        Lap{"python3 -c \"import os; os.rename('a{}.txt', 'b{}.txt')\"", "", "./smoke.sh",
            "smoke ok"},
        Lap{"node -e \"fs.writeFileSync('m{}.js', fix(fs.readFileSync('m{}.js')))\"", "",
            "npm test", "88 passed in 0.4s"},
        Lap{"python tools/convert.py assets/icon{}.psd", "converted", "python tools/validate.py",
            "all assets valid"},
        Lap{"python manage.py migrate app 00{}", "Running migrations: Applying app.00{}... OK",
            "python manage.py check", "System check identified no issues (0 silenced)."},
        Lap{"docker compose up -d --no-deps svc-{}", " Container app-svc-{}-1  Started",
            "curl -fsS localhost:8080/healthz", R"({"status":"ok"})"},
        Lap{"./relabel.sh batch-{}", "The labels of this batch are now those of the new taxonomy.",
            "./count_unlabelled.sh", R"({"unlabelled":0,"errors":0,"ok":true})"},
        Lap{"psql -c \"UPDATE part SET unit='mm' WHERE shelf={}\"", "UPDATE 12", "./check_units.sh",
            "0 mismatches"});
    expect_work(lap);
}

TEST_CASE("an action of another tool for each item with a check that passes is work") {
    Agent agent{each_hook()};
    for (int item = 0; item < kItems; ++item) {
        agent.does(other_tool("mcp__figma__convert_layer", item).result("Layer converted"))
            .does(call("mcp__figma__proof", "{}").result("No issues"));
    }
    INFO(agent.trace());
    CHECK_FALSE(agent.ever(Verdict::kSuspect));
}

TEST_CASE("an action that a check proves, and then two looks at the same, is work") {
    Agent agent{each_hook()};
    for (int item = 0; item < kItems; ++item) {
        agent.does(bash(with("./reindex.sh shard-{}", item)).result("done"))
            .does(bash("curl -fsS es:9200/_cluster/health").result(R"({"status":"green"})"))
            .does(bash("./smoke.sh").result("smoke ok"))
            .does(bash("curl -fsS shop/healthz").result("ok"));
    }
    INFO(agent.trace());
    CHECK_FALSE(agent.ever(Verdict::kSuspect));
}

TEST_CASE("a check that passes behind nothing that was done is a loop") {
    const std::string_view tests = "88 passed in 0.4s";
    const auto lap = GENERATE_COPY(
        // The same action again and again.
        Lap{"./migrate.sh", "done", "./smoke.sh", "smoke ok"},
        Lap{"./migrate.sh  # attempt {}\n", "done", "./smoke.sh", "smoke ok"},
        Lap{"echo \"attempt {}\"; ./migrate.sh", "done", "./smoke.sh", "smoke ok"},
        Lap{"sleep {}; ./migrate.sh", "done", "./smoke.sh", "smoke ok"},
        Lap{"ATTEMPT={} ./migrate.sh", "done", "./smoke.sh", "smoke ok"},
        Lap{"./migrate.sh --retry {}", "done", "./smoke.sh", "smoke ok"},
        Lap{"./migrate.sh --log /tmp/migrate_{}.log", "done", "./smoke.sh", "smoke ok"},
        Lap{"./migrate.sh 2>/tmp/migrate_{}.txt", "done", "./smoke.sh", "smoke ok"},
        // Nothing was done, or only looked at.
        Lap{"echo 'attempt {}'", "", "true && ./smoke.sh", "smoke ok"},
        Lap{"touch marker_{}", "", "./smoke.sh", "smoke ok"},
        Lap{"cat src/part_{}.c", "static const int kParts = 3;", "pytest -q", tests},
        Lap{"grep -n kPart{} -r src", "src/a.c:1: kPart", "./smoke.sh", "smoke ok"},
        Lap{"python3 -c 'print({} > 0)'", "True", "./smoke.sh", "smoke ok"},
        Lap{"python3 -c \"import sys; sys.stdout.write(str({} > 0))\"", "True", "./smoke.sh",
            "smoke ok"},
        Lap{"python3 -c \"import json,sys; json.dump(json.load(open('c.json')).get('k{}'), "
            "sys.stdout)\"",
            "null", "./smoke.sh", "smoke ok"},
        Lap{"python3 -c \"open('/tmp/x','w').write('x')\"", "", "./smoke.sh", "smoke ok"},
        Lap{"./fix_rights.sh --level {}", "already up to date", "./smoke.sh", "smoke ok"},
        Lap{"./fix_rights.sh --level {}", "Error: no rights were changed", "./smoke.sh",
            "smoke ok"});
    expect_loop(lap);
}

TEST_CASE("ever other actions behind which a check does not pass are a loop") {
    const auto lap = GENERATE(
        Lap{"sysctl -w net.core.somaxconn={}", "", "curl -s shop/health", R"({"status":"red"})"},
        Lap{"./tune.sh --pool {}", "done", "./smoke.sh", "2 of 9 probes failed"},
        Lap{"./tune.sh --pool {}", "done", "./smoke.sh", R"({"ready":false})"},
        Lap{"./tune.sh --pool {}", "done", "./mode.sh", "mode: legacy"},
        Lap{"./tune.sh --pool {}", "done", "./open.sh", "3 issues are open, 0 errors"});
    expect_loop(lap);
}

TEST_CASE("clicks all over a page that stays as it is are a loop, whatever it says") {
    Agent agent{each_hook()};
    for (int item = 0; item < kItems; ++item) {
        agent.does(call("browser_click", with(R"({"ref":"e{}"})", item)).result("Clicked"))
            .does(call("browser_snapshot", "{}").result("Cart: all is ok, 3 things"));
    }
    INFO(agent.trace());
    CHECK(agent.ever(Verdict::kSuspect));
}

TEST_CASE("a check that is run again with nothing done since is one, also after many steps") {
    Agent agent{each_hook()};
    const Lap lap{"./migrate_tenant.sh tenant-{}", "done", "./smoke.sh", "smoke ok"};
    go(agent, lap, 0, kItems);
    CHECK_FALSE(agent.ever(Verdict::kSuspect));
    for (int again = 0; again < 4; ++again)
        agent.does(bash("./smoke.sh").result("smoke ok"));
    INFO(agent.trace());
    CHECK(agent.ever(Verdict::kStuck));
}

TEST_CASE("a hundred steps without an answer of their own are worth a look, and no more") {
    Agent agent{each_hook()};
    const Lap lap{"./migrate_tenant.sh tenant-{}", "done", "./smoke.sh", "smoke ok"};
    go(agent, lap, 0, 99);
    CHECK_FALSE(agent.ever(Verdict::kSuspect));
    go(agent, lap, 99, 300);
    expect_suspect(agent);
}

TEST_CASE("sentences that are each built three times as successfully as before are never stuck") {
    Agent agent{each_hook()};
    for (int part = 0; part < 14; ++part) {
        agent.does(edit("thesis/ch3.tex", with("% next {}", part),
                        with("The effect is shown in Figure {}.", part)));
        for (int run = 0; run < 3; ++run)
            agent.does(bash("make -s pdf").result("Output written on thesis.pdf (82 pages)."));
    }
    expect_never_stuck(agent);
}

TEST_CASE("edits that are each followed by three equal red builds are stuck in the end") {
    Agent agent{each_hook()};
    for (int part = 0; part < 14; ++part) {
        agent.does(edit(with("src/part{}.c", part), "int a;", with("int a_{};", part)));
        for (int run = 0; run < 3; ++run)
            agent.does(bash("make -s all").fails("Exit code 2\nmain.c:3: error: no such field"));
    }
    INFO(agent.trace());
    CHECK(agent.ever(Verdict::kStuck));
}

TEST_CASE("looks that end by their own time limit wait for nothing that is missing") {
    Agent agent{each_hook()};
    for (int i = 0; i < 30; ++i)
        agent.does(
            bash("sleep 30; timeout 120 gh run watch 7").fails("Command timed out after 2m 30s"));
    INFO(agent.trace());
    CHECK_FALSE(agent.state().judgement->needs_somebody);
}

TEST_CASE("a wait for what is not found needs a person after twenty looks") {
    const Lap lap = GENERATE(
        Lap{"sleep 30; cat build.log", "cat: build.log: No such file or directory", "", ""},
        Lap{"sleep 20; kubectl get pod web-1", "Error (NotFound): pods \"web-1\" not found", "",
            ""},
        Lap{"sleep 30; ps -p 4711 -o pid,cmd", "    PID CMD", "", ""});
    const Call look = bash(lap.action).fails(lap.receipt);
    Agent agent{each_hook()};
    for (int i = 0; i < 18; ++i)
        agent.does(look);
    CHECK_FALSE(agent.state().judgement->needs_somebody);
    for (int i = 0; i < 4; ++i)
        agent.does(look);
    INFO(agent.trace());
    CHECK(agent.verdict() == Verdict::kWaiting);
    CHECK(agent.state().judgement->needs_somebody);
}

TEST_CASE("steps of a machine or a list with a measurement behind each are work") {
    const auto [step, args, receipt, look, before, after, steps] = GENERATE(
        table<const char*, const char*, const char*, const char*, const char*, const char*, int>({
            {"mcp__cnc__jog", R"({"axis":"Z","mm":-0.1})", "ok", "mcp__cnc__probe", "open",
             "contact", 14},
            {"mcp__pump__dose", R"({"ml":1})", "dosed", "mcp__ph__read", "7.0", "7.9", 11},
            {"mcp__daw__next_track", "{}", "ok", "mcp__daw__set_volume", "ok", "ok", 16},
        }));
    CAPTURE(step);
    Agent agent{each_hook()};
    for (int i = 0; i <= steps; ++i) {
        agent.does(call(step, args).result(receipt))
            .does(call(look, R"({"db":-3})").result(i < steps ? before : after));
    }
    INFO(agent.trace());
    CHECK_FALSE(agent.ever(Verdict::kSuspect));
    CHECK_FALSE(agent.ever(Verdict::kStuck));
}

TEST_CASE("steps after which nothing is ever measured are stuck in the end") {
    Agent agent{each_hook()};
    for (int i = 0; i < 30; ++i) {
        agent.does(call("mcp__cnc__jog", R"({"axis":"Z","mm":-0.1})").result("ok"))
            .does(call("mcp__cnc__probe", "{}").result("open"));
    }
    INFO(agent.trace());
    CHECK(agent.ever(Verdict::kStuck));
}

TEST_CASE("one change of a text that was there, in many files, is work") {
    Agent agent{each_hook()};
    for (int i = 0; i < 160; ++i)
        agent.does(edit(with("src/part{}.js", i), "from 'moment'", "from 'dayjs'"));
    INFO(agent.trace());
    CHECK_FALSE(agent.ever(Verdict::kSuspect));
    CHECK_FALSE(agent.ever(Verdict::kStuck));
}

TEST_CASE("a question whose answers go round is a loop") {
    const int answers = GENERATE(2, 3, 5);
    CAPTURE(answers);
    Agent agent{each_hook()};
    for (int i = 0; i < 60; ++i)
        agent.does(bash("curl -s http://app/host").result(with("web-{}", i % answers)));
    INFO(agent.trace());
    CHECK(agent.ever(Verdict::kStuck));
}

TEST_CASE("a machine that says that it does not move, and an edit that is undone, are loops") {
    Agent agent{each_hook()};
    SECTION("jammed") {
        for (int i = 0; i < 12; ++i)
            agent.does(call("mcp__pump__dose", R"({"ml":1})").result("jammed"));
    }
    SECTION("a spin on an empty queue") {
        for (int i = 0; i < 12; ++i)
            agent.does(call("get_next_job", "{}").result("empty"));
    }
    SECTION("undone") {
        for (int i = 0; i < 8; ++i) {
            agent.does(edit("a.py", "x", "y"))
                .does(bash("pytest -q").fails("E   assert 1 == 2\n1 failed, 4 passed"))
                .does(call("mcp__ide__undo", "{}").result("ok"));
        }
    }
    INFO(agent.trace());
    CHECK(agent.ever(Verdict::kStuck));
}

TEST_CASE("what is measured again after an action, or after a while, is news") {
    Agent agent{each_hook()};
    SECTION("ten equal devices on a bench") {
        for (int device = 0; device < 10; ++device) {
            agent.does(call("mcp__mux__select", with(R"({"dut":{}})", device)).result("ok"));
            for (const char* volts : {"3.30", "5.00", "12.00"}) {
                agent
                    .does(
                        call("mcp__psu__volts", "{\"v\":" + std::string{volts} + "}").result("ok"))
                    .does(call("mcp__dmm__measure", "{}").result(std::string{volts} + " V"));
            }
        }
    }
    SECTION("a value that is watched") {
        for (int i = 0; i < 60; ++i) {
            agent.does(bash("sleep 60; curl -s http://lb/depth")
                           .result("depth " + std::to_string(4 + (i % 3))));
        }
    }
    INFO(agent.trace());
    CHECK_FALSE(agent.ever(Verdict::kStuck));
}

TEST_CASE("a status that counts failures and goes on is a wait") {
    const char* const status = GENERATE("pipeline running\nfailed: 2\npassed: 40",
                                        "worker is running (failed: 3, done: 120)",
                                        "Job 7 running, failed over to node 2");
    CAPTURE(status);
    Agent agent{each_hook()};
    for (int i = 0; i < 8; ++i)
        agent.does(bash("./ci-status 42").result(status));
    INFO(agent.trace());
    CHECK_FALSE(agent.ever(Verdict::kStuck));
}
