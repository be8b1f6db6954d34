// SPDX-License-Identifier: Apache-2.0
#include "api/otlp/reply.hpp"

#include <cstdint>
#include <protozero/pbf_writer.hpp>

#include "api/json/json_writer.hpp"

namespace headway::api::otlp {
namespace {

void append_protobuf(std::string& out, const Taken& taken) {
    if (taken.why.empty()) return;
    std::string partial;
    protozero::pbf_writer fields{partial};
    fields.add_int64(1, static_cast<std::int64_t>(taken.rejected));
    fields.add_string(2, taken.why);
    protozero::pbf_writer{out}.add_message(1, partial);
}

}  // namespace

void append_taken(std::string& out, const Taken& taken) {
    if (taken.protobuf) return append_protobuf(out, taken);
    JsonWriter json{out};
    json.open_object();
    if (!taken.why.empty()) {
        json.key("partialSuccess");
        json.open_object();
        // 64-bit numbers are texts in the JSON of protobuf.
        json.member(taken.signal == Signal::kLogs ? "rejectedLogRecords" : "rejectedSpans",
                    std::to_string(taken.rejected));
        json.member("errorMessage", taken.why);
        json.close_object();
    }
    json.close_object();
}

}  // namespace headway::api::otlp
