// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace headway::core {

/// Appends `text` without its volatile parts (docs/detection.md, section 2): dates and times,
/// durations with a unit, UUIDs, 0x addresses, process ids, epoch numbers next to a time word, and
/// generated names under temporary directories. Bare integers stay: "9 failed" and "8 failed" are
/// different answers. Pure; linear in the text.
void append_masked(std::string& out, std::string_view text);

/// A receipt without the parts that differ in the next one: numbers after words such as "id" and
/// "job", addresses, and names of letters and digits; with `numbers` every number. Two receipts of
/// one form mean the same. Pure.
std::string receipt_form(std::string_view text, bool numbers);

}  // namespace headway::core
