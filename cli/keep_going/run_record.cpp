// SPDX-License-Identifier: Apache-2.0
#include "cli/keep_going/run_record.hpp"

#include <array>
#include <limits>

#include "api/decode/decode.hpp"
#include "cli/base/ids.hpp"
#include "cli/base/json.hpp"
#include "core/values/policy.hpp"

// The text of a record.

namespace headway::cli {
namespace {

using std::chrono::milliseconds;

constexpr std::int64_t kVersion = 2;
constexpr std::size_t kWordMax = 256 * 1024;  // of one argument, twice what Linux allows
constexpr std::size_t kListMax = 10'000;
constexpr std::size_t kPathMax = 4'096;
constexpr std::size_t kNameMax = 512;
constexpr std::size_t kTextMax = 64 * 1024;
constexpr std::int64_t kLastMs = 253'402'300'799'999;  // of year 9999
constexpr std::array<const char*, 3> kPhases{"running", "waiting", "checking"};

std::int64_t ms_of(WallTime time) {
    return time.time_since_epoch().count();
}

/// Reads members of one object, and remembers the first that is wrong.
class RecordFields {
public:
    RecordFields(const Json& json, std::string& fault, std::string where = {})
        : json_(json), fault_(fault), where_(std::move(where)) {}

    RecordFields below(const char* name) const {
        if (!json_[name].is_object()) blame(name);
        return {json_[name], fault_, where_ + name + "."};
    }
    std::string text(const char* name, std::size_t bytes_max) const {
        return text_of(json_[name], name, bytes_max);
    }
    std::string some_text(const char* name, std::size_t bytes_max) const {
        std::string text = this->text(name, bytes_max);
        if (text.empty()) blame(name);
        return text;
    }
    /// An absolute path.
    std::string path(const char* name) const {
        std::string path = text(name, kPathMax);
        if (!path.starts_with('/')) blame(name);
        return path;
    }
    std::vector<std::string> texts(const char* name, std::size_t bytes_max) const {
        std::vector<std::string> texts;
        const Json& list = json_[name];
        if (!list.is_array() || list.size() > kListMax) {
            blame(name);
            return texts;
        }
        for (const Json& word : list)
            texts.push_back(text_of(word, name, bytes_max));
        return texts;
    }
    std::int64_t number(const char* name, std::int64_t min, std::int64_t max) const {
        const Json& value = json_[name];
        const std::int64_t number = value.integer();
        if (value.is_integer() && number >= min && number <= max) return number;
        blame(name);
        return min;
    }
    std::uint64_t count(const char* name, std::uint64_t max) const {
        return static_cast<std::uint64_t>(number(name, 0, static_cast<std::int64_t>(max)));
    }
    milliseconds time(const char* name, milliseconds min, milliseconds max) const {
        return milliseconds{number(name, min.count(), max.count())};
    }
    WallTime wall(const char* name) const {
        return WallTime{milliseconds{number(name, 0, kLastMs)}};
    }
    bool flag(const char* name) const {
        if (!json_[name].is_boolean()) blame(name);
        return json_.flag_of(name);
    }
    void blame(const char* name) const {
        if (fault_.empty()) fault_ = where_ + name;
    }

private:
    std::string text_of(const Json& value, const char* name, std::size_t bytes_max) const {
        const std::string& text = value.text();
        const bool fits =
            value.is_string() && text.size() <= bytes_max && text.find('\0') == std::string::npos;
        if (fits) return text;
        blame(name);
        return {};
    }

