// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <iterator>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/base/fields.hpp"
#include "core/base/limits.hpp"
#include "core/base/time.hpp"
#include "core/events/event.hpp"
#include "core/text/text.hpp"
#include "tests/support/seed.hpp"

namespace headway::tests {

/// Random values, the same ones for the same seed on every machine: the distributions of the
/// standard library are not used, since they differ between implementations.
class Gen {
public:
    explicit Gen(std::uint64_t seed) : engine_(seed) {}

    std::uint64_t word() { return engine_(); }
    /// 0 to `bound` - 1.
    std::uint64_t below(std::uint64_t bound) { return word() % bound; }
    std::size_t index(std::size_t size) { return static_cast<std::size_t>(below(size)); }
    bool chance(std::uint64_t one_in) { return below(one_in) == 0; }

    template <class T, std::size_t N>
    const T& pick(const T (&items)[N]) {
        return items[index(N)];
    }

    /// Any bytes at all.
    std::string bytes(std::size_t size) {
        std::string out(size, '\0');
        for (char& c : out)
            c = static_cast<char>(below(256));
        return out;
    }

    /// Valid UTF-8 of about `size` bytes, with what JSON has to escape.
    std::string utf8(std::size_t size) {
        static constexpr std::string_view kPieces[] = {"a",    "Z", " ", "7", "\n", "\"", "\\",
                                                       "\x01", "ä", "→", "😀", "\t", "/",  "日"};
        std::string out;
        while (out.size() < size)
            out += pick(kPieces);
        return out;
    }

    /// Mostly short, now and then as long as the field may be.
    std::string string() {
        return chance(20) ? std::string(core::limits::kStringBytesMax, 'x') : utf8(below(12));
    }

    /// Compact JSON of bounded depth.
    std::string json(int depth = 3) {
        static constexpr std::string_view kLeaves[] = {"null", "true",  "-7",    "0",
                                                       "1.5",  "\"x\"", "\"ä\"", "1e3"};
        if (depth == 0 || chance(2)) return std::string{pick(kLeaves)};
        const bool object = chance(2);
        std::string out{object ? "{" : "["};
        const std::uint64_t members = below(4);
        for (std::uint64_t i = 0; i < members; ++i) {
            if (i > 0) out += ',';
            if (object) out += "\"k" + std::to_string(i) + "\":";
            out += json(depth - 1);
        }
        return out + (object ? "}" : "]");
    }

    /// Fills every kind of field that a described structure has; about a third stay as they are.
    template <class T>
    void fill(T& v) {
        if constexpr (std::is_same_v<T, std::string>) {
            v = string();
        } else if constexpr (std::is_same_v<T, core::ExactJson>) {
            v.text = json();
        } else if constexpr (std::is_same_v<T, core::Json>) {
            // Not null by itself, which stands for absent.
            const std::string small = json();
            static_cast<core::Text&>(v) =
                core::bounded_text(chance(20)        ? "\"" + std::string(5000, 'j') + "\""
                                   : small == "null" ? "0"
                                                     : small);
        } else if constexpr (std::is_same_v<T, core::Text>) {
            v = core::bounded_text(utf8(chance(20) ? 4000 + below(3000) : below(40)));
        } else if constexpr (std::is_same_v<T, double>) {
            v = static_cast<double>(below(100'000)) / 1000;
        } else if constexpr (std::is_same_v<T, bool>) {
            v = chance(2);
        } else if constexpr (core::NamedEnum<T>) {
            v = static_cast<T>(below(core::EnumNames<T>::kNames.size()));
        } else if constexpr (std::is_unsigned_v<T>) {
            v = static_cast<T>(word() >> (1 + below(63)));
        } else if constexpr (std::is_same_v<T, core::Timestamp>) {
            v = core::Timestamp{core::Millis{static_cast<std::int64_t>(below(1ULL << 42))}};
        } else if constexpr (std::is_same_v<T, core::Millis>) {
            v = core::Millis{static_cast<std::int64_t>(below(1ULL << 22))};
        } else if constexpr (requires { v.change(); }) {
            fill(v.change());
        } else if constexpr (requires { v.emplace(); }) {
            fill(v.emplace());
        } else if constexpr (requires { v.emplace_back(); }) {
            v.clear();
            const std::uint64_t count = below(4);
            for (std::uint64_t i = 0; i < count; ++i)
                fill(v.emplace_back());
        } else {
            core::for_each_field<T>([&](const auto& field, std::size_t) {
                if (!chance(3)) fill(v.*(field.member));
            });
        }
    }

    /// A payload of that type with random content.
    core::Payload payload(core::EventType type) {
        core::Payload filled = *core::make_payload(type);
        std::visit([this](auto& data) { fill(data); }, filled);
        return filled;
    }

    core::EventType any_type() {
        return static_cast<core::EventType>(below(std::variant_size_v<core::AnyPayload>));
    }

private:
    std::mt19937_64 engine_;
};

}  // namespace headway::tests
