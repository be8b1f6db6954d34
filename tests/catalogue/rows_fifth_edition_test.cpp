// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "tests/catalogue/expect.hpp"
#include "tests/catalogue/texts.hpp"

// Actions on pages and screens whose answer only quotes the question, receipts of bulk work, and
// sweeps over many targets.

using namespace headway::tests::catalogue;
using headway::core::Verdict;

namespace {

/// The code that Playwright MCP prints for each action, as it prints it.
std::string ran(std::string_view code) {
    return "### Ran Playwright code\n```js\n" + std::string{code} + "\n```";
}

Call press(std::string_view key) {
    return call("mcp__playwright__browser_press_key", R"({"key":")" + std::string{key} + "\"}")
        .result(ran("await page.keyboard.press('" + std::string{key} + "');"));
}

Call click_plus() {
    return call("mcp__playwright__browser_click", R"({"element":"+","ref":"e12"})")
        .result(ran("await page.getByRole('button', { name: '+' }).click();"));
}

Call scroll_by_script() {
    return call("mcp__playwright__browser_evaluate",
                R"J({"function":"() => window.scrollBy(0, 800)"})J")
        .result("### Result\nundefined\n" +
                ran("await page.evaluate('() => window.scrollBy(0, 800)');"));
}

Call snapshot(int state) {
    return call("mcp__playwright__browser_snapshot", "{}")
        .result(with("### Page state\n- Page URL: https://shop.example/cart\n- Page Title: Cart\n"
                     "- Page Snapshot:\n```yaml\n- textbox \"Amount\": \"{}\"\n```",
                     state));
}

}  // namespace

TEST_CASE("keys and clicks of Playwright that only quote their code are actions, not answers") {
    Agent agent{each_hook()};
    for (int lap = 0; lap < 4; ++lap) {
        for (int i = 0; i < 5; ++i)
            agent.does(press("Tab"));
        for (int i = 0; i < 5; ++i)
            agent.does(click_plus());
        for (int i = 0; i < 5; ++i)
            agent.does(scroll_by_script());
        agent.does(snapshot(lap));
    }
    expect_never_stuck(agent);
    CHECK_FALSE(agent.ever(Verdict::kSuspect));
}

TEST_CASE("a click of Playwright with the same page behind it each time is a loop") {
    Agent looks{each_hook()};
    for (int i = 0; i < 30; ++i)
        looks.does(click_plus()).does(snapshot(1));
    expect_stuck(looks);

    Agent shown{Hook::kFinished};
    for (int i = 0; i < 30; ++i)
        shown.does(
            call("mcp__playwright__browser_click", R"({"element":"+","ref":"e12"})")
                .result(ran("await page.getByRole('button', { name: '+' }).click();") +
                        "\n### Page state\n- Page URL: https://shop.example/cart\n- Page Snapshot:"
                        "\n```yaml\n- generic [ref=e2]:\n  - button \"+\" [ref=e12]\n```"));
    expect_stuck(shown);
}

TEST_CASE("a script on a page that returns the same value each time, or none, is a loop") {
    Agent agent{each_hook()};
    for (int i = 0; i < 12; ++i)
        agent.does(call("mcp__playwright__browser_evaluate", R"J({"function":"() => count()"})J")
                       .result("### Result\n17\n" + ran("await page.evaluate('() => count()');")));
    expect_stuck(agent);

    Agent asks{each_hook()};
    for (int i = 0; i < 12; ++i)
        asks.does(call("mcp__playwright__browser_evaluate",
                       R"J({"function":"() => { document.title }"})J")
                      .result("### Result\nundefined\n" +
                              ran("await page.evaluate('() => { document.title }');")));
    expect_stuck(asks);
}

TEST_CASE("keys and swipes sent by a shell command are actions on a screen") {
    Agent agent{each_hook()};
    for (int lap = 0; lap < 3; ++lap) {
        for (int i = 0; i < 5; ++i)
            agent.does(bash("adb shell input swipe 500 1500 500 500").result(""));
        for (int i = 0; i < 5; ++i)
            agent.does(bash("sleep 1; DISPLAY=:1 xdotool key Tab").result(""));
        for (int i = 0; i < 5; ++i)
            agent.does(bash("cliclick c:100,200 && sleep 0.2").result(""));
        for (int i = 0; i < 5; ++i)
            agent.does(bash("tmux send-keys -t 0 'j'").result(""));
        agent.does(bash("tmux capture-pane -p -t 0").result(with("line {} of the file", lap)));
    }
    expect_never_stuck(agent);
    CHECK_FALSE(agent.ever(Verdict::kSuspect));
}

