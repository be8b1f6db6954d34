// SPDX-License-Identifier: Apache-2.0
#include "cli/acp/acp_answer.hpp"

#include <catch2/catch.hpp>
#include <string>

using headway::cli::acp_answer;
using headway::cli::AcpAnswer;
using headway::cli::HttpReply;
using Says = AcpAnswer::Says;

namespace {

HttpReply reply_of(int status, const std::string& body, const std::string& error = {}) {
    HttpReply reply;
    reply.status = status;
    reply.body = body;
    reply.error = error;
    if (status != 0) reply.headers["x-headway"] = "1";
    return reply;
}

HttpReply problem(int status, const std::string& code) {
    return reply_of(status, R"({"code":")" + code + R"(","detail":"because"})");
}

}  // namespace

TEST_CASE("acp answer: only a reply that allows, or no daemon, lets a call run", "[cli]") {
    struct Row {
        const char* name;
        HttpReply reply;
        Says says;
        const char* reason;
    };
    HttpReply elsewhere = problem(404, "not_found");
    elsewhere.headers.clear();
    const Row rows[] = {
        {"nothing to say", reply_of(200, "{}"), Says::kMayRun, ""},
        {"approved", reply_of(200, R"({"allow":"ann"})"), Says::kMayRun, ""},
        {"denied", reply_of(200, R"({"deny":"no"})"), Says::kRefused, "no"},
        {"stopped", reply_of(200, R"({"stop":"enough"})"), Says::kRefused, "enough"},
        {"unreadable", reply_of(200, "{\"de"), Says::kRefused,
         "the daemon's answer cannot be read"},
        {"died while it held the call", reply_of(200, " ", "closed"), Says::kAway, ""},
        {"unreachable", reply_of(0, "", "refused"), Says::kAway, ""},
        {"draining", problem(503, "draining"), Says::kAway, ""},
        {"another program", elsewhere, Says::kAway, ""},
        {"ended", problem(409, "session_ended"), Says::kEnded, "because"},
        {"too many wait", problem(409, "too_many_approvals"), Says::kRefused, "because"},
        {"no such session", problem(404, "unknown_session"), Says::kRefused, "because"},
        {"a wrong token", problem(401, "unauthorized"), Says::kRefused, "because"},
        {"not allowed", problem(403, "forbidden"), Says::kRefused, "because"},
        {"too large", problem(413, "too_large"), Says::kRefused, "because"},
        {"not understood", problem(400, "invalid_field"), Says::kRefused, "because"},
        {"a mistake of the daemon's", problem(500, "internal"), Says::kRefused, "because"},
    };
    for (const Row& row : rows) {
        DYNAMIC_SECTION(row.name) {
            const AcpAnswer answer = acp_answer(row.reply);
            CHECK(answer.says == row.says);
            CHECK(answer.reason == row.reason);
            CHECK(answer.refuses() == (row.says != Says::kMayRun && row.says != Says::kAway));
        }
    }
}
