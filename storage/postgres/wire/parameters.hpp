// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/time.hpp"

namespace headway::storage {

/// The parameters of one statement, in PostgreSQL's binary format. This object owns their values.
class PostgresParameters {
public:
    PostgresParameters() = default;

    PostgresParameters& add(std::int64_t number);
    PostgresParameters& add(std::optional<std::int64_t> number);
    PostgresParameters& add(core::Timestamp at) {
        return add(std::int64_t{at.time_since_epoch().count()});
    }
    PostgresParameters& add_text(std::string_view text);
    PostgresParameters& add_bytes(std::string_view bytes);
    PostgresParameters& add_numbers(std::span<const std::int64_t> numbers);
    /// kNoNumber is sent as NULL.
    PostgresParameters& add_maybe_numbers(std::span<const std::int64_t> numbers);
    PostgresParameters& add_texts(std::span<const std::string_view> texts);
    PostgresParameters& add_blobs(std::span<const std::string_view> blobs);

    static constexpr std::int64_t kNoNumber = INT64_MIN;

    /// Sets parameter `index`, counted from 1, for callers that bind parameters in any order.
    void set_number(int index, std::int64_t number);
    void set_text(int index, std::string_view text);
    void set_bytes(int index, std::string_view bytes);
    void set_null(int index);

    struct Value {
        unsigned type = 20;  ///< OID of the type; int8 until the parameter is bound
        bool null = true;
        std::string bytes;
    };
    std::span<const Value> values() const { return values_; }

private:
    Value& at(int index);
    std::vector<Value> values_;
};

}  // namespace headway::storage
