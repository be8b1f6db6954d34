// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "api/hooks/dialect.hpp"
#include "api/hooks/report.hpp"
#include "cli/acp/acp_gate.hpp"
#include "cli/acp/acp_observer.hpp"
#include "cli/acp/messages/acp_message.hpp"
#include "cli/acp/messages/line_cutter.hpp"
#include "core/redaction/secrets.hpp"
#include "tests/fuzz/bytes.hpp"
#include "tests/fuzz/kept.hpp"
#include "tests/fuzz/work.hpp"

// Both directions of an editor and its agent, with Headway between them: a line that begins with
// `e` is the editor's, `a` the agent's; `y` and `n` are what Headway says of the last question; `t`
// is time that passes.

using namespace headway;
using cli::AcpAction;
using cli::AcpGate;
using cli::Json;

namespace {

/// One connection, and what a permission must not become.
class Connection {
public:
    Connection() { document_.redact_with(&secrets()); }

    void line(std::string_view text) {
        if (text == "y" || text == "n") return decide(text == "n");
        if (text == "t") return act(observer_.start_calls(), {});
        if (!text.starts_with('e') && !text.starts_with('a')) return;
        const std::string from{text.substr(1)};
        const auto message = Json::parse(from);
        if (!message || !message->is_object()) return;
        const bool reply = message->text_of("method").empty() && message->contains("id");
        if (text.front() == 'e' && reply) {
            editor_replies(from, *message);
            return act(observer_.answered(*message), *message);
        }
        if (text.front() == 'e') return act(observer_.from_editor(*message), *message);
        const bool request = !message->text_of("method").empty() && message->contains("id");
        const auto twice = request ? gate_.begin(cli::acp_id((*message)["id"])) : std::nullopt;
        if (twice) return close(*twice);
        if (request) asked_.erase(cli::acp_id((*message)["id"]));
        act(observer_.from_agent(*message), *message);
    }

private:
    struct Asked {
        AcpAction action;
        Json options;
        std::string held;  // the editor's line that allows
        bool refused = false;
    };

    static const core::SecretFinder& secrets() {
        static const core::SecretFinder kSecrets;
        return kSecrets;
    }

    void act(const cli::AcpObserver::Actions& actions, const Json& message) {
        for (const AcpAction& action : actions)
            act(action, message);
    }

    void close(const AcpGate::Closed& closed) {
        const auto found = asked_.find(closed.asking.request);
        if (found == asked_.end()) return;
        const auto line = Json::parse(closed.line);
        tests::require(line && cli::acp_id((*line)["id"]) == closed.asking.request);
        tests::require(!cli::acp_allows(found->second.options, *line));
        found->second.refused = true;
    }

    void act(const AcpAction& action, const Json& message) {
        const bool asks = action.kind == AcpAction::Kind::kAsk;
        using Kind = AcpAction::Kind;
        tests::require(asks || action.kind == Kind::kCancel || !action.session.empty());
        const bool over = action.kind == Kind::kTurn || action.kind == Kind::kCancel ||
                          action.kind == Kind::kIdle || action.kind == Kind::kLeft;
        if (over) {
            for (const AcpGate::Closed& closed : gate_.close(action.session))
                close(closed);
        }
        if (action.kind == AcpAction::Kind::kOpen) {
            tests::require(api::decode_open(document_, dump(action.data)).has_value());
        } else if (action.kind == AcpAction::Kind::kEvent) {
            tests::report_and_keep(document_, action.type, dump(action.data));
        } else if (action.kind == AcpAction::Kind::kIdle) {
            tests::require(observer_.state(action.session).text_of("state") == "idle");
        } else if (asks) {
            ask(action, message);
        }
    }

    void ask(const AcpAction& action, const Json& message) {
        if (action.data.contains("started"))
            tests::report_and_keep(document_, "tool.started", dump(action.data["started"]));
        if (action.data.contains("hook")) check_hook(action);
        const std::string deed = action.deed ? dump(message) : "";
        const auto put = gate_.ask(action, message, deed);
        if (!put) return;
        if (asked_.size() >= AcpGate::kOpenMax) asked_.clear();  // the gate forgets answered ones
        asked_[put->request] = {*put, message["params"]["options"], deed, false};
        last_ = put->request;
    }

    void check_hook(const AcpAction& action) {
        Json body = action.data["hook"];
        body["session"] = "s";
        tests::require(document_.parse(dump(body)).has_value());
        auto hook = api::hooks::find_dialect("generic")->parse(document_.root(), {});
        tests::require(hook.kind == api::hooks::HookKind::kPermission);
        // A name with control characters is none to a hook.
        tests::require(hook.call.call == action.type || hook.call.call.empty());
        tests::require(api::hooks::take_report(document_, hook).has_value());
    }

    void editor_replies(const std::string& line, const Json& message) {
        const std::string id = cli::acp_id(message["id"]);
        const AcpGate::Reply reply = gate_.reply(id, line, message);
        const auto found = asked_.find(id);
        if (found == asked_.end()) return;
        Asked& asked = found->second;
        if (asked.action.deed) {  // the editor has not seen the request
            tests::require(reply.answer == AcpGate::Answer::kDrop);
            return;
        }
        tests::require((reply.answer == AcpGate::Answer::kDrop) == asked.refused);
        if (asked.refused) return void(asked_.erase(found));
        const bool allows = cli::acp_allows(asked.options, message);
        tests::require(reply.refused == !allows);
        const bool waits =
            reply.answer == AcpGate::Answer::kHold || reply.answer == AcpGate::Answer::kAskAgain;
        // An editor's yes waits for Headway's; after Headway's no nothing more is said.
        tests::require(waits == allows);
        if (!waits) return void(asked_.erase(found));
        asked.held = line;
        asked.action = reply.asking;
    }

    void decide(bool refused) {
        const auto found = asked_.find(last_);
        if (found == asked_.end()) return;
        Asked& asked = found->second;
        const auto line = gate_.decide(last_, asked.action.serial, refused);
        if (!line) return;
        if (refused) {
            const auto refusal = Json::parse(*line);
            tests::require(refusal && cli::acp_id((*refusal)["id"]) == last_);
            tests::require(!cli::acp_allows(asked.options, *refusal));
            observer_.refused(asked.action.session, asked.action.type);
        } else {
            tests::require(*line == asked.held);
        }
        asked.refused = refused;
        if (!asked.held.empty()) asked_.erase(found);
    }

    cli::AcpObserver observer_{"fuzz"};
    AcpGate gate_;
    std::map<std::string, Asked> asked_;
    std::string last_;
    api::JsonDocument document_;
};

/// The output is equal to the input, whatever the pieces.
std::string cut(std::string_view bytes, std::size_t piece, Connection* connection) {
    std::string passed;
    cli::LineCutter cutter;
    const cli::LineCutter::Take take = [&](std::string_view text, bool whole) {
        passed.append(text).append(whole ? "\n" : "");
        if (whole && connection != nullptr) connection->line(text);
    };
    for (; !bytes.empty(); bytes.remove_prefix(std::min(piece, bytes.size())))
        cutter.feed(bytes.substr(0, piece), take);
    cutter.finish(take);
    return passed;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const tests::LittleWork work;
    tests::Bytes bytes{data, size};
    const std::size_t how = bytes.choose(64);
    const std::string both{how == 0 ? tests::grown(bytes.rest()) : bytes.rest()};
    Connection connection;
    tests::require(cut(both, both.size() + 1, &connection) == both);
    tests::require(cut(both, 1 + how, nullptr) == both);
    return 0;
}
