// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <utility>

#include "api/otlp/export.hpp"
#include "api/otlp/reply.hpp"
#include "api/otlp/report.hpp"
#include "api/otlp/said.hpp"
#include "core/redaction/secrets.hpp"
#include "server/http/body/inflate.hpp"
#include "tests/fuzz/bytes.hpp"
#include "tests/fuzz/kept.hpp"
#include "tests/fuzz/work.hpp"
#include "tests/support/gzip.hpp"

// Telemetry, in both forms, packed or not. Each event that is taken can be kept; only records of
// too many sessions are refused, and the answer is one that an exporter can read.

using namespace headway;
using namespace headway::api::otlp;

namespace {

/// Less than this of each byte that came: what is packed does not multiply.
constexpr std::size_t kInflatedBytesMax = 1U << 20;

void answer(const Reports& reports, Signal signal, bool protobuf) {
    std::string reply;
    append_taken(reply, {signal, protobuf, reports.rejected, reports.why});
    api::JsonDocument document;
    tests::require(protobuf || document.parse(reply).has_value());
    tests::require(!protobuf || reply.empty() == reports.why.empty());
}

void take(const Export& received, Signal signal, bool protobuf) {
    std::size_t records = 0;
    for (const Source& source : received.sources)
        records += source.records.size();
    tests::require(records == received.records && records <= kRecordsMax);
    const auto said = understand(received, signal);
    tests::require(said.size() <= records);
    static const core::SecretFinder secrets;
    api::JsonDocument document;
    document.redact_with(&secrets);
    Reports reports = report(document, said);
    tests::require((reports.rejected == 0) == reports.why.empty());
    tests::require(reports.sessions.size() <= kSessionsMax);
    tests::require(reports.rejected == 0 || reports.sessions.size() == kSessionsMax);
    for (SessionReport& session : reports.sessions) {
        tests::require(!session.session.empty());
        tests::keep(std::move(session.events));
    }
    answer(reports, signal, protobuf);
}

void read(std::string_view body, Signal signal, bool protobuf) {
    const tests::LittleWork work;
    api::JsonDocument document;
    if (!protobuf && !document.parse(body)) return;
    const auto received =
        protobuf ? read_protobuf(body, signal) : read_json(document.root(), signal);
    if (received) {
        take(*received, signal, protobuf);
    } else {
        tests::require(!received.error().detail.empty());
    }
}

void unpack(std::string_view packed, Signal signal, bool protobuf) {
    const auto body = server::inflate_gzip(packed, kInflatedBytesMax);
    tests::require(body ? body->size() <= kInflatedBytesMax : !body.error().detail.empty());
    if (body) read(*body, signal, protobuf);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    tests::Bytes bytes{data, size};
    const std::size_t how = bytes.choose(32);
    const Signal signal = how & 1U ? Signal::kTraces : Signal::kLogs;
    const bool protobuf = (how & 2U) != 0;
    const std::string_view body = bytes.rest();
    switch (how / 4) {
        case 0:
            unpack(body, signal, protobuf);
            break;
        case 1: {
            const std::string packed = tests::gzip(body);
            const auto same = server::inflate_gzip(packed, body.size());
            tests::require(same && *same == body);
            tests::require(body.empty() || !server::inflate_gzip(packed, body.size() - 1));
            break;
        }
        case 2:
            read(tests::grown(body), signal, protobuf);
            break;
        default:
            read(body, signal, protobuf);
            break;
    }
    return 0;
}
