// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <memory>
#include <numeric>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "cli/base/exit_code.hpp"
#include "cli/base/in_parallel.hpp"
#include "cli/base/json.hpp"
#include "cli/base/progress_bar.hpp"
#include "cli/base/stop_signals.hpp"
#include "cli/base/text.hpp"
#include "cli/line/verb.hpp"
#include "cli/process/report_file.hpp"
#include "cli/scan/find_stores.hpp"
#include "cli/scan/report/scan_page.hpp"
#include "cli/scan/report/scan_view.hpp"
#include "cli/scan/scan_cache.hpp"
#include "cli/scan/scan_file.hpp"
#include "cli/scan/scan_totals.hpp"
#include "cli/scan/scanned_session.hpp"
#include "cli/verbs/records/scan_into.hpp"
#include "cli/views/timeline_view.hpp"

// `headway scan`: what the agents on this machine have done, from their stored sessions.

namespace headway::cli {
namespace {

struct ScanOptions {
    std::vector<std::string> paths;  ///< empty: the stores of known agents
    std::string agent;               ///< empty: all
    std::string project;             ///< part of the folder's path; empty: all
    std::string show;                ///< beginning of a session's id; empty: none
    std::optional<milliseconds> since;
    std::uint64_t rows = 20;
    std::string html;  ///< file for a page; empty: none
    bool no_cache = false;
    ScanIntoOptions into;
};

/// Result of one file.
struct ScannedFile {
    std::vector<ScannedSession> sessions;
    StoreState state;
    std::string trouble;  ///< empty: it was read
    bool whole = false;   ///< it was read now, to its end
};

class Scan {
public:
    Scan(const ScanOptions& options, const Console& console)
        : options_(options), console_(console) {}

    int run() {
        if (!options_.html.empty()) {
            const auto writable = ReportFile(options_.html).check();
            if (!writable) return complain(console_, kExitUsage, writable.error().detail);
        }
        found_ = options_.paths.empty() ? find_stores(console_.environment)
                                        : find_stores(options_.paths);
        // The rest of a folder that is not looked at is not forgotten.
        if (!options_.no_cache) cache_file_ = scan_cache_path(console_.environment);
        cache_ = load_scan_cache(cache_file_);
        if (options_.paths.empty()) cache_.keep_only(found_.files);
        keep_recent();
        read_files();
        if (reread_ > 0) store_scan_cache(cache_file_, cache_);
        if (!options_.show.empty()) return show();
        if (!options_.into.client.url.empty()) {
            say_left_out();
            if (found_none()) return say_nothing();
            return put_into(
                options_.into, found_, sessions_, [this] { return stopped(); }, console_);
        }
        const ScanTotals totals = count_sessions(sessions_);
        if (options_.into.json) {
            console_.out << dump(scan_json(totals, found_.skipped)) << "\n";
            return found_none() ? say_nothing() : kExitOk;
        }
        say_left_out();
        if (found_none()) return say_nothing();
        if (!options_.html.empty()) return write_page(totals);
        console_.out << scan_text(totals, {console_.width, console_.color, options_.rows});
        return kExitOk;
    }

private:
    void keep_recent() {
        if (!options_.since) return;
        const auto now = std::chrono::system_clock::now().time_since_epoch();
        least_ =
            std::chrono::duration_cast<std::chrono::nanoseconds>(now - *options_.since).count();
        std::erase_if(found_.files, [this](const StoreFile& file) {
            return std::max(file.changed, state_of(file).log_changed) < least_;
        });
    }

    int write_page(const ScanTotals& totals) {
        const auto now = std::chrono::system_clock::now().time_since_epoch();
        const double written_at = std::chrono::duration<double>(now).count();
        const ReportFile file(options_.html);
        const std::string page = scan_page(totals, written_at, options_.rows);
        if (file.is_output()) {
            console_.out << page;
        } else if (const auto written = file.write(page); !written) {
            return complain(console_, kExitFailed, written.error().detail);
        }
        return kExitOk;
    }

    /// After Ctrl-C there may be some in the rest.
    bool found_none() const { return sessions_.empty() && !stop_; }

    bool chooses() const {
        return options_.since || !options_.agent.empty() || !options_.project.empty();
    }

    int say_nothing() {
        std::string looked;
        for (const std::string& place : found_.looked)
            looked += (looked.empty() ? "" : ", ") + place;
        return complain(console_, kExitFailed, "no sessions found in " + clean_line(looked),
                        chooses()
                            ? "leave out --agent, --project or --since, or name a folder"
                            : "name a file or a folder: headway scan ~/backup/.claude/projects");
    }

