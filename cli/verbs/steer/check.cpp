// SPDX-License-Identifier: Apache-2.0
#include "cli/verbs/steer/check.hpp"

#include <algorithm>
#include <ostream>
#include <thread>
#include <utility>

#include "cli/base/clock.hpp"
#include "cli/base/exit_code.hpp"
#include "cli/base/json.hpp"
#include "cli/base/text.hpp"
#include "cli/client/client_options.hpp"
#include "cli/client/daemon.hpp"
#include "cli/line/verb.hpp"
#include "cli/views/check_view.hpp"
#include "config/values/duration.hpp"

// `headway check`: a question to the judge about one session, and its answer by long polls. The
// daemon may come and go meanwhile: it asks again by itself.

namespace headway::cli {
namespace {

class Checker {
public:
    Checker(const CheckOptions& options, const Console& console)
        : options_(options),
          console_(console),
          daemon_(options.client.url, options.client.credential) {}

    int run() {
        Json question = {{"sessionId", options_.session}};
        if (!options_.id.empty()) question["checkId"] = options_.id;
        HttpReply reply = daemon_.post("/check-status", question);
        std::optional<Json> check = document_of(reply);
        if (!check) return explain_failure(console_, daemon_, reply);
        id_ = check->text_of("checkId");
        if (!options_.wait) return asked(*check);
        if (console_.err_terminal && !options_.client.json) {
            console_.err << "check " << clean_line(id_)
                         << " is under way ... (Ctrl-C to give up)\n";
        }
        PollPace pace;
        while (!check_ended(*check)) {
            const SteadyTime began = steady_now();
            if (!poll(reply)) return timed_out();
            check = document_of(reply);
            if (!check) return explain_failure(console_, daemon_, reply);
            const auto took = std::chrono::floor<milliseconds>(steady_now() - began);
            if (!check_ended(*check))
                std::this_thread::sleep_for(std::min(pace.after(took), time_left()));
        }
        return finish(*check);
    }

private:
    static std::optional<Json> document_of(const HttpReply& reply) {
        std::optional<Json> body = body_json(reply);
        const bool usable = reply.ok() && body && std::as_const(*body)["checkId"].is_string();
        return usable ? std::move(body) : std::nullopt;
    }

    // Asks again while there is no daemon; false when the time has passed and one answers.
    bool poll(HttpReply& reply) {
        Backoff backoff;
        const SteadyTime began = steady_now();
        for (bool again = false;; again = true) {
            const milliseconds wait = std::min(kPoll, time_left());
            if (wait.count() <= 0) return again && !reply.answered();
            reply = daemon_.get("/check-status/" + url_encode(id_) +
                                    "?sessionId=" + url_encode(options_.session) +
                                    "&wait=" + std::to_string(wait.count()) + "ms",
                                wait + kAnswerGrace);
            const milliseconds pause = std::min(backoff.next(), time_left());
            if (!worth_retrying(reply) || steady_now() + pause - began > kReconnect) return true;
            std::this_thread::sleep_for(pause);
        }
    }

    milliseconds time_left() const {
        if (!options_.timeout) return std::chrono::hours{24};
        const auto spent = std::chrono::ceil<milliseconds>(steady_now() - began_);
        return std::max(*options_.timeout - spent, milliseconds{0});
    }

    int asked(const Json& check) const {
        console_.out << (options_.client.json ? dump(check) : clean_line(id_)) << "\n";
        return kExitOk;
    }

    int finish(const Json& check) const {
        const int code = check_exit_code(check);
        if (options_.client.json) console_.out << dump(check) << "\n";
        if (code == kExitFailed)
            return complain(console_, code, no_answer_text(check), no_answer_advice(check));
        if (!options_.client.json) console_.out << check_text(check);
        return code;
    }

    int timed_out() const {
        const std::string id = clean_line(id_);
        return complain(
            console_, kExitTimeout,
            "check " + id + " has no answer within " + config::print_duration(*options_.timeout),
            "it goes on: `headway check " + options_.session + " --id " + id +
                " --wait` waits for it");
    }

    const CheckOptions& options_;
    const Console& console_;
    Daemon daemon_;
    std::string id_;
    const SteadyTime began_ = steady_now();
};

constexpr const char* kCheckFooter =
    R"(Prints the check's id or, with --wait, the answer. Exit codes:
  0    progressing; without --wait: the question was accepted
  1    no answer, or the daemon refused
  2    looping
  4    blocked or failed: a person has to look
  69   no daemon answers
  124  the --wait time has passed; the check continues

The daemon needs a judge; see `[judge]` in `headway config default`.

Examples:
  headway check my-agent --wait           waits until there is an answer
  headway check my-agent --wait=30s
  headway check my-agent --id monday --wait     again with the same id: the same answer)";

class Check : public VerbOf<CheckOptions> {
public:
    void declare(Arguments& arguments) override {
        arguments.help("Ask a model to judge a session").footer(kCheckFooter);
        arguments.client(options.client);
        arguments.session(options.session).required();
        arguments.option("--id", options.id,
                         "id of the check; a known id returns the stored answer");
        arguments.value_flag("--wait", wait_,
                             "wait for the answer; --wait=DURATION: at most this long");
        arguments.finally([this] { return read_wait(); });
    }

    int run(const Console& console, const Server&) override {
        return Checker(options, console).run();
    }

private:
    std::optional<Mistake> read_wait() {
        options.wait = !wait_.empty();
        if (!options.wait || wait_ == "true") return std::nullopt;
        const core::Result<milliseconds> duration = config::parse_duration(wait_);
        if (!duration) return Mistake{"--wait: " + duration.error().detail};
        options.timeout = *duration;
        return std::nullopt;
    }

    std::string wait_;  ///< what --wait says: a duration, or "true"
};

}  // namespace

std::unique_ptr<Verb> make_check() {
    return std::make_unique<Check>();
}

}  // namespace headway::cli
