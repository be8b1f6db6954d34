// SPDX-License-Identifier: Apache-2.0
#include "cli/records/labels.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string_view>

namespace headway::cli {
namespace {

using Row = std::vector<std::string>;

core::Error wrong(std::size_t line, const std::string& what) {
    return {core::ErrorCode::kInvalidField, std::to_string(line) + ": " + what, {}};
}

// Reads one record, which may go over several lines; counts them in `line`.
class CsvReader {
public:
    explicit CsvReader(std::istream& csv) : csv_(csv) {}

    /// False at the end. Error: a quote that is never closed.
    core::Result<bool> next(Row& row) {
        row.assign(1, {});
        if (csv_.peek() == std::istream::traits_type::eof()) return false;
        const std::size_t first = ++line_;
        bool quoted = false;
        for (char c = 0; csv_.get(c);) {
            if (quoted) {
                quoted = inside_quotes(c, row.back());
            } else if (c == '"') {
                quoted = true;
            } else if (c == ',') {
                row.emplace_back();
            } else if (c == '\n') {
                return true;
            } else if (c != '\r') {
                row.back() += c;
            }
        }
        if (quoted) return wrong(first, "a quote is opened and never closed");
        return true;
    }

    std::size_t line() const { return line_; }

private:
    bool inside_quotes(char c, std::string& cell) {
        if (c == '"') {
            if (csv_.peek() != '"') return false;
            csv_.get();
        }
        if (c == '\n') ++line_;
        cell += c;
        return true;
    }

    std::istream& csv_;
    std::size_t line_ = 0;
};

struct Columns {
    std::optional<std::size_t> file, source, outcome, loop, how, start, length;
};

std::optional<std::size_t> column_of(const Row& head, std::string_view name) {
    const auto found = std::find(head.begin(), head.end(), name);
    if (found == head.end()) return std::nullopt;
    return static_cast<std::size_t>(found - head.begin());
}

Columns columns_of(const Row& head) {
    const auto find = [&head](std::string_view name) { return column_of(head, name); };
    return {find("file"),         find("source"),          find("outcome"), find("loop"),
            find("how_labelled"), find("loop_start_call"), find("loop_len")};
}

std::string_view cell(const Row& row, std::optional<std::size_t> column) {
    return column && *column < row.size() ? std::string_view(row[*column]) : std::string_view();
}

// Absent or empty keeps the default.
bool read_number(std::string_view text, std::int64_t& number) {
    if (text.empty()) return true;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc{} && end == text.data() + text.size();
}

core::Result<SessionLabel> label_of(const Row& row, const Columns& columns, std::size_t line) {
    SessionLabel label;
    label.file = cell(row, columns.file);
    label.source = cell(row, columns.source);
    if (label.file.empty()) return wrong(line, "names no file");
    label.success = cell(row, columns.outcome) == "success";
    label.failure = cell(row, columns.outcome) == "fail";
    const std::string_view loop = cell(row, columns.loop);
    if (loop == "yes") label.loop = Known::kYes;
    if (loop == "no") label.loop = Known::kNo;
    if (loop != "yes" && loop != "no" && loop != "unknown" && !loop.empty()) {
        return wrong(line, "loop is \"" + std::string(loop) + "\"; use yes, no or unknown");
    }
    const std::string_view how = cell(row, columns.how);
    label.by_human = how.starts_with("human") || how.starts_with("hand");
    if (!read_number(cell(row, columns.start), label.loop_start) ||
        !read_number(cell(row, columns.length), label.loop_length)) {
        return wrong(line, "loop_start_call and loop_len are whole numbers");
    }
    return label;
}

/// False for an empty file.
core::Result<bool> read_head(CsvReader& reader, Row& row) {
    HEADWAY_TRY(const bool any, reader.next(row));
    if (any && row.front().starts_with("\xEF\xBB\xBF")) row.front().erase(0, 3);
    return any;
}

}  // namespace

core::Result<std::vector<SessionLabel>> read_labels(std::istream& csv) {
    CsvReader reader(csv);
    Row row;
    HEADWAY_TRY(const bool any, read_head(reader, row));
    const Columns columns = columns_of(row);
    if (!any || !columns.file || !columns.outcome || !columns.loop) {
        return wrong(1, "expected a head with the columns file, outcome and loop");
    }
    std::vector<SessionLabel> labels;
    while (true) {
        HEADWAY_TRY(const bool more, reader.next(row));
        if (!more) return labels;
        if (row.size() == 1 && row.front().empty()) continue;
        HEADWAY_TRY(SessionLabel label, label_of(row, columns, reader.line()));
        labels.push_back(std::move(label));
    }
}

core::Result<std::map<std::string, AlarmRead>> read_alarm_verdicts(std::istream& csv) {
    CsvReader reader(csv);
    Row row;
    HEADWAY_TRY(const bool any, read_head(reader, row));
    const auto file = column_of(row, "file");
    const auto verdict = column_of(row, "verdict");
    if (!any || !file || !verdict) {
        return wrong(1, "expected a head with the columns file and verdict");
    }
    std::map<std::string, AlarmRead> verdicts;
    while (true) {
        HEADWAY_TRY(const bool more, reader.next(row));
        if (!more) return verdicts;
        if (row.size() == 1 && row.front().empty()) continue;
        const std::string_view name = cell(row, file);
        const std::string_view word = cell(row, verdict);
        if (name.empty()) return wrong(reader.line(), "names no file");
        constexpr std::array<std::string_view, 3> kWords{"right", "wrong", "unclear"};
        const auto* const found = std::find(kWords.begin(), kWords.end(), word);
        if (found == kWords.end()) {
            return wrong(reader.line(),
                         "verdict is \"" + std::string(word) + "\"; use right, wrong or unclear");
        }
        verdicts[std::string(name)] = static_cast<AlarmRead>(found - kWords.begin());
    }
}

}  // namespace headway::cli
