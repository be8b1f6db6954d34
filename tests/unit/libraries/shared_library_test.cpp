// SPDX-License-Identifier: Apache-2.0
#include "libraries/shared_library.hpp"

#include <catch2/catch.hpp>

#include "libraries/curl.hpp"
#include "libraries/openssl.hpp"

using namespace headway;
using Catch::Contains;
using libraries::SharedLibrary;

TEST_CASE("shared library: one that is not installed is named with its package", "[libraries]") {
    SharedLibrary library{"libheadway-none.so.7", "libheadway7"};
    int (*function)() = nullptr;
    library.find("anything", function);
    CHECK(function == nullptr);
    const auto fault = library.fault();
    REQUIRE_FALSE(fault);
    CHECK(fault.error().code == core::ErrorCode::kInvalidConfig);
    CHECK_THAT(fault.error().detail, Contains("libheadway-none.so.7 is needed for this: "));
    CHECK_THAT(fault.error().detail, Contains("No such file"));
    CHECK_THAT(fault.error().detail, Contains("install the package libheadway7"));
}

TEST_CASE("shared library: one without a function says which", "[libraries]") {
    SharedLibrary library{"libz.so.1", "zlib1g"};
    const char* (*version)() = nullptr;
    library.find("zlibVersion", version);
    CHECK(version != nullptr);
    CHECK(library.fault());
    void (*none)() = nullptr;
    library.find("zlib_of_tomorrow", none);
    library.need(false, "it is too old");  // the first fault is the one to tell
    const auto fault = library.fault();
    REQUIRE_FALSE(fault);
    CHECK_THAT(fault.error().detail, Contains("it has no zlib_of_tomorrow"));
}

TEST_CASE("shared library: libcurl and OpenSSL have all that is used of them", "[libraries]") {
    REQUIRE(libraries::load_curl());
    CHECK(libraries::libcurl().easy_strerror(CURLE_OK) == std::string{"No error"});
    REQUIRE(libraries::load_openssl());
    CHECK(libraries::openssl().tls_server_method() != nullptr);
}
