// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "agents/opencode/store.hpp"
#include "cli/base/json.hpp"
#include "cli/scan/report/scan_page.hpp"
#include "cli/scan/report/scan_view.hpp"
#include "cli/scan/scan_cache.hpp"
#include "cli/scan/scan_file.hpp"
#include "cli/scan/scan_totals.hpp"
#include "cli/scan/store_pieces.hpp"
#include "cli/scan/without_values.hpp"
#include "tests/fuzz/bytes.hpp"
#include "tests/fuzz/work.hpp"

// Files of agents' stores, as damaged as can be: read with little work, and what was read can be
// counted, shown, remembered and found again.

using namespace headway;

namespace {

constexpr double kMade = 1.8e9;

/// Prints the session, and reads it back from the cache.
void use(cli::ScannedSession session) {
    tests::require(session.worked >= 0 && session.ended >= session.began);
    for (const cli::CountedUse& use : session.uses)
        tests::require(use.model < session.models.size());
    cli::StoreFile file;
    file.path = "a";
    const cli::StoreState state = cli::state_of(file);
    cli::ScanCache cache;
    std::vector<cli::ScannedSession> sessions;
    sessions.push_back(std::move(session));
    cache.keep("a", state, sessions);
    const cli::ScanCache again = cli::ScanCache::read(cache.write("fuzz"), "fuzz");
    const auto* found = again.find("a", state);
    tests::require(found != nullptr && found->size() == 1);
    tests::require(found->front().uses == sessions.front().uses &&
                   found->front().calls == sessions.front().calls &&
                   found->front().stuck == sessions.front().stuck);
    const cli::ScanTotals totals = cli::count_sessions(*found);
    tests::require(!cli::scan_text(totals, {}).empty());
    tests::require(!cli::dump(cli::scan_json(totals, {})).empty());
    const std::string page = cli::scan_page(totals, kMade, 20);
    tests::require(page.find("<script") == std::string::npos);
}

void read_lines(const std::string& text) {
    const auto never = [] { return false; };
    for (const cli::StoreFormat* format :
         {static_cast<const cli::StoreFormat*>(nullptr), &cli::kClaudeStore, &cli::kCodexStore,
          &cli::kCopilotStore, &cli::kGeminiStore, &cli::kPiStore, &cli::kQwenStore}) {
        const tests::LittleWork work;
        std::istringstream in(text);
        const cli::JudgeOptions options;
        auto session = cli::scan_session(in, format, options, never);
        if (session) use(*std::move(session));
    }
}

void read_messages(const std::string& text) {
    const tests::LittleWork work;
    std::istringstream in(text);
    cli::StoreMessages pieces(in);
    const cli::JudgeOptions options;
    cli::SessionScan judged(options);
    const auto reader = cli::kClineStore.make();
    api::JsonDocument document;
    cli::StoredLine stored;
    std::string_view piece;
    while (pieces.next(piece) != cli::StoreLines::Found::kEnd) {
        if (!document.parse(piece) || document.root().kind() != api::JsonKind::kObject) continue;
        stored.clear();
        reader->take(document.root(), stored);
        judged.take(stored, 1);
    }
    use(judged.finish(reader->about(), reader->open_calls()));
}

/// Lines `m ID JSON` and `p ID JSON`.
void read_rows(std::string_view text) {
    const tests::LittleWork work;
    const cli::JudgeOptions options;
    cli::SessionScan scan(options);
    cli::StoredAbout about;
    about.agent = "opencode";
    cli::OpencodeReader reader(about);
    api::JsonDocument document;
    cli::StoredLine stored;
    std::int64_t created = 0;
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(text.size(), line.size() + 1));
        const std::size_t space = line.find(' ', 2);
        if (line.size() < 4 || space == std::string_view::npos) continue;
        if (!document.parse(line.substr(space)) || document.root().kind() != api::JsonKind::kObject)
            continue;
        stored.clear();
        const std::string_view id = line.substr(2, space - 2);
        created += 1'000;
        if (line[0] == 'm') {
            reader.message(id, created, document.root(), stored);
        } else {
            reader.part(id, created, document.root(), stored);
        }
        scan.take(stored, 1);
    }
    stored.clear();
    reader.end(stored);
    scan.take(stored, 1);
    use(scan.finish(reader.about(), reader.open_calls()));
}

void leave_out(std::string_view text) {
    const tests::LittleWork work;
    std::string kept;
    const std::string_view rest = cli::without_values(text, cli::kClaudeStore.unread, kept);
    api::JsonDocument whole;
    if (!whole.parse(text)) return;
    api::JsonDocument less;
    tests::require(less.parse(rest).has_value());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    tests::Bytes bytes{data, size};
    const std::size_t what = bytes.choose(5);
    if (what == 0) read_lines(std::string{bytes.rest()});
    if (what == 1) read_messages(std::string{bytes.rest()});
    if (what == 2) read_rows(bytes.rest());
    if (what == 3) leave_out(bytes.rest());
    if (what == 4)
        cli::ScanCache::read("headway scan 1\nfuzz\n" + std::string{bytes.rest()}, "fuzz");
    return 0;
}
