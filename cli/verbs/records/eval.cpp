// SPDX-License-Identifier: Apache-2.0
#include "cli/verbs/records/eval.hpp"

#include <algorithm>
#include <exception>
#include <filesystem>
#include <fstream>
#include <map>
#include <ostream>
#include <set>
#include <utility>

#include "cli/base/exit_code.hpp"
#include "cli/base/in_parallel.hpp"
#include "cli/base/json.hpp"
#include "cli/base/progress_bar.hpp"
#include "cli/base/text.hpp"
#include "cli/client/daemon.hpp"
#include "cli/eval/eval_report.hpp"
#include "cli/line/verb.hpp"
#include "cli/records/file_stream.hpp"
#include "cli/records/recording.hpp"
#include "cli/scan/scan_file.hpp"
#include "cli/views/policy_words.hpp"

// `headway eval`: judges every recording under a folder, several at a time, and counts.

namespace headway::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMissingShown = 3;

// Result of one file.
struct Judged {
    std::string trouble;   ///< empty: it was read
    bool foreign = false;  ///< the trouble: nothing in the file is understood
    std::string meta;      ///< of a scenario
    Timeline timeline;
};

Judged judge_file(const fs::path& file, const JudgeOptions& options, api::JsonDocument& document) {
    Judged judged;
    FileStream stream(file.string());
    if (!stream) {
        judged.trouble = file.string() + ": " + stream.why();
        return judged;
    }
    if (auto stored = scan_if_stored(stream, file.string(), options)) {
        const bool empty = *stored && (*stored)->is_empty();
        judged.foreign = empty && (*stored)->broken == 0;
        if (!*stored || empty) {
            judged.trouble = *stored ? not_understood(**stored) : stored->error().detail;
            return judged;
        }
        judged.timeline = std::move((*stored)->timeline);
        judged.timeline.unreadable = (*stored)->broken;
        judged.timeline.first_unreadable = " " + broken_lines_of(**stored);
        return judged;
    }
    auto recording = read_recording(stream, reading_for(options));
    if (stream.bad()) judged.trouble = file.string() + ": cannot be read";
    if (stream.bad()) return judged;
    if (recording) judged.meta = std::move(recording->meta);
    auto timeline = recording ? judge_recording(std::move(*recording), options, document)
                              : core::Result<Timeline>(recording.error());
    if (!timeline) {
        judged.trouble = file.string() + ":" + timeline.error().detail;
        return judged;
    }
    judged.timeline = std::move(*timeline);
    return judged;
}

std::vector<Judged> judge_files(const std::vector<fs::path>& files, const JudgeOptions& options,
                                const Console& console) {
    std::vector<Judged> judged(files.size());  // each thread writes its own elements
    ProgressBar bar(console, "judging", files.size());
    in_parallel(files.size(), [&] {
        return [&, document = api::JsonDocument{}](std::size_t i) mutable {
            try {
                judged[i] = judge_file(files[i], options, document);
            } catch (const std::exception& error) {
                judged[i].trouble = files[i].string() + ": " + error.what();
            }
            bar.step();
        };
    });
    return judged;
}

core::Result<std::vector<fs::path>> find_recordings(const fs::path& folder) {
    std::vector<fs::path> files;
    std::error_code error;
    fs::recursive_directory_iterator entry(folder, error);
    for (const fs::recursive_directory_iterator end; !error && entry != end;
         entry.increment(error)) {
        std::error_code ignored;
        const fs::path& path = entry->path();
        const bool lines = path.extension() == ".jsonl";
        const bool messages = path.filename().string().ends_with(".messages.json");  // of Cline
        if ((lines || messages) && !entry->is_directory(ignored)) files.push_back(path);
    }
    if (error) {
        return core::Error{core::ErrorCode::kBadRequest,
                           "cannot read the folder " + folder.string() + ": " + error.message(),
                           {}};
    }
    std::sort(files.begin(), files.end());
    return files;
}

using Labels = std::map<std::string, SessionLabel>;

