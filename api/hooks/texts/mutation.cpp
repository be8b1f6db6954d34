// SPDX-License-Identifier: Apache-2.0
#include "api/hooks/texts/mutation.hpp"

#include <algorithm>
#include <array>

#include "core/base/limits.hpp"
#include "core/text/bare_code.hpp"
#include "core/text/text.hpp"

namespace headway::api::hooks {
namespace {

constexpr std::array<std::string_view, 3> kFileLines{
    "*** Add File: ", "*** Update File: ", "*** Delete File: "};

/// The path that a line of a patch names, if it begins the part of a file.
std::string_view file_of(std::string_view line) {
    for (const std::string_view prefix : kFileLines) {
        if (line.starts_with(prefix)) return line.substr(prefix.size());
    }
    return {};
}

std::string replaced(std::string_view text, const Replacement& edit) {
    std::string out;
    std::size_t at = 0;
    // An empty `before` stands for the whole of a file that was empty.
    if (edit.before.empty()) return std::string{edit.after};
    for (;;) {
        const std::size_t found = text.find(edit.before, at);
        if (found == std::string_view::npos) break;
        out.append(text.substr(at, found - at)).append(edit.after);
        at = found + edit.before.size();
        if (!edit.all) break;
    }
    return out.append(text.substr(at));
}

void add_digest(std::vector<core::Mutation>& mutated, std::string path, std::string_view text) {
    if (path.empty() || mutated.size() >= core::limits::kListItemsMax) return;
    mutated.push_back({std::move(path), core::to_hex(core::digest_of(text))});
}

}  // namespace

void add_written(std::vector<core::Mutation>& mutated, std::string path, std::string_view content) {
    std::string code = core::code_of_file(path, content);
    // Files of comments only are no copies of each other.
    if (code.empty() && !content.empty()) code = path;
    add_digest(mutated, std::move(path), code);
}

void add_edited(std::vector<core::Mutation>& mutated, std::string path,
                std::optional<std::string_view> original, const Replacement& edit) {
    if (original) return add_written(mutated, std::move(path), replaced(*original, edit));
    const std::string before = core::code_of_file(path, edit.before);
    const std::string after = core::code_of_file(path, edit.after);
    if (before == after) return;  // by its arguments it is an edit of comments
    // The same change of many files is work; one text in many files may be none.
    std::string change = path;
    change.append(1, '\0').append(before).append(1, '\0').append(after);
    add_digest(mutated, std::move(path), change);
}

void add_patched(std::vector<core::Mutation>& mutated, std::string_view patch) {
    std::string_view path;
    std::size_t begin = 0;  // of the part of `path`
    for (std::size_t at = 0; at < patch.size();) {
        const std::size_t end = std::min(patch.find('\n', at), patch.size());
        const std::string_view line = patch.substr(at, end - at);
        const std::string_view next = file_of(line);
        if (!next.empty() || line == "*** End Patch") {
            add_digest(mutated, std::string{path}, patch.substr(begin, at - begin));
            path = next;
            begin = at;
        }
        at = end + 1;
    }
    // A patch whose last line is missing.
    if (!path.empty()) add_digest(mutated, std::string{path}, patch.substr(begin));
}

}  // namespace headway::api::hooks
