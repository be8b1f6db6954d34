// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "api/judge/judge_wire.hpp"

namespace headway::server {

/// Parses the reply to one question: a stream of events, each with one chunk, up to `[DONE]`; or
/// one JSON object, from an endpoint that does not stream. The first byte decides between the two,
/// because some endpoints send a wrong Content-Type. Memory is bounded by the number of bytes fed,
/// which the caller limits. Pure.
class JudgeStream {
public:
    /// Bytes after the end or after an error are ignored.
    void feed(std::string_view bytes);
    /// Called when the HTTP reply is complete. A stream without `[DONE]` is also complete if it has
    /// a finish reason.
    void end();

    bool whole() const { return whole_; }
    /// Why the reply is not an answer, or empty. Contains text of the endpoint, so the caller must
    /// bound and sanitize it.
    const std::string& error() const { return error_; }
    const std::string& text() const { return text_; }
    const std::string& model() const { return model_; }  ///< empty if the endpoint did not send it
    const api::ChatUsage& usage() const { return usage_; }

private:
    enum class Form : std::uint8_t { kUnknown, kEvents, kObject };

    bool over() const { return whole_ || !error_.empty(); }
    void feed_line(std::string_view bytes);
    void end_line();
    void end_event();
    void read(std::string_view json);

    Form form_ = Form::kUnknown;
    std::string pending_;  ///< the incomplete line or object
    bool after_cr_ = false;
    std::string data_;  ///< data of the incomplete event
    bool finished_ = false;
    bool whole_ = false;
    std::string error_;
    std::string text_;
    std::string model_;
    api::ChatUsage usage_;
    api::JsonDocument document_;
};

}  // namespace headway::server
