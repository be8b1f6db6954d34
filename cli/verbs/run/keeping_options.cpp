// SPDX-License-Identifier: Apache-2.0
#include "cli/verbs/run/keeping_options.hpp"

#include <filesystem>

#include "cli/keep_going/agent_folder.hpp"
#include "cli/keep_going/resume_command.hpp"

namespace headway::cli {

void declare_keeping(Arguments& arguments, RunOptions& options) {
    arguments.flag("--keep-going", options.keep_going,
                   "resume the agent's conversation after a usage limit, an overload or a crash");
    arguments
        .option("--max-resumes", options.keeping.rules.resumes_max,
                "give up after this many resumes without progress, 1 to 50")
        .show_default();
    arguments.duration("--until", options.keeping.rules.until,
                       "no resumes once `run` has lasted this long");
    arguments.duration("--margin", options.keeping.rules.margin,
                       "wait at least this long after a usage limit resets; after an overload or "
                       "repeated crashes, wait 2x, 4x, 8x, 16x, then 30x as long");
    arguments
        .option("--check", options.keeping.check,
                "shell command that runs when the agent has succeeded; if the command fails, "
                "its output is the next prompt; unless it passes, the exit status is not 0")
        .type("COMMAND");
    arguments.duration("--check-limit", options.keeping.check_most,
                       "a check that runs longer is ended, and has failed");
    arguments.duration("--end-limit", options.keeping.stay_most,
                       "an agent that has not ended this long after its result is ended");
    arguments
        .option("--check-dir", options.keeping.check_dir,
                "folder of the check (default: that of the agent's own -C, --cd, --cwd or --dir, "
                "else this one)")
        .type("DIR");
    arguments
        .option("--resume-command", options.keeping.resume_command,
                "shell command that resumes the conversation, for an agent that a script "
                "starts; {id} and {prompt} in the command are replaced")
        .type("COMMAND");
}

namespace {

std::optional<Mistake> folder_fault(const RunOptions& options) {
    const KeepGoingOptions& keeping = options.keeping;
    const std::string fresh = fresh_folder_option(options.command);
    if (!fresh.empty() && keeping.resume_command.empty())
        return Mistake{"--keep-going: " + fresh + " of " + options.command.front() +
                           " makes a worktree at each start, so a resume would work in another one",
                       "first: git worktree add ../NAME; then start there, without " + fresh};
    if (keeping.check.empty()) return std::nullopt;
    const bool own = !keeping.check_dir.empty();
    const std::string folder = own ? keeping.check_dir : named_folder(options.command);
    std::error_code ec;
    if (folder.empty() || std::filesystem::is_directory(folder, ec)) return std::nullopt;
    return Mistake{(own ? "--check-dir: " : "--check: ") + folder + " is no folder",
                   own ? "" : "--check-dir names the folder of the check"};
}

}  // namespace

std::optional<Mistake> keeping_fault(const RunOptions& options) {
    const KeepGoingOptions& keeping = options.keeping;
    if (keeping.rules.resumes_max == 0 || keeping.rules.resumes_max > kResumesMost)
        return Mistake{"--max-resumes: must be from 1 to 50", {}};
    if (keeping.rules.until < std::chrono::seconds{1})
        return Mistake{"--until: must be at least 1s", {}};
    if (keeping.rules.margin < kMarginMin || keeping.rules.margin > kMarginMax)
        return Mistake{"--margin: must be from 100ms to 1h", {}};
    if (keeping.check_most < std::chrono::seconds{1})
        return Mistake{"--check-limit: must be at least 1s", {}};
    if (keeping.stay_most < std::chrono::seconds{1})
        return Mistake{"--end-limit: must be at least 1s", {}};
    if (!options.keep_going &&
        (!(keeping.rules == ResumeRules{}) || keeping.check_most != kCheckMost ||
         keeping.stay_most != kStayMost ||
         !(keeping.check + keeping.check_dir + keeping.resume_command).empty()))
        return Mistake{"resume options need --keep-going", {}};
    if (const auto own = own_resume_command(keeping.resume_command, "x", {}); !own)
        return Mistake{"--resume-command: " + own.error().detail, {}};
    if (options.keep_going) {
        if (auto fault = folder_fault(options)) return fault;
    }
    if (options.keep_going && options.no_lines)
        return Mistake{"--keep-going needs the lines of the agent, without --no-lines", {}};
    return std::nullopt;
}

}  // namespace headway::cli
