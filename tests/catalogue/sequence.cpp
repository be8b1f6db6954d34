// SPDX-License-Identifier: Apache-2.0
#include "tests/catalogue/sequence.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <stdexcept>
#include <utility>
#include <variant>

#include "api/decode/decode.hpp"

namespace headway::tests::catalogue {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr core::Timestamp kOpened{milliseconds{1'700'000'000'000}};
constexpr milliseconds kCallTakes = seconds{4};
constexpr milliseconds kThoughtTakes = seconds{2};

std::string member(std::string_view name, std::string_view json) {
    return ",\"" + std::string{name} + "\":" + std::string{json};
}

std::string event_of(std::string_view type, std::string_view data) {
    return "{\"type\":" + quoted(type) + ",\"data\":" + std::string{data} + "}";
}

std::string_view name_of(Hook hook) {
    static constexpr std::array<std::string_view, 4> kNames{
        "finished calls", "started and finished calls", "finished calls with digests",
        "calls, heartbeats and words"};
    return kNames[static_cast<std::size_t>(hook)];
}

/// A model's message before it calls a tool.
std::string thought(std::uint64_t turn) {
    static constexpr std::array<std::string_view, 5> kThoughts{
        "Let me take a look at this first.", "Now the next part: I want to see what comes back.",
        "That tells me something. I go on from here.", "I'll try this and read the result.",
        "One more step before I can tell."};
    return std::string{kThoughts[turn % kThoughts.size()]};
}

}  // namespace

std::string quoted(std::string_view text) {
    std::string out = "\"";
    for (char c : text) {
        if (c == '"' || c == '\\') {
            out.push_back('\\');
            out.push_back(c);
        } else if (c == '\n') {
            out += "\\n";
        } else if (static_cast<unsigned char>(c) < 0x20) {
            std::array<char, 8> escape{};
            std::snprintf(escape.data(), escape.size(), "\\u%04x", static_cast<unsigned>(c));
            out += escape.data();
        } else {
            out.push_back(c);
        }
    }
    return out + "\"";
}

Call& Call::result(std::string_view text) {
    return answers(quoted(text));
}

Call& Call::answers(std::string json) {
    outcome_ = member("ok", "true") + member("result", json);
    return *this;
}

Call& Call::fails(std::string_view message, std::string_view error_class) {
    std::string error = "{\"message\":" + quoted(message);
    if (!error_class.empty()) error += member("class", quoted(error_class));
    outcome_ = member("ok", "false") + member("error", error + "}");
    return *this;
}

Call& Call::mutates(std::string_view path, std::string_view content) {
    mutated_ = "[{\"path\":" + quoted(path) + member("digest", quoted(content)) + "}]";
    return *this;
}

Call& Call::id(std::string call_id) {
    id_ = std::move(call_id);
    return *this;
}

Call& Call::from(std::string_view origin) {
    origin_ = member("origin", quoted(origin));
    return *this;
}

std::string Call::finished(std::string_view call_id, Hook hook, std::uint64_t round) const {
    std::string data = "{\"tool\":" + quoted(tool_) + member("args", args_) +
                       member("call_id", quoted(call_id)) + outcome_ + origin_;
    if (hook == Hook::kDigests && !mutated_.empty()) data += member("mutated", mutated_);
    if (round != 0) data += member("round", std::to_string(round));
    return data + "}";
}

Call call(std::string tool, std::string args) {
    return Call{std::move(tool), std::move(args)};
}

Call bash(std::string_view command) {
    return call("bash", "{\"command\":" + quoted(command) + "}").result("");
}

Call read_file(std::string_view path) {
    return call("read_file", "{\"path\":" + quoted(path) + "}").result("");
}

Call read_lines(std::string_view path, int first, int last) {
    return call("read_file", "{\"path\":" + quoted(path) +
                                 ",\"start_line\":" + std::to_string(first) +
                                 ",\"end_line\":" + std::to_string(last) + "}");
}

Call edit(std::string_view path, std::string_view old_text, std::string_view new_text) {
    return call("edit", "{\"file_path\":" + quoted(path) + ",\"old_string\":" + quoted(old_text) +
                            ",\"new_string\":" + quoted(new_text) + "}")
        .result("The file " + std::string{path} + " has been updated.")
        .mutates(path, new_text);
}

Call write_file(std::string_view path, std::string_view content) {
    return call("write", "{\"file_path\":" + quoted(path) + ",\"content\":" + quoted(content) + "}")
        .result("File written: " + std::string{path})
        .mutates(path, content);
}

Call grep(std::string_view pattern) {
    return call("grep", "{\"pattern\":" + quoted(pattern) + ",\"path\":\"src\"}").result("");
}

Call job_status(int job) {
    return call("job_status", "{\"job_id\":" + std::to_string(job) + "}");
}

Agent::Agent(Hook hook, std::string_view policy) : hook_(hook) {
    context_.now = kOpened;
    context_.watch = kOpened;
    auto open = api::decode_open(
        document_, R"({"goal":"make the tests pass","policy":)" + std::string{policy} + "}");
    if (!open) throw std::invalid_argument{open.error().field + " " + open.error().detail};
    session_.open(std::move(open->about), core::Policy{}, context_, out_);
    keep();
}

