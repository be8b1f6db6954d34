// SPDX-License-Identifier: Apache-2.0
#include "api/json/decode_fields.hpp"

namespace headway::api::fields {
namespace {

/// `nextMilestone` as `next_milestone`.
std::string with_underscores(std::string_view key) {
    std::string out;
    for (const char c : core::cut_text(key, kPointerKeyBytesMax)) {
        const bool upper = c >= 'A' && c <= 'Z';
        if (upper && !out.empty()) out.push_back('_');
        out.push_back(upper ? static_cast<char>(c - 'A' + 'a') : c);
    }
    return out;
}

/// The field that `nextMilestone` or `progressPercent` means, or nothing.
std::string_view in_our_form(std::string_view key, std::span<const std::string_view> known) {
    const std::string word = with_underscores(key);
    if (word == key) return {};
    std::string_view best;
    for (const std::string_view name : known) {
        if (word == name) return name;
        if (word.ends_with("_" + std::string{name})) best = name;
    }
    return best;
}

}  // namespace

Error unknown_field(std::string_view key, std::span<const std::string_view> known) {
    std::string names;
    for (const std::string_view name : known)
        names += (names.empty() ? "" : ", ") + std::string{name};
    const std::string_view meant = in_our_form(key, known);
    const std::string hint =
        meant.empty() ? std::string{} : "; `" + std::string{meant} + "` is meant";
    return {ErrorCode::kUnknownField, "unknown field" + hint + "; known are " + names, {}};
}

}  // namespace headway::api::fields
