// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "cli/base/console.hpp"
#include "cli/base/exit_code.hpp"
#include "cli/base/json.hpp"
#include "cli/base/text.hpp"
#include "cli/client/client_options.hpp"
#include "cli/client/daemon.hpp"
#include "cli/line/verb.hpp"

// `headway forget`: deletes all that the daemon keeps of a session and of what belongs to it.

namespace headway::cli {
namespace {

using namespace std::chrono_literals;

struct ForgetOptions {
    ClientOptions client;
    std::string session;
    bool alone = false;
    bool yes = false;
};

/// More belong to no usual run of an agent. Then the first session stays, by which the rest is
/// found.
constexpr std::size_t kFamilyMax = 1'000;
/// For rows that are deleted between the daemon's turns.
constexpr std::chrono::seconds kForgetPatience{60};

struct Member {
    std::string id;
    bool open = false;
};

struct Family {
    std::vector<Member> members;
    bool complete = true;  ///< false: there are more than are listed
};

/// A recording whose import is not complete has no end, and no agent that reports more.
bool is_open(const Json& session) {
    return session["ended_at"].is_null() && !(session["recorded"] == true);
}

/// The daemon opens the sessions that continue `base` as `base~2`, `base~3` and so on. Any agent
/// may write their label.
bool continues(std::string_view id, std::string_view base) {
    if (!id.starts_with(base) || !id.substr(base.size()).starts_with('~')) return false;
    const std::string_view number = id.substr(base.size() + 1);
    return !number.empty() && number.find_first_not_of("0123456789") == number.npos;
}

/// The sessions that a list has, added to `family` unless they are there. `resumed`: only those
/// that continue this one; or empty.
HttpReply add_listed(Daemon& daemon, const std::string& filter, const std::string& resumed,
                     Family& found) {
    HttpReply reply = daemon.get("/v1/sessions?limit=200&" + filter);
    const std::optional<Json> body = body_json(reply);
    if (!reply.ok() || !body) return reply;
    std::vector<Member>& family = found.members;
    if (!(*body)["next"].is_null()) found.complete = false;
    for (const Json& session : (*body)["sessions"]) {
        const std::string& id = session.text_of("id");
        const auto known = std::find_if(family.begin(), family.end(),
                                        [&id](const Member& one) { return one.id == id; });
        if (known != family.end()) continue;
        if (!resumed.empty() && !continues(id, resumed)) continue;
        if (family.size() == kFamilyMax) {
            found.complete = false;
            break;
        }
        family.push_back({id, is_open(session)});
    }
    return reply;
}

/// The session, its sub-agents, and what went on in its place after a resume.
HttpReply find_family(Daemon& daemon, const ForgetOptions& options, Family& found) {
    std::vector<Member>& family = found.members;
    HttpReply reply = daemon.get(session_path(options.session));
    const std::optional<Json> body = body_json(reply);
    if (!reply.ok() || !body) return reply;
    family.push_back({options.session, is_open(*body)});
    for (std::size_t i = 0; i < family.size() && !options.alone; ++i) {
        const std::string id = family[i].id;
        reply = add_listed(daemon, "parent=" + url_encode(id), {}, found);
        if (!reply.ok()) return reply;
        reply = add_listed(daemon, "label=resumed:" + url_encode(id), id, found);
        if (!reply.ok()) return reply;
    }
    return reply;
}

/// Returns when all of them have gone, with 404; with another status when they have not in time.
HttpReply forget_all(Daemon& daemon, const std::vector<Member>& family) {
    HttpReply reply;
    // Children first: what fails leaves a parent by which the rest is found again.
    for (auto member = family.rbegin(); member != family.rend(); ++member) {
        reply = daemon.remove(session_path(member->id));
        if (!reply.ok() && reply.status != 404) return reply;
    }
    Backoff backoff;
    const auto deadline = std::chrono::steady_clock::now() + kForgetPatience;
    for (const Member& member : family) {
        do {
            reply = daemon.get(session_path(member.id));
            if (reply.status == 404) break;
            std::this_thread::sleep_for(backoff.next());
        } while (std::chrono::steady_clock::now() < deadline);
        if (reply.status != 404) return reply;
    }
    return reply;
}

int tell_forgotten(const ForgetOptions& options, const std::vector<Member>& family,
                   const Console& console) {
    if (options.client.json) {
        Json ids = Json::array();
        for (const Member& member : family)
            ids.push_back(member.id);
        console.out << dump(Json{{"forgotten", ids}}) << "\n";
        return kExitOk;
    }
    console.out << clean_line(options.session) << ": forgotten";
    if (family.size() > 1) console.out << ", with " << family.size() - 1 << " more";
    console.out << "\n";
    return kExitOk;
}

int refuse_open(const std::vector<Member>& family, const Console& console) {
    for (const Member& member : family) {
        if (!member.open) continue;
        const std::string id = clean_line(member.id);
        std::string fix = "headway cancel ";
        fix.append(id).append(", or headway end ").append(id).append(", then forget it");
        return complain(console, kExitFailed, id + " is open, and its agent may report more", fix);
    }
    return 0;
}

int forget(const ForgetOptions& options, const Console& console) {
    if (!options.yes && !console.in_terminal) {
        return complain(console, kExitUsage, "refusing to delete without confirmation",
                        "pass --yes");
    }
    Daemon daemon(options.client.url, options.client.credential);
    Family found;
    const HttpReply looked = find_family(daemon, options, found);
    if (!looked.ok()) return explain_failure(console, daemon, looked);
    std::vector<Member>& family = found.members;
    if (!found.complete) family.erase(family.begin());
    if (const int refused = refuse_open(family, console); refused != 0) return refused;
    if (!options.yes || (family.size() > 1 && !options.client.json)) {
        for (const Member& member : family)
            console.err << "  " << clean_line(member.id) << "\n";
    }
    if (!options.yes) {
        if (!confirmed(console, "Delete everything that is stored about these, for good?")) {
            console.err << "nothing was deleted\n";
            return kExitFailed;
        }
    }
    const HttpReply done = forget_all(daemon, family);
    if (done.status == 404 && !found.complete) {
        std::string part = std::to_string(family.size());
        part.append(" sessions that belong to it are deleted");
        return complain(console, kExitFailed, part, "there are more: run this again");
    }
    if (done.status == 404) return tell_forgotten(options, family, console);
    if (!done.ok()) return explain_failure(console, daemon, done);
    return complain(console, kExitFailed, "the daemon is still deleting",
                    "it continues by itself; see headway show " + clean_line(options.session));
}

class Forget : public VerbOf<ForgetOptions> {
public:
    void declare(Arguments& arguments) override {
        arguments.help("Delete everything stored about a session");
        arguments.footer(
            R"(Permanently deletes the session's journal, approvals, checks and snapshots, and those of its
sub-agents and of the later sessions that continue its conversation. The session must have ended.
Figures computed from many sessions (usual costs, totals) stay, and so do backups, exports, and
webhook messages that were sent.

Example:
  headway forget claude-7f3a --yes)");
        arguments.client(options.client);
        arguments.session(options.session).required();
        arguments.flag("--alone", options.alone,
                       "keep the sub-agents, and the sessions that continue this one");
        arguments.flag("--yes,-y", options.yes, "delete without asking");
    }

    int run(const Console& console, const Server&) override { return forget(options, console); }
};

}  // namespace

std::unique_ptr<Verb> make_forget() {
    return std::make_unique<Forget>();
}

}  // namespace headway::cli
