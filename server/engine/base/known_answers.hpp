// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string_view>
#include <unordered_map>

namespace headway::server {

/// For each family, the models' answers whose tokens are already counted. A family is a session
/// with its sub-agents and all their generations. This is necessary because the records of
/// sub-agents and of resumed sessions repeat answers of other sessions. Kept in memory only, for
/// the last answers of all families; the store has the answers of each session. Engine thread only.
class KnownAnswers {
public:
    static constexpr std::size_t kAnswersMax = 65'536;  ///< some megabytes

    /// The digest of the session that counted the answer; empty if unknown.
    std::optional<std::uint64_t> owner(std::string_view family, std::string_view answer) const;
    /// Records that `session` has counted the answer. The first session that counted an answer
    /// remains the owner of the answer.
    void note(std::string_view family, std::string_view answer, std::uint64_t session);

private:
    std::unordered_map<std::uint64_t, std::uint64_t> owners_;
    std::deque<std::uint64_t> order_;  // oldest first
};

}  // namespace headway::server
