// SPDX-License-Identifier: Apache-2.0
#include "api/calls/receipts.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "api/json/canonical_json.hpp"
#include "core/base/assert.hpp"
#include "core/calls/answers.hpp"
#include "core/calls/tool_names.hpp"
#include "core/text/words.hpp"

namespace headway::api {
namespace {

constexpr std::size_t kReceiptBytesMax = 512;
constexpr std::size_t kIdValueMax = 256;

/// `mcp__crawl4ai__md`: the name behind the server's.
std::string_view own_name(std::string_view tool) {
    const std::size_t server = tool.rfind("__");
    return tool.substr(server == tool.npos ? 0 : server + 2);
}

/// True for a member that names the one thing that was made.
bool is_key_of_id(std::string_view key) {
    static constexpr core::WordList<20> kIds{
        {"id",       "uuid",   "guid", "sid",    "ref", "reference", "transaction",
         "txn",      "tx",     "job",  "ticket", "url", "location",  "confirmation",
         "tracking", "number", "link", "href",   "rev", "version"}};
    return core::contains(kIds, key) || key.ends_with("_id") || key.ends_with("-id") ||
           key.ends_with("Id");
}

/// Calls `visit(start, end)` for each value of an id in a canonical text; the value is a string or
/// a number, with its quotes.
template <class Visit>
void each_id(std::string_view canonical, Visit visit) {
    constexpr std::size_t kKeyBytesMax = 32;
    for (std::size_t at = 0; at < canonical.size(); ++at) {
        if (canonical[at] != '{' && canonical[at] != ',') continue;
        std::size_t end = at + 1;
        while (end < canonical.size() && end - at <= kKeyBytesMax &&
               (core::is_word(canonical[end]) || canonical[end] == '-'))
            ++end;
        if (end >= canonical.size() || canonical[end] != ':') continue;
        if (!is_key_of_id(canonical.substr(at + 1, end - at - 1))) continue;
        const std::size_t start = end + 1;
        const bool quoted = start < canonical.size() && canonical[start] == '"';
        const std::string_view value = canonical.substr(start, kIdValueMax);
        const std::size_t size = quoted ? value.find('"', 1) : value.find_first_of(",}");
        if (size == value.npos || size == 0 || value[0] == '{' || value[0] == '[') continue;
        const std::size_t behind = start + size + (quoted ? 1 : 0);
        visit(start, behind);
        at = behind - 1;  // a value may look like members
    }
}

/// True if the question has the value: then it is what was asked about.
bool is_asked_about(std::string_view value, std::string_view question) {
    constexpr std::size_t kQuestionBytesMax = 4096;
    if (value.starts_with('"')) value = value.substr(1, value.size() - 2);
    return value.empty() || question.substr(0, kQuestionBytesMax).find(value) != question.npos;
}

bool shows_receipt(std::string_view canonical, std::string_view plain, std::string_view question) {
    const bool says_so = core::is_acknowledgement(plain) && !core::trimmed(plain).empty();
    return says_so || names_new_id(canonical, question);
}

/// True if the arguments say that the call asks: a GET, an address alone, a query that is no
/// mutation.
bool asks_by_arguments(const std::optional<JsonValue>& args) {
    static constexpr std::array<std::string_view, 1> kMethods{"method"};
    static constexpr std::array<std::string_view, 1> kQueries{"query"};
    const std::string method = core::lower(text_under(args, kMethods));
    const std::string_view query = text_under(args, kQueries);
    static constexpr std::array<std::string_view, 2> kAddresses{"url", "uri"};
    const bool address = !text_under(args, kAddresses).empty() && args->size() == 1;
    return method == "get" || method == "head" || address ||
           (!query.empty() && query.find("mutation") == query.npos);
}

}  // namespace

bool confirms_step(std::string_view answer) {
    constexpr std::size_t kWordMax = 16;
    static constexpr core::WordList<14> kEnds{
        {"jammed", "blocked", "failed", "rejected", "refused", "denied", "unchanged", "stopped",
         "limited", "aborted", "skipped", "exhausted", "finished", "completed"}};
    const std::string word = core::lower(answer.substr(0, kWordMax + 1));
    return word.size() <= kWordMax && word.ends_with("ed") && !core::contains(kEnds, word) &&
           std::all_of(word.begin(), word.end(), core::is_letter);
}

bool names_new_id(std::string_view canonical, std::string_view question) {
    bool names = false;
    if (canonical.size() > kReceiptBytesMax) return false;
    each_id(canonical, [&](std::size_t start, std::size_t end) {
        names = names || !is_asked_about(canonical.substr(start, end - start), question);
    });
    return names;
}

bool may_be_handed_in(const core::ToolFinished& call, const std::optional<JsonValue>& args,
                      std::string_view canonical, std::string_view plain) {
    if (!core::may_only_ask(own_name(call.tool))) return true;
    return !asks_by_arguments(args) && shows_receipt(canonical, plain, call.args.kept);
}

bool is_handed_in(const core::ToolFinished& call, const std::optional<JsonValue>& args,
                  std::string_view canonical, std::string_view plain) {
    const std::string_view name = own_name(call.tool);
    if (core::may_only_ask(name)) return may_be_handed_in(call, args, canonical, plain);
    return core::hands_something_in(call.tool);
}

std::string without_new_ids(std::string_view canonical, std::string_view question) {
    if (canonical.size() > kReceiptBytesMax) return std::string{canonical};
    std::string out;
    std::size_t copied = 0;
    each_id(canonical, [&](std::size_t start, std::size_t end) {
        HEADWAY_ASSERT(copied <= start && start < end);
        if (is_asked_about(canonical.substr(start, end - start), question)) return;
        out.append(canonical, copied, start - copied).push_back('\x02');
        copied = end;
    });
    out.append(canonical, copied, canonical.size() - copied);
    return out;
}

}  // namespace headway::api
