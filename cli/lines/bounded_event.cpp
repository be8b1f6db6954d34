// SPDX-License-Identifier: Apache-2.0
#include "cli/lines/bounded_event.hpp"

#include <algorithm>
#include <utility>

#include "cli/base/text.hpp"
#include "cli/lines/recorded_line.hpp"
#include "core/text/sha256.hpp"

namespace headway::cli {
namespace {

constexpr std::size_t kLineNameBytesMax = 200;  // below "string" of API.md, also when escaped
constexpr std::size_t kArgBytesMax = 2'048;     // of each argument, once all of them are too long
constexpr std::size_t kCutArgumentsMax = 16;    // then; together they stay below 32 KiB
constexpr std::size_t kLineDepthMax = 24;       // the daemon reads 64 levels, some are around this
constexpr std::size_t kMarkBytesMax = 40;       // "[... bytes cut]" with any number
constexpr std::size_t kListedMax = 64;          // files and steps that one line names

bool deeper_than(const Json& value, std::size_t depth) {
    if (depth == 0) return value.size() > 0 && (value.is_array() || value.is_object());
    return std::any_of(value.begin(), value.end(),
                       [depth](const Json& part) { return deeper_than(part, depth - 1); }) ||
           std::any_of(value.members().begin(), value.members().end(),
                       [depth](const auto& part) { return deeper_than(part.second, depth - 1); });
}

std::string digest_of(std::string_view text) {
    return "sha256:" + core::sha256_hex(text);
}

std::string words_of(const Json& value) {
    return value.is_string() ? value.text() : dump(value);
}

// The digest says what was equal, so the cut form may be shared by different values.
void bound_value(Json& data, const char* name, const char* digest) {
    if (!data.contains(name)) return;
    Json& value = data[name];
    const std::string words = words_of(value);
    if (words.size() > kLineTextBytesMax) {
        data[digest] = digest_of(words);
        value = bounded_text(words);
    } else if (deeper_than(value, kLineDepthMax)) {
        value = words;
    }
}

void bound_args(Json& data) {
    Json& args = data["args"];
    const std::string words = words_of(args);
    const bool deep = deeper_than(args, kLineDepthMax);
    if (words.size() <= kLineTextBytesMax && !deep) return;
    data["args_digest"] = digest_of(words);
    if (!args.is_object()) {
        data["args"] = bounded_text(words);
        return;
    }
    Json cut = Json::object();
    for (const auto& [name, value] : args.members()) {
        if (cut.size() == kCutArgumentsMax) break;
        const std::string text = words_of(value);
        const bool whole = text.size() <= kArgBytesMax && !deeper_than(value, kLineDepthMax);
        const std::string key{cut_bytes(name, kLineNameBytesMax)};
        cut[key] = whole ? value : Json(bounded_text(text, kArgBytesMax));
    }
    data["args"] = std::move(cut);
}

void bound_list(Json& data, const char* name) {
    if (!data.contains(name)) return;
    Json::List& list = data[name].list();
    if (list.size() > kListedMax) list.resize(kListedMax);
    for (Json& element : list) {
        for (auto& [key, value] : element.members())
            value = std::string(cut_bytes(words_of(value), kLineNameBytesMax));
    }
}

void bound_name(Json& data, const char* name) {
    if (!data.contains(name)) return;
    data[name] = std::string(cut_bytes(words_of(data[name]), kLineNameBytesMax));
}

}  // namespace

std::string bounded_text(std::string_view text, std::size_t bytes_max) {
    if (text.size() <= bytes_max) return std::string(text);
    const std::string_view head = cut_bytes(text, bytes_max / 4 * 3 - kMarkBytesMax);
    std::size_t tail = text.size() - bytes_max / 4;
    while (tail < text.size() && (static_cast<unsigned char>(text[tail]) & 0xC0U) == 0x80U)
        ++tail;
    return std::string(head) + "\n[" + std::to_string(tail - head.size()) + " bytes cut]\n" +
           std::string(text.substr(tail));
}

void bound_event(LineEvent& event) {
    Json& data = event.data;
    drop_nul(data);
    for (const char* name : {"call_id", "tool", "class", "role", "state", "detail", "trigger"})
        bound_name(data, name);
    if (data.contains("args")) bound_args(data);
    bound_value(data, "result", "result_digest");
    for (const char* name : {"mutated", "steps"})
        bound_list(data, name);
    for (const char* name : {"text", "message"}) {
        if (data.contains(name)) data[name] = bounded_text(words_of(data[name]));
    }
    if (!data.contains("error")) return;
    Json& error = data["error"];
    bound_name(error, "class");
    error["message"] = bounded_text(words_of(error["message"]));
}

}  // namespace headway::cli
