// SPDX-License-Identifier: Apache-2.0
#include "server/outbound/judge/judge_stream.hpp"

namespace headway::server {
namespace {

constexpr std::string_view kDone = "[DONE]";
constexpr const char* kNotACompletion =
    "what came is no chat completion; does base_url end where /chat/completions begins?";

}  // namespace

void JudgeStream::feed(std::string_view bytes) {
    if (form_ == Form::kUnknown) {
        const std::size_t first = bytes.find_first_not_of(" \t\r\n");
        if (first == std::string_view::npos) return;
        form_ = bytes[first] == '{' ? Form::kObject : Form::kEvents;
        bytes.remove_prefix(first);
    }
    if (form_ == Form::kObject) {
        pending_.append(bytes);
    } else {
        feed_line(bytes);
    }
}

void JudgeStream::feed_line(std::string_view bytes) {
    while (!bytes.empty() && !over()) {
        if (after_cr_ && bytes.front() == '\n') {
            bytes.remove_prefix(1);
            after_cr_ = false;
            continue;
        }
        after_cr_ = false;
        const std::size_t at = bytes.find_first_of("\r\n");
        pending_.append(bytes.substr(0, at));
        if (at == std::string_view::npos) return;
        after_cr_ = bytes[at] == '\r';
        bytes.remove_prefix(at + 1);
        end_line();
    }
}

void JudgeStream::end_line() {
    std::string line;  // g++ 12 at -O2 warns of a move as uninitialized
    line.swap(pending_);
    if (line.empty()) return end_event();
    std::string_view value{line};
    if (!value.starts_with("data:"))
        return;  // comments keep the connection alive; other fields are ignored
    value.remove_prefix(5);
    if (value.starts_with(' ')) value.remove_prefix(1);
    if (!data_.empty()) data_.push_back('\n');
    data_.append(value);
}

void JudgeStream::end_event() {
    const std::string data = std::move(data_);
    data_.clear();
    if (data == kDone) {
        whole_ = true;
    } else if (!data.empty()) {
        read(data);
    }
}

void JudgeStream::read(std::string_view json) {
    auto decoded = api::decode_chat_part(document_, json);
    if (!decoded) {
        error_ = kNotACompletion;
        return;
    }
    if (decoded->error) {
        error_ = "error of the endpoint: " + *decoded->error;
        return;
    }
    text_ += decoded->text;
    finished_ = finished_ || decoded->finished;
    if (!decoded->model.empty()) model_ = std::move(decoded->model);
    if (decoded->usage) usage_ = *decoded->usage;
    if (form_ == Form::kObject) {
        whole_ = decoded->choice;
        if (!whole_) error_ = kNotACompletion;
    }
}

void JudgeStream::end() {
    if (over()) return;
    if (form_ == Form::kObject) {
        read(pending_);
        return;
    }
    if (!pending_.empty()) end_line();
    end_event();  // the last may lack its empty line
    if (over()) return;
    whole_ = finished_;
    if (!whole_) {
        error_ = text_.empty() && model_.empty() ? kNotACompletion
                                                 : "the stream ended before the answer was whole";
    }
}

}  // namespace headway::server
