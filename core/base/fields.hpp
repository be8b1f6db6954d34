// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

// Each struct describes its fields once, in core; the JSON of the API, the rows of the journal and
// the snapshots are made from this description. A description is append-only: the position of a
// field is its number on disk.

namespace headway::core {

template <class Owner, class Member>
struct Field {
    std::string_view name;
    Member Owner::*member;
    bool required;          ///< requests must have it, and replies always have it
    bool internal = false;  ///< stored with the event, but not part of the API
};

template <class Owner, class Member>
constexpr Field<Owner, Member> field(std::string_view name, Member Owner::*member) {
    return {name, member, false};
}

template <class Owner, class Member>
constexpr Field<Owner, Member> required(std::string_view name, Member Owner::*member) {
    return {name, member, true};
}

template <class Owner, class Member>
constexpr Field<Owner, Member> internal(std::string_view name, Member Owner::*member) {
    return {name, member, false, true};
}

/// The fields of a struct, as a function that passes all of them to a visitor in one call. It is a
/// closure and not a std::tuple, because every source file includes every description: tuples of
/// fifty fields would take most of the headers' compile time.
template <class... Fields>
constexpr auto field_list(Fields... fields) {
    return [fields...](auto&& visit) { return visit(fields...); };
}

/// A struct with `static constexpr auto fields()` returning a field_list.
template <class T>
concept Described = requires {
    T::fields();
};

/// The description of T, made once by the compiler.
template <Described T>
inline constexpr auto kFieldsOf = T::fields();

/// Calls `visit(field, index)` for each field of T, in order. Pure.
template <Described T, class Visit>
constexpr void for_each_field(Visit&& visit) {
    kFieldsOf<T>([&visit](const auto&... field) {
        std::size_t index = 0;
        (visit(field, index++), ...);
    });
}

/// Number of fields of T.
template <Described T>
inline constexpr std::size_t kFieldCount = [] {
    std::size_t count = 0;
    for_each_field<T>([&count](const auto&, std::size_t) { ++count; });
    return count;
}();

/// Specialised for each enumeration that is sent or stored by name: `static constexpr
/// std::array<std::string_view, N> kNames`, indexed by value.
template <class E>
struct EnumNames;

template <class E>
concept NamedEnum = requires {
    EnumNames<E>::kNames.size();
};

template <NamedEnum E>
constexpr std::string_view name_of(E value) {
    return EnumNames<E>::kNames[static_cast<std::size_t>(value)];
}

/// Sets `value` to the enumerator called `name`. If there is none, returns false and changes
/// nothing.
template <NamedEnum E>
constexpr bool parse_name(std::string_view name, E& value) {
    for (std::size_t i = 0; i < EnumNames<E>::kNames.size(); ++i) {
        if (EnumNames<E>::kNames[i] == name) {
            value = static_cast<E>(i);
            return true;
        }
    }
    return false;
}

}  // namespace headway::core
