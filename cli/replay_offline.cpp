#include <fstream>
#include <nlohmann/json.hpp>
#include <ostream>

#include "cli/daemon.hpp"
#include "cli/exit_code.hpp"
#include "cli/ids.hpp"
#include "cli/progress_bar.hpp"
#include "cli/recording.hpp"
#include "cli/text.hpp"
#include "cli/timeline_view.hpp"
#include "cli/verbs.hpp"

// `headway replay` without --to: what the daemon would have said, without one.

namespace headway::cli {
namespace {

struct JudgedFile {
    std::string session;
    Timeline timeline;
};

core::Result<JudgedFile> judge_file(const std::string& file, const JudgeOptions& options) {
    std::ifstream stream(file, std::ios::binary);
    if (!stream) {
        return core::Error{core::ErrorCode::kBadRequest, file + ": cannot be read", {}};
    }
    api::JsonTape tape;
    const auto recording = read_recording(stream);
    auto timeline = recording ? judge_recording(*recording, options, tape)
                              : core::Result<Timeline>(recording.error());
    if (!timeline) {
        return core::Error{timeline.error().code, file + ":" + timeline.error().detail, {}};
    }
    return JudgedFile{recorded_id(recording->session, file), std::move(*timeline)};
}

void print(const std::string& file, const JudgedFile& judged, const ReplayOptions& options,
           const Console& console) {
    if (options.client.json) {
        nlohmann::json line = timeline_json(judged.session, judged.timeline, options.why);
        line["file"] = file;
        console.out << dump(line) << "\n";
        return;
    }
    const TimelineStyle style{console.width, console.color, options.why};
    console.out << timeline_text(judged.session, judged.timeline, style);
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
            if (!console.out_terminal) bar.step();  // else what is printed says enough
            continue;
        }
        if (options.client.json) {
            console.out << dump({{"file", file}, {"error", judged.error().detail}}) << "\n";
        }
        bar.clear();
        exit_code = complain(console, kExitFailed, clean_line(judged.error().detail),
                             "a recording is JSONL, as `headway events SESSION --jsonl` prints it");
    }
    console.out.flush();
    return exit_code;
}

}  // namespace headway::cli
