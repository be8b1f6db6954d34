// SPDX-License-Identifier: Apache-2.0
#include "tests/support/traces/agents.hpp"

namespace headway::tests {
namespace {

Call simple(std::string tool, std::string args, std::string result) {
    Call call;
    call.tool = std::move(tool);
    call.args = std::move(args);
    call.result = std::move(result);
    return call;
}

/// Reads many sources, looks some of them up again, keeps notes.
class Researcher {
public:
    Researcher(Gen& gen, Recorder& recorder) : gen_(gen), recorder_(recorder) {}

    void step() {
        const std::uint64_t what = gen_.below(20);
        if (what < 4) {
            search();
        } else if (what < 14) {
            read_some();
        } else if (what < 16 && read_ > 5) {
            recorder_.call(source(gen_.index(read_)));  // looked up again
        } else if (what < 19) {
            note();
        } else {
            recorder_.event("fact.learned", "{\"text\":\"Fact " + std::to_string(++facts_) + "\"}");
        }
    }

private:
    Call source(std::uint64_t i) const {
        return simple("fetch_page",
                      "{\"url\":\"https://example.org/doc/" + std::to_string(i) + "\"}",
                      quoted("Document " + std::to_string(i) + ": the measured value is " +
                             std::to_string(i * 7'919 % 1'000) + " units, see also " +
                             std::to_string(i * 31 % 97)));
    }
    void search() {
        const bool found = !gen_.chance(4);
        const std::string query = "topic " + std::to_string(++searches_);
        recorder_.call(simple("web_search", "{\"query\":" + quoted(query) + "}",
                              found
                                  ? "[{\"url\":\"https://example.org/doc/" + std::to_string(read_) +
                                        "\",\"title\":\"About " + query + "\"}]"
                                  : (gen_.chance(2) ? "[]" : "\"No results found.\"")));
    }
    void read_some() {
        std::vector<Call> calls;
        for (std::size_t i = 0; i < 1 + gen_.index(3); ++i)
            calls.push_back(source(read_++));
        recorder_.turn(calls);
    }
    void note() {
        recorder_.call(simple(
            "append_note", "{\"text\":\"Finding " + std::to_string(++notes_) + "\"}", "\"saved\""));
    }

    Gen& gen_;
    Recorder& recorder_;
    std::uint64_t read_ = 0;
    std::uint64_t searches_ = 0;
    std::uint64_t notes_ = 0;
    std::uint64_t facts_ = 0;
};

/// Starts jobs and waits for them, with polls and sleeps; now and then one is red and is mended.
class Operator {
public:
    Operator(Gen& gen, Recorder& recorder)
        : gen_(gen), recorder_(recorder), objects_(gen.chance(2)), sleeps_(gen.chance(2)) {}

