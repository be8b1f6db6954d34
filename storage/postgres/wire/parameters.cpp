// SPDX-License-Identifier: Apache-2.0
#include "storage/postgres/wire/parameters.hpp"

#include "core/base/assert.hpp"

namespace headway::storage {
namespace {

// OIDs of pg_type, which never change.
constexpr unsigned kBytea = 17;
constexpr unsigned kInt8 = 20;
constexpr unsigned kText = 25;
constexpr unsigned kByteaArray = 1001;
constexpr unsigned kTextArray = 1009;
constexpr unsigned kInt8Array = 1016;
constexpr std::size_t kParametersMax = 64;  ///< of one statement: all are ours

template <class Number>
void put(std::string& to, Number number) {
    for (int shift = static_cast<int>(sizeof(Number)) * 8 - 8; shift >= 0; shift -= 8)
        to += static_cast<char>((static_cast<std::uint64_t>(number) >> shift) & 0xFF);
}

/// PostgreSQL has no text with a zero byte.
void put_text(std::string& to, std::string_view text) {
    for (const char c : text) {
        if (c == '\0') {
            to += "\xEF\xBF\xBD";  // U+FFFD
        } else {
            to += c;
        }
    }
}

std::string text_of(std::string_view text) {
    if (text.find('\0') == std::string_view::npos) return std::string{text};
    std::string clean;
    put_text(clean, text);
    return clean;
}

/// The head of an array of one dimension.
std::string array_of(std::size_t items, unsigned type, bool nulls) {
    HEADWAY_ASSERT(items <= INT32_MAX);
    std::string bytes;
    put(bytes, std::int32_t{1});
    put(bytes, std::int32_t{nulls ? 1 : 0});
    put(bytes, static_cast<std::int32_t>(type));
    put(bytes, static_cast<std::int32_t>(items));
    put(bytes, std::int32_t{1});
    return bytes;
}

std::string number_of(std::int64_t number) {
    std::string bytes;
    put(bytes, number);
    return bytes;
}

}  // namespace

PostgresParameters& PostgresParameters::add(std::int64_t number) {
    values_.push_back({kInt8, false, number_of(number)});
    return *this;
}

PostgresParameters& PostgresParameters::add(std::optional<std::int64_t> number) {
    if (number) return add(*number);
    values_.push_back({kInt8, true, {}});
    return *this;
}

PostgresParameters& PostgresParameters::add_text(std::string_view text) {
    values_.push_back({kText, false, text_of(text)});
    return *this;
}

PostgresParameters& PostgresParameters::add_bytes(std::string_view bytes) {
    values_.push_back({kBytea, false, std::string{bytes}});
    return *this;
}

PostgresParameters& PostgresParameters::add_numbers(std::span<const std::int64_t> numbers) {
    std::string bytes = array_of(numbers.size(), kInt8, false);
    for (const std::int64_t number : numbers) {
        put(bytes, std::int32_t{8});
        put(bytes, number);
    }
    values_.push_back({kInt8Array, false, std::move(bytes)});
    return *this;
}

PostgresParameters& PostgresParameters::add_maybe_numbers(std::span<const std::int64_t> numbers) {
    std::string bytes = array_of(numbers.size(), kInt8, true);
    for (const std::int64_t number : numbers) {
        put(bytes, std::int32_t{number == kNoNumber ? -1 : 8});
        if (number != kNoNumber) put(bytes, number);
    }
    values_.push_back({kInt8Array, false, std::move(bytes)});
    return *this;
}

PostgresParameters& PostgresParameters::add_texts(std::span<const std::string_view> texts) {
    std::string bytes = array_of(texts.size(), kText, false);
    for (const std::string_view text : texts) {
        const std::string clean = text_of(text);
        put(bytes, static_cast<std::int32_t>(clean.size()));
        bytes += clean;
    }
    values_.push_back({kTextArray, false, std::move(bytes)});
    return *this;
}

PostgresParameters& PostgresParameters::add_blobs(std::span<const std::string_view> blobs) {
    std::string bytes = array_of(blobs.size(), kBytea, false);
    for (const std::string_view blob : blobs) {
        put(bytes, static_cast<std::int32_t>(blob.size()));
        bytes += blob;
    }
    values_.push_back({kByteaArray, false, std::move(bytes)});
    return *this;
}

PostgresParameters::Value& PostgresParameters::at(int index) {
    HEADWAY_ASSERT(index >= 1 && static_cast<std::size_t>(index) <= kParametersMax);
    const auto place = static_cast<std::size_t>(index - 1);
    if (values_.size() <= place) values_.resize(place + 1);
    return values_[place];
}

void PostgresParameters::set_number(int index, std::int64_t number) {
    at(index) = {kInt8, false, number_of(number)};
}
void PostgresParameters::set_text(int index, std::string_view text) {
    at(index) = {kText, false, text_of(text)};
}
void PostgresParameters::set_bytes(int index, std::string_view bytes) {
    at(index) = {kBytea, false, std::string{bytes}};
}
void PostgresParameters::set_null(int index) {
    at(index) = {kInt8, true, {}};  // the columns that may be NULL are numbers
}

}  // namespace headway::storage
