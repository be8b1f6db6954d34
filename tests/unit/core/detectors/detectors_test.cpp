// SPDX-License-Identifier: Apache-2.0
#include "core/detectors/detectors.hpp"

#include <catch2/catch.hpp>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

using namespace headway::core;

namespace {

/// The columns of a detector's row in core/detectors/README.md; empty if there is none.
std::vector<std::string> row_of(std::string_view name) {
    std::ifstream file{HEADWAY_SOURCE_DIR "/core/detectors/README.md"};
    REQUIRE(file.good());
    const std::string start = "| `" + std::string{name} + "` |";
    std::vector<std::string> columns;
    for (std::string line; std::getline(file, line);) {
        if (line.rfind(start, 0) != 0) continue;
        std::istringstream rest{line.substr(2)};
        for (std::string column; std::getline(rest, column, '|');) {
            column.erase(0, column.find_first_not_of(' '));
            column.erase(column.find_last_not_of(' ') + 1);
            columns.push_back(column);
        }
        break;
    }
    return columns;
}

/// As the table writes them: a number or a dash for each.
std::string text_of(Thresholds limits) {
    const auto one = [](std::uint32_t count) {
        return count == 0 ? std::string{"–"} : std::to_string(count);
    };
    return one(limits.suspect) + " / " + one(limits.stuck);
}

}  // namespace

TEST_CASE("detectors: an id is the place of a field, and a name finds it", "[core]") {
    REQUIRE(EnumNames<DetectorId>::kNames.size() == kDetectorCount);
    std::size_t place = 0;
    const Detectors all;
    for_each_detector(all, [&place](const auto& detector) {
        using D = std::remove_cvref_t<decltype(detector)>;
        INFO(name_of(kIdOf<D>));
        CHECK(static_cast<std::size_t>(kIdOf<D>) == place++);
        DetectorId found{};
        CHECK(parse_name(name_of(kIdOf<D>), found));
        CHECK(found == kIdOf<D>);
        CHECK(traits_of(found).kind == D::kTraits.kind);
    });
    CHECK(place == kDetectorCount);
    DetectorId none{};
    CHECK_FALSE(parse_name("no_such_detector", none));
}

TEST_CASE("detectors: what is stored keeps its number", "[core]") {
    CHECK(static_cast<int>(kIdOf<HeartbeatRule>) == 0);
    CHECK(static_cast<int>(kIdOf<FailureStreaks>) == 6);
    CHECK(static_cast<int>(kIdOf<MutualRevert>) == 25);
    CHECK(name_of(kIdOf<FailureStreaks>) == "failure_streak");
    CHECK(name_of(kIdOf<MutualRevert>) == "mutual_revert");
}

TEST_CASE("detectors: a fresh one claims nothing and is sound", "[core]") {
    const Detectors all;
    for_each_detector(all, [](const auto& detector) {
        using D = std::remove_cvref_t<decltype(detector)>;
        INFO(name_of(kIdOf<D>));
        CHECK(detector.severity(D::kTraits.balanced, Ledger{}) == Severity::kNone);
        CHECK(detector.severity(D::kTraits.strict, Ledger{}) == Severity::kNone);
        CHECK(detector.is_valid(Ledger{}, 0));
    });
}

TEST_CASE("detectors: each has its row in the README, with its thresholds", "[core]") {
    for (std::size_t i = 0; i < kDetectorCount; ++i) {
        const auto id = static_cast<DetectorId>(i);
        INFO(name_of(id) << " in core/detectors/README.md: name, unit, balanced, strict, FD");
        const std::vector<std::string> row = row_of(name_of(id));
        REQUIRE(row.size() == 5);
        const DetectorTraits& traits = traits_of(id);
        // A row may say more than the numbers, and nothing where there are none.
        const bool none = traits.balanced == Thresholds{} && row[2].empty();
        CHECK((none || row[2].rfind(text_of(traits.balanced), 0) == 0));
        CHECK(row[3] == (traits.strict == traits.balanced ? "" : text_of(traits.strict)));
    }
}
