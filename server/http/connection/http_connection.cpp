// SPDX-License-Identifier: Apache-2.0
#include "server/http/connection/http_connection.hpp"

#include <algorithm>
#include <array>
#include <boost/asio/post.hpp>
#include <new>
#include <utility>

#include "core/base/assert.hpp"

namespace headway::server {
namespace {

using core::ErrorCode;

constexpr auto kNever = Clock::Steady::time_point::max();
/// How long a peer may take to close after our FIN, and its replies may take after its own.
constexpr std::chrono::seconds kLeaveTimeout{2};
// Longer bodies are read by BulkTurns.
constexpr std::size_t kBulkBytesMin = 65'536;

std::string_view path_of(std::string_view target) {
    return target.substr(0, target.find('?'));
}

}  // namespace

HttpConnection::HttpConnection(Socket socket, const Peer& peer, std::unique_ptr<TlsStream> tls,
                               std::uint64_t id, ConnectionOwner& owner)
    : transport_(std::move(socket), std::move(tls), owner.bulk(), *this),
      peer_(peer),
      id_(id),
      owner_(owner) {}

void HttpConnection::start() {
    transport_.start(peer_.on_socket());
    if (peer_.reports) transport_.take_descriptors(owner_.passed());
    // A handshake has the same time limit as a header.
    const config::ServerSettings& settings = owner_.limits();
    read_deadline_ = Clock::coarse() +
                     (transport_.encrypted() ? settings.header_timeout : settings.idle_timeout);
    read();
}

bool HttpConnection::wants_bytes() const {
    if (state_ == State::kLeaving) return true;
    if (state_ != State::kOpen || reader_.holds_one()) return false;
    if (streaming()) return true;
    if (writer_.accepts()) return !writer_.full();
    // Before a stream begins, only the end is read: a further request waits for its reply.
    return writer_.awaits_stream() && reader_.idle();
}

void HttpConnection::read() {
    if (transport_.reading() || !wants_bytes()) return;
    const std::span<char> space = reader_.room();
    if (!note_held() && reader_.in_body()) {
        reader_.received(0);
        handle(reader_.refuse(
            {ErrorCode::kOverloaded, "too many large bodies are under way; send it again", {}}));
        write();
        return;
    }
    ++operations_;
    transport_.read(space, reader_.body_bytes() >= kBulkBytesMin);
}

void HttpConnection::on_received(const error_code& ec, std::size_t count) {
    reader_.received(count);
    if (state_ != State::kClosed) take(ec);
    operation_done();
}

void HttpConnection::take(const error_code& ec) {
    const bool owes = writer_.owes() || !writer_.empty();
    if (ec == net::error::eof && state_ == State::kOpen && owes && !streaming()) {
        // The peer may have closed one half only: it still gets what it is owed.
        state_ = State::kPeerEnded;
        reader_.end();
        writer_.expect_no_more();
        if (writer_.empty()) write_deadline_ = Clock::coarse() + kLeaveTimeout;
        watch();
        note_held();
    } else if (ec) {
        close();
    } else if (state_ == State::kLeaving || streaming()) {
        // A request after a stream would wait without end, so it closes the stream.
        if (reader_.end() && streaming()) finish_stream();
        note_held();
        read();
    } else {
        flush();
    }
}

/// Asks once whether a body that has not come whole may be read.
RequestReader::Step HttpConnection::admitted(RequestReader::Step step) {
    if (!reader_.in_body() || admitted_) return step;
    const auto may = owner_.admit(reader_.target(), *reader_.head(), peer_);
    if (!may) return reader_.refuse(may.error());
    admitted_ = true;
    return step;
}

/// Handles all complete requests.
void HttpConnection::consume() {
    while (state_ == State::kOpen && reader_.ready() && writer_.accepts()) {
        const RequestReader::Step step = admitted(reader_.next(owner_.gate(peer_)));
        if (step == RequestReader::Step::kNeedsBytes) return;
        handle(step);
    }
}

void HttpConnection::handle(RequestReader::Step step) {
    switch (step) {
        case RequestReader::Step::kNeedsBytes:
            return;
        case RequestReader::Step::kContinue:
            writer_.expect_body();
            return;
        case RequestReader::Step::kPacked:
            inflate_in_turn();
            return;
        case RequestReader::Step::kRequest:
            dispatch();
            break;
        case RequestReader::Step::kRefused:
            refuse();
            break;
    }
    admitted_ = false;
    if (!kept_) reader_.done();
}

void HttpConnection::keep_request() {
    HEADWAY_ASSERT(!kept_);
    kept_ = true;
    ++operations_;
}

void HttpConnection::let_go() {
    HEADWAY_ASSERT(kept_);
    kept_ = false;
    reader_.done();
    flush();
    operation_done();
}

void HttpConnection::dispatch() {
    served_ = true;
    const RequestHead& head = *reader_.head();
    const Target& target = reader_.target();
    const std::uint64_t slot = open_slot(&head, target.endpoint);
    try {
        owner_.on_request(*this, slot,
                          {head, target, reader_.body(), peer_, reader_.still_packed()});
    } catch (const std::bad_alloc&) {
        throw;  // see App::run_loop()
    } catch (const std::exception& e) {
        respond(slot, problem_response({ErrorCode::kInternal, e.what(), {}}, head.target));
    }
}

void HttpConnection::refuse() {
    const RequestHead* head = reader_.head();
    owner_.on_refused(reader_.error().code);
    const std::uint64_t slot = open_slot(head, nullptr);
    Response response = problem_response(
        reader_.error(), head == nullptr ? std::string_view{} : path_of(head->target));
    response.close = reader_.last();
    respond(slot, response);
}

/// `head` is null if it could not be read, `endpoint` if the request is refused.
std::uint64_t HttpConnection::open_slot(const RequestHead* head, const Endpoint* endpoint) {
    wait_ = Wait::kNothing;  // what comes next has its own time limit
    ReplyWriter::Asked asked;
    asked.at = Clock::steady();
    asked.keep_alive = head != nullptr && head->keep_alive && !owner_.draining();
    const bool usable = head != nullptr && usable_request_id(head->request_id);
    asked.request_id = usable ? std::string{head->request_id} : owner_.next_request_id();
    if (head != nullptr) {
        asked.path = path_of(head->target);
        asked.head_only = head->method == Method::kHead;
        asked.http_1_0 = head->http_1_0;
    }
    if (endpoint != nullptr) {
        asked.deprecation = endpoint->deprecation;
        asked.stream = endpoint->reply == ReplyKind::kStream;
    }
    if (!asked.keep_alive) reader_.end();
    return writer_.open(std::move(asked));
}

/// A kilobyte may become as much as is read at once. Until then nothing is read. The inflated body
/// exists for one call of the owner, so there is at most one.
void HttpConnection::inflate_in_turn() {
    ++operations_;
    owner_.bulk().add([this] {
        if (reader_.packed()) {
            handle(reader_.inflate());
            flush();
        }
        operation_done();
    });
}

void HttpConnection::respond(std::uint64_t slot, const Response& response) {
    if (state_ == State::kClosed) return;
    if (writer_.owes_one() && last_before_the_drain()) writer_.expect_no_more();
    writer_.respond(slot, response, Clock::steady());
    if (writer_.ending()) reader_.end();
}

void HttpConnection::flush() {
    write();
    consume();
    write();
    read();
    watch();
}

void HttpConnection::write() {
    if (state_ != State::kOpen && state_ != State::kPeerEnded) return;
    if (!transport_.awaiting_room() && !writer_.empty()) {
        error_code ec;
        const std::size_t count = transport_.write(writer_.unsent(), ec);
        if (ec) {
            close();
            return;
        }
        writer_.sent(count);
        const bool more = !writer_.empty();
        const bool ended = state_ == State::kPeerEnded;
        write_deadline_ = more    ? Clock::coarse() + owner_.limits().write_timeout
                          : ended ? Clock::coarse() + kLeaveTimeout
                                  : kNever;
        if (more) {
            ++operations_;
            transport_.await_room();
        }
    }
    note_held();
    const bool drained = !streaming() && !writer_.owes() && last_before_the_drain();
    if (writer_.finished() || (writer_.empty() && drained)) leave();
}

void HttpConnection::on_room(const error_code& ec) {
    if (ec) close();
    if (state_ != State::kClosed && streaming()) {
        write();
        if (writable()) owner_.on_writable(*this);
    } else {
        flush();
    }
    operation_done();
}

/// Reports the bytes held for this client to the owner; false when the total is too high.
bool HttpConnection::note_held() {
    const std::size_t held = writer_.held() + reader_.held();
    if (held == held_ || state_ == State::kClosed) return true;
    const auto change = static_cast<std::ptrdiff_t>(held) - static_cast<std::ptrdiff_t>(held_);
    held_ = held;
    return owner_.on_held(change) || change < 0;
}

/// Shuts down sending and waits for the peer's end: closing with unread input would reset the
/// connection and could lose the reply.
void HttpConnection::leave() {
    if (streaming() || state_ == State::kPeerEnded) {
        close();
        return;
    }
    transport_.end();
    reader_.end();
    state_ = State::kLeaving;
    write_deadline_ = Clock::coarse() + kLeaveTimeout;
    watch();
    read();
}

bool HttpConnection::begin_stream(std::uint64_t slot, StreamBody body) {
    const bool ends = state_ == State::kPeerEnded;  // it gets what is there, in one piece
    if ((state_ != State::kOpen && !ends) || !writer_.begin_stream(slot, body)) return false;
    if (ends) return true;
    if (reader_.end()) writer_.end_stream();  // a next request never gets a reply
    write();
    read();
    watch();
    return state_ != State::kClosed;
}

std::size_t HttpConnection::stream(std::span<const Frame> frames) {
    HEADWAY_ASSERT(writable() && streaming());
    std::array<std::string_view, Transport::kPiecesMax> pieces;
    const std::size_t count = std::min(frames.size(), pieces.size());
    std::transform(frames.begin(), frames.begin() + static_cast<std::ptrdiff_t>(count),
                   pieces.begin(), [](const Frame& frame) { return std::string_view{*frame}; });
    error_code ec;
    const std::size_t sent = transport_.write(std::span{pieces}.first(count), ec);
    if (ec) {
        close();
        return 0;
    }
    const std::size_t taken = writer_.sent_frames(frames, sent);
    write();
    return taken;
}

void HttpConnection::append_stream(std::string_view text) {
    if (state_ == State::kClosed) return;
    writer_.append(text);
    write();
}

void HttpConnection::finish_stream() {
    writer_.end_stream();
    if (writable()) close();
}

HttpConnection::Wait HttpConnection::awaited() const {
    if (state_ != State::kOpen || reader_.holds_one()) return Wait::kNothing;
    if (!writer_.accepts() || writer_.full()) return Wait::kNothing;  // it is not read
    if (reader_.in_body()) return Wait::kBody;
    if (!reader_.idle()) return Wait::kHead;
    return writer_.owes() || !writer_.empty() ? Wait::kNothing : Wait::kRequest;
}

/// Sets a deadline for what the peer has to send now. Only waits for a turn move it, no bytes do.
void HttpConnection::watch() {
    const Wait wait = awaited();
    if (wait == wait_) return;
    wait_ = wait;
    const config::ServerSettings& settings = owner_.limits();
    read_deadline_ = wait == Wait::kNothing ? kNever
                                            : Clock::coarse() - transport_.queued() +
                                                  (wait == Wait::kRequest ? settings.idle_timeout
                                                   : wait == Wait::kHead  ? settings.header_timeout
                                                                          : settings.body_timeout);
}

void HttpConnection::check_deadline(Clock::Steady::time_point now) {
    if (state_ == State::kClosed) return;
    const bool late = now - transport_.queued() >= read_deadline_ && wait_ == awaited();
    if (now >= write_deadline_ || (late && wait_ == Wait::kRequest)) {
        close();
    } else if (late && (wait_ == Wait::kHead || wait_ == Wait::kBody)) {
        handle(
            reader_.refuse({ErrorCode::kRequestTimeout, "the request did not arrive in time", {}}));
        flush();
    }
}

/// True in a drain if no further request has begun to arrive: the pending reply is the last one.
bool HttpConnection::last_before_the_drain() const {
    return owner_.draining() && reader_.idle();
}

void HttpConnection::drain() {
    // Others close after their pending reply: see last_before_the_drain().
    if (!streaming() && !writer_.owes() && writable() && reader_.idle()) close();
}

bool HttpConnection::give_way() {
    const Wait wait = awaited();
    const bool waits = wait == Wait::kRequest || wait == Wait::kHead;
    if (peer_.local || !waits || streaming() || writer_.owes() || !writable()) return false;
    close();
    return true;
}

bool HttpConnection::gives_way_after_reply() const {
    const bool open = state_ == State::kOpen || state_ == State::kPeerEnded;
    const bool reads = reader_.in_body() || reader_.holds_one();
    return open && !peer_.local && !reads && !streaming() && writer_.owes_one() && writable();
}

void HttpConnection::close() {
    if (state_ == State::kClosed) return;
    state_ = State::kClosed;
    if (held_ > 0) owner_.on_held(-static_cast<std::ptrdiff_t>(std::exchange(held_, 0)));
    ++operations_;  // keeps us alive through the calls below
    transport_.close();
    writer_.clear();
    reader_.end();
    // Posted, because a caller on the stack may still use what on_closed() releases.
    net::post(transport_.executor(), [this] {
        owner_.on_closed(*this);
        operation_done();
    });
}

void HttpConnection::operation_done() {
    if (--operations_ == 0 && state_ == State::kClosed) owner_.release(*this);
}

}  // namespace headway::server