TEST_CASE("keys that leave the terminal as it is are a loop") {
    Agent agent{each_hook()};
    for (int i = 0; i < 30; ++i)
        agent.does(bash("tmux send-keys -t 0 Enter").result(""))
            .does(bash("tmux capture-pane -p -t 0").result("error: no such target\n$ make al"));
    expect_stuck(agent);
}

TEST_CASE("bulk work whose receipt is the address of its item is no search without hits") {
    Agent agent{each_hook()};
    for (int item = 101; item < 171; ++item)
        agent.does(bash(with("gh issue edit {} --add-label triage", item))
                       .result(with("https://github.com/acme/shop/issues/{}", item)));
    expect_progress(agent);

    Agent comments{Hook::kFinished};
    for (int item = 101; item < 171; ++item)
        comments.does(
            bash(with("gh issue comment {} --body 'Fixed by the release of week {}.'", item))
                .result(with("https://github.com/acme/shop/issues/{}#issuecomment-31{}7", item)));
    expect_progress(comments);

    Agent creates{Hook::kFinished};
    for (int item = 101; item < 171; ++item)
        creates.does(
            bash(with("cd shop && gh issue create --title 'Page {} overflows' --body ''", item * 7))
                .result(with("https://github.com/acme/shop/issues/{}", item)));
    expect_progress(creates);
}

TEST_CASE("one item that is handed in again and again is a loop, whatever its address") {
    Agent agent{each_hook()};
    for (int item = 101; item < 111; ++item)
        agent.does(bash("gh issue create --title 'Page overflows' --body 'See the picture.'")
                       .result(with("https://github.com/acme/shop/issues/{}", item)));
    expect_stuck(agent);
}

TEST_CASE("a command that finds one address whatever was asked stagnates") {
    Agent agent{Hook::kFinished};
    for (int i = 0; i < 70; ++i)
        agent.does(bash(with("./find_ticket.py --words 'login fails, try {}'", i))
                       .result("https://tracker.example/tickets/4711"));
    INFO(agent.trace());
    CHECK(agent.ever(Verdict::kSuspect));
}

namespace {

/// The search of Claude Code, which finds nothing.
Call vain_search(int number) {
    return call("Grep", with(R"({"pattern":"unused_{}_fn"})", number))
        .result(R"({"mode":"files_with_matches","filenames":[],"numFiles":0})");
}

}  // namespace

TEST_CASE("searches whose answer holds empty lists only are answers, and suspicious after twenty") {
    Agent agent{each_hook()};
    for (int i = 0; i < 15; ++i)
        agent.does(vain_search(i));
    CHECK_FALSE(agent.ever(Verdict::kSuspect));
    for (int i = 15; i < 70; ++i)
        agent.does(vain_search(i));
    expect_suspect(agent);
}

TEST_CASE("a search that finds nothing lifts no suspicion, and hides no other search") {
    Agent agent{Hook::kFinished};
    for (int i = 0; i < 4; ++i)
        agent.does(bash("python3 report.py").result("total: 3 of 7, see report.txt for the rest"))
            .does(read_lines("src/a.cpp", 20 * i, 20 * i + 19)
                      .result(source_lines("a", 20 * i, 20 * i + 19)));
    REQUIRE(agent.verdict() == Verdict::kSuspect);
    for (int i = 0; i < 12; ++i)
        agent.does(vain_search(i));
    CHECK(agent.verdict() == Verdict::kSuspect);

    Agent turns{Hook::kFinished};
    for (int i = 0; i < 24; ++i)
        turns.does(grep(with("computeNetTotal{}", i)).result("No matches found"))
            .does(vain_search(i));
    CHECK(turns.ever(Verdict::kSuspect));
}

TEST_CASE("one search that finds nothing again and again is a loop") {
    Agent agent{each_hook()};
    for (int i = 0; i < 30; ++i)
        agent.does(call("Grep", R"({"pattern":"lost_fn"})")
                       .result(R"({"mode":"files_with_matches","filenames":[],"numFiles":0})"));
    expect_stuck(agent);

    Agent beside{Hook::kFinished};
    for (int i = 0; i < 30; ++i)
        beside
            .does(call("Grep", R"({"pattern":"lost_fn"})")
                      .result(R"({"mode":"files_with_matches","filenames":[],"numFiles":0})"))
            .does(read_file("src/main.cpp").result(source_of("main")));
    expect_stuck(beside);
}

