// SPDX-License-Identifier: Apache-2.0
#include <string>

#include <catch2/catch.hpp>

#include "tests/catalogue/expect.hpp"
#include "tests/catalogue/texts.hpp"

// Sites and folders that refuse a reader, which goes on elsewhere, and logins that have expired.

using namespace headway::tests::catalogue;
using headway::core::Verdict;

namespace {

Call fetch(int site, int page) {
    return call("WebFetch", with(R"({"url":"https://shop{}.example/)", site) +
                                with(R"(p{}","prompt":"price?"})", page));
}

Call refused(int site, int page, int status) {
    return fetch(site, page).fails(with("Request failed with status code {}", status));
}

void expect_free(const Agent& agent) {
    INFO(agent.trace());
    CHECK_FALSE(agent.ever(Verdict::kBlocked));
    CHECK_FALSE(agent.ever(Verdict::kStuck));
}

}  // namespace

TEST_CASE("refused places: sites that refuse a reader in a row do not block it") {
    for (const int status : {401, 403, 407, 408, 429, 500, 502, 503, 504}) {
        CAPTURE(status);
        Agent agent;
        for (int site = 0; site < 4; ++site)
            agent.does(refused(site, site, status));
        expect_free(agent);
    }
    Agent curl;
    for (int site = 0; site < 4; ++site)
        curl.does(bash(with("curl -fsS https://shop{}.example", site))
                      .fails("curl: (22) The requested URL returned error: 403"));
    expect_free(curl);
}

TEST_CASE("refused places: a search with news before each site that refuses is work") {
    Agent agent;
    for (int site = 0; site < 20; ++site) {
        agent.does(call("WebSearch", with(R"({"query":"price of thing {}"})", site))
                       .result(with("found https://shop{}.example", site)));
        agent.does(refused(site, site, 403));
    }
    expect_free(agent);
}

TEST_CASE("refused places: one site that refuses page after page blocks") {
    Agent agent;
    agent.does(refused(1, 1, 403)).does(refused(1, 2, 403));
    expect_blocked(agent);

    Agent elsewhere;
    elsewhere.does(refused(1, 1, 403)).does(refused(1, 2, 403)).does(refused(2, 2, 403));
    INFO("a third place that refuses lifts nothing");
    expect_blocked(elsewhere);
}

TEST_CASE("refused places: a page that refuses again and again is a loop or a block") {
    Agent agent;
    for (int i = 0; i < 12; ++i)
        agent.does(refused(1, 1, 403));
    expect_stuck_or_blocked(agent);
}

TEST_CASE("refused places: folders that may not be read do not block a look around") {
    Agent agent;
    SECTION("find that found its file") {
        for (int i = 0; i < 5; ++i)
            agent.does(bash(with("find / -name x{}.conf", i))
                           .fails(with("Exit code 1\n/etc/x{}.conf\n", i) +
                                  "find: '/root': Permission denied"));
    }
    SECTION("grep with hits") {
        for (int i = 0; i < 5; ++i)
            agent.does(bash(with("grep -r word{} /etc", i))
                           .fails(with("Exit code 2\n/etc/a: word{}\n", i) +
                                  "grep: /etc/shadow: Permission denied"));
    }
    SECTION("du") {
        for (int i = 0; i < 5; ++i)
            agent.does(bash(with("du -sh /var/{}", i))
                           .fails(with("Exit code 1\ndu: cannot read directory '/var/{}/p': "
                                       "Permission denied\n",
                                       i) +
                                  with("{}M\t/var/x", 12 + i)));
    }
    SECTION("ls of other folders") {
        for (int i = 0; i < 3; ++i)
            agent.does(bash(with("ls /root/d{}", i))
                           .fails(with("Exit code 2\nls: cannot open directory '/root/d{}': "
                                       "Permission denied",
                                       i)));
    }
    SECTION("files of another user") {
        for (int i = 0; i < 3; ++i)
            agent.does(call("Read", with(R"({"file_path":"/root/f{}.txt"})", i))
                           .fails("EACCES: permission denied"));
    }
    expect_free(agent);
}

TEST_CASE("refused places: a search with one answer in part is repeated like any other") {
    Agent agent;
    for (int i = 0; i < 8; ++i)
        agent.does(bash("find / -name x.conf")
                       .fails("Exit code 1\n/etc/x.conf\nfind: '/root': Permission denied"));
    expect_stuck(agent);
}

TEST_CASE("refused places: a login that has expired blocks at the second failure") {
    struct Login {
        const char* first;
        const char* second;
        const char* says;
    };
    const Login login = GENERATE(
        Login{"gh pr list", "gh issue list", "HTTP 401: Bad credentials (https://api.github.com)"},
        Login{"git push origin main", "git push origin next", "remote: HTTP 403 Forbidden"},
        Login{"npm publish", "npm whoami", "npm error code E401: 401 Unauthorized"},
        Login{"aws s3 ls", "aws sts get-caller-identity", "An error occurred: Access Denied"},
        Login{"docker push a/b:1", "docker push a/b:2", "denied: unauthorized"},
        Login{"kubectl get pods", "kubectl get svc", "error: Unauthorized"},
        Login{"docker ps", "docker images", "permission denied: /var/run/docker.sock"},
        Login{"ssh h1 uptime", "ssh h2 uptime", "u@h: Permission denied (publickey)."},
        Login{"curl -X POST https://api.x/a -d 1", "curl -X POST https://api.x/b -d 2",
              "curl: (22) The requested URL returned error: 401"});
    CAPTURE(login.first);
    Agent agent;
    agent.does(bash(login.first).fails(std::string{"Exit code 1\n"} + login.says))
        .does(bash(login.second).fails(std::string{"Exit code 1\n"} + login.says));
    expect_blocked(agent);

    Agent after;
    after.does(refused(1, 1, 403));
    after.does(bash(login.first).fails(std::string{"Exit code 1\n"} + login.says));
    CHECK_FALSE(after.ever(Verdict::kBlocked));
    after.does(refused(2, 1, 403));
    after.does(bash(login.second).fails(std::string{"Exit code 1\n"} + login.says));
    INFO("a site in between says nothing about the login");
    expect_blocked(after);
}

TEST_CASE("refused places: a push that fails is no word about a site that refused") {
    Agent agent;
    agent.does(refused(1, 1, 403));
    agent.does(bash("git push").fails("Exit code 1\nHTTP 403 Forbidden"));
    CHECK_FALSE(agent.ever(Verdict::kBlocked));
    agent.does(bash("git push").fails("Exit code 1\nHTTP 403 Forbidden"));
    expect_blocked(agent);
}
