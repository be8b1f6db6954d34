// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>
#include <utility>

#include "api/decode/decode.hpp"
#include "api/text/plain_text.hpp"
#include "config/values/duration.hpp"
#include "core/base/limits.hpp"
#include "core/text/words.hpp"
#include "server/endpoints/routing/call.hpp"
#include "server/endpoints/routing/handlers.hpp"
#include "server/engine/reports/ping_commands.hpp"

// Pings, by the URLs of healthchecks.io (docs/ping.md).

namespace headway::server {
namespace {

using core::Error;
using core::ErrorCode;
using core::Result;

/// A UUID (RFC 9562), in lower case.
Result<std::string> run_id(std::string_view raw) {
    constexpr std::string_view kForm = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
    const auto fits = [](char c, char form) {
        const bool hex = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
        return form == '-' ? c == '-' : hex;
    };
    std::string id = core::lower(raw);
    if (id.size() == kForm.size() && std::equal(id.begin(), id.end(), kForm.begin(), fits))
        return id;
    return Error{ErrorCode::kInvalidParameter,
                 "must be a UUID, one for each run: the same with its start and its end", "rid"};
}

void read_action(std::string_view action, PingCommand& ping) {
    if (action == "start") ping.kind = PingKind::kStart;
    if (action == "log") ping.kind = PingKind::kLog;
    if (action == "fail") ping.kind = PingKind::kFail;
    std::from_chars(action.data(), action.data() + action.size(), ping.exit_status);
    if (ping.exit_status != 0) ping.kind = PingKind::kFail;
}

Error bad_schedule(std::string detail, std::string field) {
    return {ErrorCode::kInvalidParameter, std::move(detail), std::move(field)};
}

/// `every` or `cron`, and `grace`; nothing without any of them.
Result<std::optional<core::PingSchedule>> schedule_of(const api::Query& query) {
    const std::string* every = query.find("every");
    const std::string* cron = query.find("cron");
    const std::string* grace = query.find("grace");
    std::optional<core::PingSchedule> schedule;
    if (every == nullptr && cron == nullptr && grace == nullptr) return schedule;
    schedule.emplace();
    if (every != nullptr && *every == "off" && cron == nullptr && grace == nullptr) return schedule;
    if (every != nullptr && cron != nullptr)
        return bad_schedule("stands beside every; a job has one schedule, leave one of them out",
                            "cron");
    if (every == nullptr && cron == nullptr)
        return bad_schedule(
            "needs every or cron: how long the job may be late, such as "
            "?every=1d&grace=1h",
            "grace");
    if (every != nullptr) {
        const auto span = config::parse_duration(*every);
        if (!span || *span < core::kPingEveryMin || *span > core::kPingEveryMax)
            return bad_schedule(
                "must be how often the job starts, from 1m to 15d, such as 1d, or off", "every");
        schedule->every = *span;
    } else {
        HEADWAY_TRY(const core::Cron checked, core::Cron::parse(*cron));
        if (checked.next(core::Timestamp{std::chrono::hours{24}}) == core::kNever)
            return bad_schedule("is no time that ever comes", "cron");
        schedule->cron = *cron;
    }
    schedule->grace = core::kPingGraceDefault;
    if (grace == nullptr) return schedule;
    const auto span = config::parse_duration(*grace);
    if (!span || *span < std::chrono::milliseconds{0} || *span > core::kPingGraceMax)
        return bad_schedule("must be how late the job may start, from 0s to 7d, such as 1h",
                            "grace");
    schedule->grace = *span;
    return schedule;
}

/// The part that is cut off may be the beginning of a secret, so a piece in front of it is read
/// too.
std::string kept_of(std::string_view body, const core::SecretFinder* secrets) {
    constexpr std::size_t kSecretBytes = 16'384;
    const std::string read = api::tail_of(body, core::limits::kPingBytesKept + kSecretBytes);
    return api::tail_of(api::without_secrets(read, secrets), core::limits::kPingBytesKept);
}

}  // namespace

Result<> endpoints::ping(Call& call) {
    PingCommand ping;
    ping.job = call.session();
    if (const std::string* rid = call.query.find("rid")) {
        HEADWAY_TRY(ping.rid, run_id(*rid));
    }
    // Room for the rid, or for the number of the run.
    const std::size_t behind = ping.rid.empty() ? 8 : ping.rid.size() + 1;
    if (ping.job.size() + behind > core::limits::kIdBytesMax) {
        return Error{ErrorCode::kInvalidId,
                     "is too long here: at most " +
                         std::to_string(core::limits::kIdBytesMax - behind) + " bytes",
                     "id"};
    }
    read_action(call.target().asset, ping);
    HEADWAY_TRY(ping.schedule, schedule_of(call.query));
    return call.read_body(
        [](api::JsonDocument& document, std::string_view body) -> Result<std::string> {
            return kept_of(body, document.secrets());
        },
        [ping](Call& from, std::string&& text) {
            PingCommand command = ping;
            command.text = std::move(text);
            const std::string session = command.job;
            return from.write(std::move(command), session);
        });
}

}  // namespace headway::server
