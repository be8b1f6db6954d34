// SPDX-License-Identifier: Apache-2.0
#include "server/access/decision_links.hpp"

#include <algorithm>
#include <utility>

#include "core/base/assert.hpp"
#include "core/text/text.hpp"
#include "server/tokens/token_text.hpp"

namespace headway::server {
namespace {

/// 128 bits.
constexpr std::size_t kCodeBytes = 16;

/// With the length before each part, so that two lists of parts never give the same text.
std::string text_of_link(const DecidedByLink& decided) {
    std::string text = "headway decision 1";
    for (const std::string_view part :
         {decided.endpoint, decided.request, decided.tool, decided.args_digest, decided.asked_at})
        text.append("\n").append(std::to_string(part.size())).append(":").append(part);
    return text;
}

std::string hex_of(std::string_view bytes) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string out;
    for (const char c : bytes) {
        const auto byte = static_cast<unsigned char>(c);
        out += kDigits[byte >> 4U];
        out += kDigits[byte & 15U];
    }
    return out;
}

}  // namespace

void DecisionLinks::key_from(std::string_view operator_hash) {
    const std::lock_guard lock(mutex_);
    key_ =
        operator_hash.empty() ? std::string{} : keyed_hash(operator_hash, "headway decision links");
}

void DecisionLinks::allow(std::vector<std::string> endpoints) {
    const std::lock_guard lock(mutex_);
    endpoints_ = std::move(endpoints);
}

std::string DecisionLinks::code_of(const DecidedByLink& decided) const {
    const std::lock_guard lock(mutex_);
    const bool allowed =
        std::find(endpoints_.begin(), endpoints_.end(), decided.endpoint) != endpoints_.end();
    if (key_.empty() || !allowed || decided.args_digest.empty() || decided.asked_at.empty())
        return {};
    const std::string proof = keyed_hash(key_, text_of_link(decided));
    HEADWAY_ASSERT(proof.size() >= kCodeBytes);
    return hex_of(std::string_view{proof}.substr(0, kCodeBytes));
}

bool DecisionLinks::proves(std::string_view code, const DecidedByLink& decided) const {
    const std::string right = code_of(decided);
    return !right.empty() && same_hash(code, right);
}

}  // namespace headway::server