    ScannedFile read_file(const StoreFile& file) {
        ScannedFile read;
        read.state = state_of(file);
        if (const auto* known = cache_.find(file.path.string(), read.state);
            known != nullptr && std::none_of(known->begin(), known->end(), [this](const auto& one) {
                return is_shown(one);  // its verdicts are not remembered
            })) {
            read.sessions = *known;
            return read;
        }
        const JudgeOptions judging;
        auto sessions = scan_file(file, judging, [this] { return stopped(); });
        if (!sessions) {
            read.trouble = sessions.error().detail;
            return read;
        }
        read.whole = !stopped();
        read.sessions = std::move(*sessions);
        for (ScannedSession& session : read.sessions)
            if (!is_shown(session)) session.timeline = {};
        return read;
    }

    /// A file that has just changed may change again within one tick of its clock.
    static bool is_settled(const StoreState& state) {
        constexpr std::chrono::seconds kSettled{2};
        const auto now = std::chrono::system_clock::now().time_since_epoch() - kSettled;
        const auto least = std::chrono::nanoseconds(now).count();
        return state.changed < least && state.log_changed < least;
    }

    void take(const StoreFile& file, ScannedFile read) {
        const std::string path = file.path.string();
        if (!read.trouble.empty()) found_.skipped.push_back(path + ": " + read.trouble);
        if (read.whole && !cache_file_.empty() && is_settled(read.state)) {
            cache_.keep(path, read.state, read.sessions);
            ++reread_;
        }
        for (ScannedSession& session : read.sessions) {
            if (session.lines > 0 && session.broken == 0 && session.is_empty()) ++not_understood_;
            if (session.broken > 0 && session.is_empty())
                found_.skipped.push_back(path + ": no session, " + broken_lines_of(session));
            if (!wanted(session)) continue;
            if (session.broken > 0) broken_.push_back(path + ": " + broken_lines_of(session));
            sessions_.push_back(std::move(session));
        }
    }

