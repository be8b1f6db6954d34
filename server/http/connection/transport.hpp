// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "server/http/sockets/bulk_turns.hpp"
#include "server/http/sockets/net.hpp"
#include "server/http/sockets/passed_descriptors.hpp"
#include "server/http/sockets/tls.hpp"
#include "server/time/clock.hpp"

namespace headway::server {

/// Transfers the bytes of a connection, with or without TLS. At most one read() and one
/// await_room() may be pending; each calls back once, from the event loop. I/O thread only.
class Transport {
public:
    /// The owner of a transport. It must live until all callbacks have been called.
    class User {
    public:
        virtual ~User() = default;
        /// `count` bytes of the space were filled, unless `ec` is an error.
        virtual void on_received(const error_code& ec, std::size_t count) = 0;
        /// The socket may accept more bytes.
        virtual void on_room(const error_code& ec) = 0;
    };

    /// `tls` is null for an unencrypted connection.
    Transport(Socket socket, std::unique_ptr<TlsStream> tls, BulkTurns& bulk, User& user);

    /// From now on, puts descriptors that arrive with the bytes into `passed`. Not to be used with
    /// TLS.
    void take_descriptors(PassedDescriptors& passed) {
        passed_.emplace(passed);
        all_passed_ = &passed;
    }
    /// The last descriptor received, or an invalid one.
    system::FileDescriptor take_passed() noexcept {
        return passed_ ? passed_->take() : system::FileDescriptor{};
    }

    /// Makes the socket non-blocking. If `delays` is false, written bytes are sent at once.
    void start(bool delays);
    bool encrypted() const noexcept { return tls_ != nullptr; }
    /// Fills `space`, which must stay valid until on_received(). `in_turn`: the read waits for its
    /// turn among the clients that send a lot of data.
    void read(std::span<char> space, bool in_turn);
    bool reading() const noexcept { return reading_; }
    /// The time that reads have waited for their turn so far: this daemon is busy, not the peer
    /// slow.
    Clock::Steady::duration queued() const;
    /// Writes as many bytes as the socket accepts now and returns their number. Empty pieces are
    /// allowed; pieces after the first kPiecesMax are ignored.
    std::size_t write(std::span<const std::string_view> pieces, error_code& ec);
    /// Waits until the socket accepts more.
    void await_room();
    bool awaiting_room() const noexcept { return awaiting_room_; }
    /// Signals to the peer that no more bytes follow.
    void end();
    /// Closes the socket; pending calls end, and their callbacks are still called.
    void close();
    Executor executor() { return socket_.get_executor(); }

    static constexpr std::size_t kPiecesMax = 64;  ///< below IOV_MAX; more pieces are not faster

private:
    void await_turn(std::function<void()> work);
    void receive_in_turn();
    void receive_with_descriptors();
    std::size_t receive(error_code& ec);
    void decrypt();
    void decrypt_in_turn();
    std::size_t write_several(std::span<const std::string_view> pieces, error_code& ec);
    std::size_t encrypt(std::string_view bytes, error_code& ec);
    void give(const error_code& ec, std::size_t count);

    Socket socket_;
    std::unique_ptr<TlsStream> tls_;  ///< null: no TLS
    BulkTurns& bulk_;
    User& user_;
    PassedDescriptors* all_passed_ = nullptr;  ///< null: the kernel drops received descriptors
    std::optional<PassedDescriptors::Place> passed_;
    std::span<char> space_;              ///< buffer of the pending read
    Clock::Steady::duration queued_{0};  ///< without the turn that is awaited now
    std::optional<Clock::Steady::time_point> queued_since_;
    bool reading_ = false;
    bool awaiting_room_ = false;
};

}  // namespace headway::server
