// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include "api/admin/tokens.hpp"
#include "api/decode/decode.hpp"
#include "api/decode/decode_approvals.hpp"
#include "api/decode/decode_budget.hpp"
#include "api/decode/decode_checks.hpp"
#include "api/encode/encode.hpp"
#include "core/session/session.hpp"
#include "core/state/validity.hpp"
#include "storage/codec/codec.hpp"
#include "tests/fuzz/bytes.hpp"
#include "tests/fuzz/kept.hpp"

// Bodies of requests. A report that is taken can be written as JSON and as a row, read again as it
// was, and played into a session, whose state survives its snapshot.

using namespace headway;

namespace {

core::Timestamp at(std::int64_t ms) {
    return core::Timestamp{core::Millis{1'700'000'000'000 + ms}};
}

void play(std::vector<core::Event> events) {
    core::Session session{"fuzz"};
    core::Context context;
    context.now = at(0);
    context.watch = context.now;
    std::vector<core::Event> out;
    session.open({}, core::Policy{}, context, out);
    if (!session.admit(events)) return;
    context.now = at(1000);
    session.report(events, context, out);
    context.now = at(3'600'000);
    session.tick(context, out);
    for (std::size_t i = 0; i < out.size(); ++i)
        tests::require(out[i].n == i + 1);
    tests::require(core::is_valid(session.state()));

    const std::string snapshot = storage::encode_state(session.state());
    const auto again = storage::decode_state(snapshot);
    tests::require(again.has_value() && storage::encode_state(*again) == snapshot);
    std::string text;
    api::append_session(text, session, {context.now, context.watch});
    api::JsonDocument document;
    tests::require(document.parse(text).has_value());
}

void report(api::JsonDocument& document, std::string_view body, api::BodyFormat format) {
    auto decoded = api::decode_report(document, body, format);
    if (!decoded) {
        tests::require(!decoded.error().detail.empty());
        return;
    }
    tests::require(!decoded->events.empty());
    tests::keep(decoded->events);
    play(std::move(decoded->events));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const core::SecretFinder secrets;
    tests::Bytes bytes{data, size};
    const std::size_t what = bytes.choose(12);
    const std::string_view body = bytes.rest();
    api::JsonDocument document;
    document.redact_with(&secrets);
    switch (what) {
        case 0:
            if (auto beat = api::decode_heartbeat(document, body)) play(std::move(beat->events));
            break;
        case 1:
            (void)api::decode_open(document, body);
            break;
        case 2:
            (void)api::decode_end(document, body);
            break;
        case 3:
            (void)api::decode_decision(document, body);
            break;
        case 4:
            (void)api::decode_redeem(document, body);
            break;
        case 5:
            (void)api::decode_approval_request(document, body);
            break;
        case 6:
            (void)api::decode_budget_change(document, body);
            break;
        case 7:
            (void)api::decode_check(document, body);
            break;
        case 8:
            (void)api::decode_token(document, body);
            break;
        case 9:
            report(document, body, api::BodyFormat::kNdjson);
            break;
        default:
            report(document, body, api::BodyFormat::kJson);
            break;
    }
    return 0;
}
