// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/base/assert.hpp"
#include "core/base/cow_box.hpp"
#include "core/base/fields.hpp"
#include "core/base/lazy_optional.hpp"
#include "core/base/time.hpp"

// The encoding of described structs (storage/FORMAT.md): each field that differs from its default
// value is written as the field's number, counted from 1, and its value; a 0 follows the last
// field. Internal to the codec.

namespace headway::storage::bytes {

template <class T>
struct IsVector : std::false_type {};
template <class T>
struct IsVector<std::vector<T>> : std::true_type {};
template <class T>
struct IsOptional : std::false_type {};
template <class T>
struct IsOptional<std::optional<T>> : std::true_type {};
template <class T>
struct IsRare : std::false_type {};
template <class T>
struct IsRare<core::LazyOptional<T>> : std::true_type {};
template <class T>
struct IsShared : std::false_type {};
template <class T>
struct IsShared<core::CowBox<T>> : std::true_type {};

/// Appends values to a string.
class Writer {
public:
    explicit Writer(std::string& out) : out_(out) {}

    void varint(std::uint64_t value) {
        char bytes[10];
        static_assert(7 * sizeof bytes >= 64, "64 bits, seven in each");
        std::size_t size = 0;
        for (; value >= 0x80; value >>= 7)
            bytes[size++] = static_cast<char>(value | 0x80);
        bytes[size++] = static_cast<char>(value);
        HEADWAY_ASSERT(size <= sizeof bytes);
        out_.append(bytes, size);
    }

    template <class T>
    void value(const T& v) {
        if constexpr (std::is_same_v<T, std::string>) {
            varint(v.size());
            out_.append(v);
        } else if constexpr (std::is_same_v<T, double>) {
            static_assert(sizeof(double) == sizeof(std::uint64_t));
            const auto bits = std::bit_cast<std::uint64_t>(v);
            out_.append(reinterpret_cast<const char*>(&bits), sizeof bits);
        } else if constexpr (std::is_enum_v<T>) {
            varint(static_cast<std::uint64_t>(v));
        } else if constexpr (std::is_unsigned_v<T>) {
            varint(v);
        } else if constexpr (std::is_same_v<T, core::Timestamp>) {
            varint(static_cast<std::uint64_t>(v.time_since_epoch().count()));
        } else if constexpr (std::is_same_v<T, core::Millis>) {
            varint(static_cast<std::uint64_t>(v.count()));
        } else if constexpr (IsOptional<T>::value || IsRare<T>::value || IsShared<T>::value) {
            value(*v);
        } else if constexpr (IsVector<T>::value) {
            varint(v.size());
            for (const auto& item : v)
                value(item);
        } else {
            structure(v);
        }
    }

    template <core::Described T>
    void structure(const T& v) {
        [[maybe_unused]] static const T kDefault{};
        core::for_each_field<T>([&](const auto& field, std::size_t index) {
            if (v.*(field.member) == kDefault.*(field.member)) return;
            varint(index + 1);
            value(v.*(field.member));
        });
        varint(0);
    }

private:
    std::string& out_;
};

/// Reads values from bytes. After the first invalid value, ok() is false and nothing more is read.
class Reader {
public:
    explicit Reader(std::string_view in) : in_(in) {}

    bool ok() const { return ok_; }
    bool at_end() const { return in_.empty(); }

    std::uint64_t varint() {
        std::uint64_t value = 0;
        for (int shift = 0; shift < 64; shift += 7) {
            if (in_.empty()) return fail();
            const auto byte = static_cast<unsigned char>(in_.front());
            in_.remove_prefix(1);
            value |= static_cast<std::uint64_t>(byte & 0x7FU) << shift;
            if ((byte & 0x80U) == 0) return value;
        }
        return fail();
    }

    template <class T>
    void value(T& v) {
        if constexpr (std::is_same_v<T, std::string>) {
            v.assign(take(varint()));
        } else if constexpr (std::is_same_v<T, double>) {
            std::uint64_t bits = 0;
            const std::string_view taken = take(sizeof bits);
            HEADWAY_ASSERT(!ok_ || taken.size() == sizeof bits);
            if (ok_) std::memcpy(&bits, taken.data(), sizeof bits);
            v = std::bit_cast<double>(bits);
        } else if constexpr (std::is_enum_v<T>) {
            enumeration(v);
        } else if constexpr (std::is_unsigned_v<T>) {
            v = static_cast<T>(varint());
        } else if constexpr (std::is_same_v<T, core::Timestamp>) {
            v = core::Timestamp{core::Millis{static_cast<std::int64_t>(varint())}};
        } else if constexpr (std::is_same_v<T, core::Millis>) {
            v = core::Millis{static_cast<std::int64_t>(varint())};
        } else if constexpr (IsRare<T>::value) {
            value(v.change());
        } else if constexpr (IsShared<T>::value) {
            typename T::value_type taken;
            value(taken);
            v.take_alike(std::move(taken));
        } else if constexpr (IsOptional<T>::value) {
            value(v.emplace());
        } else if constexpr (IsVector<T>::value) {
            const std::uint64_t count = varint();
            if (count > in_.size()) {  // every item takes at least one byte
                fail();
                return;
            }
            v.resize(count);
            for (auto& item : v)
                value(item);
        } else {
            structure(v);
        }
    }

    template <core::Described T>
    void structure(T& v) {
        while (ok_) {
            const std::uint64_t number = varint();
            if (!ok_ || number == 0) return;
            bool known = false;
            core::for_each_field<T>([&](const auto& field, std::size_t index) {
                if (index + 1 != number) return;
                known = true;
                value(v.*(field.member));
            });
            if (!known) fail();
        }
    }

private:
    template <core::NamedEnum E>
    void enumeration(E& v) {
        const std::uint64_t number = varint();
        if (number >= core::EnumNames<E>::kNames.size()) {
            fail();
            return;
        }
        v = static_cast<E>(number);
        HEADWAY_ASSERT(static_cast<std::uint64_t>(v) == number);
    }

    std::string_view take(std::uint64_t count) {
        if (!ok_ || count > in_.size()) {
            fail();
            return {};
        }
        const std::string_view taken = in_.substr(0, count);
        in_.remove_prefix(count);
        HEADWAY_ASSERT(taken.size() == count);
        return taken;
    }

    std::uint64_t fail() {
        ok_ = false;
        in_ = {};
        return 0;
    }

    std::string_view in_;
    bool ok_ = true;
};

}  // namespace headway::storage::bytes
