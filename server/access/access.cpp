// SPDX-License-Identifier: Apache-2.0
#include "server/access/access.hpp"

#include <algorithm>
#include <utility>

#include "core/base/limits.hpp"
#include "core/text/sha256.hpp"
#include "core/text/text.hpp"
#include "core/text/words.hpp"
#include "server/access/operator_token.hpp"
#include "server/tokens/token_text.hpp"

namespace headway::server {
namespace {

using core::Error;
using core::ErrorCode;
using core::Result;
using core::Scope;

std::string scope_for(Guard guard, std::string_view session) {
    switch (guard) {
        case Guard::kReport:
            return "report:" + std::string{session};
        case Guard::kControl:
            return "control";
        case Guard::kApprove:
            return "approve";
        case Guard::kAdmin:
            return "admin";
        default:
            return "read";
    }
}

Error no_token(Guard guard, std::string_view session) {
    const std::string needed = guard == Guard::kAnyToken ? std::string{"this needs a token"}
                                                         : "this needs a token with the scope `" +
                                                               scope_for(guard, session) + "`";
    return {
        ErrorCode::kUnauthorized,
        needed +
            ": send `Authorization: Bearer <token>`. The operator's is in operator.token in the "
            "daemon's state directory; `headway token create` makes others",
        "Authorization"};
}

constexpr std::string_view kDashboardId = "dashboard";
constexpr std::string_view kReporterId = "report.sock";  // no id of a token has a dot
constexpr core::Millis kReporterAlarmEvery{3'600'000};
constexpr std::string_view kLoginMark = "login ";  // no id of a token has a blank

Error no_login() {
    return {ErrorCode::kUnauthorized,
            "a web page may only read until you log in: open the link that `headway dashboard` "
            "prints",
            "Headway-Login"};
}

bool is_safe(Method method) {
    return method == Method::kGet || method == Method::kHead;
}

Error not_by_reporters(const std::string& scope) {
    return {
        ErrorCode::kForbidden,
        "the report socket only reports: it opens, reports for, ends and reads single sessions, "
        "for each user and with any token; this needs the scope `" +
            scope + "`: use the daemon's port or the operator's socket",
        "Authorization"};
}

Error refused(const Principal& caller, const std::string& scope, std::string_view why = {}) {
    if (caller.only_reports) return not_by_reporters(scope);
    std::string detail =
        "the token \"" + caller.name + "\" (" + caller.id + ") lacks the scope `" + scope + "`";
    if (!why.empty()) detail += " " + std::string{why};
    detail += "; get one with it from the operator: headway token create NAME --scope " + scope;
    return {ErrorCode::kForbidden, std::move(detail), "Authorization"};
}

Result<> require_scope(const Principal& caller, Scope scope) {
    if (caller.grants.has(scope)) return {};
    return refused(caller, std::string{core::name_of(scope)});
}

/// `names_session`: the path names the session; otherwise the handler checks access to it.
Result<> authorize(const Principal& caller, Guard guard, bool names_session,
                   std::string_view session) {
    switch (guard) {
        case Guard::kPublic:
        case Guard::kAnyToken:
            return {};
        case Guard::kReport:
            return names_session ? require_report(caller, session)
                                 : require_scope(caller, Scope::kReport);
        case Guard::kRead:
            if (!names_session && caller.grants.has(Scope::kReport)) return {};
            return require_read(caller, session);
        case Guard::kOverview:
            return require_read(caller, {});
        case Guard::kControl:
            return require_scope(caller, Scope::kControl);
        case Guard::kApprove:
            return require_scope(caller, Scope::kApprove);
        case Guard::kAdmin:
            break;
    }
    return require_scope(caller, Scope::kAdmin);
}

bool asks_for_no_token(Guard guard, const config::AccessSettings& settings) {
    if (guard == Guard::kPublic) return true;
    if (settings.mode == "token") return false;
    if (guard == Guard::kControl) return settings.local_control == "open";
    return guard != Guard::kApprove && guard != Guard::kAdmin;
}

}  // namespace

Result<> require_report(const Principal& caller, std::string_view session) {
    if (caller.grants.may_report(session)) return {};
    if (!caller.grants.has(Scope::kReport) || session.empty()) {
        return refused(caller, "report:" + std::string{session});
    }
    return refused(caller, "report:" + std::string{session},
                   "(it has " + caller.grants.scopes().front() + ")");
}

Result<> require_read(const Principal& caller, std::string_view session) {
    const bool all_by_reporter = caller.only_reports && session.empty();
    if (caller.grants.may_read(session) && !all_by_reporter) return {};
    return refused(caller, "read");
}

std::string own_key(const Principal& caller, std::string_view key) {
    const bool shared = caller.grants.may_report({}) && !caller.only_reports;
    // No header may contain this character, so no client can write such a key.
    const std::string owner = shared ? "" : "\x1f" + ("token/" + caller.id) + "/";
    return owner + std::string{key};
}

std::string signed_by(const Principal& caller, std::string claimed) {
    if (caller.anonymous() || claimed == caller.name) return claimed;
    if (claimed.empty()) return caller.name;
    if (caller.id == kOperatorId) return claimed;  // the operator names the person
    const bool is_token = caller.id != kDashboardId && !caller.only_reports;
    const std::string backed = is_token ? " (token " + caller.name + ")" : " (" + caller.name + ")";
    return std::string{core::cut_text(claimed, core::limits::kStringBytesMax - backed.size())} +
           backed;
}

Access::Access(const Clock& clock) : clock_(clock), anonymous_{{}, {}, core::Grants::anonymous()} {
    operator_.id = kOperatorId;
    operator_.name = kOperatorId;
    operator_.grants = core::Grants::all();
    dashboard_.id = kDashboardId;
    dashboard_.name = kDashboardId;
    dashboard_.grants = core::Grants::all();
    reporter_.id = kReporterId;
    reporter_.name = kReporterId;
    reporter_.grants = core::Grants::parse(std::vector<std::string>{"report:"}).value();
    reporter_.only_reports = true;
    configure({});
}

void Access::configure(const config::AccessSettings& settings) {
    settings_ = settings;
    for (std::size_t i = 0; i < kGuardCount; ++i)
        open_.set(i, asks_for_no_token(static_cast<Guard>(i), settings));
}

std::string Access::stays_as(const Principal& caller, const RequestHead& head) const {
    if (caller.id != dashboard_.id) return caller.id;
    return std::string{kLoginMark} + logins_.mark_of(head.login);
}

bool Access::counts(std::string_view who) {
    if (who.empty()) return mode() != "token";  // anonymous; the mode may have been reloaded
    if (is_operator(who) || who == kReporterId) return true;
    if (who.starts_with(kLoginMark))
        return logins_.counts(who.substr(kLoginMark.size()), clock_.earliest());
    const Known* known = find(who);
    return known != nullptr && known->record.live(clock_.earliest());
}

void Access::set_tokens(std::vector<core::TokenRecord> tokens) {
    std::vector<Known> known;
    known.reserve(tokens.size());
    for (core::TokenRecord& token : tokens) {
        if (token.grants == core::Grants{})
            alarm_ = "the scopes of the token " + token.id + " cannot be read: it has none";
        Known& one = known.emplace_back();
        one.principal = {token.id, token.name, token.grants};
        one.record = std::move(token);
        if (const Known* before = find(one.record.id)) {  // its last use may not be stored yet
            one.used = before->used;
            one.record.used_at = std::max(one.record.used_at, before->record.used_at);
        }
    }
    std::sort(known.begin(), known.end(),
              [](const Known& a, const Known& b) { return a.record.id < b.record.id; });
    known_ = std::move(known);
}

Result<bool> Access::adopt_operator(std::filesystem::path file) {
    HEADWAY_TRY(const OperatorToken token, load_operator_token(file));
    operator_file_ = std::move(file);
    operator_hash_ = token_hash(token.text);
    decision_links_.key_from(operator_hash_);
    return token.tightened;
}

Result<> Access::share(std::filesystem::path file, const std::filesystem::path& secret_file) {
    HEADWAY_TRY(const std::string secret, read_shared_secret(secret_file));
    HEADWAY_TRY(const std::string text, derive_operator_token(file, secret));
    operator_file_ = std::move(file);
    operator_hash_ = token_hash(text);
    decision_links_.key_from(operator_hash_);
    logins_.share(keyed_hash(secret, "headway logins"));
    shared_ = true;
    return {};
}

Result<std::string> Access::rotate_operator() {
    if (shared_)
        return Error{
            ErrorCode::kForbidden,
            "the operator's token follows from access.secret_file: replace what that holds "
            "at all daemons, and restart them",
            {}};
    auto text = replace_operator_token(operator_file_);
    if (!text) return Error{ErrorCode::kInternal, text.error().detail, {}};
    operator_hash_ = token_hash(*text);
    decision_links_.key_from(operator_hash_);
    logins_.forget_all();
    return *std::move(text);
}

std::string Access::fingerprint_key() const {
    if (operator_hash_.empty()) return {};
    return core::sha256_hex("headway prints of exports " + operator_hash_);
}

Result<Login> Access::log_in(std::string_view code) {
    return logins_.log_in(code, clock_.earliest(), settings_.login_for);
}

bool Access::log_out(const RequestHead& head) {
    return logins_.log_out(head.login, clock_.earliest());
}

Result<const Principal*> Access::check_token(const Target& target, const RequestHead& head,
                                             const Peer& peer) {
    if (peer.reports) return check_reporter(target, peer);
    const Guard guard = target.endpoint->guard;
    ++refused_;  // undone on success
    auto identified = identify(target, head, peer);
    if (!identified) return failed(std::move(identified).error(), peer);
    const Principal* const caller = *identified;
    if (!caller->anonymous()) {
        // Only the index knows the session of an alias.
        const bool names_session = target.endpoint->names_session() && target.alias.empty();
        HEADWAY_CHECK(authorize(*caller, guard, names_session, target.session));
    } else if (closed_to_anonymous(head, guard)) {
        return head.from_browser() ? no_login() : no_token(guard, target.session);
    }
    --refused_;
    return caller;
}

/// Neither a token nor a login counts: the rights of this socket are those of its file.
Result<const Principal*> Access::check_reporter(const Target& target, const Peer& peer) {
    const bool names_session = target.endpoint->names_session() && target.alias.empty();
    auto allowed = authorize(reporter_, target.endpoint->guard, names_session, target.session);
    if (allowed) return &std::as_const(reporter_);
    ++refused_;
    const core::Timestamp now = clock_.now();
    if (reporter_alarm_ == core::kNever || now - reporter_alarm_ >= kReporterAlarmEvery) {
        reporter_alarm_ = now;
        alarm_ = shown(peer) + " asked for " + std::string{target.endpoint->name} +
                 " and was refused: it only reports; this line comes once an hour";
    }
    return std::move(allowed).error();
}

/// True if routes of this guard need a token or a login.
bool Access::closed_to_anonymous(const RequestHead& head, Guard guard) const {
    if (guard == Guard::kPublic) return false;
    // A ping reports, also as a GET.
    if (head.from_browser() && (!is_safe(head.method) || guard == Guard::kReport)) return true;
    return !open_.test(static_cast<std::size_t>(guard));
}

bool Access::may(const Principal& caller, const RequestHead& head, Guard guard) const {
    if (!caller.anonymous()) return authorize(caller, guard, true, {}).has_value();
    RequestHead asking = head;  // as if for such a route
    const bool reads = guard == Guard::kOverview || guard == Guard::kRead;
    asking.method = reads ? Method::kGet : Method::kPost;
    return !closed_to_anonymous(asking, guard);
}

Access::Known* Access::find(std::string_view id) {
    const auto place = std::lower_bound(
        known_.begin(), known_.end(), id,
        [](const Known& known, std::string_view key) { return known.record.id < key; });
    return place != known_.end() && place->record.id == id ? &*place : nullptr;
}

std::vector<const core::TokenRecord*> Access::tokens() const {
    std::vector<const core::TokenRecord*> tokens;
    tokens.reserve(known_.size());
    for (const Known& known : known_)
        tokens.push_back(&known.record);
    std::stable_sort(tokens.begin(), tokens.end(),
                     [](const auto* a, const auto* b) { return a->created_at > b->created_at; });
    return tokens;
}

std::vector<core::TokenUse> Access::take_uses() {
    std::vector<core::TokenUse> uses;
    for (Known& known : known_) {
        if (std::exchange(known.used, false))
            uses.push_back({known.record.id, known.record.used_at});
    }
    return uses;
}

}  // namespace headway::server