core::Result<Labels> load_labels(const std::string& file) {
    FileStream stream(file);
    if (!stream) {
        return core::Error{
            core::ErrorCode::kBadRequest, "the labels " + file + ": " + stream.why(), {}};
    }
    auto read = read_labels(stream);
    if (!read) return core::Error{read.error().code, file + ":" + read.error().detail, {}};
    Labels labels;
    for (SessionLabel& label : *read) {
        const std::string name = label.file;
        if (!labels.try_emplace(name, std::move(label)).second) {
            std::string twice = file;
            twice.append(": names ").append(name).append(" twice; keep one line");
            return core::Error{core::ErrorCode::kBadRequest, std::move(twice), {}};
        }
    }
    return labels;
}

using Verdicts = std::map<std::string, AlarmRead>;

core::Result<Verdicts> load_verdicts(const std::string& file) {
    FileStream stream(file);
    if (!stream) {
        return core::Error{
            core::ErrorCode::kBadRequest, "the verdicts " + file + ": " + stream.why(), {}};
    }
    auto read = read_alarm_verdicts(stream);
    if (!read) return core::Error{read.error().code, file + ":" + read.error().detail, {}};
    return read;
}

// The name that labels use: below the folder, or below its `data`.
std::string name_of(const fs::path& file, const fs::path& folder) {
    const std::string name = file.lexically_relative(folder).generic_string();
    return name.starts_with("data/") ? name.substr(5) : name;
}

// Without a label: the folder it lies in.
std::string source_of(const std::string& name, const fs::path& folder) {
    const std::size_t slash = name.find('/');
    std::error_code ignored;
    return slash == std::string::npos ? fs::canonical(folder, ignored).filename().string()
                                      : name.substr(0, slash);
}

// Precondition: `meta` has an `expect`.
Scenario scenario_of(const Json& meta, std::string file, Timeline timeline) {
    Scenario scenario;
    scenario.file = std::move(file);
    scenario.portable = meta.text_of("portable");
    scenario.test = meta.text_of("test");
    scenario.expects_stuck = meta.text_of("expect") == "stuck";
    scenario.timeline = std::move(timeline);
    return scenario;
}

class Sorter {
public:
    Sorter(fs::path folder, const Labels* labels, const Verdicts* verdicts)
        : folder_(std::move(folder)), labels_(labels), verdicts_(verdicts) {
        evaluation_.labelled = labels != nullptr;
        evaluation_.read = verdicts != nullptr;
    }

    void add(const fs::path& file, Judged judged) {
        const std::string name = name_of(file, folder_);
        found_.insert(name);
        const bool known = labels_ != nullptr && labels_->contains(name);
        evaluation_.foreign += judged.foreign && !known ? 1 : 0;
        if (!judged.trouble.empty())
            return evaluation_.troubles.push_back(std::move(judged.trouble));
        if (const Timeline& timeline = judged.timeline; timeline.unreadable > 0) {
            evaluation_.events_lost += timeline.unreadable;
            evaluation_.lost.push_back(file.string() + ":" + timeline.first_unreadable);
        }
        const Json meta = Json::parse(judged.meta).value_or(Json());
        if (meta.contains("expect")) {
            if (meta["expect"] != "stuck" && meta["expect"] != "not_stuck") {
                evaluation_.troubles.push_back(file.string() +
                                               ":1: expect is neither stuck nor not_stuck");
                return;
            }
            evaluation_.scenarios.push_back(scenario_of(meta, name, std::move(judged.timeline)));
            return;
        }
        JudgedSession session;
        session.label.file = name;
        session.timeline = std::move(judged.timeline);
        if (known) session.label = labels_->at(name);
        if (labels_ != nullptr && !known) ++evaluation_.unlabelled;
        if (verdicts_ != nullptr) {
            if (const auto read = verdicts_->find(name); read != verdicts_->end())
                session.read = read->second;
        }
        if (session.label.source.empty()) session.label.source = source_of(name, folder_);
        evaluation_.sessions.push_back(std::move(session));
    }

