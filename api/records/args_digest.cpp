// SPDX-License-Identifier: Apache-2.0
#include "api/records/args_digest.hpp"

#include <algorithm>
#include <boost/container/small_vector.hpp>
#include <string_view>
#include <utility>

#include "core/calls/exact_args.hpp"
#include "core/text/sha256.hpp"

namespace headway::api {
namespace {

/// Members that most objects have at most, so that they need no memory of their own.
constexpr std::size_t kArgumentsUsual = 8;

void write(JsonValue json, std::string& out);

void write_object(JsonValue json, std::string& out) {
    boost::container::small_vector<std::pair<std::string_view, JsonValue>, kArgumentsUsual> members;
    members.reserve(json.size());
    json.each([&members](JsonValue member) {
        members.emplace_back(member.key(), member);
        return true;
    });
    std::sort(members.begin(), members.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
    char separator = '{';
    for (const auto& [key, member] : members) {
        out.push_back(separator);
        append_json_string(out, key);
        out.push_back(':');
        write(member, out);
        separator = ',';
    }
    out.append(members.empty() ? "{}" : "}");
}

void write_array(JsonValue json, std::string& out) {
    char separator = '[';
    json.each([&](JsonValue item) {
        out.push_back(separator);
        write(item, out);
        separator = ',';
        return true;
    });
    out.append(json.size() == 0 ? "[]" : "]");
}

void write(JsonValue json, std::string& out) {
    switch (json.kind()) {
        case JsonKind::kObject:
            write_object(json, out);
            break;
        case JsonKind::kArray:
            write_array(json, out);
            break;
        default:
            json.append_to(out);
            break;
    }
}

}  // namespace

std::string canonical_json(JsonValue json) {
    std::string out;
    write(json, out);
    return out;
}

core::ArgsDigest args_digest_bytes(JsonValue args) {
    return core::sha256(canonical_json(args));
}

std::string args_digest(JsonValue args) {
    return core::args_digest_text(args_digest_bytes(args));
}

std::string no_args_digest() {
    return std::string{core::kNoArgsDigest};
}

}  // namespace headway::api
