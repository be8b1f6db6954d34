// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

namespace headway::config {

/// Value of a preset for one key, in the form that Key::assign reads.
struct PresetValue {
    std::string_view key;
    std::string_view text;
};

/// The values of a preset, which apply to keys that no other source sets; empty for "none".
/// docs/first-designs.md names the origin of each value. Any thread.
std::span<const PresetValue> preset_values(std::string_view preset) noexcept;

}  // namespace headway::config
