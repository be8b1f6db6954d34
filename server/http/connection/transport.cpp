// SPDX-License-Identifier: Apache-2.0
#include "server/http/connection/transport.hpp"

#include <algorithm>
#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/post.hpp>
#include <utility>

#include "core/base/assert.hpp"

namespace headway::server {
namespace {

net::mutable_buffer buffer_of(std::span<char> space) {
    return net::buffer(space.data(), space.size());
}

bool means_later(const error_code& ec) {
    return ec == net::error::would_block || ec == net::error::try_again;
}

}  // namespace

Transport::Transport(Socket socket, std::unique_ptr<TlsStream> tls, BulkTurns& bulk, User& user)
    : socket_(std::move(socket)), tls_(std::move(tls)), bulk_(bulk), user_(user) {}

void Transport::start(bool delays) {
    error_code ignored;
    socket_.non_blocking(true, ignored);
    if (!delays) socket_.set_option(net::ip::tcp::no_delay(true), ignored);
}

void Transport::read(std::span<char> space, bool in_turn) {
    HEADWAY_ASSERT(!reading_ && !space.empty());
    reading_ = true;
    space_ = space;
    if (tls_) {
        in_turn ? decrypt_in_turn() : decrypt();
    } else if (in_turn) {
        receive_in_turn();
    } else if (all_passed_ != nullptr) {
        receive_with_descriptors();
    } else {
        socket_.async_read_some(buffer_of(space_),
                                [this](error_code ec, std::size_t count) { give(ec, count); });
    }
}

/// The user may go away with this call.
void Transport::give(const error_code& ec, std::size_t count) {
    reading_ = false;
    user_.on_received(ec, count);
}

/// Until the turn comes, the peer has nothing to do: it may have sent everything.
void Transport::await_turn(std::function<void()> work) {
    queued_since_ = Clock::coarse();
    bulk_.add([this, work = std::move(work)] {
        queued_ = queued();
        queued_since_.reset();
        work();
    });
}

Clock::Steady::duration Transport::queued() const {
    return queued_since_ ? queued_ + (Clock::coarse() - *queued_since_) : queued_;
}

/// Waits for bytes only where none are there, so that a peer that sends fast is always in the
/// queue.
void Transport::receive_in_turn() {
    await_turn([this] {
        error_code failed;
        const std::size_t count = receive(failed);
        if (!means_later(failed)) {
            give(failed, count);
            return;
        }
        socket_.async_wait(Socket::wait_read, [this](error_code ec) {
            if (ec || !socket_.is_open()) {
                give(net::error::operation_aborted, 0);
            } else {
                receive_in_turn();
            }
        });
    });
}

/// Asio's own read has no place for a descriptor.
void Transport::receive_with_descriptors() {
    socket_.async_wait(Socket::wait_read, [this](error_code ec) {
        if (ec || !socket_.is_open()) {
            give(net::error::operation_aborted, 0);
            return;
        }
        error_code failed;
        const std::size_t count = receive(failed);
        give(means_later(failed) ? error_code{} : failed, count);
    });
}

/// The bytes that are there now; none from a socket that was closed meanwhile.
std::size_t Transport::receive(error_code& ec) {
    if (!socket_.is_open()) return 0;
    if (all_passed_ == nullptr) return socket_.read_some(buffer_of(space_), ec);
    return all_passed_->receive(socket_.native_handle(), space_, *passed_, ec);
}

/// TLS may hold decrypted bytes that the socket has no more.
void Transport::decrypt() {
    const TlsStream::Io io = tls_->read(space_.data(), space_.size());
    const bool to_write = io.status == TlsStream::Status::kWantWrite;
    if (to_write || io.status == TlsStream::Status::kWantRead) {
        socket_.async_wait(to_write ? Socket::wait_write : Socket::wait_read,
                           [this](error_code ec) {
                               if (ec || !socket_.is_open()) {
                                   give(net::error::operation_aborted, 0);
                               } else if (tls_->established()) {
                                   decrypt();
                               } else {  // a handshake step may take milliseconds
                                   decrypt_in_turn();
                               }
                           });
        return;
    }
    error_code ec;
    if (io.status == TlsStream::Status::kEnded) ec = net::error::eof;
    if (io.status == TlsStream::Status::kFailed) ec = net::error::connection_reset;
    // Posted, as Asio does: a client that always has more data must not overflow the stack.
    net::post(executor(), [this, ec, count = io.count] { give(ec, count); });
}

void Transport::decrypt_in_turn() {
    await_turn([this] {
        if (socket_.is_open()) {
            decrypt();
        } else {
            give(net::error::operation_aborted, 0);
        }
    });
}

std::size_t Transport::write(std::span<const std::string_view> pieces, error_code& ec) {
    std::size_t sent = 0;
    if (tls_) {
        for (const std::string_view piece : pieces) {
            const std::size_t count = encrypt(piece, ec);
            sent += count;
            if (ec || count < piece.size()) break;
        }
        return sent;
    }
    const auto has_bytes = [](std::string_view piece) { return !piece.empty(); };
    const auto first = std::find_if(pieces.begin(), pieces.end(), has_bytes);
    if (first == pieces.end()) return 0;
    if (std::none_of(first + 1, pieces.end(), has_bytes)) {  // a cheaper call of the system
        sent = socket_.write_some(net::const_buffer(first->data(), first->size()), ec);
    } else {
        sent = write_several(pieces, ec);
    }
    if (means_later(ec)) ec = {};
    return sent;
}

std::size_t Transport::write_several(std::span<const std::string_view> pieces, error_code& ec) {
    std::array<net::const_buffer, kPiecesMax> buffers;
    std::size_t count = 0;
    for (const std::string_view piece : pieces) {
        if (piece.empty()) continue;
        buffers[count++] = net::buffer(piece.data(), piece.size());
        if (count == buffers.size()) break;
    }
    return socket_.write_some(std::span{buffers}.first(count), ec);
}

std::size_t Transport::encrypt(std::string_view bytes, error_code& ec) {
    std::size_t sent = 0;
    while (sent < bytes.size()) {  // one record at a time
        const TlsStream::Io io = tls_->write(bytes.data() + sent, bytes.size() - sent);
        sent += io.count;
        if (io.status == TlsStream::Status::kDone) continue;
        if (io.status != TlsStream::Status::kWantWrite) ec = net::error::connection_reset;
        break;
    }
    return sent;
}

void Transport::await_room() {
    HEADWAY_ASSERT(!awaiting_room_);
    awaiting_room_ = true;
    socket_.async_wait(Socket::wait_write, [this](error_code ec) {
        awaiting_room_ = false;
        user_.on_room(ec);
    });
}

void Transport::end() {
    if (tls_) tls_->say_goodbye();
    error_code ignored;
    socket_.shutdown(Socket::shutdown_send, ignored);
}

void Transport::close() {
    error_code ignored;
    socket_.shutdown(Socket::shutdown_both, ignored);
    socket_.close(ignored);
}

}  // namespace headway::server
