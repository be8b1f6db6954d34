// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace headway::core {

/// Appends `text` without its volatile parts (docs/detection.md, section 2): dates and times,
/// durations with a unit, UUIDs, 0x addresses, process ids, epoch numbers next to a word for time,
/// and generated names under temporary directories. Bare integers stay: "9 failed" and "8 failed"
/// are different answers. Changes only `out`; linear in the text.
void append_masked(std::string& out, std::string_view text);

/// A receipt with a mark in place of each part that differs from receipt to receipt. Such parts are
/// numbers after words such as "id" and "job" or after `#` and `/`, and generated names of letters
/// and digits; "task 3 of 40" and "3/40" are progress, and stay. With `numbers`, every number is
/// such a part. Two receipts with equal forms mean the same. Pure.
std::string receipt_form(std::string_view text, bool numbers);

}  // namespace headway::core
