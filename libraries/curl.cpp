// SPDX-License-Identifier: Apache-2.0
#include "libraries/curl.hpp"

#include <string>

#include "core/base/assert.hpp"
#include "libraries/shared_library.hpp"

namespace headway::libraries {
namespace {

/// 7.85 brought CURLOPT_PROTOCOLS_STR, without which a redirect could lead to any protocol.
constexpr unsigned kOldestCurl = 0x075500;

struct LoadedCurl {
    Libcurl functions;
    core::Result<> fault;

    LoadedCurl() {
        // The name has the version of the interface, which has not changed since 2006.
        SharedLibrary library{"libcurl.so.4", "libcurl4"};
        find_all(library);
        fault = library.fault();
        if (!fault) return;
        library.need(functions.version_info(CURLVERSION_NOW)->version_num >= kOldestCurl,
                     "it is older than 7.85");
        library.need(functions.global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK,
                     "it cannot be initialized");
        fault = library.fault();
    }

    void find_all(SharedLibrary& library) {
        library.find("curl_global_init", functions.global_init);
        library.find("curl_version_info", functions.version_info);
        library.find("curl_free", functions.free);
        library.find("curl_slist_append", functions.slist_append);
        library.find("curl_slist_free_all", functions.slist_free_all);
        library.find("curl_url", functions.url);
        library.find("curl_url_set", functions.url_set);
        library.find("curl_url_get", functions.url_get);
        library.find("curl_url_cleanup", functions.url_cleanup);
        library.find("curl_easy_init", functions.easy_init);
        library.find("curl_easy_setopt", functions.easy_setopt);
        library.find("curl_easy_getinfo", functions.easy_getinfo);
        library.find("curl_easy_perform", functions.easy_perform);
        library.find("curl_easy_reset", functions.easy_reset);
        library.find("curl_easy_strerror", functions.easy_strerror);
        library.find("curl_easy_cleanup", functions.easy_cleanup);
        library.find("curl_multi_init", functions.multi_init);
        library.find("curl_multi_add_handle", functions.multi_add_handle);
        library.find("curl_multi_remove_handle", functions.multi_remove_handle);
        library.find("curl_multi_perform", functions.multi_perform);
        library.find("curl_multi_poll", functions.multi_poll);
        library.find("curl_multi_wakeup", functions.multi_wakeup);
        library.find("curl_multi_info_read", functions.multi_info_read);
        library.find("curl_multi_cleanup", functions.multi_cleanup);
    }
};

const LoadedCurl& loaded_curl() {
    static const LoadedCurl loaded;
    return loaded;
}

}  // namespace

core::Result<> load_curl() {
    return loaded_curl().fault;
}

const Libcurl& libcurl() {
    const LoadedCurl& loaded = loaded_curl();
    HEADWAY_ASSERT(loaded.fault.has_value());
    return loaded.functions;
}

}  // namespace headway::libraries
