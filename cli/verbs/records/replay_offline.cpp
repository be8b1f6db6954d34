// SPDX-License-Identifier: Apache-2.0
#include "cli/verbs/records/replay.hpp"

#include <algorithm>
#include <exception>
#include <ostream>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cli/base/exit_code.hpp"
#include "cli/base/ids.hpp"
#include "cli/base/in_parallel.hpp"
#include "cli/base/json.hpp"
#include "cli/base/progress_bar.hpp"
#include "cli/base/text.hpp"
#include "cli/client/daemon.hpp"
#include "cli/records/file_stream.hpp"
#include "cli/records/recording.hpp"
#include "cli/scan/scan_file.hpp"
#include "cli/views/timeline_view.hpp"

// `headway replay` without --to: what the daemon would have said, without one.

namespace headway::cli {
namespace {

struct JudgedFile {
    std::string session;
    Timeline timeline;
    std::string gap;
    std::string damage;  ///< lines of a stored session that cannot be read, in words; or empty
};

/// Files that are judged before the first of them is printed: their timelines are in memory.
constexpr std::size_t kFilesAtOnce = 32;

core::Result<JudgedFile> judge_file(const std::string& file, const JudgeOptions& options,
                                    api::JsonDocument& document) {
    FileStream stream(file);
    if (auto stored = scan_if_stored(stream, file, options)) {
        HEADWAY_TRY(ScannedSession session, *std::move(stored));
        if (session.is_empty())
            return core::Error{core::ErrorCode::kBadRequest, not_understood(session), {}};
        std::string damage = session.broken > 0 ? broken_lines_of(session) : std::string{};
        return JudgedFile{recorded_id(session.about.id, file),
                          std::move(session.timeline),
                          {},
                          std::move(damage)};
    }
    HEADWAY_TRY(Recording recording, read_recording_file(stream, file, reading_for(options)));
    const std::string session = recorded_id(recording.session, file);
    std::string gap = std::move(recording.gap);
    auto timeline = judge_recording(std::move(recording), options, document);
    if (!timeline) {
        return core::Error{timeline.error().code, file + ":" + timeline.error().detail, {}};
    }
    return JudgedFile{session, std::move(*timeline), std::move(gap), {}};
}

/// In the order of `files`.
std::vector<core::Result<JudgedFile>> judge_files(std::span<const std::string> files,
                                                  const JudgeOptions& options) {
    std::vector<core::Result<JudgedFile>> judged(files.size());  // each thread writes its own
    in_parallel(files.size(), [&] {
        return [&, document = api::JsonDocument{}](std::size_t i) mutable {
            try {
                judged[i] = judge_file(files[i], options, document);
            } catch (const std::exception& error) {
                judged[i] =
                    core::Error{core::ErrorCode::kInternal, files[i] + ": " + error.what(), {}};
            }
        };
    });
    return judged;
}

void print(const std::string& file, const JudgedFile& judged, const ReplayOptions& options,
           const Console& console) {
    if (options.client.json) {
        Json line = timeline_json(judged.session, judged.timeline, options.why);
        line["file"] = file;
        if (!judged.gap.empty()) line["gap"] = judged.gap;
        if (!judged.damage.empty()) line["damage"] = judged.damage;
        console.out << dump(line) << "\n";
        return;
    }
    const TimelineStyle style{console.width, console.color, options.why};
    console.out << timeline_text(judged.session, judged.timeline, style);
}

/// Beside the verdicts, which are then those of an agent that reported no more than this.
void say_gap(const std::string& file, const JudgedFile& judged, const Console& console) {
    if (!judged.damage.empty())
        complain(console, kExitOk, clean_line(file + ": " + judged.damage), "the rest was judged");
    if (judged.gap.empty()) return;
    complain(
        console, kExitOk, clean_line(file + ": part of the export is missing: " + judged.gap),
        "what is there was judged as an agent's reports; people, budgets and silence were not");
}

}  // namespace

int judge_recordings(const ReplayOptions& options, const Console& console) {
    const auto policy = policy_of(options.policy);
    if (!policy) {
        return complain(console, kExitUsage, "--policy: " + policy.error().detail,
                        "as in: --policy strict --policy heartbeat_limit=3");
    }
    JudgeOptions judging;
    judging.policy = *policy;
    judging.keep_journal = options.why;
    int exit_code = kExitOk;
    ProgressBar bar(console, "judging", options.files.size());
    const auto show = [&](const std::string& file, core::Result<JudgedFile> judged) {
        if (judged) {
            if (!options.session.empty()) judged->session = options.session;
            print(file, *judged, options, console);
            say_gap(file, *judged, console);
            if (!console.out_terminal) bar.step();  // else what is printed says enough
            return;
        }
        if (options.client.json) {
            console.out << dump({{"file", file}, {"error", judged.error().detail}}) << "\n";
        }
        bar.clear();
        exit_code =
            complain(console, kExitFailed, clean_line(judged.error().detail), kRecordingHint);
    };
    std::span<const std::string> left{options.files};
    while (!left.empty()) {
        const auto files = left.first(std::min(left.size(), kFilesAtOnce));
        std::vector<core::Result<JudgedFile>> judged = judge_files(files, judging);
        for (std::size_t i = 0; i < files.size(); ++i)
            show(files[i], std::move(judged[i]));
        left = left.subspan(files.size());
    }
    console.out.flush();
    return exit_code;
}

}  // namespace headway::cli
