// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>
#include <utility>

#include "api/decode/decode.hpp"
#include "api/text/plain_text.hpp"
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
