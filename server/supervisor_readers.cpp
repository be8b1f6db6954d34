#include "core/limits.hpp"
#include "server/supervisor_turn.hpp"

// Whoever only reads, between those who report.

namespace headway::server {
namespace {

using namespace std::chrono_literals;

/// Of one turn for readers: whoever reports waits for no more than this and one page.
constexpr auto kReadersTurn = 20ms;

/// What a reader's answer takes, roughly.
std::size_t size_of(const core::Result<Answer>& what) {
    if (!what) return 0;
    if (const auto* body = std::get_if<BodyReply>(&*what)) return body->body.size();
    const auto* page = std::get_if<StreamReply>(&*what);
    return page == nullptr ? 0 : page->events.size() * core::limits::kTextWholeBytesMax;
}

}  // namespace

/// A stream without a position starts at what there was when it was asked for. Writes of the same
/// turn come before readers are answered, but whoever reports may have waited for the stream to be
/// there: that report belongs to it.
void Supervisor::place_streams(std::vector<Request>& requests) {
    if (lost_) return;
    for (Request& request : requests) {
        auto* const query = std::get_if<StreamQuery>(&request.command);
        if (query == nullptr || query->after) continue;
        if (query->session.empty()) {
            query->after = store_.head();
            continue;
        }
        const auto resident = require_resident(query->session);
        if (resident) {
            query->after = static_cast<std::int64_t>((*resident)->session.state().n);
        } else if (resident.error().code == core::ErrorCode::kUnknownSession) {
            query->after = 0;  // opened in this turn, or still unknown when it is answered
        }
    }
}

/// Only for a while, the rest in the next turns: thousands of readers must neither keep those
/// waiting who report, nor have their pages lie in memory all at once.
void Supervisor::answer_queries(std::vector<Request>& requests, Turn& turn) {
    for (Request& request : requests) {
        if (const auto* backup = std::get_if<BackupCommand>(&request.command)) {
            start_backup(request, *backup);  // answered when it is complete
            continue;
        }
        if (const auto* test = std::get_if<WebhookTestCommand>(&request.command)) {
            if (auto started = start_test(request, *test); !started)
                turn.publication->replies.push_back({request.reply_to, started.error()});
            continue;  // else answered when it has ended
        }
        if (is_query(request.command)) readers_.push_back(std::move(request));
    }
    const auto started = Clock::steady();
    std::size_t bytes = 0;
    while (!readers_.empty() && bytes < core::limits::kPublicationBytesMax &&
           Clock::steady() - started < kReadersTurn) {
        const Request request = std::move(readers_.front());
        readers_.pop_front();
        core::Result<Answer> what = answer_query(request.command);
        bytes += size_of(what);
        turn.publication->replies.push_back({request.reply_to, std::move(what)});
    }
    queue_.hold(readers_.size());
}

core::Result<Answer> Supervisor::answer_query(const Command& command) {
    if (lost_ && !regain()) {
        return core::Error{core::ErrorCode::kStorageUnavailable, "the journal cannot be read", {}};
    }
    return std::visit(
        [&]<class C>(const C& query) -> core::Result<Answer> {
            if constexpr (kReads<C>) {
                return answer(query);
            } else {
                return core::Error{core::ErrorCode::kInternal, "it reads nothing", {}};
            }
        },
        command);
}

}  // namespace headway::server
