// SPDX-License-Identifier: Apache-2.0
#include "cli/stores/stored_line.hpp"

#include <algorithm>
#include <array>

#include "cli/base/text.hpp"

namespace headway::cli {

void StoredLine::clear() {
    events.clear();
    use.reset();
    seconds.reset();
    turn_ended = turn_cut = turn_goes_on = false;
    reports.clear();
}

void StoreReader::take_word(std::string& to, std::string_view word) {
    if (to.empty()) to = cut_bytes(word, kStoredWordBytesMax);
}

const StoreFormat kOpencodeStore{"opencode", nullptr, nullptr, nullptr, StoreShape::kDatabase};
const StoreFormat kKiloStore{"kilo", nullptr, nullptr, nullptr, StoreShape::kDatabase};

const StoreFormat* store_format_named(std::string_view file_name) {
    if (file_name == "opencode.db") return &kOpencodeStore;
    if (file_name == "kilo.db") return &kKiloStore;
    return file_name.ends_with(".messages.json") ? &kClineStore : nullptr;
}

const StoreFormat* store_format_of(std::string_view beginning, api::JsonDocument& document) {
    constexpr std::size_t kLinesRead =
        8;  // notes of the agent may stand before the first that tells
    // Lines of Qwen Code have all that tells those of Claude Code, and more.
    constexpr std::array kFormats{&kQwenStore,    &kClaudeStore, &kCodexStore,
                                  &kCopilotStore, &kGeminiStore, &kPiStore};
    for (std::size_t i = 0; i < kLinesRead && !beginning.empty(); ++i) {
        const std::string_view line = beginning.substr(0, beginning.find('\n'));
        beginning.remove_prefix(std::min(beginning.size(), line.size() + 1));
        if (!document.parse(line) || document.root().kind() != api::JsonKind::kObject) continue;
        for (const StoreFormat* format : kFormats)
            if (format->begins(document.root())) return format;
    }
    return nullptr;
}

}  // namespace headway::cli
