// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <openssl/err.h>
#include <openssl/ssl.h>

#include "core/base/result.hpp"

namespace headway::libraries {

/// The functions of OpenSSL that we use, by their names in lower case: for a daemon that serves TLS
/// itself.
struct Openssl {
    decltype(&::ERR_get_error) err_get_error = nullptr;
    decltype(&::ERR_clear_error) err_clear_error = nullptr;
    decltype(&::ERR_reason_error_string) err_reason_error_string = nullptr;
    decltype(&::TLS_server_method) tls_server_method = nullptr;
    decltype(&::SSL_CTX_new) ctx_new = nullptr;
    decltype(&::SSL_CTX_free) ctx_free = nullptr;
    decltype(&::SSL_CTX_ctrl) ctx_ctrl = nullptr;  ///< what OpenSSL's macros call
    decltype(&::SSL_CTX_set_options) ctx_set_options = nullptr;
    decltype(&::SSL_CTX_set_default_passwd_cb) ctx_set_default_passwd_cb = nullptr;
    decltype(&::SSL_CTX_use_certificate_chain_file) ctx_use_certificate_chain_file = nullptr;
    decltype(&::SSL_CTX_use_PrivateKey_file) ctx_use_private_key_file = nullptr;
    decltype(&::SSL_CTX_check_private_key) ctx_check_private_key = nullptr;
    decltype(&::SSL_new) ssl_new = nullptr;
    decltype(&::SSL_free) ssl_free = nullptr;
    decltype(&::SSL_set_fd) ssl_set_fd = nullptr;
    decltype(&::SSL_set_accept_state) ssl_set_accept_state = nullptr;
    decltype(&::SSL_get_error) ssl_get_error = nullptr;
    decltype(&::SSL_read_ex) ssl_read_ex = nullptr;
    decltype(&::SSL_write_ex) ssl_write_ex = nullptr;
    decltype(&::SSL_is_init_finished) ssl_is_init_finished = nullptr;
    decltype(&::SSL_shutdown) ssl_shutdown = nullptr;
};

/// Loads OpenSSL, once per process. Error: kInvalidConfig, it is not installed. Any thread.
core::Result<> load_openssl();

/// Precondition: load_openssl() was ok. Any thread.
const Openssl& openssl();

}  // namespace headway::libraries
