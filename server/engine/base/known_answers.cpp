// SPDX-License-Identifier: Apache-2.0
#include "server/engine/base/known_answers.hpp"

#include <string>

#include "core/text/text.hpp"

namespace headway::server {
namespace {

std::uint64_t key_of(std::string_view family, std::string_view answer) {
    std::string both{family};
    both += '\n';  // in no id
    both += answer;
    return core::digest_of(both).low;
}

}  // namespace

std::optional<std::uint64_t> KnownAnswers::owner(std::string_view family,
                                                 std::string_view answer) const {
    const auto found = owners_.find(key_of(family, answer));
    return found == owners_.end() ? std::nullopt : std::optional{found->second};
}

void KnownAnswers::note(std::string_view family, std::string_view answer, std::uint64_t session) {
    const std::uint64_t key = key_of(family, answer);
    if (!owners_.emplace(key, session).second) return;
    order_.push_back(key);
    if (order_.size() <= kAnswersMax) return;
    owners_.erase(order_.front());
    order_.pop_front();
}

}  // namespace headway::server
