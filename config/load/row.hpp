// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "config/values/duration.hpp"
#include "config/values/parse.hpp"
#include "config/values/value.hpp"
#include "core/base/fields.hpp"
#include "core/base/result.hpp"

// A row defines how one value is named, read, checked, stored and printed. The table of keys has
// rows of Settings, and a user-named table has rows of its entries. A path of member pointers gives
// the place of a value, as in `whole_row<1, 9, &Settings::log, &LogSettings::level>("log.level")`.

namespace headway::config {

enum class Kind : std::uint8_t {
    kText,
    kWord,  ///< one of some words; true and false are the words on and off
    kTextList,
    kCount,
    kDuration,
    kNumber
};

template <class T>
struct Row {
    std::string name;  ///< such as "server.listen"
    Kind kind{};
    std::string range;  ///< allowed values, for people: "16..100000", "json | text"; may be empty
    bool reloadable = false;  ///< a change takes effect on SIGHUP; otherwise it needs a restart
    std::string help;         ///< one sentence
    bool required = false;    ///< in a user-named table: each entry must have the value

    /// Parses, checks and stores one value. Error: kInvalidConfig; nothing is stored.
    core::Result<> (*assign)(T& owner, const Value& value) = nullptr;
    /// The value in the form that `assign` reads; a secret is masked.
    Value (*print)(const T& owner) = nullptr;
};

inline constexpr bool kReload = true;
inline constexpr bool kRestart = false;

inline constexpr std::array<std::string_view, 2> kOnOff{"on", "off"};
inline constexpr std::array<std::string_view, 2> kOffOn{"off", "on"};

template <auto... Path>
struct OwnerOf;
template <class T, class First, First T::*Pointer, auto... Rest>
struct OwnerOf<Pointer, Rest...> {
    using Type = T;
};
/// The type at which the path begins.
template <auto... Path>
using Owner = typename OwnerOf<Path...>::Type;

/// The member at the end of the path: a fold over `.*`.
template <auto... Path>
decltype(auto) member(auto& owner) {
    return (owner.*....*Path);
}
template <auto... Path>
using Member = std::remove_reference_t<decltype(member<Path...>(std::declval<Owner<Path...>&>()))>;

template <class T>
Value to_value(const T& held) {
    if constexpr (std::is_same_v<T, std::chrono::milliseconds>) {
        return print_duration(held);
    } else if constexpr (std::is_enum_v<T>) {
        return core::name_of(held);
    } else if constexpr (requires { held.value_or(0); }) {
        return held.value_or(0);  // 0 means none
    } else {
        return held;
    }
}

/// A row that stores the result of the function `Read`, called with the Value.
template <auto Read, auto... Path>
Row<Owner<Path...>> value_row(Kind kind, std::string range, std::string name,
                              bool reloadable = kRestart, std::string help = {}) {
    using T = Owner<Path...>;
    Row<T> row{std::move(name), kind, std::move(range), reloadable, std::move(help)};
    row.assign = [](T& owner, const Value& value) -> core::Result<> {
        HEADWAY_TRY(auto read, Read(value));
        member<Path...>(owner) = static_cast<Member<Path...>>(std::move(read));
        return {};
    };
    row.print = [](const T& owner) { return to_value(member<Path...>(owner)); };
    return row;
}

/// Makes a row that each entry must set.
template <class T>
Row<T> required(Row<T> row) {
    row.required = true;
    return row;
}

/// Makes a row that prints its value with `print`.
template <class T>
Row<T> shown_as(Value (*print)(const T& owner), Row<T> row) {
    row.print = print;
    return row;
}

inline core::Result<std::string> read_text(const Value& value) {
    return value.text();
}

template <auto... Path>
auto text_row(std::string name, bool reloadable = kRestart, std::string help = {}) {
    return value_row<read_text, Path...>(Kind::kText, "", std::move(name), reloadable,
                                         std::move(help));
}

template <std::uint64_t Min, std::uint64_t Max>
core::Result<std::uint64_t> read_whole(const Value& value) {
    return parse_whole(value, Min, Max);
}

template <std::uint64_t Min, std::uint64_t Max, auto... Path>
auto whole_row(std::string name, bool reloadable = kRestart, std::string help = {}) {
    return value_row<read_whole<Min, Max>, Path...>(
        Kind::kCount, std::to_string(Min) + ".." + std::to_string(Max), std::move(name), reloadable,
        std::move(help));
}

template <std::int64_t Min, std::int64_t Max>
core::Result<std::chrono::milliseconds> read_time(const Value& value) {
    return parse_time(value, std::chrono::milliseconds{Min}, std::chrono::milliseconds{Max});
}

/// A duration. Min and Max are in milliseconds.
template <std::int64_t Min, std::int64_t Max, auto... Path>
auto time_row(std::string name, bool reloadable = kRestart, std::string help = {}) {
    return value_row<read_time<Min, Max>, Path...>(
        Kind::kDuration,
        print_duration(std::chrono::milliseconds{Min}) + ".." +
            print_duration(std::chrono::milliseconds{Max}),
        std::move(name), reloadable, std::move(help));
}

template <const auto& Words>
core::Result<std::string> read_word(const Value& value) {
    HEADWAY_TRY(const std::size_t place, parse_word(value, Words));
    return std::string(Words[place]);
}

/// A text that is one of `Words`.
template <const auto& Words, auto... Path>
auto word_row(std::string name, bool reloadable = kRestart, std::string help = {}) {
    return value_row<read_word<Words>, Path...>(Kind::kWord, join(Words, " | "), std::move(name),
                                                reloadable, std::move(help));
}

template <core::NamedEnum Enum>
core::Result<Enum> read_enum(const Value& value) {
    HEADWAY_TRY(const std::size_t place, parse_word(value, core::EnumNames<Enum>::kNames));
    return static_cast<Enum>(place);
}

template <auto... Path>
auto enum_row(std::string name, bool reloadable = kRestart, std::string help = {}) {
    using Enum = Member<Path...>;
    return value_row<read_enum<Enum>, Path...>(Kind::kWord,
                                               join(core::EnumNames<Enum>::kNames, " | "),
                                               std::move(name), reloadable, std::move(help));
}

template <const auto& Words, std::size_t True>
core::Result<bool> read_switch(const Value& value) {
    HEADWAY_TRY(const std::size_t place, parse_word(value, Words));
    return place == True;
}

/// A switch with two words; the word at the index `True` means true.
template <const auto& Words, std::size_t True, auto... Path>
auto switch_row(std::string name, bool reloadable = kRestart, std::string help = {}) {
    return shown_as<Owner<Path...>>(
        [](const Owner<Path...>& owner) -> Value {
            return Words[member<Path...>(owner) ? True : 1 - True];
        },
        value_row<read_switch<Words, True>, Path...>(Kind::kWord, join(Words, " | "),
                                                     std::move(name), reloadable, std::move(help)));
}

}  // namespace headway::config
