// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "server/http/sockets/bulk_turns.hpp"
#include "server/http/sockets/net.hpp"
#include "server/http/sockets/passed_descriptors.hpp"
#include "server/http/sockets/tls.hpp"

namespace headway::server {

/// The bytes of a connection, in the clear or with TLS on the same descriptor. At most one read()
/// and one await_room() at a time; each is answered once, from the loop. I/O thread only.
class Transport {
public:
    /// The owner of a transport, which must live until its calls have come.
    class User {
    public:
        virtual ~User() = default;
        /// `count` bytes of the space are filled, unless `ec` says why not.
        virtual void on_received(const error_code& ec, std::size_t count) = 0;
        /// The socket may take more bytes.
        virtual void on_room(const error_code& ec) = 0;
    };

    /// `tls` is null for a connection that is not encrypted.
    Transport(Socket socket, std::unique_ptr<TlsStream> tls, BulkTurns& bulk, User& user);

    /// From now on reads into `passed` the descriptors that come with the bytes. Not with TLS.
    void take_descriptors(PassedDescriptors& passed) {
        passed_.emplace(passed);
        all_passed_ = &passed;
    }
    /// The descriptor that came last, or none.
    system::FileDescriptor take_passed() noexcept {
        return passed_ ? passed_->take() : system::FileDescriptor{};
    }

    /// Makes the socket non-blocking; without `delays`, it sends at once what is written.
    void start(bool delays);
    bool encrypted() const noexcept { return tls_ != nullptr; }
    /// Fills `space`, which must stay until on_received(). `in_turn`: behind the other clients that
    /// send much.
    void read(std::span<char> space, bool in_turn);
    bool reading() const noexcept { return reading_; }
    /// Writes what the socket takes now and returns its size. Empty pieces are allowed; of more
    /// than kPiecesMax the rest is left out.
    std::size_t write(std::span<const std::string_view> pieces, error_code& ec);
    /// Waits until it takes more.
    void await_room();
    bool awaiting_room() const noexcept { return awaiting_room_; }
    /// Says that nothing more will be written.
    void end();
    /// Also ends what is under way, whose answers still come.
    void close();
    Executor executor() { return socket_.get_executor(); }

    static constexpr std::size_t kPiecesMax = 64;  ///< below IOV_MAX; more is not faster

private:
    void receive_in_turn();
    void receive_with_descriptors();
    std::size_t receive(error_code& ec);
    void decrypt();
    void decrypt_in_turn();
    std::size_t write_several(std::span<const std::string_view> pieces, error_code& ec);
    std::size_t encrypt(std::string_view bytes, error_code& ec);
    void give(const error_code& ec, std::size_t count);

    Socket socket_;
    std::unique_ptr<TlsStream> tls_;  ///< null: plain
    BulkTurns& bulk_;
    User& user_;
    PassedDescriptors* all_passed_ = nullptr;  ///< null: the kernel drops what comes
    std::optional<PassedDescriptors::Place> passed_;
    std::span<char> space_;  ///< of the read under way
    bool reading_ = false;
    bool awaiting_room_ = false;
};

}  // namespace headway::server