    Evaluation finish() {
        if (verdicts_ != nullptr) {
            for (const auto& [name, read] : *verdicts_) {
                if (!found_.contains(name)) evaluation_.not_there.push_back(name);
            }
        }
        if (labels_ == nullptr) return std::move(evaluation_);
        for (const auto& [name, label] : *labels_) {
            if (!found_.contains(name)) evaluation_.missing.push_back(name);
        }
        return std::move(evaluation_);
    }

private:
    fs::path folder_;
    const Labels* labels_;
    const Verdicts* verdicts_;
    std::set<std::string> found_;
    Evaluation evaluation_;
};

void say_what_is_odd(const Evaluation& evaluation, const Console& console) {
    for (const std::string& trouble : evaluation.troubles)
        console.err << "headway: " << clean_line(trouble) << "\n";
    if (evaluation.events_lost > 0) {
        console.err << "headway: " << evaluation.events_lost << " events of "
                    << evaluation.lost.size()
                    << " recordings cannot be read and are left out, such as\n";
        for (std::size_t i = 0; i < std::min(kMissingShown, evaluation.lost.size()); ++i)
            console.err << "  " << clean_line(evaluation.lost[i]) << "\n";
    }
    if (!evaluation.missing.empty()) {
        console.err << "headway: " << evaluation.missing.size()
                    << " labels name files that are not there, such as";
        for (std::size_t i = 0; i < std::min(kMissingShown, evaluation.missing.size()); ++i)
            console.err << (i == 0 ? " " : ", ") << clean_line(evaluation.missing[i]);
        console.err << "\n  they are not counted; names are relative to DIR or to DIR/data\n";
    }
    if (!evaluation.not_there.empty()) {
        console.err << "headway: " << evaluation.not_there.size()
                    << " verdicts name files that are not there, such as "
                    << clean_line(evaluation.not_there.front()) << "\n";
    }
    if (evaluation.unlabelled > 0) {
        console.err << "headway: " << evaluation.unlabelled
                    << " recordings have no label; they count as sessions of unknown outcome\n";
    }
    console.err.flush();
}

constexpr const char* kLabelsHint = "--labels takes a CSV with the columns file, outcome and loop";
constexpr const char* kVerdictsHint =
    "--verdicts takes a CSV with the columns file and verdict (right, wrong or unclear)";

int evaluate_recordings(const EvalOptions& options, const Console& console) {
    std::error_code ignored;
    fs::path folder = fs::path(options.folder).lexically_normal();
    if (!folder.has_filename()) folder = folder.parent_path();  // "corpus/"
    if (!fs::is_directory(folder, ignored)) {
        return complain(console, kExitUsage, "there is no folder " + options.folder,
                        "name a folder of recordings (*.jsonl); `headway eval --help` shows how");
    }
    const auto policy = policy_of(options.policy);
    if (!policy) {
        return complain(console, kExitUsage, "--policy: " + policy.error().detail,
                        "as in: --policy strict --policy heartbeat_limit=3");
    }
    Labels labels;
    Verdicts verdicts;
    for (const auto& [file, hint] :
         {std::pair{&options.labels, kLabelsHint}, std::pair{&options.verdicts, kVerdictsHint}}) {
        if (!file->empty() && !fs::exists(*file, ignored))
            return complain(console, kExitUsage, "there is no file " + *file, hint);
    }
    if (!options.labels.empty()) {
        auto loaded = load_labels(options.labels);
        if (!loaded) return complain(console, kExitFailed, loaded.error().detail);
        labels = std::move(*loaded);
    }
    if (!options.verdicts.empty()) {
        auto loaded = load_verdicts(options.verdicts);
        if (!loaded) return complain(console, kExitFailed, loaded.error().detail);
        verdicts = std::move(*loaded);
    }
    const auto files = find_recordings(folder);
    if (!files) return complain(console, kExitFailed, files.error().detail);
    if (files->empty()) {
        return complain(console, kExitFailed, "no *.jsonl under " + options.folder,
                        "`headway events SESSION --jsonl > FILE.jsonl` makes one");
    }
    JudgeOptions judging;
    judging.policy = *policy;
    judging.lenient = true;
    if (!options.judge.empty()) {
        judging.opinion = static_cast<core::CheckAnswer>(options.judge.front() - 'A');
    }
    std::vector<Judged> judged = judge_files(*files, judging, console);
    Sorter sorter(folder, options.labels.empty() ? nullptr : &labels,
                  options.verdicts.empty() ? nullptr : &verdicts);
    for (std::size_t i = 0; i < files->size(); ++i)
        sorter.add((*files)[i], std::move(judged[i]));
    Evaluation evaluation = sorter.finish();
    evaluation.apart = options.apart;
    say_what_is_odd(evaluation, console);
    if (options.json) {
        console.out << dump(eval_json(evaluation, options.list)) << "\n" << std::flush;
    } else {
        console.out << eval_text(evaluation, options.list, console.width) << std::flush;
    }
    // Some agents keep files of settings alone: no fault while others are read.
    const std::size_t troubles = evaluation.troubles.size();
    return troubles == evaluation.foreign && troubles < files->size() ? kExitOk : kExitFailed;
}

