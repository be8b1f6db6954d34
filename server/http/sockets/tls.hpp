// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>

#include "core/base/result.hpp"

struct ssl_ctx_st;
struct ssl_st;

namespace headway::server {

/// A certificate with its key, for TLS 1.2 and 1.3 without renegotiation. A connection keeps the
/// context that it began with. I/O thread only.
class TlsContext {
public:
    /// Reads PEM files: the chain (the daemon's certificate first) and the key. Error:
    /// kInvalidConfig, which names the file and the mistake.
    static core::Result<std::shared_ptr<TlsContext>> load(const std::filesystem::path& chain,
                                                          const std::filesystem::path& key);

private:
    friend class TlsStream;
    struct Free {
        void operator()(ssl_ctx_st* context) const noexcept;
    };
    explicit TlsContext(std::unique_ptr<ssl_ctx_st, Free> context) : context_(std::move(context)) {}
    std::unique_ptr<ssl_ctx_st, Free> context_;
};

/// TLS for one connection, on a non-blocking socket that belongs to another object. Never waits:
/// the returned status names the event to wait for. The handshake takes place in the first calls to
/// read(). I/O thread only.
class TlsStream {
public:
    enum class Status : std::uint8_t {
        kDone,       ///< `count` bytes were transferred
        kWantRead,   ///< call again when the socket is readable
        kWantWrite,  ///< call again, with the same bytes, when the socket is writable
        kEnded,      ///< the peer closed TLS properly
        kFailed,     ///< the peer does not use TLS, does not accept the certificate, or is lost; or
                     ///< an allocation failed
    };
    struct Io {
        Status status = Status::kFailed;
        std::size_t count = 0;
    };
    TlsStream(const TlsContext& context, int socket);

    Io read(void* bytes, std::size_t size);
    Io write(const void* bytes, std::size_t size);
    /// True after the handshake; from then on, data may be written.
    bool established() const;
    /// Sends close_notify, so that the peer can tell the end of the data from a lost connection.
    void say_goodbye();

private:
    struct Free {
        void operator()(ssl_st* stream) const noexcept;
    };
    Io outcome_of(int result, std::size_t count);
    std::unique_ptr<ssl_st, Free> stream_;  ///< null if allocation failed: every call then fails
};

}  // namespace headway::server
