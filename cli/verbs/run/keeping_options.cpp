// SPDX-License-Identifier: Apache-2.0
#include "cli/verbs/run/keeping_options.hpp"

#include <unistd.h>

#include <filesystem>

#include "cli/agents/agent_finder.hpp"
#include "cli/agents/talk.hpp"
#include "cli/base/clock.hpp"
#include "cli/base/exit_code.hpp"
#include "cli/base/ids.hpp"
#include "cli/base/text.hpp"
#include "cli/keep_going/agent_folder.hpp"
#include "cli/keep_going/recipe.hpp"
#include "cli/keep_going/resume_command.hpp"
#include "config/load/load.hpp"
#include "config/values/duration.hpp"

namespace headway::cli {

void declare_keeping(Arguments& arguments, RunOptions& options) {
    const config::KeepGoingSettings defaults;
    arguments.flag("--keep-going", options.keep_going,
                   "resume the agent's conversation after a usage limit, an overload or a crash");
    arguments
        .flag("--no-keep-going", options.no_keep_going,
              "no resumes, even if [keep_going] of your headway.toml is enabled")
        .excludes("--keep-going");
    arguments
        .option("--max-resumes", options.max_resumes,
                "give up after this many resumes without progress, 1 to 50")
        .fallback(std::to_string(defaults.max_resumes));
    arguments.duration("--until", options.until, "no resumes once `run` has lasted this long")
        .fallback(config::print_duration(defaults.until));
    arguments
        .duration("--margin", options.margin,
                  "wait at least this long after a usage limit resets; after an overload or "
                  "repeated crashes, wait 2x, 4x, 8x, 16x, then 30x as long")
        .fallback(config::print_duration(defaults.margin));
    arguments
        .option("--check", options.keeping.check,
                "shell command that runs when the agent has succeeded; if the command fails, its "
                "output is the next prompt; `run` ends with 0 only if it passes")
        .type("COMMAND");
    arguments.duration("--check-limit", options.keeping.check_most,
                       "a check that runs longer is ended, and counts as failed");
    arguments.duration("--end-limit", options.keeping.stay_most,
                       "end an agent that is still running this long after its result");
    arguments
        .option("--check-dir", options.keeping.check_dir,
                "folder of the check (default: that of the agent's own -C, --cd, --cwd or --dir, "
                "else this one)")
        .type("DIR");
    arguments
        .option("--resume-command", options.keeping.resume_command,
                "shell command that resumes the conversation, for an agent that a script "
                "starts; {id} and {prompt} are replaced by values quoted for one shell: "
                "unsafe inside ssh or su -c, which start a second shell")
        .type("COMMAND");
    arguments
        .option("--resume-text", options.keeping.resume_text,
                "text that is added to the prompt of each resume")
        .type("TEXT");
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

const Recipe* recipe_of_command(const RunOptions& options) {
    return recipe_of_program(std::filesystem::path(options.command.front()).filename().string());
}

/// Only of an agent's own command: how a script goes on is seen when it ends.
std::optional<Mistake> resume_fault(const RunOptions& options) {
    const Recipe* const recipe = recipe_of_command(options);
    if (recipe == nullptr || !options.keeping.resume_command.empty()) return std::nullopt;
    const auto words = resume_command(options.command, recipe->agent, "id", "prompt");
    if (words || words.error().code == core::ErrorCode::kUnknownField) return std::nullopt;
    return Mistake{"--keep-going: it could not be resumed: " + words.error().detail, {}};
}

/// Which options of an agent take a word is not known of each version: it starts nevertheless.
void warn_of_prompt(const RunOptions& options, const Console& console) {
    const Recipe* const recipe = recipe_of_command(options);
    if (options.quiet || recipe == nullptr || !options.keeping.resume_command.empty()) return;
    const auto words = resume_command(options.command, recipe->agent, "id", "prompt");
    if (words || words.error().code != core::ErrorCode::kUnknownField) return;
    complain(
        console, kExitOk,
        std::string(recipe->agent) + " cannot be resumed by this command: " + words.error().detail);
}

void warn_of_lines(const RunOptions& options, const Console& console) {
    const Recipe* const recipe = recipe_of_command(options);
    if (options.quiet || recipe == nullptr || recipe->lines.empty()) return;
    if (names_lines(options.command)) return;  // its prompt may come from standard input
    complain(
        console, kExitOk,
        std::string(recipe->agent) +
            " prints no JSON lines by this command, so it cannot be resumed",
        "it needs: " + std::string(recipe->lines.front()) + " " + std::string(recipe->lines_value));
}

/// By its command alone; if it prints its lines is seen later.
bool can_be_resumed(const RunOptions& options) {
    if (options.no_lines) return false;
    if (!options.keeping.resume_command.empty()) return true;
    const Recipe* const recipe = recipe_of_command(options);
    return recipe != nullptr && fresh_folder_option(options.command).empty() &&
           resume_command(options.command, recipe->agent, "id", "prompt").has_value();
}

bool has_resume_options(const RunOptions& options) {
    const KeepGoingOptions& keeping = options.keeping;
    return options.max_resumes || options.until || options.margin ||
           keeping.check_most != kCheckMost || keeping.stay_most != kStayMost ||
           !(keeping.check + keeping.check_dir + keeping.resume_command).empty();
}

}  // namespace

std::optional<Mistake> keeping_fault(const RunOptions& options) {
    const KeepGoingOptions& keeping = options.keeping;
    const std::uint64_t resumes = options.max_resumes.value_or(config::kResumesMin);
    if (resumes < config::kResumesMin || resumes > config::kResumesMost)
        return Mistake{"--max-resumes: must be from 1 to 50", {}};
    if (options.until.value_or(config::kKeepGoingMin) < config::kKeepGoingMin)
        return Mistake{"--until: must be at least 1s", {}};
    const milliseconds margin = options.margin.value_or(config::kMarginMin);
    if (margin < config::kMarginMin || margin > config::kMarginMax)
        return Mistake{"--margin: must be from 100ms to 1h", {}};
    if (keeping.check_most < std::chrono::seconds{1})
        return Mistake{"--check-limit: must be at least 1s", {}};
    if (keeping.stay_most < std::chrono::seconds{1})
        return Mistake{"--end-limit: must be at least 1s", {}};
    if (const auto own = own_resume_command(keeping.resume_command, "x", {}); !own)
        return Mistake{"--resume-command: " + own.error().detail, {}};
    if (options.keep_going) {
        if (auto fault = folder_fault(options)) return fault;
        if (auto fault = resume_fault(options)) return fault;
    }
    if (options.keep_going && options.no_lines)
        return Mistake{"--keep-going needs the lines of the agent, without --no-lines", {}};
    return std::nullopt;
}

std::optional<Mistake> settle_keeping(RunOptions& options, const Console& console) {
    KeepGoingOptions& keeping = options.keeping;
    if (options.keep_going) {
        warn_of_prompt(options, console);
        warn_of_lines(options, console);
    }
    const bool may = !options.keep_going && !options.no_keep_going && can_be_resumed(options);
    if (options.keep_going || may) {
        const auto own = config::load_keep_going(console.environment);
        if (own) {
            keeping.rules = {own->max_resumes, own->until, own->margin};
            keeping.by_settings = may && own->enabled;
            options.keep_going = options.keep_going || keeping.by_settings;
        } else if (!options.quiet) {
            complain(console, kExitOk,
                     "[keep_going] is not used: " + clean_line(own.error().detail));
        }
    }
    keeping.rules.resumes_max = options.max_resumes.value_or(keeping.rules.resumes_max);
    keeping.rules.until = options.until.value_or(keeping.rules.until);
    keeping.rules.margin = options.margin.value_or(keeping.rules.margin);
    if (!options.keep_going && has_resume_options(options))
        return Mistake{"resume options need --keep-going", {}};
    return keeping.by_settings ? folder_fault(options) : std::nullopt;
}

RunRecord new_record(const RunOptions& options, const std::string& session, const std::string& goal,
                     const std::map<std::string, std::string>& environment) {
    RunRecord record;
    record.session = record.generation = session;
    record.mark = random_tag();
    record.argv = options.command;
    // By its path: a service may have another PATH.
    const bool named = record.argv.front().find('/') == std::string::npos;
    if (const auto program = find_program(record.argv.front(), environment); named && program)
        record.argv.front() = program->string();
    record.goal = goal;
    record.labels = options.labels;
    record.rules = options.keeping.rules;
    record.check_most = options.keeping.check_most;
    record.stay_most = options.keeping.stay_most;
    record.interval = options.interval.value_or(milliseconds{0});
    record.linger = options.linger;
    record.check = options.keeping.check;
    record.check_dir = options.keeping.check_dir;
    record.resume_command = options.keeping.resume_command;
    record.resume_text = options.keeping.resume_text;
    record.quiet = options.quiet;
    record.began = wall_now();
    record.run = recorded_process(::getpid());
    record_folders(record);
    return record;
}

RunOptions options_of(const RunRecord& record, const ClientOptions& client,
                      const std::map<std::string, std::string>& environment) {
    RunOptions options;
    options.client = client;
    options.session = record.session;
    options.goal = record.goal;
    options.labels = record.labels;
    if (record.interval > milliseconds{0}) options.interval = record.interval;
    options.quiet = record.quiet;
    options.linger = record.linger;
    options.keep_going = true;
    options.command = record.argv;
    KeepGoingOptions& keeping = options.keeping;
    keeping.rules = record.rules;
    keeping.check_most = record.check_most;
    keeping.stay_most = record.stay_most;
    keeping.check = record.check;
    keeping.check_dir = record.check_dir;
    keeping.resume_command = record.resume_command;
    keeping.resume_text = record.resume_text;
    keeping.state_folder = state_folder_of(client, environment);
    keeping.homes = agent_homes(environment);
    return options;
}

bool machine_goes_down(const std::map<std::string, std::string>& environment) {
    constexpr milliseconds kPatience{3'000};
    const auto program = find_program("systemctl", environment);
    return program &&
           ask_command({program->string(), "is-system-running"}, environment, {}, kPatience)
               .out.starts_with("stopping");
}

}  // namespace headway::cli
