// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string_view>
#include <unordered_map>

namespace headway::server {

/// Answers of the model whose use was counted, by family: a session with its sub-agents and all
/// their generations. Records of sub-agents and of resumed sessions repeat answers. In memory only:
/// the last answers of all families; the store has those of each session. Engine thread only.
class KnownAnswers {
public:
    static constexpr std::size_t kAnswersMax = 65'536;  ///< some megabytes

    /// The digest of the session that counted the answer; empty if unknown.
    std::optional<std::uint64_t> owner(std::string_view family, std::string_view answer) const;
    /// Notes that `session` counted the answer; the first session remains its owner.
    void note(std::string_view family, std::string_view answer, std::uint64_t session);

private:
    std::unordered_map<std::uint64_t, std::uint64_t> owners_;
    std::deque<std::uint64_t> order_;  // oldest first
};

}  // namespace headway::server
