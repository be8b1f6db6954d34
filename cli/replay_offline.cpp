// SPDX-License-Identifier: Apache-2.0
#include "cli/verbs/replay.hpp"

#include <ostream>

#include "cli/daemon.hpp"
#include "cli/exit_code.hpp"
#include "cli/ids.hpp"
#include "cli/json.hpp"
#include "cli/progress_bar.hpp"
#include "cli/recording.hpp"
#include "cli/text.hpp"
#include "cli/timeline_view.hpp"

// `headway replay` without --to: what the daemon would have said, without one.

namespace headway::cli {
namespace {

struct JudgedFile {
    std::string session;
    Timeline timeline;
    std::string gap;
};

core::Result<JudgedFile> judge_file(const std::string& file, const JudgeOptions& options) {
    HEADWAY_TRY(const Recording recording, read_recording_file(file));
    api::JsonTape tape;
    auto timeline = judge_recording(recording, options, tape);
    if (!timeline) {
        return core::Error{timeline.error().code, file + ":" + timeline.error().detail, {}};
    }
    return JudgedFile{recorded_id(recording.session, file), std::move(*timeline), recording.gap};
}

void print(const std::string& file, const JudgedFile& judged, const ReplayOptions& options,
           const Console& console) {
    if (options.client.json) {
        Json line = timeline_json(judged.session, judged.timeline, options.why);
        line["file"] = file;
        if (!judged.gap.empty()) line["gap"] = judged.gap;
        console.out << dump(line) << "\n";
        return;
    }
    const TimelineStyle style{console.width, console.color, options.why};
    console.out << timeline_text(judged.session, judged.timeline, style);
}

/// Beside the verdicts, which are then those of an agent that reported no more than this.
void say_gap(const std::string& file, const JudgedFile& judged, const Console& console) {
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
    for (const std::string& file : options.files) {
        auto judged = judge_file(file, judging);
        if (judged) {
            if (!options.session.empty()) judged->session = options.session;
            print(file, *judged, options, console);
            say_gap(file, *judged, console);
            if (!console.out_terminal) bar.step();  // else what is printed says enough
            continue;
        }
        if (options.client.json) {
            console.out << dump({{"file", file}, {"error", judged.error().detail}}) << "\n";
        }
        bar.clear();
        exit_code =
            complain(console, kExitFailed, clean_line(judged.error().detail), kRecordingHint);
    }
    console.out.flush();
    return exit_code;
}

}  // namespace headway::cli