constexpr const char* kEvalFooter =
    R"(Judges every *.jsonl under DIR without a daemon, as `headway replay` does, and counts
the wrong verdicts.

--labels takes a CSV file with a header line. Columns: file (relative to DIR or to DIR/data), outcome
(success, fail or another word), loop (yes, no, unknown). Optional columns: source, how_labelled,
loop_start_call (from 0), loop_len.

Printed figures:
  false stuck   successes without a loop that were ever `stuck`
  suspects      successes that were ever `suspect` or `stuck`
  recall        share of loops that were ever `stuck`
  nudges        `change_approach` directives per 1,000 calls
  delay         median number of calls from the start of a loop to `suspect`, and to `stuck`

--verdicts takes a CSV file with a header line. Columns: file, verdict (right, wrong,
unclear: a person's opinion of the recording's first `stuck`). Only recordings that are `stuck` in this run are counted.

Files whose first line is {"type":"meta","expect":"stuck"|"not_stuck","portable":...} are scenarios. `portable` names
what `expect` depends on: `threshold`, `policy`, or `yes` (neither: any good detector should agree). Scenarios are
counted separately for each value of `portable`. Scenarios whose verdict differs from `expect` are listed.

Exit codes: 0 counted   1 a file could not be read   64 usage

Examples:
  headway eval recordings                            a first look, without labels
  headway eval corpus --labels corpus/labels.csv --list
  headway eval corpus --labels corpus/labels.csv --policy strict --policy heartbeat_limit=3
  headway eval corpus --labels corpus/labels.csv --json | jq .total)";

class Eval : public VerbOf<EvalOptions> {
public:
    void declare(Arguments& arguments) override {
        arguments.help("Judge a folder of recordings, and count the wrong verdicts")
            .footer(kEvalFooter);
        arguments.operand("DIR", options.folder, "folder of recordings").required();
        arguments.option("--labels", options.labels, "labels of the recordings").type("CSV");
        arguments
            .option("--verdicts", options.verdicts,
                    "people's opinions of `stuck` verdicts, to count how many were right")
            .type("CSV");
        declare_policy(arguments, options.policy);
        arguments
            .option("--judge", options.judge,
                    "assume a model judge that always answers A (progressing), B (looping), C "
                    "(blocked) "
                    "or D (failed)")
            .type("A|B|C|D")
            .choices({"A", "B", "C", "D"});
        arguments
            .option("--apart", options.apart,
                    "count recordings with this `source` label separately, not in the totals")
            .type("SOURCE");
        arguments.flag("--list", options.list,
                       "list missed loops, and successes that were `stuck` or `suspect`");
        arguments.json(options.json);
    }

    int run(const Console& console, const Server&) override {
        return evaluate_recordings(options, console);
    }
};

}  // namespace

std::unique_ptr<Verb> make_eval() {
    return std::make_unique<Eval>();
}

}  // namespace headway::cli
