// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>

#include "core/result.hpp"

struct ssl_ctx_st;
struct ssl_st;

namespace headway::server {

/// A certificate with its key, ready to answer with: TLS 1.2 and 1.3, no renegotiation. Connections
/// that began with one keep it, whatever is loaded after it. I/O thread only.
class TlsContext {
public:
    /// Reads PEM files: the chain, our certificate first, and the key. Error: kInvalidConfig,
    /// naming the file and what is wrong with it.
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

/// The TLS of one connection, on a non-blocking socket that is not ours. Never waits: says what to
/// wait for. The handshake happens in the first calls of read(). I/O thread only.
class TlsStream {
public:
    enum class Status : std::uint8_t {
        kDone,       ///< `count` bytes went through
        kWantRead,   ///< again when the socket can be read
        kWantWrite,  ///< again, with the same bytes, when it can be written
        kEnded,      ///< the peer said goodbye
        kFailed,     ///< no TLS, no certificate that it likes, or cut off
    };
    struct Io {
        Status status = Status::kFailed;
        std::size_t count = 0;
    };
    TlsStream(const TlsContext& context, int socket);

    Io read(void* bytes, std::size_t size);
    Io write(const void* bytes, std::size_t size);
    /// Whether the handshake is over, so that anything may be written.
    bool established() const;
    /// Tells the peer that nothing follows, so that it can tell the end from a cut.
    void say_goodbye();

private:
    struct Free {
        void operator()(ssl_st* stream) const noexcept;
    };
    Io outcome_of(int result, std::size_t count);
    std::unique_ptr<ssl_st, Free> stream_;  ///< null when there was no memory for it: all fails
};

}  // namespace headway::server