    /// Large files first, so that the last one does not hold up the end.
    std::vector<std::size_t> order_of_files() const {
        std::vector<std::size_t> order(found_.files.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::stable_sort(order.begin(), order.end(), [this](std::size_t a, std::size_t b) {
            return found_.files[a].bytes > found_.files[b].bytes;
        });
        return order;
    }

    /// True once Ctrl-C was pressed: the sessions read until then are printed.
    bool stopped() {
        if (!stop_ && signals_.came(std::chrono::milliseconds{0})) stop_ = true;
        return stop_;
    }

    void read_files() {
        std::vector<ScannedFile> read(found_.files.size());  // each thread writes its own elements
        const std::vector<std::size_t> order = order_of_files();
        {
            ProgressBar bar(console_, "reading", found_.files.size());
            in_parallel(found_.files.size(), [&] {
                return [&](std::size_t place) {
                    if (stopped()) return;
                    const std::size_t i = order[place];
                    try {
                        read[i] = read_file(found_.files[i]);
                    } catch (const std::exception& error) {
                        read[i].trouble = error.what();
                    }
                    bar.step();
                };
            });
        }
        for (std::size_t i = 0; i < read.size(); ++i)
            take(found_.files[i], std::move(read[i]));
    }

    bool wanted(const ScannedSession& session) const {
        if (session.is_empty()) return false;
        // A database holds the sessions of years.
        if (session.ended != 0 && session.ended * 1e9 < static_cast<double>(least_)) return false;
        return (options_.agent.empty() || session.about.agent == options_.agent) &&
               session.about.project.find(options_.project) != std::string::npos;
    }

    bool is_shown(const ScannedSession& session) const {
        return !options_.show.empty() && session.about.id.starts_with(options_.show);
    }

    int show() {
        std::vector<const ScannedSession*> shown;
        for (const ScannedSession& session : sessions_) {
            if (!is_shown(session)) continue;
            // One with exactly this id is meant, whatever others begin so.
            if (session.about.id == options_.show) return show_one(session);
            shown.push_back(&session);
        }
        if (shown.size() == 1) return show_one(*shown.front());
        if (shown.empty())
            return complain(console_, kExitFailed,
                            "no stored session begins with " + clean_line(options_.show),
                            "`headway scan --json` lists the ids");
        const std::size_t listed = std::min<std::size_t>(shown.size(), options_.rows);
        for (std::size_t i = 0; i < listed; ++i)
            console_.err << clean_line(shown[i]->about.id + " " + shown[i]->about.agent + " " +
                                       shown[i]->file)
                         << "\n";
        return complain(console_, kExitFailed,
                        std::to_string(shown.size()) + " stored sessions begin with " +
                            clean_line(options_.show),
                        "write more of the id");
    }

    int show_one(const ScannedSession& session) {
        if (options_.into.json) {
            console_.out << dump(timeline_json(session.about.id, session.timeline, false)) << "\n";
            return kExitOk;
        }
        console_.out << clean_line(session.file) << "\n"
                     << timeline_text(session.about.id, session.timeline,
                                      {console_.width, console_.color, false});
        return kExitOk;
    }

    void say(std::string_view what, const std::vector<std::string>& files) {
        constexpr std::size_t kShown = 5;
        const std::size_t shown = std::min(kShown, files.size());
        for (std::size_t i = 0; i < shown; ++i)
            console_.err << what << clean_line(files[i]) << "\n";
        if (files.size() > shown)
            console_.err << "... and " << files.size() - shown << " files more; --json lists all\n";
    }

    void say_left_out() {
        say("skipped: ", found_.skipped);
        say("in part: ", broken_);
        if (not_understood_ > 0)
            console_.err << "left out: " << not_understood_
                         << " stored sessions in which nothing is understood\n";
        if (stop_) console_.err << "stopped: the files behind this were not read\n";
    }

    const ScanOptions& options_;
    const Console& console_;
    FoundStores found_;
    std::int64_t least_ = 0;  ///< nanoseconds since 1970: what ended before is not wanted
    std::string cache_file_;  ///< empty: none
    ScanCache cache_;
    std::size_t reread_ = 0;  ///< files that the cache did not know
    std::vector<ScannedSession> sessions_;
    std::vector<std::string> broken_;  ///< files of which not every line could be read
    std::size_t not_understood_ = 0;   ///< sessions without damage of which no line is known
    StopSignals signals_;
    std::atomic<bool> stop_ = false;
};

class ScanVerb : public VerbOf<ScanOptions> {
public:
    void declare(Arguments& arguments) override {
        arguments.help("Judge stored sessions of agents on this machine");
        arguments.footer(
            R"(Reads the stored sessions of Claude Code, Cline, Codex, Copilot CLI, Gemini CLI, Kilo, opencode, pi
and Qwen Code, or the given files and folders, and judges each session by the same rules as the
daemon. Without --into, no daemon is needed, and nothing is sent or started. With --into, a daemon
adds the sessions to its history, with their old times, marked as recorded. Sessions that the daemon already
has stay unchanged.

Examples:
  headway scan                          all sessions: which got stuck, and what that cost
  headway scan --since 7d --agent codex
  headway scan --show 36329415          what happened in one of them
  headway scan --html scan.html         a page to look at, or to send
  headway scan --into http://127.0.0.1:7717
  headway scan --json | jq .by_week)");
        arguments.operand("PATH", options.paths,
                          "files or folders (default: where agents store their sessions)");
        arguments.option("--agent", options.agent, "only sessions of this agent")
            .choices({"claude", "cline", "codex", "copilot", "gemini", "kilo", "opencode", "pi",
                      "qwen"});
        arguments
            .option("--project", options.project,
                    "only sessions whose folder has this text in its path")
            .type("TEXT");
        arguments.duration("--since", options.since,
                           "only files that have changed within this time");
        arguments.option("--rows", options.rows, "print at most this many rows of each table")
            .fallback("20");
        arguments
            .option("--show", options.show,
                    "print the verdicts of the session whose id begins with this")
            .type("SESSION")
            .never_empty();
        arguments.option("--html", options.html, "write the result as one self-contained HTML page")
            .type("FILE")
            .never_empty()
            .excludes("--show")
            .excludes("--json");
        declare_into(arguments);
        arguments.flag("--no-cache", options.no_cache, "read all files again, and cache nothing");
        arguments.json(options.into.json);
    }

    int run(const Console& console, const Server&) override { return Scan(options, console).run(); }

private:
    void declare_into(Arguments& arguments) {
        ClientOptions& client = options.into.client;
        client.url_option = "--into";
        arguments.option("--into", client.url, "add the sessions to the history of this daemon")
            .type("URL")
            .never_empty()
            .excludes("--show")
            .excludes("--html");
        arguments
            .flag("--dry-run", options.into.dry_run, "only count the sessions that would be added")
            .needs("--into");
        arguments.option("--token-file", client.token_file, "file that holds the token")
            .type("FILE")
            .needs("--into");
        arguments
            .option("--state-dir", client.state_dir,
                    "state directory of the daemon, for the operator's token")
            .type("DIR")
            .needs("--into");
        arguments
            .option("--ca-file", client.ca_file, "PEM file of certificates to trust over https")
            .type("FILE")
            .needs("--into");
        arguments.uses_daemon(client, [&client] { return !client.url.empty(); });
    }
};

}  // namespace

std::unique_ptr<Verb> make_scan() {
    return std::make_unique<ScanVerb>();
}

}  // namespace headway::cli
