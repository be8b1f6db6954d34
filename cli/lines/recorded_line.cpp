// SPDX-License-Identifier: Apache-2.0
#include "cli/lines/recorded_line.hpp"

#include <utility>

#include "cli/base/text.hpp"

namespace headway::cli {
// NUL is refused by the daemon, and recordings of shells hold some.
void drop_nul(Json& value) {
    if (value.text().find('\0') != std::string::npos) {
        std::string text = value.text();
        std::erase(text, '\0');
        value = std::move(text);
    } else if (value.is_array()) {
        for (Json& element : value.list())
            drop_nul(element);
    } else if (value.is_object()) {
        for (auto& [name, member] : value.members())
            drop_nul(member);
    }
}

bool has(const Json& line, const char* name) {
    return !line[name].is_null();
}

std::string short_text(const Json& value) {
    const std::string text = value.is_string() ? value.text() : dump(value);
    return std::string(cut_bytes(text, kShortTextBytesMax));
}

void copy_string(const Json& line, const char* from, Json& data, const char* to) {
    if (has(line, from)) data[to] = short_text(line[from]);
}

void copy_as_is(const Json& line, const char* from, Json& data, const char* to) {
    if (has(line, from)) data[to] = line[from];
}

void copy_integer(const Json& line, const char* from, Json& data, const char* to) {
    if (has(line, from) && line[from].is_integer()) data[to] = line[from];
}

}  // namespace headway::cli
