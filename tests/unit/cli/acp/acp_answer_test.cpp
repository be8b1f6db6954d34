// SPDX-License-Identifier: Apache-2.0
#include "cli/acp/acp_answer.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

using headway::cli::acp_answer;
using headway::cli::AcpAnswer;
using headway::cli::HttpReply;
using Says = AcpAnswer::Says;

namespace {

HttpReply answer_with(int status, const std::string& body, const std::string& error = {}) {
    HttpReply reply;
    reply.status = status;
    reply.body = body;
    reply.error = error;
    if (status != 0) reply.headers["x-headway"] = "1";
    return reply;
}

HttpReply problem_with(int status, const std::string& code) {
    return answer_with(status, R"({"code":")" + code + R"(","detail":"because"})");
}

}  // namespace

TEST_CASE("acp answer: only a reply that allows, or no daemon, lets a call run", "[cli]") {
    struct Row {
        const char* name;
        HttpReply reply;
        Says says;
        const char* reason;
    };
    HttpReply elsewhere = problem_with(404, "not_found");
    elsewhere.headers.clear();
    HttpReply proxy = problem_with(503, "");
    proxy.headers.clear();
    HttpReply silent = answer_with(0, "", "timeout");
    silent.connected = true;
    HttpReply stranger = silent;
    stranger.stranger = "mallory";
    const Row rows[] = {
        {"nothing to say", answer_with(200, "{}"), Says::kMayRun, ""},
        {"approved", answer_with(200, R"({"allow":"ann"})"), Says::kMayRun, ""},
        {"denied", answer_with(200, R"({"deny":"no"})"), Says::kRefused, "no"},
        {"stopped", answer_with(200, R"({"stop":"enough"})"), Says::kRefused, "enough"},
        {"unreadable", answer_with(200, "{\"de"), Says::kRefused,
         "the daemon's answer cannot be read"},
        {"no object", answer_with(200, "[]"), Says::kRefused, "the daemon's answer cannot be read"},
        {"died while it held the call", answer_with(200, " ", "closed"), Says::kSilent, ""},
        {"unreachable", answer_with(0, "", "refused"), Says::kAway, ""},
        {"hangs", silent, Says::kSilent, ""},
        {"draining", problem_with(503, "draining"), Says::kSilent, ""},
        {"a proxy before no daemon", proxy, Says::kAway, ""},
        {"no room to store", problem_with(507, "no_space"), Says::kAway, ""},
        {"another user's", stranger, Says::kAway, ""},
        {"another program", elsewhere, Says::kAway, ""},
        {"ended", problem_with(409, "session_ended"), Says::kEnded, "because"},
        {"too many wait", problem_with(409, "too_many_approvals"), Says::kRefused, "because"},
        {"no such session", problem_with(404, "unknown_session"), Says::kRefused, "because"},
        {"a wrong token", problem_with(401, "unauthorized"), Says::kRefused, "because"},
        {"not allowed", problem_with(403, "forbidden"), Says::kRefused, "because"},
        {"too large", problem_with(413, "too_large"), Says::kRefused, "because"},
        {"not understood", problem_with(400, "invalid_field"), Says::kRefused, "because"},
        {"a mistake of the daemon's", problem_with(500, "internal"), Says::kRefused, "because"},
    };
    for (const Row& row : rows) {
        DYNAMIC_SECTION(row.name) {
            const AcpAnswer answer = acp_answer(row.reply);
            CHECK(answer.says == row.says);
            CHECK(answer.reason == row.reason);
            CHECK(answer.refuses() == (row.says == Says::kRefused || row.says == Says::kEnded));
        }
    }
}

namespace {

/// Seconds until the call is refused with tries of `seconds` each, or -1: the editor decides.
int refused_after(bool reached, const std::vector<AcpAnswer>& tries, int seconds) {
    std::size_t n = 0;
    using headway::cli::AcpPatience;
    AcpPatience patience(reached);
    for (int passed = seconds; passed < 1'000; passed += seconds, ++n) {
        const AcpAnswer& said = tries[std::min(n, tries.size() - 1)];
        const auto end =
            patience.after(said, headway::cli::SteadyTime{std::chrono::seconds{passed}});
        if (end) return end->refuses() ? passed : -1;
    }
    return 1'000;
}

}  // namespace

TEST_CASE("acp patience: a daemon that has the call decides within a minute, or it is refused",
          "[cli]") {
    const AcpAnswer away{Says::kAway};
    const AcpAnswer silent{Says::kSilent};
    const AcpAnswer held{Says::kSilent, {}, true};
    CHECK(refused_after(false, {away}, 1) == -1);
    CHECK(refused_after(true, {away}, 1) == 62);
    CHECK(refused_after(false, {silent, away}, 1) == 62);
    CHECK(refused_after(false, {held, away}, 1) == 62);
    // A daemon that hangs takes each connection, and says nothing for 15 s.
    CHECK(refused_after(false, {silent}, 15) == 90);
    CHECK(refused_after(false, {held, silent}, 15) == 90);
    // One that held the call in between begins the minute again.
    CHECK(refused_after(false, {held, away, away, held, away}, 1) == 65);
    CHECK(refused_after(true, {AcpAnswer{}}, 1) == -1);
    CHECK(refused_after(true, {AcpAnswer{Says::kRefused, "no"}}, 1) == 1);
}
