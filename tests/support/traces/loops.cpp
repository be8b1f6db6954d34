// SPDX-License-Identifier: Apache-2.0
#include "tests/support/traces/loops.hpp"

#include <algorithm>

namespace headway::tests {
namespace {

/// Steps that one looping agent does over and over; `salt` sets it apart from other agents.
class Looper {
public:
    Looper(Gen& gen, Recorder& recorder)
        : gen_(gen), recorder_(recorder), salt_(std::to_string(gen.below(100'000))) {}

    void step(Loop kind, std::size_t i) {
        switch (kind) {
            case Loop::kExactRepeat:
                recorder_.call(look(0));
                break;
            case Loop::kFailingRepeat:
                recorder_.call(fails("deploy", 0));
                break;
            case Loop::kTwoCycle:
                recorder_.call(look(i % 2));
                break;
            case Loop::kThreeCycle:
                recorder_.call(look(i % 3));
                break;
            case Loop::kFiveCycle:
                recorder_.call(look(i % 5));
                break;
            case Loop::kInterleaved:
                recorder_.call(i % 2 == 0 ? look(0) : noise(i));
                break;
            case Loop::kReadEditFail:
                read_edit_fail(i);
                break;
            case Loop::kOscillation:
                oscillate(i);
                break;
            case Loop::kSameDiagnostic:
                edit_in_vain(i);
                break;
            case Loop::kShuffledKeys:
                shuffled();
                break;
            case Loop::kNonce:
                with_nonce(i);
                break;
            case Loop::kVolatileResult:
                volatile_result();
                break;
            case Loop::kSelfAppend:
                append_to_itself(i);
                break;
            case Loop::kPlanning:
                plan(i);
                break;
            case Loop::kIdleSleep:
                sleep();
                break;
            case Loop::kFailingEverywhere:
                fail_everywhere(i);
                break;
            case Loop::kDuplicateMessages:
                recorder_.message("assistant",
                                  "I will now continue with the next step of task " + salt_ + ".");
                recorder_.pass(3'000);
                break;
            case Loop::kEmptyHeartbeats:
                recorder_.pass(5'000);
                recorder_.event("heartbeat", "{\"iteration\":" + std::to_string(5'000 + i) + "}");
                break;
        }
    }

private:
    Call look(std::size_t i) const {
        Call call;
        call.tool = i % 2 == 0 ? "read_file" : "list_dir";
        call.args = "{\"path\":\"loop/" + salt_ + "/" + std::to_string(i) + "\"}";
        call.result = quoted("the content of place " + std::to_string(i) + " for " + salt_);
        return call;
    }
    Call noise(std::size_t i) const {
        Call call;
        call.tool = "grep";
        call.args = "{\"pattern\":\"needle_" + salt_ + "_" + std::to_string(i) + "\"}";
        call.result = quoted("No matches found");
        return call;
    }
    Call fails(std::string tool, std::size_t i) const {
        Call call;
        call.tool = std::move(tool);
        call.args = "{\"target\":\"host-" + salt_ + "-" + std::to_string(i) + "\"}";
        call.ok = false;
        call.error = "the release directory is not empty";
        return call;
    }
    Call red_test() {
        Call call;
        call.tool = "bash";
        call.args = "{\"command\":\"pytest tests/test_" + salt_ + ".py\"}";
        call.result = quoted("FAILED test_" + salt_ +
                             " - AssertionError: expected 3, got 4\n1 failed, 6 passed in " +
                             recorder_.volatile_seconds());
        return call;
    }
    Call edit(std::string text, std::string digest) const {
        const std::string path = "src/loop_" + salt_ + ".py";
        Call call;
        call.tool = "edit_file";
        call.args = "{\"path\":" + quoted(path) + ",\"new_string\":" + quoted(text) + "}";
        call.result = "\"ok\"";
        if (!digest.empty()) call.mutated = {{path, std::move(digest)}};
        return call;
    }

    void read_edit_fail(std::size_t i) {
        if (i % 3 == 0) return recorder_.call(look(0));
        if (i % 3 == 2) return recorder_.call(red_test());
        Call call = edit("x", {});
        call.ok = false;
        call.error = "old_string not found in src/loop_" + salt_ + ".py";
        recorder_.call(call);
    }
    void oscillate(std::size_t i) {
        const std::string side = i % 2 == 0 ? "a" : "b";
        recorder_.call(edit("return " + side, "sha-" + salt_ + side));
    }
    void edit_in_vain(std::size_t i) {
        if (i % 2 == 1) return recorder_.call(red_test());
        recorder_.call(edit("attempt " + std::to_string(i),
                            digests_ ? "sha-" + salt_ + std::to_string(i) : ""));
    }
    void shuffled() {
        std::vector<std::string> members{"\"path\":\"logs/" + salt_ + "\"", "\"limit\":50",
                                         "\"tail\":true",
                                         "\"filter\":{\"level\":\"error\",\"since\":\"start\"}"};
        for (std::size_t i = members.size(); i > 1; --i)
            std::swap(members[i - 1], members[gen_.index(i)]);
        Call call;
        call.tool = "read_log";
        for (const std::string& member : members)
            call.args.insert(call.args.size() - 1, (call.args.size() > 2 ? "," : "") + member);
        call.result = quoted("12 lines of log of " + salt_);
        recorder_.call(call);
    }
    void with_nonce(std::size_t i) {
        Call call;
        call.tool = "search_kb";
        call.args = i % 2 == 0 || recorder_.habits().stamps
                        ? "{\"query\":\"refund " + salt_ +
                              "\",\"nonce\":" + std::to_string(recorder_.volatile_number()) + "}"
                        : "{\"query\":\"refund " + salt_ + "\",\"request_id\":\"" +
                              recorder_.volatile_uuid() + "\"}";
        call.result = quoted("Article: refunds of " + salt_ + " take ten days");
        recorder_.call(call);
    }
    void volatile_result() {
        Call call;
        call.tool = "send_report";
        call.args = "{\"to\":\"team-" + salt_ + "\"}";
        call.result =
            objects_ ? "{\"message_id\":\"" + recorder_.volatile_uuid() +
                           "\",\"pid\":" + std::to_string(recorder_.volatile_number()) +
                           ",\"state\":\"accepted by " + salt_ + "\",\"timestamp\":\"" +
                           recorder_.volatile_time() + "\"}"
                     : quoted("started worker pid " + std::to_string(recorder_.volatile_number()) +
                              " at " + recorder_.volatile_time() + ", took " +
                              std::to_string(recorder_.volatile_number()) + " ms, message " +
                              recorder_.volatile_uuid());
        recorder_.call(call);
    }
    void append_to_itself(std::size_t i) {
        std::string command = "find . -name " + salt_;
        for (std::size_t copy = 0; copy < i; ++copy)
            command += " | sort -u";
        Call call;
        call.tool = "bash";
        call.args = "{\"command\":" + quoted(command) + (timeouts_ ? ",\"timeout\":120}" : "}");
        call.result = quoted("./loop/" + salt_ + " is the only hit, round " + std::to_string(i));
        recorder_.call(call);
    }
    void plan(std::size_t i) {
        static constexpr std::string_view kWays[] = {"First", "To begin with", "As a start",
                                                     "Step one:"};
        const std::string text = std::string{gen_.pick(kWays)} + " look at module " + salt_ +
                                 ", version " + std::to_string(i);
        if (objects_) return recorder_.event("plan.updated", "{\"text\":" + quoted(text) + "}");
        Call call;
        call.tool = "update_plan";
        call.args = "{\"plan\":" + quoted(text) + "}";
        call.result = "\"Plan updated\"";
        recorder_.call(call);
    }
    void sleep() {
        Call call;
        call.tool = "bash";
        call.args = "{\"command\":\"sleep 30\"}";
        call.result = "\"\"";
        call.ms = 30'000;
        recorder_.call(call);
    }
    void fail_everywhere(std::size_t i) {
        static constexpr std::string_view kTools[] = {"get_invoice", "list_invoices",
                                                      "export_invoice"};
        Call call = fails(std::string{kTools[i % 3]}, i);
        call.error = objects_ ? "401 Unauthorized: the token has expired"
                              : "backend schema is not initialised";
        recorder_.call(call);
    }

    Gen& gen_;
    Recorder& recorder_;
    std::string salt_;
    bool objects_ = gen_.chance(2);
    bool timeouts_ = gen_.chance(2);
    bool digests_ = gen_.chance(2);
};

}  // namespace

void loop(Loop kind, Gen& gen, Recorder& recorder, std::size_t count) {
    Looper looper{gen, recorder};
    for (std::size_t i = 0; i < count; ++i)
        looper.step(kind, i);
}

}  // namespace headway::tests
