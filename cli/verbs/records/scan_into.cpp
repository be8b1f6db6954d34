// SPDX-License-Identifier: Apache-2.0
#include "cli/verbs/records/scan_into.hpp"

#include <map>
#include <ostream>
#include <string>
#include <utility>

#include "cli/base/clock.hpp"
#include "cli/base/exit_code.hpp"
#include "cli/base/json.hpp"
#include "cli/base/progress_bar.hpp"
#include "cli/base/text.hpp"
#include "cli/observe/session_import.hpp"

namespace headway::cli {
namespace {

using ImportResult = SessionImport::Result;

std::string sessions_text(std::size_t count) {
    return std::to_string(count) + (count == 1 ? " session" : " sessions");
}

Json import_json(const ImportResult& result, const ScanIntoOptions& options,
                 const std::vector<std::string>& skipped) {
    Json left_out = Json::array();
    for (const auto& [why, sessions] : result.left_out)
        left_out.push_back({{"reason", why}, {"sessions", sessions}});
    return {{"into", options.client.url},
            {"dry_run", options.dry_run},
            {"added", result.added},
            {"events", result.events},
            {"cut", result.cut},
            {"known", result.known},
            {"left_out", std::move(left_out)},
            {"stopped", result.stopped},
            {"failed", result.failure.has_value()},
            {"skipped", Json(skipped)}};
}

void print_import(const ImportResult& result, const ScanIntoOptions& options,
                  const Console& console) {
    console.out << sessions_text(result.added)
                << (options.dry_run ? " would be added" : " added to the history");
    if (!options.dry_run && result.added > 0) console.out << " (" << result.events << " events)";
    console.out << ", " << result.known << (result.known == 1 ? " was" : " were")
                << " there already.\n";
    if (result.cut > 0)
        console.out << "cut: " << sessions_text(result.cut) << " after " << kRecordedEventsMax
                    << " events\n";
    for (const auto& [why, sessions] : result.left_out)
        console.out << "left out: " << sessions_text(sessions) << ": " << clean_line(why) << "\n";
    if (result.stopped) console.err << "stopped: the same command adds the rest\n";
}

int explain_import(const HttpReply& reply, const Daemon& daemon, const Console& console) {
    const std::string code = problem_of(reply).code;
    if (code == "unknown_route" && daemon.path_advice().empty())
        return complain(console, kExitFailed,
                        "the daemon at " + daemon.url() + " is too old to take stored sessions",
                        "update headway where it runs; `headway version` shows both versions");
    if (reply.status == 403)
        return complain(console, kExitFailed, problem_of(reply).detail,
                        "the history takes sessions by a token with the scope `control`, as the "
                        "operator's: --token-file or HEADWAY_TOKEN");
    return explain_failure(console, daemon, reply);
}

}  // namespace

int put_into(const ScanIntoOptions& options, const FoundStores& found,
             const std::vector<ScannedSession>& sessions, const std::function<bool()>& stopped,
             const Console& console) {
    std::map<std::string, const StoreFile*> files;
    for (const StoreFile& file : found.files)
        files.emplace(file.path.string(), &file);
    std::vector<StoredSession> stored;
    for (const ScannedSession& session : sessions) {
        const auto file = files.find(session.file);
        if (file != files.end()) stored.push_back({&session, file->second});
    }
    sort_for_history(stored);
    Daemon daemon(options.client.url, options.client.credential);
    daemon.set_url_option(options.client.url_option);
    ImportResult result;
    {
        ProgressBar bar(console, "adding", stored.size());
        SessionImport::Setup setup;
        setup.dry_run = options.dry_run;
        setup.now = static_cast<double>(wall_now().time_since_epoch().count()) / 1'000.0;
        setup.stop = stopped;
        setup.step = [&bar] { bar.step(); };
        result = SessionImport(std::move(setup), daemon).run(stored);
    }
    if (options.json) {
        console.out << dump(import_json(result, options, found.skipped)) << "\n";
    } else {
        print_import(result, options, console);
    }
    return result.failure ? explain_import(*result.failure, daemon, console) : kExitOk;
}

}  // namespace headway::cli
