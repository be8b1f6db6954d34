// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <type_traits>

#include "core/base/cow_box.hpp"
#include "core/base/fields.hpp"
#include "core/base/lazy_optional.hpp"

namespace headway::core {

template <class T>
struct IsRareField : std::false_type {};
template <class T>
struct IsRareField<LazyOptional<T>> : std::true_type {};

template <class T>
struct IsSharedField : std::false_type {};
template <class T>
struct IsSharedField<CowBox<T>> : std::true_type {};

/// The number of bytes that glibc's malloc takes for a block of `bytes`.
constexpr std::size_t heap_block(std::size_t bytes) {
    constexpr std::size_t kHeader = 8;
    constexpr std::size_t kUnit = 16;
    constexpr std::size_t kLeast = 32;
    const std::size_t block = (bytes + kHeader + kUnit - 1) / kUnit * kUnit;
    return bytes == 0 ? 0 : block < kLeast ? kLeast : block;
}

/// Heap bytes that a described value owns. Vectors and strings are counted with their capacity, and
/// shared values with this owner's share.
template <class T>
std::size_t owned_bytes(const T& value) {
    if constexpr (std::is_same_v<T, std::string>) {
        static const std::size_t kInside = std::string{}.capacity();
        return value.capacity() > kInside ? heap_block(value.capacity() + 1) : 0;
    } else if constexpr (IsRareField<T>::value) {
        return value.has_value() ? heap_block(sizeof(typename T::value_type)) + owned_bytes(*value)
                                 : 0;
    } else if constexpr (IsSharedField<T>::value) {
        constexpr std::size_t kCounts = 16;
        const std::size_t bytes =
            heap_block(sizeof(typename T::value_type) + kCounts) + owned_bytes(*value);
        return value.is_default() ? 0 : bytes / value.owners();
    } else if constexpr (requires {
                             value.has_value();
                             *value;
                         }) {
        return value ? owned_bytes(*value) : 0;
    } else if constexpr (requires { value.capacity(); }) {
        std::size_t bytes = heap_block(value.capacity() * sizeof(typename T::value_type));
        for (const auto& item : value)
            bytes += owned_bytes(item);
        return bytes;
    } else if constexpr (Described<T>) {
        std::size_t bytes = 0;
        for_each_field<T>(
            [&](const auto& field, std::size_t) { bytes += owned_bytes(value.*(field.member)); });
        return bytes;
    } else {
        static_assert(std::is_trivially_copyable_v<T>);
        return 0;
    }
}

template <class T>
std::size_t footprint(const T& value) {
    return sizeof(T) + owned_bytes(value);
}

}  // namespace headway::core
