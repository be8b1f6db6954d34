// SPDX-License-Identifier: Apache-2.0
#include "api/records/handed_in.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "api/calls/receipts.hpp"
#include "api/records/call_shape.hpp"
#include "core/base/assert.hpp"
#include "core/calls/answers.hpp"
#include "core/calls/command.hpp"
#include "core/calls/mask.hpp"
#include "core/calls/tool_names.hpp"
#include "core/text/words.hpp"

namespace headway::api {
namespace {

using core::CallFingerprint;
using core::CallKind;

enum class Handed : std::uint8_t {
    kNo,
    kComputes,  ///< by a POST or a script, which may compute something as well
    kBegins,    ///< its words say so
};

/// `curl -X POST`, also by its data. Many services take questions in this way.
bool posts(std::string_view part) {
    static constexpr std::array<std::string_view, 3> kClients{"curl", "http", "https"};
    static constexpr std::array<std::string_view, 6> kPosts{" POST",   " -XPOST", " -d",
                                                            " --data", " --json", " --form"};
    static constexpr std::array<std::string_view, 8> kElse{
        " -G", " GET", " -XGET", " PUT", " -XPUT", " DELETE", " -XDELETE", " HEAD"};
    static constexpr std::array<std::string_view, 14> kAsks{
        "status", "state", "search", "query", "poll",  "progress", "check",
        "health", "list",  "/token", "login", "/auth", "result",   "/get"};
    return core::is_one_of(part, kClients) && core::mentions(part, kPosts) &&
           !core::mentions(part, kElse) && !core::mentions(core::lower(part), kAsks);
}

/// `aws ecs run-task`, `gh workflow run`, `sbatch`, `eas build --no-wait`.
bool runs_elsewhere(std::string_view part, std::string_view words) {
    static constexpr std::array<std::string_view, 2> kRuns{" run-", "workflow run"};
    static constexpr std::array<std::string_view, 2> kFlags{" --no-wait", " --async"};
    static constexpr std::array<std::string_view, 3> kSchedulers{"sbatch", "qsub", "bsub"};
    return core::mentions(words, kRuns) || core::mentions(part, kFlags) ||
           core::is_one_of(words, kSchedulers);
}

/// A container that is left to run, a record of a database, a mail.
bool makes_one(std::string_view part, std::string_view bare) {
    static constexpr std::array<std::string_view, 4> kContainers{
        "docker run", "podman run", "nerdctl run", "docker container run"};
    static constexpr std::array<std::string_view, 5> kDetached{" -d ", " --detach", " -dit ",
                                                               " -itd ", " -dt "};
    static constexpr std::array<std::string_view, 5> kDatabases{"psql", "mysql", "mariadb",
                                                                "sqlite3", "mongosh"};
    static constexpr std::array<std::string_view, 2> kInserts{"insert into", "insertone("};
    static constexpr std::array<std::string_view, 6> kMailers{"sendmail", "mail",  "mailx",
                                                              "mutt",     "msmtp", "swaks"};
    if (core::is_one_of(bare, kContainers)) return core::mentions(part, kDetached);
    if (core::is_one_of(part, kDatabases)) return core::mentions(core::lower(part), kInserts);
    return core::is_one_of(part, kMailers);
}

/// True for the end of a pipe, which only shortens the answer of what stands before it.
bool shortens(std::string_view part) {
    static constexpr std::array<std::string_view, 11> kFilters{
        "tail", "head", "jq", "grep", "cut", "tr", "awk", "sort", "uniq", "sed", "column"};
    return core::is_one_of(part, kFilters);
}

/// A script of one's own may count what it has done, or what is left.
bool is_script(std::string_view words) {
    static constexpr std::array<std::string_view, 8> kRunners{"python", "python3", "node", "bash",
                                                              "sh",     "ruby",    "php",  "uv"};
    return core::is_one_of(words, kRunners) ||
           words.substr(0, words.find(' ')).find('/') != words.npos;
}

/// A line that also looks at something answers with what it sees there.
Handed by_command(std::string_view line) {
    if (line.size() > kShapeBytesMax) return Handed::kNo;  // the rest may do anything
    Handed handed = Handed::kNo;
    for (const std::string_view part : core::CommandParts{line}) {
        std::string buffer;
        const std::string_view bare = core::without_options(part, buffer);
        std::string_view words = bare.substr(0, bare.find_first_of("'\"<|"));
        words = words.substr(0, words.find(" -"));
        if (!shortens(part) && core::only_looks(part)) return Handed::kNo;
        if (core::has_no_effect(part)) continue;
        const bool begins =
            core::begins_work(words) || runs_elsewhere(part, words) || makes_one(part, bare);
        if (begins && !is_script(words))
            handed = Handed::kBegins;
        else if (begins || posts(part))
            handed = std::max(handed, Handed::kComputes);
    }
    return handed;
}

/// A command that an agent leaves to run (also as Claude's hooks report it); one with a sleep waits
/// for something.
bool left_running(const core::ToolFinished& call, std::string_view command) {
    static constexpr std::array<std::string_view, 2> kLeft{"unning in background with ID",
                                                           "it goes on in the background"};
    return core::mentions(call.result.kept, kLeft) && !core::sleeps_and_more(command) &&
           !core::only_looks(command);
}

Handed handed_in(const CallFingerprint& fingerprint, const core::ToolFinished& call,
                 const std::optional<JsonValue>& args, std::string_view command,
                 std::string_view plain, std::string_view canonical) {
    const bool edits = fingerprint.kind == CallKind::kEdit && !call.args.empty();
    if (!call.ok || (!edits && fingerprint.kind != CallKind::kOther)) return Handed::kNo;
    if (!command.empty())
        return left_running(call, command) ? Handed::kBegins : by_command(command);
    static constexpr std::array<std::string_view, 1> kMethods{"method"};
    const std::string method = core::lower(text_under(args, kMethods));
    // `mcp__crawl4ai__md`: the name behind the server's.
    const std::size_t server = call.tool.rfind("__");
    const std::string_view name =
        std::string_view{call.tool}.substr(server == std::string::npos ? 0 : server + 2);
    const bool begins = method != "get" && method != "head" && core::begins_work(name) &&
                        may_be_handed_in(call, args, canonical, plain);
    return begins ? Handed::kBegins : Handed::kNo;
}

/// The canonical text without ids whose start looks like a time and was masked alone: `5d4f0c31`.
std::string without_rests(std::string_view canonical) {
    constexpr std::size_t kRestBytesMin = 4;
    std::string out;
    for (std::size_t at = 0; at < canonical.size(); ++at) {
        out.push_back(canonical[at]);
        if (canonical[at] != '\x01') continue;
        std::size_t end = at + 1;
        while (end < canonical.size() && core::is_word(canonical[end]))
            ++end;
        if (end - at <= kRestBytesMin) continue;
        out.back() = '\x02';
        at = end - 1;
    }
    return out;
}

/// The end of what Kubernetes puts behind a name, `mig-x7k2p`, or `at`: five letters without vowels
/// and digits, which may be letters alone.
std::size_t made_up_end(std::string_view text, std::size_t at) {
    constexpr std::string_view kLetters = "bcdfghjklmnpqrstvwxz2456789";
    constexpr std::size_t kBytes = 5;
    const std::string_view word = text.substr(at, kBytes);
    const bool alone = at > 0 && text[at - 1] == '-' && word.size() == kBytes &&
                       (at + kBytes == text.size() || !core::is_word(text[at + kBytes]));
    return alone && word.find_first_not_of(kLetters) == word.npos ? at + kBytes : at;
}

/// A receipt also without addresses of hardware, `0a:5f:cc:…`, of which a part may be letters.
std::string form_of(std::string_view canonical, bool numbers) {
    const std::string text = core::receipt_form(without_rests(canonical), numbers);
    std::string out;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (const std::size_t end = made_up_end(text, at); end != at) {
            out.push_back('\x02');
            at = end - 1;
            continue;
        }
        const bool pair = at > 0 && text[at - 1] == ':' && at + 1 < text.size() &&
                          core::is_hex(text[at]) && core::is_hex(text[at + 1]) &&
                          (at + 2 == text.size() || !core::is_word(text[at + 2]));
        out.push_back(pair ? '\x02' : text[at]);
        at += pair ? 1 : 0;
    }
    HEADWAY_ASSERT(out.size() <= canonical.size());
    return out;
}

/// An id of hex digits and nothing else, as of a container.
bool is_bare_id(std::string_view text) {
    constexpr std::size_t kBytesMin = 12;
    return text.size() >= kBytesMin && std::all_of(text.begin(), text.end(), core::is_hex);
}

bool tells_a_fault(std::string_view answer) {
    static constexpr std::array<std::string_view, 5> kFaultWords{"error", "fail", "invalid",
                                                                 "denied", "not "};
    return core::mentions(core::lower(answer), kFaultWords);
}

}  // namespace

