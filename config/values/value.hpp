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

// One value of a setting. In TOML, numbers and lists have types. A variable or the command line
// gives only text; its meaning depends on the kind of the key.

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

    /// True if the value is a T: std::string, std::int64_t, double, bool or List.
    template <class T>
    bool is() const noexcept {
        return std::holds_alternative<T>(held_);
    }

    /// The value as written in a variable or on the command line: commas between the items of a
    /// list, `\,` for a comma in an item and `\\` for a backslash; "on" or "off" for a switch.
    std::string text() const;

    /// The items of a list, without surrounding white space; empty items are left out. A text is
    /// split at its commas; no other function does this.
    List items() const;

    /// True if a list has an empty item.
    bool has_empty_items() const;

    /// The value as written in TOML: quoted, bare, or in brackets.
    std::string toml() const;

    bool operator==(const Value&) const = default;

private:
    std::variant<std::string, std::int64_t, double, bool, List> held_;
};

}  // namespace headway::config
