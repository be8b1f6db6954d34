// SPDX-License-Identifier: Apache-2.0
#include "api/notify/formats.hpp"

namespace headway::api::notify {

std::string plain_text(const Letter& letter, std::size_t bytes_max) {
    std::string text;
    for (const auto& [label, value] : letter.facts)
        text.append(label).append(": ").append(value).append("\n");
    std::size_t shown = 0;
    for (const Letter::Item& item : letter.items) {
        const std::string line =
            "- " + item.text + (item.link.empty() ? "" : "\n  " + item.link) + "\n";
        if (text.size() + line.size() > bytes_max) break;
        text += line;
        ++shown;
    }
    if (shown < letter.items.size()) text += and_more(letter.items.size() - shown) + "\n";
    if (!text.empty()) text.pop_back();
    return text;
}

}  // namespace headway::api::notify
