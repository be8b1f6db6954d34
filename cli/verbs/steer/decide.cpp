// SPDX-License-Identifier: Apache-2.0
#include <ostream>

#include "api/json/json_document.hpp"
#include "cli/base/exit_code.hpp"
#include "cli/base/json.hpp"
#include "cli/client/client_options.hpp"
#include "cli/client/daemon.hpp"
#include "cli/line/verb.hpp"
#include "cli/views/approval_view.hpp"
#include "config/values/read_file.hpp"

// `headway approve`, `reject` and `answer`: a person's decisions.

namespace headway::cli {
namespace {

struct DecideOptions {
    ClientOptions client;
    std::string id;
    std::string decision;
    std::string reason;
    std::string response;
    std::string edit_file;
    std::string scope;
    std::string then;
    bool identical = false;
};

core::Result<Json> arguments_from(const std::string& path) {
    const auto text = config::read_file(path);
    if (!text) {
        return core::Error{core::ErrorCode::kInvalidField, "cannot read \"" + path + "\"",
                           "--edit"};
    }
    // As the daemon reads it: another parser might take the last of two equal keys, unseen.
    api::JsonDocument document;
    const auto read = document.parse(*text);
    if (!read) {
        return core::Error{
            core::ErrorCode::kInvalidJson,
            "\"" + path + "\" is no JSON that can be approved: " + read.error().detail, "--edit"};
    }
    std::optional<Json> arguments = Json::parse(*text);
    if (!arguments) {
        return core::Error{core::ErrorCode::kInvalidJson, "\"" + path + "\" holds no JSON",
                           "--edit"};
    }
    return *std::move(arguments);
}

std::string person(const Console& console) {
    const auto user = console.environment.find("USER");
    return user == console.environment.end() ? std::string{} : user->second;
}

core::Result<Json> decision_body(const DecideOptions& options, const Console& console) {
    Json body = {{"decision", options.decision}, {"channel", "cli"}};
    if (const std::string by = person(console); !by.empty()) body["by"] = by;
    if (!options.reason.empty()) body["reason"] = options.reason;
    if (!options.response.empty()) body["response"] = options.response;
    if (!options.scope.empty()) body["scope"] = options.scope;
    if (!options.then.empty()) body["then"] = options.then;
    if (options.identical) body["apply_to_identical"] = true;
    if (!options.edit_file.empty()) {
        HEADWAY_TRY(body["edited_args"], arguments_from(options.edit_file));
        body["decision"] = "edit";
    }
    return body;
}

int decide_approval(const DecideOptions& options, const Console& console) {
    const core::Result<Json> body = decision_body(options, console);
    if (!body) return complain(console, kExitUsage, body.error().detail);
    Daemon daemon(options.client.url, options.client.credential);
    const HttpReply reply =
        daemon.post("/v1/approvals/" + url_encode(options.id) + "/decision", *body);
    const std::optional<Json> approval = body_json(reply);
    if (!reply.ok() || !approval) return explain_failure(console, daemon, reply);
    std::string text = decision_text((*approval)["approval"]);
    if (options.identical) text += identical_text(*approval);
    console.out << (options.client.json ? dump(*approval) + "\n" : text);
    console.err << answer_note((*approval)["approval"]);
    return kExitOk;
}

class Decide : public Verb {
public:
    explicit Decide(std::string decision) { options_.decision = std::move(decision); }

    int run(const Console& console, const Server&) override {
        return decide_approval(options_, console);
    }

protected:
    void declare_request(Arguments& arguments) {
        arguments.client(options_.client);
        arguments.operand("ID", options_.id, "id of the request, from `headway approvals`")
            .required();
    }
    void declare_reason(Arguments& arguments) {
        arguments.option("--reason", options_.reason, "why, for the agent and the journal");
    }
    void declare_identical(Arguments& arguments) {
        arguments.flag(
            "--identical", options_.identical,
            "also decide all identical pending requests, in any session, in the same way");
    }

    DecideOptions options_;
};

class Approve : public Decide {
public:
    Approve() : Decide("approve") {}

    void declare(Arguments& arguments) override {
        arguments.help("Approve a request");
        arguments.footer(
            R"(An agent's question cannot be approved; `headway answer` answers it.

Examples:
  headway approve my-agent.a17
  headway approve my-agent.a17 --edit safer.json     run only with these arguments
  headway approve my-agent.a17 --scope session       also later requests with equal arguments)");
        declare_request(arguments);
        declare_reason(arguments);
        arguments
            .option("--edit", options_.edit_file,
                    "run the call with the arguments in this JSON file")
            .type("FILE");
        arguments
            .option("--scope", options_.scope,
                    "once: this request only; session: also later identical requests in the same "
                    "session")
            .choices({"once", "session"});
        declare_identical(arguments);
    }
};

class Reject : public Decide {
public:
    Reject() : Decide("reject") {}

    void declare(Arguments& arguments) override {
        arguments.help("Reject a request");
        arguments.footer(R"(Examples:
  headway reject my-agent.a17 --reason "not on production"
  headway reject my-agent.a17 --reason "use the dry run" --then change_approach)");
        declare_request(arguments);
        declare_reason(arguments);
        arguments
            .option("--then", options_.then,
                    "what the agent must do next; a stop lasts until `headway resume`")
            .choices({"stop", "change_approach"})
            .fallback("stop");
        declare_identical(arguments);
    }
};

class Answer : public Decide {
public:
    Answer() : Decide("respond") {}

    void declare(Arguments& arguments) override {
        arguments.help("Answer an agent's question");
        arguments.footer("Example:\n  headway answer my-agent.a17 \"the second database\"");
        declare_request(arguments);
        arguments.operand("ANSWER", options_.response, "your answer to the question").required();
        declare_identical(arguments);
    }
};

}  // namespace

std::unique_ptr<Verb> make_approve() {
    return std::make_unique<Approve>();
}

std::unique_ptr<Verb> make_reject() {
    return std::make_unique<Reject>();
}

std::unique_ptr<Verb> make_answer() {
    return std::make_unique<Answer>();
}

}  // namespace headway::cli
