// SPDX-License-Identifier: Apache-2.0
#include "cli/scan/without_values.hpp"

#include <algorithm>
#include <cstring>

namespace headway::cli {
namespace {

constexpr int kLevelsSkimmed = 3;

/// Walks over JSON without reading it. Each function is false where the text is none.
class Skim {
public:
    Skim(std::string_view text, std::span<const std::string_view> names, std::string& kept)
        : text_(text), names_(names), kept_(kept) {}

    std::string_view run() {
        kept_.clear();
        space();
        if (!object(1) || copied_ == 0) return text_;
        kept_.append(text_.substr(copied_));
        return kept_;
    }

private:
    char here() const { return at_ < text_.size() ? text_[at_] : '\0'; }

    void space() {
        const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; };
        while (at_ < text_.size() && blank(text_[at_]))
            ++at_;
    }

    bool take(char byte) {
        space();
        if (here() != byte) return false;
        ++at_;
        return true;
    }

    /// Behind the quote that ends the text whose first quote is here.
    bool text() {
        const char* const data = text_.data();
        for (std::size_t from = at_ + 1; from < text_.size();) {
            const void* const found = std::memchr(data + from, '"', text_.size() - from);
            if (found == nullptr) return false;
            const auto end = static_cast<std::size_t>(static_cast<const char*>(found) - data);
            std::size_t slashes = 0;
            while (end - slashes > at_ + 1 && data[end - slashes - 1] == '\\')
                ++slashes;
            from = end + 1;
            if (slashes % 2 != 0) continue;
            at_ = from;
            return true;
        }
        return false;
    }

    /// Over a value of any kind, however deep.
    bool value() {
        space();
        if (here() == '"') return text();
        std::size_t depth = 0;
        while (at_ < text_.size()) {
            const char byte = text_[at_];
            if (byte == '"') {
                if (!text()) return false;
                continue;
            }
            if (byte == '{' || byte == '[') ++depth;
            if (byte == '}' || byte == ']') {
                if (depth == 0) return true;  // of what the value stands in
                if (--depth == 0) {
                    ++at_;
                    return true;
                }
            }
            if (byte == ',' && depth == 0) return true;
            ++at_;
        }
        return false;
    }

    bool object(int level) {
        if (!take('{')) return false;
        if (take('}')) return true;
        do {
            space();
            const std::size_t begin = at_ + 1;
            if (here() != '"' || !text()) return false;
            const std::string_view name = text_.substr(begin, at_ - begin - 1);
            if (!take(':')) return false;
            space();
            const bool cut = std::find(names_.begin(), names_.end(), name) != names_.end();
            const std::size_t from = at_;
            const bool inner = !cut && here() == '{' && level < kLevelsSkimmed;
            if (inner ? !object(level + 1) : !value()) return false;
            if (!cut) continue;
            kept_.append(text_.substr(copied_, from - copied_)).append("null");
            copied_ = at_;
        } while (take(','));
        return take('}');
    }

    const std::string_view text_;
    const std::span<const std::string_view> names_;
    std::string& kept_;
    std::size_t at_ = 0;
    std::size_t copied_ = 0;  ///< of the text to `kept_`, or left out
};

}  // namespace

std::string_view without_values(std::string_view line, std::span<const std::string_view> names,
                                std::string& kept) {
    if (names.empty()) return line;
    return Skim(line, names, kept).run();
}

}  // namespace headway::cli
