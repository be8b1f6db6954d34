// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

// One value of a setting. TOML says what is a number and where an item of a list ends; a variable
// and the command line are text, and the key that the text is for says what it means.

namespace headway::config {

class Value {
public:
    using List = std::vector<std::string>;

    template <std::convertible_to<std::string_view> Text>
    Value(const Text& text) : held_(std::string(std::string_view(text))) {}

    template <class Number>
    requires std::is_arithmetic_v<Number> Value(Number number) {
        if constexpr (std::is_same_v<Number, bool>) {
            held_ = number;
        } else if constexpr (std::is_floating_point_v<Number>) {
            held_ = static_cast<double>(number);
        } else {
            held_ = static_cast<std::int64_t>(number);
        }
    }

    Value(List items) : held_(std::move(items)) {}

    /// Whether it is a std::string, std::int64_t, double, bool or List.
    template <class T>
    bool is() const noexcept {
        return std::holds_alternative<T>(held_);
    }

    /// As a variable or the command line has it: commas between the items of a list, `\,` for a
    /// comma in an item and `\\` for a backslash; "on" or "off" for a switch.
    std::string text() const;

    /// The items of a list, without white space around them; empty ones are left out. A text is
    /// taken apart at its commas: the one place that does so.
    List items() const;

    /// True if a list holds an empty item.
    bool has_empty_items() const;

    /// As TOML has it: quoted, bare, or in brackets.
    std::string toml() const;

    bool operator==(const Value&) const = default;

private:
    std::variant<std::string, std::int64_t, double, bool, List> held_;
};

}  // namespace headway::config
