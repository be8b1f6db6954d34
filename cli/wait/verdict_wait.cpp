// SPDX-License-Identifier: Apache-2.0
#include "cli/wait/verdict_wait.hpp"

#include <algorithm>
#include <array>

#include "cli/base/exit_code.hpp"
#include "cli/base/json.hpp"
#include "cli/base/text.hpp"
#include "cli/client/daemon.hpp"
#include "cli/views/event_line.hpp"
#include "core/values/verdict.hpp"
#include "core/views/wait.hpp"

namespace headway::cli {
namespace {

constexpr auto& kVerdicts = core::EnumNames<core::Verdict>::kNames;

/// The verdicts that a word of --until stands for, those that end a session first. Any other word
/// stands for itself: the daemon knows whether it is right.
std::vector<std::string> expand(const std::string& word) {
    const core::Result<core::Until> until = core::parse_until(word);
    if (!until || until->verdicts.none()) return {word};
    std::vector<std::string> verdicts;
    for (const bool final : {true, false}) {
        for (std::size_t i = 0; i < core::kVerdictCount; ++i) {
            const auto verdict = static_cast<core::Verdict>(i);
            if (until->contains(verdict) && core::is_final(verdict) == final)
                verdicts.emplace_back(kVerdicts[i]);
        }
    }
    if (until->needs_somebody) verdicts.emplace_back("needs_somebody");
    return verdicts;
}

/// The API takes 11 days in milliseconds and 30 years in seconds.
std::string in_ms(milliseconds duration) {
    constexpr milliseconds kMax{1'000'000'000};
    if (duration <= kMax) return std::to_string(duration.count()) + "ms";
    return std::to_string(std::chrono::ceil<std::chrono::seconds>(duration).count()) + "s";
}

std::string line_of(const std::string& id, const Json& session) {
    std::string line = clean_line(id) + ": ";
    const Json& verdict = session["verdict"];
    if (!verdict.is_object()) return line + "not opened yet";
    line += plain_text(verdict, "status");
    const std::string reason = plain_text(verdict, "reason");
    return reason.empty() ? line : line + " (" + reason + ")";
}

// Which of several endings decides: any failure over stuck over silence over a session that never
// came over cancelled over needing a person over success.
int severity(int exit_code) {
    constexpr std::array<int, 7> kOrder{kExitOk,          kExitNeedsHuman, kExitCancelled,
                                        kExitNeverOpened, kExitSilent,     kExitStuck,
                                        kExitFailed};
    const auto found = std::find(kOrder.begin(), kOrder.end(), exit_code);
    return static_cast<int>(found - kOrder.begin());
}

/// Why it is given up. Among several the worst decides.
void read_cause(const std::string& id, const std::string& cause, WaitAnswer& answer) {
    int code = kExitCancelled;
    if (cause == "silent") {
        answer.silent.push_back(id);
        code = kExitSilent;
    }
    if (cause == "never_opened") {
        answer.never_opened.push_back(id);
        code = kExitNeverOpened;
    }
    if (!answer.met && severity(code) > severity(answer.exit_code)) answer.exit_code = code;
}

void read_patience(const std::string& id, const Json& session, WaitAnswer& answer) {
    const Json& after = session["silent_for_ms"];
    if (after.is_unsigned()) answer.patient.emplace_back(id, milliseconds{after.integer()});
}

void read_several(const Json& reply, bool any, WaitAnswer& answer) {
    for (const auto& [id, session] : reply["sessions"].members()) {
        answer.lines.push_back(line_of(id, session));
        if (session.is_null()) answer.unopened.push_back(id);
        if (!reply["matched"].contains(id)) answer.unmet.push_back(id);
        read_patience(id, session, answer);
    }
    const Json& matched = reply["matched"];
    const bool none = !matched.is_object() || matched.members().empty();
    const bool why = reply["causes"].is_object() && !reply["causes"].members().empty();
    if (none && (answer.met || (answer.impossible && !why))) answer.exit_code = kExitDaemonError;
    bool first = true;
    for (const auto& [id, verdict] : matched.members()) {
        const std::string& status = verdict.text();
        const int code = exit_code_of_match(verdict);
        answer.stuck = answer.stuck || status == "stuck";
        const bool better = severity(code) < severity(answer.exit_code);
        if (first || better == any) answer.exit_code = code;
        first = false;
    }
    for (const auto& [id, cause] : reply["causes"].members())
        read_cause(id, plain_text(cause), answer);
}

}  // namespace

std::string until_without(std::string_view until, std::string_view verdict) {
    std::vector<std::string> words;
    for (const std::string& word : split(until, ',')) {
        for (std::string& status : expand(word)) {
            const bool known = std::find(words.begin(), words.end(), status) != words.end();
            if (!known && status != verdict) words.push_back(std::move(status));
        }
    }
    return join(words, ",");
}

std::string all_verdicts_but(std::string_view verdict) {
    std::vector<std::string> words;
    for (const std::string_view status : kVerdicts) {
        if (status != verdict) words.emplace_back(status);
    }
    return join(words, ",");
}

std::string all_verdicts() {
    return join({kVerdicts.begin(), kVerdicts.end()}, " ");
}

int exit_code_of(std::string_view verdict) {
    if (verdict == "failed" || verdict == "halted") return kExitFailed;
    if (verdict == "stuck") return kExitStuck;
    if (verdict == "cancelled") return kExitCancelled;
    if (verdict == "blocked" || verdict == "waiting") return kExitNeedsHuman;
    if (verdict == "silent") return kExitSilent;
    const bool known = std::find(kVerdicts.begin(), kVerdicts.end(), verdict) != kVerdicts.end();
    return known ? kExitOk : kExitDaemonError;
}

int exit_code_of_match(const Json& matched) {
    return matched.is_null() ? kExitOk : exit_code_of(matched.text());
}

WaitAnswer read_wait_reply(const Json& reply, bool any) {
    WaitAnswer answer;
    if (!reply.is_object()) return answer;
    answer.met = reply.flag_of("met");
    answer.impossible = reply.flag_of("impossible");
    if (reply.contains("sessions")) {
        read_several(reply, any, answer);
    } else {
        const bool named = reply.contains("matched");
        answer.exit_code =
            answer.met && !named ? kExitDaemonError : exit_code_of_match(reply["matched"]);
        answer.stuck = plain_text(reply, "matched") == "stuck";
        const std::string id = plain_text(reply, "session");
        answer.lines.push_back(line_of(id, reply));
        if (!answer.met) answer.unmet.push_back(id);
        if (reply.contains("verdict") && reply["verdict"].is_null()) answer.unopened.push_back(id);
        read_patience(id, reply, answer);
        if (answer.impossible) read_cause(id, plain_text(reply, "cause"), answer);
    }
    return answer;
}

std::string wait_path(const WaitOptions& options, std::string_view until, milliseconds wait,
                      milliseconds waited) {
    std::string path;
    std::string query = "until=" + url_encode(until);
    if (options.sessions.size() == 1) {
        path = session_path(options.sessions.front(), "/wait?");
    } else {
        std::vector<std::string> ids;
        for (const std::string& id : options.sessions)
            ids.push_back(url_encode(id));
        path = std::string("/v1/wait?") + (options.any ? "any=" : "all=") + join(ids, ",") + "&";
    }
    if (options.after > 0) query += "&after=" + std::to_string(options.after);
    if (options.mode != "now") query += "&mode=" + url_encode(options.mode);
    if (options.missing_waits) query += "&missing=wait";
    if (options.missing_waits && options.open_within.count() > 0) {
        // 0 would be as long as it takes.
        query += "&open_within=" + in_ms(std::max(options.open_within - waited, milliseconds{1}));
    }
    if (options.silent_for) query += "&silent_for=" + in_ms(*options.silent_for);
    return path + query + "&wait=" + in_ms(wait);
}

}  // namespace headway::cli
