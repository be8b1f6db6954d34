// SPDX-License-Identifier: Apache-2.0
#include "api/calls/screen_moves.hpp"

#include <cstddef>
#include <string>

#include "core/calls/tool_names.hpp"
#include "core/text/words.hpp"

namespace headway::api {
namespace {

/// `e2`, `B12`: where a piece stands or goes.
bool is_square(std::string_view text) {
    return text.size() >= 2 && text.size() <= 3 && core::is_letter(text[0]) &&
           text.find_first_not_of("0123456789", 1) == text.npos;
}

/// True for the id of a record, or how much of something changes hands.
bool is_key_of_record(std::string_view key) {
    static constexpr core::WordList<6> kRecords{
        {"amount", "price", "quantity", "id", "uuid", "sum"}};
    return core::contains(kRecords, key) || key.ends_with("_id") || key.ends_with("-id");
}

/// True if a member says how to move or what to press, and names nothing that is moved.
bool is_of_move(JsonValue member) {
    static constexpr core::WordList<18> kMoves{
        {"action", "move", "key", "keys", "text", "input", "direction", "dir", "button", "step",
         "type", "unit", "mode", "stroke", "axis", "joint", "motor", "wheel"}};
    static constexpr core::WordList<6> kPlaces{
        {"from", "to", "square", "cell", "position", "target"}};
    constexpr std::size_t kKeyBytesMax = 32;
    const std::string key = core::lower(member.key().substr(0, kKeyBytesMax));
    if (is_key_of_record(key) || member.key().ends_with("Id")) return false;
    if (member.kind() != JsonKind::kString) return true;
    const std::string_view value = member.text();
    return value.empty() || core::contains(kMoves, key) || core::is_direction(value) ||
           (core::contains(kPlaces, key) && is_square(value));
}

}  // namespace

bool moves_on_screen(std::string_view tool, const std::optional<JsonValue>& args) {
    if (core::acts_on_screen(tool)) return true;
    if (!core::may_act_on_screen(tool)) return false;
    if (!args || args->kind() != JsonKind::kObject) return true;
    return args->each([](JsonValue member) { return is_of_move(member); });
}

}  // namespace headway::api
