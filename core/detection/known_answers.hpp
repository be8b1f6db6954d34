// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/base/assert.hpp"
#include "core/detection/ledger.hpp"

// Functions on the tables of the ledger. The table of answers is a set-associative cache
// (kAnswersOfSet); the other tables are scanned.

namespace headway::core {

static_assert(std::has_single_bit(kAnswersOfSet), "a question's low bits name its set");
static_assert(std::has_single_bit(limits::kAnswersMax), "the table grows by doubling");
static_assert(limits::kAnswersMax >= kAnswersOfSet, "there is one set at least");

inline std::size_t set_of(const std::vector<KnownAnswer>& answers, std::uint64_t question) {
    const std::size_t sets = answers.size() / kAnswersOfSet;
    HEADWAY_ASSERT(std::has_single_bit(sets));
    return (question & (sets - 1)) * kAnswersOfSet;
}

/// Doubles the number of sets. The entries of each old set go into two new sets, so they fit.
inline void grow(std::vector<KnownAnswer>& answers) {
    HEADWAY_ASSERT(answers.size() < limits::kAnswersMax);
    std::vector<KnownAnswer> larger(std::max(kAnswersOfSet, 2 * answers.size()));
    for (const KnownAnswer& answer : answers) {
        if (answer.question == 0) continue;
        const std::size_t first = set_of(larger, answer.question);
        std::size_t at = first;
        while (at < first + kAnswersOfSet && larger[at].question != 0)
            ++at;
        HEADWAY_ASSERT(at < first + kAnswersOfSet);
        larger[at] = answer;
    }
    answers = std::move(larger);
    HEADWAY_ASSERT(answers.size() <= limits::kAnswersMax);
}

/// The entry of a question, created if there is none; `known` becomes true if there was an entry.
/// If the question's set is full, the table grows up to limits::kAnswersMax entries; after that,
/// the least recently used entry of the set is replaced.
inline KnownAnswer& answer_to(std::vector<KnownAnswer>& answers, std::uint64_t question,
                              bool& known) {
    known = false;
    if (answers.empty()) grow(answers);
    while (true) {
        const std::size_t first = set_of(answers, question);
        HEADWAY_ASSERT(first + kAnswersOfSet <= answers.size());
        KnownAnswer* oldest = &answers[first];
        for (std::size_t i = first; i < first + kAnswersOfSet; ++i) {
            known = answers[i].question == question;
            if (known) return answers[i];
            if (answers[i].last_n < oldest->last_n) oldest = &answers[i];
        }
        if (oldest->question == 0 || answers.size() >= limits::kAnswersMax) {
            *oldest = {};
            oldest->question = question;
            return *oldest;
        }
        grow(answers);
    }
}

/// The answer to a question; null if the question is not known.
inline const KnownAnswer* find_answer(const std::vector<KnownAnswer>& answers,
                                      std::uint64_t question) {
    if (answers.empty()) return nullptr;
    const std::size_t first = set_of(answers, question);
    for (std::size_t i = first; i < first + kAnswersOfSet; ++i)
        if (answers[i].question == question) return &answers[i];
    return nullptr;
}

/// The entry whose `member` is `key`, created if there is none; `known` becomes true if there was
/// one. If there are `most` entries, a new entry replaces the least recently used one.
template <class T>
T& entry_of(std::vector<T>& entries, std::uint64_t T::*member, std::uint64_t key, std::size_t most,
            bool& known) {
    HEADWAY_ASSERT(most > 0 && entries.size() <= most);
    // One pass finds both entries, because tables are scanned for each event.
    T* oldest = nullptr;
    known = false;
    for (T& entry : entries) {
        if (entry.*member == key) {
            known = true;
            return entry;
        }
        if (oldest == nullptr || entry.last_n < oldest->last_n) oldest = &entry;
    }
    if (entries.size() < most) {
        entries.emplace_back();
        entries.back().*member = key;
        return entries.back();
    }
    HEADWAY_ASSERT(oldest != nullptr && entries.size() == most);
    *oldest = T{};
    oldest->*member = key;
    return *oldest;
}

}  // namespace headway::core
