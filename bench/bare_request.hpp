// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/beast/http/basic_parser.hpp>
#include <cstdint>
#include <string>

namespace headway::bench {

/// Parses one request without containers, as the bare servers do; its body is added to a text, if
/// there is one.
class RequestParser : public boost::beast::http::basic_parser<true> {
public:
    explicit RequestParser(std::string* bodies = nullptr) : bodies_(bodies) {
        eager(true);
        body_limit(16 * 1024 * 1024);
    }

private:
    using Text = boost::beast::string_view;
    using Code = boost::system::error_code;
    void on_request_impl(boost::beast::http::verb, Text, Text, int, Code& ec) override { ec = {}; }
    void on_response_impl(int, Text, int, Code& ec) override { ec = {}; }
    void on_field_impl(boost::beast::http::field, Text, Text, Code& ec) override { ec = {}; }
    void on_header_impl(Code& ec) override { ec = {}; }
    void on_body_init_impl(const boost::optional<std::uint64_t>&, Code& ec) override { ec = {}; }
    std::size_t on_body_impl(Text body, Code& ec) override {
        ec = {};
        if (bodies_ != nullptr) bodies_->append(body.data(), body.size());
        return body.size();
    }
    void on_chunk_header_impl(std::uint64_t, Text, Code& ec) override { ec = {}; }
    std::size_t on_chunk_body_impl(std::uint64_t, Text body, Code& ec) override {
        ec = {};
        return body.size();
    }
    void on_finish_impl(Code& ec) override { ec = {}; }

    std::string* bodies_;
};

}  // namespace headway::bench
