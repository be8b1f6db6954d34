// SPDX-License-Identifier: Apache-2.0
#include "api/encode/export_fingerprint.hpp"

#include <cstdint>
#include <cstring>
#include <type_traits>
#include <variant>

#include "api/encode/encode.hpp"
#include "api/records/decode_journal.hpp"
#include "api/text/fingerprint_text.hpp"
#include "core/redaction/sanitize.hpp"
#include "core/text/sha256.hpp"

namespace headway::api {
namespace {

/// Replaces digests by keyed ones. 64 bits are the low half of a digest, and stay equal to it.
class Hidden {
public:
    Hidden(std::string_view key, std::string_view session) : key_(key), session_(session) {}

    std::uint64_t of(std::uint64_t value) const {
        if (value == 0) return 0;  // none
        const auto digest = core::hmac_sha256(key_, session_ + ' ' + std::to_string(value));
        std::uint64_t hidden = 0;
        std::memcpy(&hidden, digest.data(), sizeof hidden);
        return hidden == 0 ? 1 : hidden;
    }
    core::Digest of(const core::Digest& value) const { return {of(value.high), of(value.low)}; }

private:
    std::string_view key_;
    std::string session_;
};

/// Lengths and what words say are as the texts show them: those of a secret are part of it.
template <class T>
T hidden_field(const T& stored, const T& shown, const Hidden& hidden, bool digest) {
    if (stored == shown) return stored;
    if constexpr (std::is_same_v<T, core::Digest>) return hidden.of(stored);
    if constexpr (std::is_same_v<T, std::uint64_t>) return digest ? hidden.of(stored) : shown;
    return stored;
}

core::CallFingerprint hidden_from(const core::CallFingerprint& stored,
                                  const core::CallFingerprint& shown, const Hidden& hidden) {
    core::CallFingerprint fingerprint;
    core::for_each_field<core::CallFingerprint>([&](const auto& field, std::size_t) {
        const bool digest = field.name != std::string_view{"result_bytes"};
        fingerprint.*(field.member) =
            hidden_field(stored.*(field.member), shown.*(field.member), hidden, digest);
    });
    return fingerprint;
}

}  // namespace

bool holds_redacted(const core::ToolFinished& call) {
    // A reader of a cut text does not know its middle, so its digest is of no use.
    const auto within = [](const core::Text& text) {
        return text.whole() && text.kept.find(core::kRedacted) != std::string::npos;
    };
    return within(call.args) || within(call.result) || (call.error && within(call.error->message));
}

std::string hidden_fingerprint(std::string_view session, const core::Event& event,
                               std::string_view key) {
    const auto& call = std::get<core::ToolFinished>(event.payload);
    if (!call.fingerprint) return {};
    std::string line;
    append_event(line, session, event);
    JsonDocument document;
    const auto read = decode_stored_event(document, line);
    core::CallFingerprint shown;  // what the texts give without the secret
    if (read) {
        const auto* again = std::get_if<core::ToolFinished>(&read->payload);
        if (again != nullptr && again->fingerprint) shown = *again->fingerprint;
    }
    return fingerprint_text(hidden_from(*call.fingerprint, shown, {key, session}));
}

}  // namespace headway::api