namespace {

Call ping(int host) {
    return bash(with("ping -c1 -W1 10.0.0.{}", host))
        .fails(with("Exit code 1\nPING 10.0.0.{} (10.0.0.{}) 56(84) bytes of data.\n\n"
                    "--- 10.0.0.{} ping statistics ---\n"
                    "1 packets transmitted, 0 received, 100% packet loss, time 0ms\n",
                    host));
}

Call port(int number) {
    return bash(with("nc -zv -w1 10.0.0.5 {}", number))
        .fails(with("Exit code 1\nnc: connect to 10.0.0.5 port {} (tcp) failed: Connection refused",
                    number));
}

Call domain(int number) {
    return bash(with("whois alpha{}.io | grep -v '^%'", number))
        .fails(with("Exit code 1\nNo match for domain \"alpha{}.io\".", number));
}

Call page(int number) {
    return call("WebFetch",
                with(R"({"url":"https://old.example/news/{}","prompt":"Which year?"})", number))
        .fails("Request failed with status code 404");
}

/// As the fetch server of MCP says it.
Call named_page(int number) {
    return call("mcp__fetch__fetch", with(R"({"url":"https://old.example/news/{}"})", number))
        .fails(with("Failed to fetch https://old.example/news/{} - status code 404", number));
}

/// By a client that does not begin with the exit code.
Call lookup(int number) {
    return bash(with("host alpha{}.io", number))
        .fails(with("Host alpha{}.io not found: 3(NXDOMAIN)", number));
}

const auto kSweeps = {ping, port, domain, page, named_page, lookup};

}  // namespace

TEST_CASE("a sweep over hosts, ports, names or links whose answer is no is no row of failures") {
    for (const auto& look : kSweeps) {
        Agent agent{Hook::kFinished};
        for (int target = 1; target <= 20; ++target)
            agent.does(look(target));
        INFO(agent.trace());
        CHECK_FALSE(agent.ever(Verdict::kSuspect));
        CHECK_FALSE(agent.ever(Verdict::kStuck));
    }
}

TEST_CASE("a sweep without an end that finds nothing is a loop") {
    for (const auto& look : kSweeps) {
        Agent agent{Hook::kFinished};
        for (int target = 1; target <= 60; ++target)
            agent.does(look(target));
        expect_stuck(agent);
    }
}

TEST_CASE("one host, port, name or link that is asked again and again is a loop") {
    for (const auto& look : kSweeps) {
        Agent agent{Hook::kFinished};
        for (int i = 0; i < 30; ++i)
            agent.does(look(7));
        expect_stuck(agent);
    }
}

TEST_CASE("one port that is asked again and again with other options is a loop") {
    Agent agent{each_hook()};
    for (int i = 0; i < 12; ++i)
        agent.does(bash(with("timeout {} nc -zv -w {} db 5432", i + 2))
                       .fails("nc: connect to db port 5432 (tcp) failed: Connection refused"));
    expect_stuck(agent);
}

TEST_CASE("requests to a service that is not there are failures, whatever they ask") {
    for (const char* request :
         {"psql -h db -c 'select {}'", "getent hosts db && psql -h db -c 'select {}'",
          "nc -z db 5432; curl -sS http://db/v1/{}"}) {
        Agent agent{Hook::kDigests};
        for (int i = 0; i < 20; ++i)
            agent.does(bash(with(request, i))
                           .fails("Exit code 2\npsql: error: connection to server at \"db\" "
                                  "failed: Connection refused"));
        INFO(agent.trace());
        CHECK(agent.ever(Verdict::kStuck));
    }
}

TEST_CASE("pages of a service that is not there are failures, whatever their number") {
    Agent agent{Hook::kFinished};
    for (int i = 401; i < 421; ++i)
        agent.does(call("WebFetch", with(R"({"url":"https://x/issues/{}","prompt":"Who?"})", i))
                       .fails(with("Failed to fetch https://x/issues/{}: connection refused", i)));
    INFO(agent.trace());
    CHECK(agent.ever(Verdict::kStuck));
}