    const Json& json_;
    std::string& fault_;
    std::string where_;
};

Json folder_json(const RecordedFolder& folder) {
    return {{"path", folder.path}, {"identity", folder.identity}, {"lasting", folder.lasting}};
}

RecordedFolder folder_in(const RecordFields& fields) {
    return {fields.path("path"), fields.text("identity", kNameMax),
            fields.text("lasting", kNameMax)};
}

Json process_json(const RecordedProcess& process) {
    return {{"pid", process.pid}, {"began", process.began}, {"boot", process.boot}};
}

RecordedProcess process_in(const RecordFields& fields) {
    return {fields.number("pid", 0, std::numeric_limits<std::int32_t>::max()),
            fields.text("began", kNameMax), fields.text("boot", kNameMax)};
}

Json options_json(const RunRecord& record) {
    return {{"goal", record.goal},
            {"labels", record.labels},
            {"max_resumes", record.rules.resumes_max},
            {"margin_ms", record.rules.margin.count()},
            {"check", record.check},
            {"check_dir", record.check_dir},
            {"check_limit_ms", record.check_most.count()},
            {"end_limit_ms", record.stay_most.count()},
            {"resume_command", record.resume_command},
            {"resume_text", record.resume_text},
            {"interval_ms", record.interval.count()},
            {"linger_ms", record.linger.count()},
            {"quiet", record.quiet}};
}

void read_options(const RecordFields& fields, RunRecord& record) {
    constexpr milliseconds kSecond{1'000};
    constexpr milliseconds kNone{0};
    record.goal = fields.text("goal", kWordMax);
    record.labels = fields.texts("labels", kNameMax);
    record.rules.resumes_max = static_cast<std::uint64_t>(
        fields.number("max_resumes", config::kResumesMin, config::kResumesMost));
    record.rules.margin = fields.time("margin_ms", config::kMarginMin, config::kMarginMax);
    record.check = fields.text("check", kWordMax);
    record.check_dir = fields.text("check_dir", kPathMax);
    record.check_most = fields.time("check_limit_ms", kSecond, config::kKeepGoingMost);
    record.stay_most = fields.time("end_limit_ms", kSecond, config::kKeepGoingMost);
    record.resume_command = fields.text("resume_command", kWordMax);
    record.resume_text = fields.text("resume_text", kWordMax);
    record.interval = fields.time("interval_ms", kNone, std::chrono::hours{1});
    if (record.interval > kNone && record.interval < core::kHeartbeatIntervalMin)
        fields.blame("interval_ms");
    record.linger = fields.time("linger_ms", kNone, config::kKeepGoingMost);
    record.quiet = fields.flag("quiet");
}

Json counts_json(const RunRecord& record) {
    return {{"starts", record.starts},        {"checks", record.checks},
            {"probed", record.probed},        {"resumes", record.counts.resumes},
            {"in_row", record.counts.in_row}, {"context_full", record.counts.compacted},
            {"stuck", record.counts.unstuck}, {"last_check", record.counts.last_check}};
}

void read_counts(const RecordFields& fields, RunRecord& record) {
    constexpr std::uint64_t kStartsMost = 1'000;
    record.starts = fields.count("starts", kStartsMost);
    record.checks = fields.count("checks", kStartsMost);
    record.probed = fields.flag("probed");
    record.counts.resumes = fields.count("resumes", kResumesMost);
    record.counts.in_row = fields.count("in_row", kResumesMost);
    record.counts.compacted = fields.flag("context_full");
    record.counts.unstuck = fields.flag("stuck");
    record.counts.last_check = fields.text("last_check", kNameMax);
}

Json wait_json(const RecordedWait& wait) {
    return {{"until_ms", ms_of(wait.step.at)},
            {"in_turn", wait.step.in_turn},
            {"why", wait.step.why},
            {"prompt", wait.step.prompt},
            {"stored_bytes", wait.stored}};
}

RecordedWait wait_in(const RecordFields& fields) {
    RecordedWait wait;
    wait.step.resume = true;
    wait.step.at = fields.wall("until_ms");
    wait.step.in_turn = fields.flag("in_turn");
    wait.step.why = fields.some_text("why", kTextMax);
    wait.step.prompt = fields.some_text("prompt", kTextMax);
    wait.stored = fields.count("stored_bytes", std::numeric_limits<std::int64_t>::max());
    return wait;
}

RunPhase phase_in(const RecordFields& fields) {
    const std::string name = fields.text("phase", kNameMax);
    for (std::size_t i = 0; i < kPhases.size(); ++i)
        if (name == kPhases[i]) return static_cast<RunPhase>(i);
    fields.blame("phase");
    return RunPhase::kRunning;
}

void read_all(const RecordFields& fields, RunRecord& record) {
    record.session = fields.text("session", kNameMax);
    if (!api::valid_id(record.session)) fields.blame("session");
    record.mark = fields.some_text("mark", kNameMax);
    record.generation = fields.text("generation", kNameMax);
    // The session may itself be named as a generation: that behind `night~2` is `night~3`.
    const bool own = base_of_generation(record.generation) == base_of_generation(record.session);
    if (!own || !api::valid_id(record.generation)) fields.blame("generation");
    record.opened_at = fields.text("opened_at", kNameMax);
    record.argv = fields.texts("argv", kWordMax);
    if (record.argv.empty() || record.argv.front().empty()) fields.blame("argv");
    record.begins_in = folder_in(fields.below("folder"));
    if (record.begins_in.identity.empty()) fields.blame("folder.identity");
    record.works_in = folder_in(fields.below("works_in"));
    record.checks_in = folder_in(fields.below("checks_in"));
    read_options(fields.below("options"), record);
    record.began = fields.wall("began_ms");
    const WallTime until = fields.wall("until_ms");
    record.rules.until = until - record.began;
    if (record.rules.until < config::kKeepGoingMin || record.rules.until > config::kKeepGoingMost)
        fields.blame("until_ms");
    record.phase = phase_in(fields);
    if (record.phase == RunPhase::kChecking && record.check.empty()) fields.blame("phase");
    record.agent = fields.text("agent", kNameMax);
    record.conversation = fields.text("conversation", kNameMax);
    read_counts(fields.below("counts"), record);
    if (record.phase == RunPhase::kWaiting) record.wait = wait_in(fields.below("wait"));
    record.run = process_in(fields.below("process"));
    record.child = process_in(fields.below("agent_process"));
}

}  // namespace

bool RecordedWait::operator==(const RecordedWait& other) const {
    return step.resume == other.step.resume && step.in_turn == other.step.in_turn &&
           step.at == other.step.at && step.why == other.step.why &&
           step.prompt == other.step.prompt && stored == other.stored;
}

std::string print_record(const RunRecord& record) {
    Json json = {{"version", kVersion},
                 {"session", record.session},
                 {"mark", record.mark},
                 {"generation", record.generation},
                 {"opened_at", record.opened_at},
                 {"argv", record.argv},
                 {"folder", folder_json(record.begins_in)},
                 {"works_in", folder_json(record.works_in)},
                 {"checks_in", folder_json(record.checks_in)},
                 {"options", options_json(record)},
                 {"began_ms", ms_of(record.began)},
                 {"until_ms", ms_of(record.latest())},
                 {"phase", kPhases[static_cast<std::size_t>(record.phase)]},
                 {"agent", record.agent},
                 {"conversation", record.conversation},
                 {"counts", counts_json(record)},
                 {"process", process_json(record.run)},
                 {"agent_process", process_json(record.child)}};
    if (record.phase == RunPhase::kWaiting) json["wait"] = wait_json(record.wait);
    return dump(json, 1) + "\n";
}

core::Result<RunRecord> read_record(std::string_view text) {
    const std::optional<Json> json = Json::parse(text);
    if (!json || !json->is_object())
        return core::Error{core::ErrorCode::kInvalidField, "it is no JSON object", {}};
    const Json& version = std::as_const(*json)["version"];
    if (!version.is_integer())
        return core::Error{core::ErrorCode::kInvalidField, "`version` is missing or wrong", {}};
    if (version.integer() != kVersion)
        return core::Error{
            core::ErrorCode::kInvalidParameter, "its version is that of another Headway", {}};
    RunRecord record;
    std::string fault;
    read_all(RecordFields(*json, fault), record);
    if (!fault.empty())
        return core::Error{
            core::ErrorCode::kInvalidField, "`" + fault + "` is missing or wrong", {}};
    return record;
}

}  // namespace headway::cli
