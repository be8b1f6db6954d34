// SPDX-License-Identifier: Apache-2.0
#include "api/judge/judge_args.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "api/json/json_document.hpp"
#include "api/judge/data_fence.hpp"
#include "core/base/limits.hpp"
#include "core/redaction/sanitize.hpp"

namespace headway::api {
namespace {

namespace limits = core::limits;

constexpr std::size_t kMemberBytesMax = 8192;  ///< a text that is kept whole is never longer
constexpr std::size_t kSameStartMin = 60;      ///< a common start from here on is left out
constexpr std::size_t kSameStartShown = 20;    ///< except for so much of its end

struct Member {
    std::string key;
    std::string text;  ///< compact JSON of the value
};

/// Nothing when the arguments are no object, or were cut.
std::vector<Member> members_of(const core::Json& args) {
    std::vector<Member> members;
    JsonDocument document;
    if (!args.whole() || !document.parse(args.kept) ||
        document.root().kind() != JsonKind::kObject) {
        return members;
    }
    document.root().each([&members](JsonValue value) {
        Member& member = members.emplace_back();
        member.key = value.key();
        value.append_to(member.text);
        return true;
    });
    return members;
}

const Member* find(const std::vector<Member>& members, const std::string& key) {
    const auto found = std::find_if(members.begin(), members.end(),
                                    [&key](const Member& member) { return member.key == key; });
    return found == members.end() ? nullptr : &*found;
}

/// Name and value without secrets: whether a value is one, its name may tell.
std::string clean(const Member& member) {
    return core::sanitized("\"" + member.key + "\":" + member.text, "/", kMemberBytesMax);
}

/// Part of a long value from its first change on.
std::string changed(const Member* before, const Member& now) {
    const std::string text = clean(now);
    if (before == nullptr) return inert(text, limits::kJudgeValueBytesMax);
    const std::string old = clean(*before);
    const auto [here, there] = std::mismatch(text.begin(), text.end(), old.begin(), old.end());
    auto same = static_cast<std::size_t>(here - text.begin());
    if (same < kSameStartMin) return inert(text, limits::kJudgeValueBytesMax);
    same -= kSameStartShown;
    while (same > 0 && (static_cast<unsigned char>(text[same]) & 0xc0U) == 0x80U)
        --same;
    return inert("\"" + now.key + "\":", limits::kJudgeNameBytesMax) + "…" +
           inert(std::string_view{text}.substr(same), limits::kJudgeValueBytesMax);
}

bool equal(const core::Json& a, const core::Json& b) {
    return a.kept == b.kept && a.bytes == b.bytes && a.digest == b.digest;
}

}  // namespace

std::string args_change(const core::Json* before, const core::Json& now) {
    if (now.empty()) return {};
    if (before != nullptr && equal(*before, now)) return "as in its last use";
    const std::vector<Member> members = members_of(now);
    if (members.empty()) return inert_clean(now.kept, limits::kJudgeArgsBytesMax);

    const std::vector<Member> old = before == nullptr ? std::vector<Member>{} : members_of(*before);
    std::string out;
    std::size_t same = 0;
    const auto add = [&out](const std::string& text) {
        if (!out.empty()) out += ", ";
        out += text;
    };
    for (const Member& member : members) {
        const Member* was = find(old, member.key);
        if (was != nullptr && was->text == member.text) {
            ++same;
        } else if (out.size() < limits::kJudgeArgsBytesMax) {
            add(changed(was, member));
        }
    }
    for (const Member& member : old) {
        const bool gone = find(members, member.key) == nullptr;
        if (gone && out.size() < limits::kJudgeArgsBytesMax) {
            add("without " + inert(member.key, limits::kJudgeNameBytesMax));
        }
    }
    if (out.size() > limits::kJudgeArgsBytesMax) {
        out = std::string{core::cut_text(out, limits::kJudgeArgsBytesMax - 3)} + "…";
    }
    if (out.empty()) return "as in its last use, in another order";
    if (same > 0) out += " (" + std::to_string(same) + " more as in its last use)";
    return out;
}

std::string plain_text(const core::Json& json) {
    JsonDocument document;
    const bool string = json.whole() && json.kept.starts_with('"') && document.parse(json.kept) &&
                        document.root().kind() == JsonKind::kString;
    return string ? std::string{document.root().text()} : json.kept;
}

}  // namespace headway::api