Agent& Agent::does(const Call& one) {
    return does_at_once({one});
}

Agent& Agent::does_at_once(const std::vector<Call>& calls) {
    ++round_;
    const bool talks = hook_ == Hook::kTalking;
    if (talks) beats().says(thought(round_));
    std::vector<std::string> ids;
    for (const Call& one : calls) {
        ids.push_back(next_id(one));
        if (talks || hook_ == Hook::kStarted) announce(one, ids.back());
    }
    passes(kCallTakes);
    const bool numbered = hook_ == Hook::kDigests || (hook_ == Hook::kFinished && calls.size() > 1);
    for (std::size_t i = 0; i < calls.size(); ++i)
        reports("tool.finished", calls[i].finished(ids[i], hook_, numbered ? round_ : 0));
    return *this;
}

Agent& Agent::starts(const Call& one) {
    open_id_ = next_id(one);
    announce(one, open_id_);
    return *this;
}

Agent& Agent::ends(const Call& one) {
    return reports("tool.finished", one.finished(open_id_, hook_, 0));
}

Agent& Agent::says(std::string_view text) {
    passes(kThoughtTakes);
    return reports("message", "{\"role\":\"assistant\"" + member("text", quoted(text)) + "}");
}

Agent& Agent::hears(std::string_view text) {
    return reports("message", "{\"role\":\"user\"" + member("text", quoted(text)) + "}");
}

Agent& Agent::beats(std::string_view data) {
    passes(session_.state().asked_interval);
    return reports("heartbeat", data);
}

Agent& Agent::reports(std::string_view type, std::string_view data) {
    auto report = api::decode_report(document_, event_of(type, data), api::BodyFormat::kJson);
    if (!report) throw std::invalid_argument{report.error().field + " " + report.error().detail};
    session_.report(report->events, context_, out_);
    const std::size_t reported = run_ == nullptr ? 0 : out_.size();
    for (std::size_t i = 0; i < reported; ++i) {
        auto conflict = run_->observe("run", name_, out_[i]);
        if (conflict) session_.note_conflict(*std::move(conflict), context_, out_);
    }
    keep();
    return *this;
}

Agent& Agent::acknowledges() {
    std::vector<std::string> ids;
    for (const core::Directive& directive : session_.state().directives)
        ids.push_back(directive.id);
    for (const std::string& id : ids)
        reports("directive.acknowledged", "{\"id\":" + quoted(id) + "}");
    return *this;
}

Agent& Agent::passes(milliseconds time) {
    const core::Timestamp then = context_.now + time;
    while (true) {
        const core::Timestamp due = session_.next_deadline(context_.watch);
        if (due == core::kNever || due > then) break;
        context_.now = std::max(context_.now, due);
        session_.tick(context_, out_);
        keep();
        if (session_.next_deadline(context_.watch) == due) break;
    }
    context_.now = then;
    return *this;
}

Agent& Agent::children_work(bool now) {
    context_.children_work = now;
    return *this;
}

Agent& Agent::in_run(core::RunFiles& files, std::string name) {
    run_ = &files;
    name_ = std::move(name);
    return *this;
}

bool Agent::ever(core::Verdict verdict) const {
    return count(verdict) > 0;
}

std::size_t Agent::count(core::Verdict verdict) const {
    return static_cast<std::size_t>(
        std::count_if(history_.begin(), history_.end(),
                      [verdict](const Moment& moment) { return moment.verdict == verdict; }));
}

bool Agent::was_told(core::DirectiveKind kind) const {
    return std::any_of(journal_.begin(), journal_.end(), [kind](const core::Event& event) {
        const auto* directive = std::get_if<core::DirectiveIssued>(&event.payload);
        return directive != nullptr && directive->kind == kind;
    });
}

std::string Agent::trace() const {
    std::string text = "reported: " + std::string{name_of(hook_)} + "\n";
    for (const core::Event& event : journal_) {
        const auto* change = std::get_if<core::VerdictChanged>(&event.payload);
        if (change == nullptr) continue;
        text += "#" + std::to_string(event.n) + " " + std::string{core::name_of(change->to)} +
                " by " + change->detector + ": " + change->reason + "\n";
    }
    return text + "#" + std::to_string(session_.state().n) + " ends";
}

void Agent::announce(const Call& one, const std::string& call_id) {
    reports("tool.started", "{\"call_id\":" + quoted(call_id) + member("tool", quoted(one.tool_)) +
                                member("args", one.args_) + one.origin_ + "}");
}

std::string Agent::next_id(const Call& one) {
    ++calls_;
    return one.id_.empty() ? "call_" + std::to_string(calls_) : one.id_;
}

void Agent::keep() {
    for (core::Event& event : out_)
        journal_.push_back(std::move(event));
    out_.clear();
    history_.push_back({session_.state().n, verdict()});
}

}  // namespace headway::tests::catalogue
