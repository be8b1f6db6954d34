// SPDX-License-Identifier: Apache-2.0
#include "server/http/sockets/tls.hpp"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <unistd.h>

#include <string>

#include "config/values/read_file.hpp"

namespace headway::server {
namespace {

using core::Error;
using core::ErrorCode;
using core::Result;

/// An error with OpenSSL's first reason; clears its error queue.
Error failed(const std::string& doing, const std::filesystem::path& file, const char* field) {
    const unsigned long code = ERR_get_error();
    const char* const reason = code == 0 ? nullptr : ERR_reason_error_string(code);
    ERR_clear_error();
    return {ErrorCode::kInvalidConfig,
            "cannot " + doing + " " + file.string() + ": " +
                (reason == nullptr ? "it cannot be read" : reason),
            field};
}

/// OpenSSL would wait for a writer of a pipe, at a reload too.
bool can_be_read(const std::filesystem::path& file) {
    const int fd = config::open_to_read(file);
    if (fd >= 0) ::close(fd);
    return fd >= 0;
}

/// Refuses a key with a passphrase, for which OpenSSL would prompt at the terminal.
int no_passphrase(char*, int, int, void*) {
    return -1;
}

}  // namespace

void TlsContext::Free::operator()(ssl_ctx_st* context) const noexcept {
    SSL_CTX_free(context);
}

Result<std::shared_ptr<TlsContext>> TlsContext::load(const std::filesystem::path& chain,
                                                     const std::filesystem::path& key) {
    ERR_clear_error();
    std::unique_ptr<ssl_ctx_st, Free> context{SSL_CTX_new(TLS_server_method())};
    if (!context) return failed("prepare TLS for", chain, "server.tls_cert");
    SSL_CTX* const ctx = context.get();
    SSL_CTX_set_min_proto_version(ctx, TLS1_2_VERSION);
    SSL_CTX_set_options(
        ctx, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_CIPHER_SERVER_PREFERENCE);
    // Buffers move while a partial write waits; an idle connection keeps no buffers.
    SSL_CTX_set_mode(ctx, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                              SSL_MODE_RELEASE_BUFFERS);
    // Clients resume with tickets, so the server stores no sessions.
    SSL_CTX_set_session_cache_mode(ctx, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_default_passwd_cb(ctx, no_passphrase);
    if (!can_be_read(chain) || SSL_CTX_use_certificate_chain_file(ctx, chain.c_str()) != 1) {
        return failed("use the certificate", chain, "server.tls_cert");
    }
    if (!can_be_read(key) || SSL_CTX_use_PrivateKey_file(ctx, key.c_str(), SSL_FILETYPE_PEM) != 1) {
        return failed("use the key", key, "server.tls_key");
    }
    if (SSL_CTX_check_private_key(ctx) != 1) {
        return failed("use the key", key, "server.tls_key");
    }
    return std::shared_ptr<TlsContext>{new TlsContext{std::move(context)}};
}

void TlsStream::Free::operator()(ssl_st* stream) const noexcept {
    SSL_free(stream);
}

TlsStream::TlsStream(const TlsContext& context, int socket)
    : stream_(SSL_new(context.context_.get())) {
    if (!stream_ || SSL_set_fd(stream_.get(), socket) != 1) {
        stream_.reset();
        return;
    }
    SSL_set_accept_state(stream_.get());
}

TlsStream::Io TlsStream::outcome_of(int result, std::size_t count) {
    if (result > 0) return {Status::kDone, count};
    switch (SSL_get_error(stream_.get(), result)) {
        case SSL_ERROR_WANT_READ:
            return {Status::kWantRead, 0};
        case SSL_ERROR_WANT_WRITE:
            return {Status::kWantWrite, 0};
        case SSL_ERROR_ZERO_RETURN:
            return {Status::kEnded, 0};
        default:
            ERR_clear_error();
            return {Status::kFailed, 0};
    }
}

TlsStream::Io TlsStream::read(void* bytes, std::size_t size) {
    if (!stream_) return {};
    ERR_clear_error();  // errors of another connection would be taken for ours
    std::size_t count = 0;
    const int result = SSL_read_ex(stream_.get(), bytes, size, &count);
    return outcome_of(result, count);
}

TlsStream::Io TlsStream::write(const void* bytes, std::size_t size) {
    if (!stream_) return {};
    ERR_clear_error();
    std::size_t count = 0;
    const int result = SSL_write_ex(stream_.get(), bytes, size, &count);
    return outcome_of(result, count);
}

bool TlsStream::established() const {
    return stream_ && SSL_is_init_finished(stream_.get()) == 1;
}

void TlsStream::say_goodbye() {
    if (!established()) return;
    ERR_clear_error();
    SSL_shutdown(stream_.get());
    ERR_clear_error();
}

}  // namespace headway::server
