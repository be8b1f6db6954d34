// SPDX-License-Identifier: Apache-2.0
#include "cli/eval/feature_rows.hpp"

#include <array>
#include <charconv>

namespace headway::cli {
namespace {

std::string csv_quoted(const std::string& field) {
    if (field.find_first_of(",\"\r\n") == std::string::npos) return field;
    std::string text = "\"";
    for (const char c : field)
        text += c == '"' ? std::string{"\"\""} : std::string{c};
    return text + "\"";
}

/// The shortest text that reads as the same number.
std::string shortest(double value) {
    std::array<char, 32> text{};
    const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc{} ? std::string(text.data(), end) : std::string{};
}

}  // namespace

void write_feature_head(std::ostream& csv) {
    csv << "file,call,suspect,failures";
    for (const std::string_view name : core::kRiskFeatureNames)
        csv << "," << name;
    csv << "\n";
}

void write_feature_rows(std::ostream& csv, const std::string& file, const Timeline& timeline) {
    const std::string name = csv_quoted(file);
    for (const FeatureRow& row : timeline.features) {
        const bool suspect =
            row.verdict == core::Verdict::kSuspect || row.verdict == core::Verdict::kStuck;
        csv << name << "," << row.call << "," << (suspect ? 1 : 0) << "," << shortest(row.failures);
        for (const double value : row.features)
            csv << "," << shortest(value);
        csv << "\n";
    }
}

}  // namespace headway::cli