bool shape_handed_in(CallFingerprint& fingerprint, const core::ToolFinished& call,
                     const std::optional<JsonValue>& args, std::string_view command,
                     std::string_view plain, std::string& canonical) {
    constexpr std::size_t kReceiptBytesMax = 512;
    constexpr std::size_t kDocumentBytesMax = 8192;  // of a machine that is being made
    if (canonical.size() > kDocumentBytesMax) return false;
    const Handed handed = handed_in(fingerprint, call, args, command, plain, canonical);
    if (handed == Handed::kNo) return false;
    const bool queued = std::exchange(fingerprint.running, false);
    const std::string_view text = core::trimmed(plain);
    const bool document = text.starts_with('{') || text.starts_with('[');
    const bool accepted = document || core::is_acknowledgement(text) || is_bare_id(text) ||
                          text.find("INSERT 0 ") != text.npos;  // of PostgreSQL, below its ids
    const bool answers = command.empty() ? names_new_id(canonical, call.args.kept) : accepted;
    const bool receipt = queued || (answers && !tells_a_fault(text));
    fingerprint.set(core::Shape::kAcknowledged, receipt);
    fingerprint.measured = fingerprint.measured && !receipt;  // `--profile` is no benchmark here
    if (fingerprint.kind == CallKind::kEdit && fingerprint.path != 0 && command.empty())
        return false;
    if (!receipt && canonical.size() > kReceiptBytesMax) return true;
    static constexpr std::array<std::string_view, 3> kLeft{" of ", " left", "remaining"};
    const bool counts = !command.empty() && !document && core::mentions(text, kLeft);
    const bool numbers =
        !counts && (queued || command.empty() || (receipt && handed == Handed::kBegins));
    canonical = form_of(without_new_ids(canonical, call.args.kept), numbers);
    return true;
}

}  // namespace headway::api
