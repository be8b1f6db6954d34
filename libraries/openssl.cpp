// SPDX-License-Identifier: Apache-2.0
#include "libraries/openssl.hpp"

#include "core/base/assert.hpp"
#include "libraries/shared_library.hpp"

namespace headway::libraries {
namespace {

static_assert(OPENSSL_VERSION_MAJOR == 3, "the name below has the version of the interface");

struct LoadedOpenssl {
    Openssl functions;
    core::Result<> fault;

    LoadedOpenssl() {
        SharedLibrary library{"libssl.so.3", "libssl3"};  // brings libcrypto, which has ERR_
        library.find("ERR_get_error", functions.err_get_error);
        library.find("ERR_clear_error", functions.err_clear_error);
        library.find("ERR_reason_error_string", functions.err_reason_error_string);
        library.find("TLS_server_method", functions.tls_server_method);
        library.find("SSL_CTX_new", functions.ctx_new);
        library.find("SSL_CTX_free", functions.ctx_free);
        library.find("SSL_CTX_ctrl", functions.ctx_ctrl);
        library.find("SSL_CTX_set_options", functions.ctx_set_options);
        library.find("SSL_CTX_set_default_passwd_cb", functions.ctx_set_default_passwd_cb);
        library.find("SSL_CTX_use_certificate_chain_file",
                     functions.ctx_use_certificate_chain_file);
        library.find("SSL_CTX_use_PrivateKey_file", functions.ctx_use_private_key_file);
        library.find("SSL_CTX_check_private_key", functions.ctx_check_private_key);
        library.find("SSL_new", functions.ssl_new);
        library.find("SSL_free", functions.ssl_free);
        library.find("SSL_set_fd", functions.ssl_set_fd);
        library.find("SSL_set_accept_state", functions.ssl_set_accept_state);
        library.find("SSL_get_error", functions.ssl_get_error);
        library.find("SSL_read_ex", functions.ssl_read_ex);
        library.find("SSL_write_ex", functions.ssl_write_ex);
        library.find("SSL_is_init_finished", functions.ssl_is_init_finished);
        library.find("SSL_shutdown", functions.ssl_shutdown);
        fault = library.fault();
    }
};

const LoadedOpenssl& loaded_openssl() {
    static const LoadedOpenssl loaded;
    return loaded;
}

}  // namespace

core::Result<> load_openssl() {
    return loaded_openssl().fault;
}

const Openssl& openssl() {
    const LoadedOpenssl& loaded = loaded_openssl();
    HEADWAY_ASSERT(loaded.fault.has_value());
    return loaded.functions;
}

}  // namespace headway::libraries
