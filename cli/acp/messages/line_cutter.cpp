// SPDX-License-Identifier: Apache-2.0
#include "cli/acp/messages/line_cutter.hpp"

namespace headway::cli {

void LineCutter::feed(std::string_view bytes, const Take& take) {
    while (!bytes.empty()) {
        const std::size_t end = bytes.find('\n');
        const bool ends = end != std::string_view::npos;
        const std::string_view part = bytes.substr(0, ends ? end + 1 : end);
        bytes.remove_prefix(part.size());
        if (!too_long_ && line_.size() + part.size() > kLineBytesMax) {
            take(line_, false);
            line_ = {};
            too_long_ = true;
        }
        if (too_long_) {
            take(part, false);
            too_long_ = !ends;
            continue;
        }
        line_ += part;
        if (!ends) return;
        line_.pop_back();
        take(line_, true);
        line_.clear();
    }
}

void LineCutter::finish(const Take& take) {
    if (!line_.empty()) take(line_, false);
    line_.clear();
}

}  // namespace headway::cli
