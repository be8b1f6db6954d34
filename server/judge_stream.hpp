// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "api/judge_wire.hpp"

namespace headway::server {

/// The reply to one question, from its bytes: a stream of events, each with a chunk, up to
/// `[DONE]`; or one JSON object, from an endpoint that does not stream. It tells them apart by the
/// first byte, not by the Content-Type, which some get wrong. Keeps no more than it is fed: the
/// caller bounds the bytes. Pure.
class JudgeStream {
public:
    /// Bytes after the end or after an error are passed over.
    void feed(std::string_view bytes);
    /// The reply has ended as HTTP says it should. A stream without `[DONE]` is whole all the same
    /// when the model gave its reason to stop.
    void end();

    bool whole() const { return whole_; }
    /// Why this is no answer, or empty. Holds the endpoint's own words: bound and sanitize them.
    const std::string& error() const { return error_; }
    const std::string& text() const { return text_; }
    const std::string& model() const { return model_; }  ///< empty = it did not say
    const api::ChatUsage& usage() const { return usage_; }

private:
    enum class Form : std::uint8_t { kUnknown, kEvents, kObject };

    bool over() const { return whole_ || !error_.empty(); }
    void feed_line(std::string_view bytes);
    void end_line();
    void end_event();
    void read(std::string_view json);

    Form form_ = Form::kUnknown;
    std::string pending_;  ///< the line, or the object, so far
    bool after_cr_ = false;
    std::string data_;  ///< of the event so far
    bool finished_ = false;
    bool whole_ = false;
    std::string error_;
    std::string text_;
    std::string model_;
    api::ChatUsage usage_;
    api::JsonTape tape_;
};

}  // namespace headway::server