    void step() {
        const std::string job = std::to_string(1'000 + ++jobs_);
        if (gen_.chance(10)) limited();
        recorder_.call(simple("start_job",
                              "{\"pipeline\":\"deploy\",\"revision\":\"r" + job + "\"}",
                              "{\"job_id\":\"" + job + "\",\"accepted\":true}"));
        wait_for(job);
        const bool red = gen_.chance(4);
        recorder_.call(status(job, red ? "failed" : "succeeded"));
        if (!red) {
            recorder_.call(simple("get_logs", "{\"job_id\":\"" + job + "\"}",
                                  quoted("deployed revision r" + job + " to 3 hosts")));
            return;
        }
        recorder_.call(simple("get_logs", "{\"job_id\":\"" + job + "\"}",
                              quoted("error: config key k" + job + " is missing")));
        Call fix = simple("write_config",
                          "{\"path\":\"deploy.yaml\",\"content\":\"k" + job + ": 1\"}", "\"ok\"");
        if (gen_.chance(2)) fix.mutated = {{"deploy.yaml", "sha-" + job}};
        recorder_.call(fix);
    }

private:
    Call status(const std::string& job, const std::string& state) {
        const std::string args = "{\"job_id\":\"" + job + "\"}";
        if (!objects_) return simple("job_status", args, quoted(state));
        return simple("job_status", args,
                      "{\"job_id\":\"" + job + "\",\"status\":\"" + state +
                          "\",\"elapsed_ms\":" + std::to_string(recorder_.volatile_number()) +
                          ",\"checked_at\":\"" + recorder_.volatile_time() + "\"}");
    }
    void wait_for(const std::string& job) {
        const std::uint64_t polls = gen_.chance(4) ? 20 + gen_.below(60) : gen_.below(15);
        for (std::uint64_t i = 0; i < polls; ++i) {
            recorder_.call(status(job, "running"));
            if (!sleeps_) {
                recorder_.pass(5'000);
                continue;
            }
            Call sleep = simple("bash", "{\"command\":\"sleep 30\"}", "\"\"");
            sleep.ms = 30'000;
            recorder_.call(sleep);
        }
    }
    /// The provider limits requests for a while; the same request goes through later.
    void limited() {
        Call call = simple("list_hosts", "{\"region\":\"eu-" + std::to_string(jobs_) + "\"}", "");
        call.ok = false;
        call.error_class = "rate_limit";
        call.error = "429 Too Many Requests";
        for (std::uint64_t i = 1 + gen_.below(4); i > 0; --i) {
            recorder_.call(call);
            recorder_.pass(8'000);
        }
        recorder_.call(simple("list_hosts", call.args, "[\"host-" + std::to_string(jobs_) + "\"]"));
    }

    Gen& gen_;
    Recorder& recorder_;
    std::uint64_t jobs_ = 0;
    bool objects_;
    bool sleeps_;
};

/// Works through a list with tools that acknowledge and lookups that mostly find nothing.
class Acknowledged {
public:
    Acknowledged(Gen& gen, Recorder& recorder) : gen_(gen), recorder_(recorder) {}

    void step() {
        static constexpr std::string_view kAcks[] = {"\"ok\"", "true", "\"\"", "{}", "\"done\""};
        const std::string id = std::to_string(++items_);
        const std::uint64_t lookups = gen_.below(4);
        for (std::uint64_t i = 0; i < lookups; ++i) {
            recorder_.call(simple("lookup",
                                  "{\"name\":\"item " + id + " part " + std::to_string(i) + "\"}",
                                  gen_.chance(5) ? "[\"match " + id + "\"]" : "[]"));
        }
        const std::string ack{ack_.empty() ? ack_ = gen_.pick(kAcks) : ack_};
        recorder_.call(simple("attach_file", "{\"file\":\"scan_" + id + ".pdf\"}", ack));
        if (gen_.chance(2)) {
            recorder_.call(simple("set_field",
                                  "{\"record\":" + id + ",\"field\":\"state\",\"value\":\"filed\"}",
                                  ack));
        }
        if (gen_.chance(6))
            recorder_.call(simple("tag", "{\"record\":" + id + ",\"tag\":\"checked\"}", ack));
    }

private:
    Gen& gen_;
    Recorder& recorder_;
    std::uint64_t items_ = 0;
    std::string ack_;
};

/// One customer after another.
class Service {
public:
    Service(Gen& gen, Recorder& recorder) : gen_(gen), recorder_(recorder), talks_(gen.chance(2)) {}

    void step() {
        const std::string id = std::to_string(7'000 + ++customers_);
        if (talks_) recorder_.message("user", "My order " + id + " has not come.");
        const Call customer =
            simple("get_customer", "{\"customer_id\":\"C" + id + "\"}",
                   "{\"id\":\"C" + id + "\",\"name\":\"Customer " + id + "\",\"tier\":\"gold\"}");
        recorder_.call(customer);
        order(id, "in_transit");
        if (gen_.chance(3)) recorder_.call(article(gen_.below(40)));
        if (gen_.chance(4)) denied(id);
        if (gen_.chance(2)) refund(id);
        if (gen_.chance(4)) recorder_.call(customer);  // looked up once more before the answer
        recorder_.call(
            simple("send_message",
                   "{\"customer_id\":\"C" + id + "\",\"text\":\"We have taken care of order " + id +
                       ".\"}",
                   "{\"sent\":true,\"message_id\":\"" + recorder_.volatile_uuid() + "\"}"));
        recorder_.call(simple("update_ticket", "{\"ticket\":\"T" + id + "\",\"status\":\"solved\"}",
                              "\"ok\""));
    }

private:
    void order(const std::string& id, const std::string& status) {
        recorder_.call(simple("get_order", "{\"order_id\":\"O" + id + "\"}",
                              "{\"order_id\":\"O" + id + "\",\"status\":\"" + status +
                                  "\",\"total\":" + std::to_string(20 + customers_ % 80) + "}"));
    }
    Call article(std::uint64_t i) const {
        return simple("search_kb", "{\"query\":\"policy " + std::to_string(i) + "\"}",
                      i % 3 == 0 ? "\"No articles found\""
                                 : quoted("Article " + std::to_string(i) + ": refunds within " +
                                          std::to_string(i) + " days"));
    }
    void refund(const std::string& id) {
        recorder_.call(simple(
            "issue_refund",
            "{\"order_id\":\"O" + id + "\",\"amount\":" + std::to_string(5 + customers_ % 50) + "}",
            "{\"ok\":true,\"receipt\":\"" + recorder_.volatile_uuid() + "\"}"));
        order(id, "refunded");
    }
    /// Refused once with what is wrong, then asked rightly.
    void denied(const std::string& id) {
        Call call = simple("change_address", "{\"order_id\":\"O" + id + "\"}", "");
        call.ok = false;
        call.error = "missing required argument 'address' for order O" + id;
        recorder_.call(call);
        recorder_.call(
            simple("change_address",
                   "{\"order_id\":\"O" + id + "\",\"address\":\"Main Street " + id + "\"}",
                   "\"updated\""));
    }

    Gen& gen_;
    Recorder& recorder_;
    std::uint64_t customers_ = 0;
    bool talks_;
};

template <class Agent>
void work_until(Agent agent, Recorder& recorder, std::size_t calls) {
    while (recorder.calls() < calls)
        agent.step();
}

}  // namespace

void work_as_clerk(Personality who, Gen& gen, Recorder& recorder, std::size_t calls) {
    switch (who) {
        case Personality::kResearcher:
            work_until(Researcher{gen, recorder}, recorder, calls);
            break;
        case Personality::kOps:
            work_until(Operator{gen, recorder}, recorder, calls);
            break;
        case Personality::kAcknowledged:
            work_until(Acknowledged{gen, recorder}, recorder, calls);
            break;
        default:
            work_until(Service{gen, recorder}, recorder, calls);
            break;
    }
}

void work(Personality who, Gen& gen, Recorder& recorder, std::size_t calls) {
    const bool programs = who == Personality::kRefactorer || who == Personality::kBugHunter ||
                          who == Personality::kShellOnly;
    if (programs) {
        work_as_programmer(who, gen, recorder, calls);
    } else {
        work_as_clerk(who, gen, recorder, calls);
    }
}

Trace productive_trace(Personality who, std::uint64_t seed, std::size_t calls,
                       std::uint64_t noise) {
    Gen gen{seed};
    Recorder recorder{gen, noise, random_habits(gen)};
    work(who, gen, recorder, calls);
    return recorder.take();
}

}  // namespace headway::tests
