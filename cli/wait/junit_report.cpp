// SPDX-License-Identifier: Apache-2.0
#include "cli/wait/junit_report.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

#include "api/text/entities.hpp"
#include "cli/base/exit_code.hpp"
#include "cli/base/json.hpp"
#include "cli/base/text.hpp"
#include "cli/views/event_line.hpp"
#include "cli/wait/verdict_wait.hpp"

namespace headway::cli {
namespace {

std::string in_seconds(std::chrono::milliseconds duration) {
    std::array<char, 32> text{};
    const int size = std::snprintf(text.data(), text.size(), "%.3f",
                                   static_cast<double>(duration.count()) / 1000);
    return {text.data(), static_cast<std::size_t>(size)};
}

std::string junit_kind_of(int exit_code) {
    if (exit_code == kExitTimeout) return "timeout";
    if (exit_code == kExitNeverOpened) return "never_opened";
    return "no_answer";
}

/// For people who see nothing else than the report.
std::string_view failure_words(std::string_view failure) {
    if (failure == "never_opened") return "no session of this name was opened in time";
    if (failure == "timeout") return "the time of the wait was over";
    if (failure == "no_verdict") return "the daemon's reply named no verdict that is known here";
    if (failure == "no_answer") return "the wait had no answer of the daemon; see its output";
    return {};
}

/// `matched`: null of a session that is not met, or met by an event alone.
JunitCase junit_case_of(const std::string& id, const Json& session, const Json& matched,
                        const std::string& cause) {
    JunitCase found;
    found.session = id;
    found.message = plain_text(session["verdict"], "reason");
    if (!matched.is_null()) {
        const std::string& verdict = matched.text();
        if (exit_code_of_match(matched) != kExitOk)
            found.failure = verdict.empty() ? "no_verdict" : clean_line(verdict);
    } else {
        found.failure = cause;
    }
    return found;
}

void append_junit_case(std::string& out, const JunitCase& one, const std::string& time) {
    out += R"(  <testcase classname="headway" name=")" +
           api::with_entities(clean_line(one.session)) + R"(" time=")" + time + "\">\n";
    if (one.skipped)
        out += "    <skipped message=\"the wait ended because of another session\"/>\n";
    if (!one.failure.empty()) {
        const std::string kind = api::with_entities(one.failure);
        const std::string why = api::with_entities(one.message);
        out += "    <failure type=\"" + kind + "\" message=\"" + kind +
               (why.empty() ? "" : ": " + why) + "\"/>\n";
    }
    if (!one.lines.empty()) {
        out += "    <system-out>";
        for (const std::string& line : one.lines)
            out += api::with_entities(line) + "\n";
        out += "</system-out>\n";
    }
    out += "  </testcase>\n";
}

}  // namespace

std::vector<JunitCase> junit_cases(const Json& reply, const std::vector<std::string>& sessions,
                                   int exit_code, const NeedsBelow& needs) {
    std::vector<JunitCase> cases;
    const bool answered = reply.is_object();
    const bool several = answered && reply.contains("sessions");
    const bool met = answered && reply.flag_of("met") && exit_code != kExitTimeout;
    // Sessions that say nothing are left open by what ended the wait.
    const bool ended = several && exit_code != kExitDaemonError &&
                       (met || reply.flag_of("impossible") || !needs.empty());
    for (const std::string& id : sessions) {
        JunitCase one;
        one.session = id;
        if (answered) {
            const Json& session = several ? reply["sessions"][id] : reply;
            const Json& matched = several ? reply["matched"][id] : reply["matched"];
            one = junit_case_of(
                id, session, matched,
                several ? plain_text(reply["causes"], id) : plain_text(reply, "cause"));
            const bool says_nothing = several ? !reply["matched"].contains(id) : matched.is_null();
            const auto need = needs.find(id);
            if (need != needs.end() && says_nothing) {
                one.failure = "needs_person";
                one.message = need->second;
            }
            if (met && says_nothing && exit_code == kExitDaemonError) one.failure = "no_verdict";
            one.skipped = ended && says_nothing && one.failure.empty();
            if (!met && !one.skipped && says_nothing && one.failure.empty())
                one.failure = junit_kind_of(exit_code);
        } else {
            one.failure = junit_kind_of(exit_code);
        }
        if (one.message.empty()) one.message = failure_words(one.failure);
        cases.push_back(std::move(one));
    }
    return cases;
}

std::string junit_report(std::span<const JunitCase> cases, std::chrono::milliseconds waited) {
    const auto failures = std::count_if(cases.begin(), cases.end(),
                                        [](const auto& one) { return !one.failure.empty(); });
    const auto skipped =
        std::count_if(cases.begin(), cases.end(), [](const auto& one) { return one.skipped; });
    const std::string time = in_seconds(waited);
    std::string out = R"(<?xml version="1.0" encoding="UTF-8"?>)"
                      "\n<testsuite name=\"headway wait\" tests=\"" +
                      std::to_string(cases.size()) + "\" failures=\"" + std::to_string(failures) +
                      "\" errors=\"0\" skipped=\"" + std::to_string(skipped) + "\" time=\"" + time +
                      "\">\n";
    for (const JunitCase& one : cases)
        append_junit_case(out, one, time);
    out += "</testsuite>\n";
    return out;
}

}  // namespace headway::cli
