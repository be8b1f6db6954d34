// SPDX-License-Identifier: Apache-2.0
#include "api/args_digest.hpp"

#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "core/assert.hpp"
#include "core/exact_args.hpp"

namespace headway::api {
namespace {

void write(JsonValue json, std::string& out);

void write_object(JsonValue json, std::string& out) {
    std::vector<std::pair<std::string_view, JsonValue>> members;
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

std::string sha256(std::string_view bytes) {
    std::array<unsigned char, 32> digest{};
    unsigned int size = 0;
    const int done =
        EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, EVP_sha256(), nullptr);
    HEADWAY_ASSERT(done == 1 && size == digest.size());
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string text = "sha256:";
    for (const unsigned char byte : digest) {
        text.push_back(kDigits[byte >> 4U]);
        text.push_back(kDigits[byte & 15U]);
    }
    return text;
}

}  // namespace

std::string canonical_json(JsonValue json) {
    std::string out;
    write(json, out);
    return out;
}

std::string args_digest(JsonValue args) {
    return sha256(canonical_json(args));
}

std::string no_args_digest() {
    return std::string{core::kNoArgsDigest};
}

}  // namespace headway::api
