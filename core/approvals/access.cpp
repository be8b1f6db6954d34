// SPDX-License-Identifier: Apache-2.0
#include "core/approvals/access.hpp"

#include <algorithm>

#include "core/base/assert.hpp"
#include "core/base/limits.hpp"
#include "core/text/words.hpp"

namespace headway::core {
namespace {

constexpr std::string_view kReportColon = "report:";

bool may_start_an_id(std::string_view prefix) {
    return prefix.size() <= limits::kIdBytesMax &&
           std::all_of(prefix.begin(), prefix.end(), [](char c) {
               return is_word(c) || c == '.' || c == ':' || c == '-' || c == '~';
           });
}

Error wrong(std::string detail, std::size_t index) {
    return {ErrorCode::kInvalidField, std::move(detail), "/" + std::to_string(index)};
}

}  // namespace

Result<Grants> Grants::parse(std::span<const std::string> scopes) {
    if (scopes.empty() || scopes.size() > limits::kTokenScopesMax) {
        return Error{ErrorCode::kInvalidField,
                     "must name 1 to " + std::to_string(limits::kTokenScopesMax) + " scopes",
                     {}};
    }
    Grants grants;
    for (std::size_t i = 0; i < scopes.size(); ++i) {
        const std::string_view text = scopes[i];
        Scope scope{};
        if (text == "report" || text.starts_with(kReportColon)) {
            const std::string_view prefix = text.substr(std::min(text.size(), kReportColon.size()));
            if (!may_start_an_id(prefix)) {
                return wrong("the prefix of session ids is at most 128 of A-Z a-z 0-9 . _ ~ : -",
                             i);
            }
            grants.prefixes_.emplace_back(prefix);
        } else if (parse_name(text, scope)) {
            grants.scopes_.set(static_cast<std::size_t>(scope));
        } else {
            return wrong(
                "must be one of report:<prefix of session ids>, read, approve, control, "
                "admin",
                i);
        }
    }
    if (!grants.prefixes_.empty() && (grants.has(Scope::kApprove) || grants.has(Scope::kAdmin))) {
        return Error{ErrorCode::kInvalidField,
                     "a token that reports cannot have `approve` or `admin`: an agent must not "
                     "decide about itself; make two tokens",
                     {}};
    }
    std::sort(grants.prefixes_.begin(), grants.prefixes_.end());
    grants.prefixes_.erase(std::unique(grants.prefixes_.begin(), grants.prefixes_.end()),
                           grants.prefixes_.end());
    HEADWAY_ASSERT(!grants.has(Scope::kReport) || !grants.has(Scope::kApprove));
    HEADWAY_ASSERT(grants.prefixes_.size() <= limits::kTokenScopesMax);
    return grants;
}

Grants Grants::all() {
    Grants grants;
    grants.scopes_.set();
    grants.scopes_.reset(static_cast<std::size_t>(Scope::kReport));
    grants.prefixes_.emplace_back();
    return grants;
}

Grants Grants::anonymous() {
    Grants grants;
    grants.scopes_.set(static_cast<std::size_t>(Scope::kRead));
    grants.prefixes_.emplace_back();
    HEADWAY_ASSERT(!grants.has(Scope::kApprove) && !grants.has(Scope::kAdmin));
    return grants;
}

bool Grants::has(Scope scope) const noexcept {
    return scope == Scope::kReport ? !prefixes_.empty()
                                   : scopes_.test(static_cast<std::size_t>(scope));
}

bool Grants::may_report(std::string_view session) const noexcept {
    return std::any_of(prefixes_.begin(), prefixes_.end(),
                       [&](const std::string& prefix) { return session.starts_with(prefix); });
}

bool Grants::may_read(std::string_view session) const noexcept {
    return has(Scope::kRead) || may_report(session);
}

std::vector<std::string> Grants::scopes() const {
    std::vector<std::string> texts;
    for (const std::string& prefix : prefixes_)
        texts.push_back(std::string{kReportColon} + prefix);
    for (std::size_t i = 0; i < scopes_.size(); ++i) {
        if (scopes_.test(i)) texts.emplace_back(EnumNames<Scope>::kNames[i]);
    }
    return texts;
}

}  // namespace headway::core
