// SPDX-License-Identifier: Apache-2.0
#include "api/admin/tokens.hpp"

#include <algorithm>
#include <charconv>

#include "api/json/decode_fields.hpp"
#include "api/json/json_writer.hpp"
#include "core/base/limits.hpp"

namespace headway::api {
namespace {

using core::Error;
using core::Result;

constexpr std::int64_t kSecondsMax = 3'650LL * 86'400;

/// How long a token lives.
struct Lifetime {
    std::int64_t seconds = 0;
    bool operator==(const Lifetime&) const = default;
};

/// Seconds in "90s", "15m", "12h", "30d"; 0 for anything else.
std::int64_t seconds_of(std::string_view text) {
    std::int64_t number = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, number);
    if (error != std::errc{} || rest + 1 != end || number < 0 || number > kSecondsMax) return 0;
    switch (*rest) {
        case 's':
            return number;
        case 'm':
            return number * 60;
        case 'h':
            return number * 3'600;
        case 'd':
            return number * 86'400;
        default:
            return 0;
    }
}

// Found by fields::decode_object through the argument's namespace.
Result<> decode(JsonValue json, Lifetime& out) {
    if (json.kind() == JsonKind::kString) out.seconds = seconds_of(json.text());
    if (json.kind() == JsonKind::kUnsigned && json.unsigned_integer() <= kSecondsMax) {
        out.seconds = static_cast<std::int64_t>(json.unsigned_integer());
    }
    if (out.seconds >= 1 && out.seconds <= kSecondsMax) return {};
    return fields::wrong(
        "must be 1s to 3650d, such as 90s, 15m, 12h, 30d or a number of seconds; "
        "leave it out for a token that does not expire");
}

struct TokenBody {
    std::string name;
    std::vector<std::string> scopes;
    std::optional<Lifetime> expires_in;
    static constexpr auto fields() {
        return field_list(core::required("name", &TokenBody::name),
                          core::required("scopes", &TokenBody::scopes),
                          core::field("expires_in", &TokenBody::expires_in));
    }
};

Result<> check_name(std::string_view name) {
    const bool plain = std::all_of(name.begin(), name.end(), [](char c) {
        return static_cast<unsigned char>(c) >= 0x20 && c != 0x7f;
    });
    if (name.empty() || name.size() > core::limits::kTokenNameBytesMax || !plain) {
        return fields::wrong("must be 1 to " + std::to_string(core::limits::kTokenNameBytesMax) +
                             " bytes without control characters");
    }
    if (name == "operator") return fields::wrong("is taken by the operator's own token");
    return {};
}

void write(JsonWriter& json, const core::TokenRecord& token, core::Timestamp now,
           std::string_view secret) {
    json.open_object();
    json.member("id", token.id);
    json.member("name", token.name);
    json.member("scopes", token.grants.scopes());
    json.member("active", token.live(now));
    json.member("created_at", token.created_at);
    json.member("expires_at", token.expires_at);
    json.member("revoked_at", token.revoked_at);
    json.member("last_used_at", token.used_at);
    if (!secret.empty()) json.member("token", secret);
    json.close_object();
}

}  // namespace

Result<DecodedToken> decode_token(JsonDocument& document, std::string_view body) {
    HEADWAY_CHECK(document.parse(body.empty() ? std::string_view{"{}"} : body));
    TokenBody read;
    HEADWAY_CHECK(fields::decode_object(document.root(), read));
    if (auto named = check_name(read.name); !named) {
        return fields::under(std::move(named).error(), "name");
    }
    DecodedToken decoded;
    auto grants = core::Grants::parse(read.scopes);
    if (!grants) {
        Error error = std::move(grants).error();
        error.field = "/scopes" + error.field;
        return error;
    }
    decoded.grants = *std::move(grants);
    decoded.name = std::move(read.name);
    if (read.expires_in) decoded.expires_in = std::chrono::seconds{read.expires_in->seconds};
    return decoded;
}

void append_token(std::string& out, const core::TokenRecord& token, core::Timestamp now,
                  std::string_view secret) {
    JsonWriter json{out};
    write(json, token, now, secret);
}

void append_tokens(std::string& out, std::span<const core::TokenRecord* const> tokens,
                   core::Timestamp now) {
    JsonWriter json{out};
    json.open_object();
    json.key("tokens");
    json.open_array();
    for (const core::TokenRecord* token : tokens)
        write(json, *token, now, {});
    json.close_array();
    json.close_object();
}

}  // namespace headway::api
