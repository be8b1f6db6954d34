// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <string>

#include <catch2/catch.hpp>

#include "tests/catalogue/expect.hpp"
#include "tests/catalogue/texts.hpp"

// Work that is handed in: one and the same again and again, ever other items, and the questions
// after what was handed in.

using namespace headway::tests::catalogue;
using headway::core::Verdict;

namespace {

/// An id of 16 hex digits.
std::string hex(int i) {
    static constexpr std::string_view kDigits = "0123456789abcdef";
    std::string out;
    std::uint64_t state = (static_cast<std::uint64_t>(i) + 1) * 0x9e3779b97f4a7c15ULL;
    for (int digit = 0; digit < 16; ++digit, state >>= 4U)
        out.push_back(kDigits[state & 0xfU]);
    return out;
}

struct Handed {
    const char* name;
    Call (*call)(int item, int answer);
};

Call with_item(const char* command, int item) {
    return bash(with(command, item));
}

// clang-format off
constexpr Handed kHanded[] = {
    {"a machine of a cloud", [](int item, int n) { return with_item("aws ec2 run-instances --image-id ami-{}", item)
        .result(R"({"Instances":[{"InstanceId":"i-)" + hex(n) + R"(","PrivateIpAddress":"10.0.0.)" + with("{}", n) + R"(","State":{"Name":"pending"}}]})"); }},
    {"a snapshot", [](int item, int n) { return with_item("aws ec2 create-snapshot --volume-id vol-{}", item)
        .result(R"({"SnapshotId":"snap-)" + hex(n) + R"(","State":"pending","Progress":""})"); }},
    {"a build", [](int item, int n) { return with_item("gcloud builds submit --async svc-{}", item).result("ID: " + hex(n) + "\nSTATUS: QUEUED"); }},
    {"a deployment", [](int item, int n) { return with_item("vercel deploy --prod --cwd site-{}", item)
        .result("https://app-" + hex(n) + "-acme.vercel.app\nProduction: Building"); }},
    {"a render job by POST", [](int item, int n) { return with_item("curl -s -XPOST https://render/api -d @scene{}.json", item)
        .result(with(R"({"id":{},"state":"processing"})", 48'213'000 + 7 * n)); }},
    {"a build that is not waited for", [](int item, int n) { return with_item("eas build --profile p{} --no-wait", item)
        .result("Build queued...\nhttps://expo.dev/builds/" + hex(n)); }},
    {"an order", [](int item, int n) { return call("mcp__shop__place_order", with(R"({"sku":"a{}"})", item))
        .answers(with(R"({"order_id":"O-{}","status":"processing"})", 48'213 + n)); }},
    {"a job", [](int item, int n) { return call("mcp__jobs__enqueue", with(R"({"file":"f{}.csv"})", item))
        .answers(with(R"({"job":"j{}","status":"queued"})", n)); }},
    {"a crawl", [](int item, int n) { return call("mcp__firecrawl__firecrawl_crawl", with(R"({"url":"https://s{}.example"})", item))
        .result("Crawl started for it with job ID: " + hex(n) + ". Use firecrawl_check_crawl_status to check progress."); }},
    {"a charge by its form", [](int item, int n) { return with_item("curl -s https://api.pay/v1/charges -d amount={} -d currency=usd", item)
        .result(R"({"id":"ch_)" + hex(n) + R"(","object":"charge"})"); }},
    {"a payment", [](int item, int n) { return call("mcp__bank__pay", with(R"({"to":"DE{}","amount":5})", item))
        .answers(R"({"transaction":"tx)" + hex(n) + with(R"(","balance":{}})", 9000 - 5 * n)); }},
    {"a text message", [](int item, int n) { return call("mcp__twilio__sms", with(R"({"to":"+49{}","body":"hi"})", item))
        .answers(R"({"sid":"SM)" + hex(n) + R"(","body":"hi"})"); }},
    {"a job of Kubernetes", [](int item, int n) { return with_item("kubectl create -f job{}.yaml", item)
        .result("job.batch/mig-bcdf" + std::string(1, "ghjklmnpqrstvwxz"[n % 16]) + " created"); }},
    {"a container", [](int item, int n) { return with_item("docker run -d app:{}", item).result(hex(n) + hex(n + 1) + hex(n + 2) + hex(n + 3)); }},
    {"a record", [](int item, int n) { return with_item("psql -c 'insert into t values ({}) returning id'", item)
        .result(with(" id\n----\n {}\n(1 row)\n\nINSERT 0 1", n)); }},
    {"a mail", [](int item, int n) { return with_item("sendmail -t < m{}.txt; tail -1 /var/log/mail.log", item)
        .result("postfix/smtp[77]: A" + hex(n) + ": to=<a@b>, status=sent"); }},
    {"a command left running", [](int item, int n) { return with_item("npm run dev -- --port 30{}", item)
        .result("Command running in background with ID: b" + hex(n) + ". Output is being written to: /tmp/x/b" + hex(n) + ".output"); }},
};
// clang-format on

}  // namespace

TEST_CASE("handed in: one and the same work again and again is a loop, whatever id it gets") {
    for (const Handed& handed : kHanded) {
        CAPTURE(handed.name);
        Agent agent;
        for (int i = 0; i < 12; ++i)
            agent.does(handed.call(1, i));
        expect_stuck(agent);
    }
}

TEST_CASE("handed in: ever other items are work, though each of them is only queued") {
    for (const Handed& handed : kHanded) {
        CAPTURE(handed.name);
        Agent agent;
        for (int i = 0; i < 45; ++i)
            agent.does(handed.call(100 + i, i));
        expect_progress(agent);
    }
}

TEST_CASE("handed in: a tool of any name that queues ever other items is no wait for one of them") {
    Agent agent;
    for (int i = 0; i < 45; ++i)
        agent.does(call("mcp__media__convert", with(R"({"file":"f{}.mov"})", i))
                       .answers(R"({"status":"queued"})"));
    INFO(agent.trace());
    CHECK_FALSE(agent.ever(Verdict::kSuspect));

    Agent zones;
    for (int i = 0; i < 45; ++i)
        zones.does(bash(with("aws route53 change-resource-record-sets --change-batch r{}.json", i))
                       .result(R"({"ChangeInfo":{"Status":"PENDING"}})"));
    INFO(zones.trace());
    CHECK_FALSE(zones.ever(Verdict::kSuspect));
}

TEST_CASE("handed in: one item that such a tool finds queued is asked for again") {
    Agent agent;
    for (int i = 0; i < 45; ++i)
        agent.does(
            call("mcp__media__convert", R"({"file":"f.mov"})").answers(R"({"status":"queued"})"));
    expect_stuck(agent);
}

TEST_CASE("handed in: a question after it is a poll, whatever its words") {
    Agent agent;
    SECTION("the state by a POST") {
        for (int i = 0; i < 12; ++i)
            agent.does(bash("curl -s -X POST https://api.x/jobs/status -d '{\"id\":5}'")
                           .result(R"({"state":"running"})"));
    }
    SECTION("a tool that checks an order") {
        for (int i = 0; i < 12; ++i)
            agent.does(call("check_order", R"({"id":5})").answers(R"({"status":"processing"})"));
    }
    SECTION("a script") {
        for (int i = 0; i < 12; ++i)
            agent.does(bash("./order_status.sh 55").result("Order 55: processing"));
    }
    SECTION("a tool that reads an address") {
        for (int i = 0; i < 12; ++i)
            agent.does(call("http_request", R"({"url":"https://x/jobs/5","method":"GET"})")
                           .answers(R"({"state":"running"})"));
    }
    SECTION("after a sleep in one line with what was handed in") {
        for (int i = 0; i < 12; ++i)
            agent.does(
                bash("./submit.sh --once; sleep 20; squeue -j 5").result("JOBID STATE\n5 RUNNING"));
    }
    SECTION("the state of a crawl") {
        for (int i = 0; i < 12; ++i)
            agent.does(call("firecrawl_check_crawl_status", R"({"id":"5"})")
                           .answers(R"({"status":"running"})"));
    }
    expect_waiting(agent);
}

TEST_CASE("handed in: a tool that only asks is asked for numbers, whatever its name") {
    const char* const calls[][3] = {
        {"mcp__http__request", R"({"method":"GET","url":"https://x/price"})", R"({"price":{}})"},
        {"mcp__bank__request_balance", R"({"account":"x"})", R"({"balance":{}})"},
        {"mcp__ex__order_book", R"({"pair":"x"})", R"({"bid":{},"ask":{}})"},
        {"mcp__blog__comment_count", R"({"post":7})", R"({"count":{}})"},
        {"mcp__plc__request_value", R"({"id":"r7"})", R"({"id":"r7","value":{}})"},
        {"mcp__graphql__post", R"({"query":"{ user(id:5) { age } }"})", R"({"data":{"age":{}}})"},
    };
    for (const auto& [tool, args, answer] : calls) {
        CAPTURE(tool);
        Agent agent;
        for (int i = 0; i < 16; ++i)
            agent.does(call(tool, args).answers(with(answer, 100 + 37 * i)));
        expect_progress(agent);
    }
}

TEST_CASE("handed in: what a script or a service counts is news") {
    Agent agent;
    SECTION("items that are left") {
        for (int i = 0; i < 12; ++i)
            agent.does(bash("./upload_next.sh").result(with("uploaded {} of 100", 4 * i + 4)));
    }
    SECTION("batches that a script creates") {
        for (int i = 0; i < 12; ++i)
            agent.does(bash("python3 create_batch.py").result(with("batch {} created", i)));
    }
    SECTION("a prediction by POST") {
        for (int i = 0; i < 12; ++i)
            agent.does(bash("curl -s -X POST localhost:8000/predict -d @x.json")
                           .result(with(R"({"score":0.{}})", 50 + i)));
    }
    expect_progress(agent);
}

TEST_CASE("handed in: a deployment after each change is work") {
    Agent agent;
    for (int i = 0; i < 20; ++i)
        agent.does(edit("src/app.ts", with("value = {};", i), with("value = {};", i + 1)))
            .does(bash("vercel deploy --prod")
                      .result("https://app-" + hex(i) + "-acme.vercel.app\nProduction: Building"));
    expect_progress(agent);
}
