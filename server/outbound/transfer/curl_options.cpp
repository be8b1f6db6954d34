// SPDX-License-Identifier: Apache-2.0
#include "server/outbound/transfer/curl_options.hpp"

namespace headway::server {
namespace {

/// How long the authorities are kept in memory, which are the one that was used last of the
/// configured files. To read the system's takes 20 ms of CPU, ten times as long as the handshake;
/// a file that is replaced is heeded within this time.
constexpr long kAuthoritiesKeptSeconds = 60;

}  // namespace

void set_common_options(CURL* handle, std::chrono::milliseconds connect_timeout,
                        const std::string& ca_file) {
    set_option(handle, CURLOPT_NOSIGNAL, 1L);
    set_option(handle, CURLOPT_PROTOCOLS_STR, "http,https");
    // Keys and messages go to the configured host only: to no redirect target, and to no proxy of
    // the environment.
    set_option(handle, CURLOPT_FOLLOWLOCATION, 0L);
    set_option(handle, CURLOPT_PROXY, "");
    // With HTTP/2 the next requests would share a dead connection.
    set_option(handle, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
    set_option(handle, CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(connect_timeout.count()));
    // The end of a transfer would wait for the thread that looks up its name, and with it all
    // other transfers.
    set_option(handle, CURLOPT_QUICK_EXIT, 1L);
    if (!ca_file.empty()) set_option(handle, CURLOPT_CAINFO, ca_file.c_str());
    // Debian's libcurl also trusts the certificates of a folder, even beside a `ca_file`, and keeps
    // no authorities while there is one.
    set_option(handle, CURLOPT_CAPATH, static_cast<const char*>(nullptr));
    // Without this, a libcurl that cannot keep them reads them each time.
    static_cast<void>(curl_easy_setopt(handle, CURLOPT_CA_CACHE_TIMEOUT, kAuthoritiesKeptSeconds));
}

}  // namespace headway::server
