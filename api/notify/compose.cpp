// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include "api/notify/notice.hpp"

namespace headway::api::notify {
namespace {

Letter letter_of(const Notice& notice) {
    Letter letter;
    letter.title = notice.headline;
    const auto fact = [&letter](std::string_view label, const std::string& text) {
        if (!text.empty()) letter.facts.emplace_back(label, text);
    };
    fact(notice.lines.empty() ? "Reason" : "Time", notice.reason);
    fact("Call", notice.call);
    fact("Agent", notice.agent);
    fact("Goal", notice.goal);
    letter.link = notice.link;
    letter.link_words = notice.asks ? "Show the request" : "Show the session";
    letter.decides = notice.decides;
    if (letter.decides) letter.link_words = "Approve or reject";
    if (notice.session.empty()) letter.link_words = "Show the overview";
    for (const std::string& line : notice.lines)
        letter.items.push_back({line, {}});
    letter.urgency = notice.urgency;
    return letter;
}

/// "7 stuck, 5 ended", the most frequent first, as they came where that is equal.
std::string counts_of(std::span<const Notice> notices) {
    std::vector<std::pair<std::string_view, std::size_t>> counts;
    for (const Notice& notice : notices) {
        const auto known = std::find_if(counts.begin(), counts.end(), [&](const auto& count) {
            return count.first == notice.sort;
        });
        if (known == counts.end()) {
            counts.emplace_back(notice.sort, 1);
        } else {
            ++known->second;
        }
    }
    std::stable_sort(counts.begin(), counts.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    std::string text;
    for (const auto& [sort, count] : counts)
        text.append(text.empty() ? "" : ", ")
            .append(std::to_string(count))
            .append(" ")
            .append(sort);
    return text;
}

std::string title_of(std::span<const Notice> notices, bool backlog) {
    if (backlog) return std::to_string(notices.size()) + " more: " + counts_of(notices);
    std::set<std::string_view> sessions;
    for (const Notice& notice : notices)
        sessions.insert(notice.session);
    if (sessions.size() == 1) {
        return notices.front().headline + " (" + std::to_string(notices.size()) + " times)";
    }
    return std::to_string(sessions.size()) + " sessions " + notices.front().predicate;
}

}  // namespace

Letter compose(std::span<const Notice> notices, bool backlog, std::string_view base) {
    if (notices.size() == 1) return letter_of(notices.front());
    Letter letter;
    letter.title = title_of(notices, backlog);
    if (!backlog && !notices.front().reason.empty())
        letter.facts.emplace_back("Reason", notices.front().reason);
    for (const bool asks : {true, false}) {
        for (const Notice& notice : notices) {
            if (notice.asks == asks) letter.items.push_back({notice.headline, notice.link});
        }
    }
    for (const Notice& notice : notices)
        letter.urgency = std::max(letter.urgency, notice.urgency);
    if (!base.empty()) letter.link = std::string{base} + "/#/";
    letter.link_words = "Show the overview";
    return letter;
}

std::string and_more(std::size_t count) {
    return count == 0 ? "" : "and " + std::to_string(count) + " more";
}

}  // namespace headway::api::notify
