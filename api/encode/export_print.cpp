// SPDX-License-Identifier: Apache-2.0
#include "api/encode/export_print.hpp"

#include <cstdint>
#include <cstring>
#include <type_traits>
#include <variant>

#include "api/encode/encode.hpp"
#include "api/records/decode_journal.hpp"
#include "api/text/print_text.hpp"
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

core::CallPrint hidden_from(const core::CallPrint& stored, const core::CallPrint& shown,
                            const Hidden& hidden) {
    core::CallPrint print;
    core::for_each_field<core::CallPrint>([&](const auto& field, std::size_t) {
        const bool digest = field.name != std::string_view{"result_bytes"};
        print.*(field.member) =
            hidden_field(stored.*(field.member), shown.*(field.member), hidden, digest);
    });
    return print;
}

}  // namespace

bool holds_redacted(const core::ToolFinished& call) {
    // A reader of a cut text does not know its middle, so its digest is of no use.
    const auto within = [](const core::Text& text) {
        return text.whole() && text.kept.find(core::kRedacted) != std::string::npos;
    };
    return within(call.args) || within(call.result) || (call.error && within(call.error->message));
}

std::string hidden_print(std::string_view session, const core::Event& event, std::string_view key) {
    const auto& call = std::get<core::ToolFinished>(event.payload);
    if (!call.print) return {};
    std::string line;
    append_event(line, session, event);
    JsonTape tape;
    const auto read = decode_stored_event(tape, line);
    core::CallPrint shown;  // what the texts give without the secret
    if (read) {
        const auto* again = std::get_if<core::ToolFinished>(&read->payload);
        if (again != nullptr && again->print) shown = *again->print;
    }
    return print_text(hidden_from(*call.print, shown, {key, session}));
}

}  // namespace headway::api
