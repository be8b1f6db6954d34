// SPDX-License-Identifier: Apache-2.0
#include "server/http/connection/reply_writer.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "core/base/assert.hpp"
#include "core/base/limits.hpp"

namespace headway::server {
namespace {

namespace limits = core::limits;

constexpr std::size_t kIdleBytesMax = 16'384;  // of the buffer while nothing is unsent
constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

}  // namespace

bool ReplyWriter::accepts() const noexcept {
    return state_ == State::kReplies && slots_.size() < limits::kPipelinedMax && !awaits_stream();
}

bool ReplyWriter::full() const noexcept {
    return out_.size() - out_sent_ >= limits::kWriteBufferBytesMax;
}

bool ReplyWriter::awaits_stream() const noexcept {
    return !slots_.empty() && slots_.back().asked.stream && !slots_.back().ready;
}

std::uint64_t ReplyWriter::open(Asked asked) {
    HEADWAY_ASSERT(state_ == State::kReplies && slots_.size() < limits::kPipelinedMax);
    owes_continue_ = false;  // its body has come, or was refused
    if (!asked.keep_alive) state_ = State::kLast;
    Slot& slot = slots_.emplace_back();
    slot.number = next_number_++;
    slot.asked = std::move(asked);
    return slot.number;
}

std::string_view ReplyWriter::path(std::uint64_t number) const noexcept {
    const auto slot = std::find_if(slots_.begin(), slots_.end(), [number](const Slot& other) {
        return other.number == number && !other.ready;
    });
    return slot == slots_.end() ? std::string_view{} : std::string_view{slot->asked.path};
}

void ReplyWriter::respond(std::uint64_t number, const Response& response,
                          Clock::Steady::time_point now) {
    const auto slot = std::find_if(slots_.begin(), slots_.end(), [number](const Slot& other) {
        return other.number == number && !other.ready;
    });
    if (slot == slots_.end()) return;
    if (response.close) expect_no_more();
    slot->ready = true;
    if (slot == slots_.begin()) {
        render(*slot, response, now, out_);
        collect();
    } else {
        render(*slot, response, now, slot->text);
        early_ += slot->text.size();
    }
}

void ReplyWriter::render(const Slot& slot, const Response& response, Clock::Steady::time_point now,
                         std::string& out) const {
    Envelope envelope;
    envelope.request_id = slot.asked.request_id;
    envelope.microseconds = static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::microseconds>(now - slot.asked.at).count());
    envelope.keep_alive = state_ != State::kLast || &slot != &slots_.back();
    envelope.say_keep_alive = slot.asked.http_1_0;
    envelope.head_only = slot.asked.head_only;
    envelope.deprecation = slot.asked.deprecation;
    append_response(out, response, envelope);
}

/// Moves the replies that no older one holds up to the output.
void ReplyWriter::collect() {
    auto slot = slots_.begin();
    for (; slot != slots_.end() && slot->ready; ++slot) {
        out_.append(slot->text);  // empty if it was rendered in its place
        early_ -= slot->text.size();
    }
    slots_.erase(slots_.begin(), slot);
    if (slots_.empty() && std::exchange(owes_continue_, false)) out_.append(kContinue);
}

void ReplyWriter::expect_no_more() noexcept {
    if (state_ == State::kReplies) state_ = State::kLast;
}

void ReplyWriter::expect_body() {
    owes_continue_ = state_ == State::kReplies;
    collect();
}

bool ReplyWriter::begin_stream(std::uint64_t number, StreamBody body) {
    const bool replies = state_ == State::kReplies || state_ == State::kLast;
    if (!replies || slots_.size() != 1 || slots_.front().number != number) return false;
    if (body == StreamBody::kHeld && slots_.front().asked.http_1_0)
        return false;  // knows no chunks
    Envelope envelope;
    envelope.request_id = slots_.front().asked.request_id;
    envelope.deprecation = slots_.front().asked.deprecation;
    append_stream_header(out_, envelope, body);
    slots_.clear();
    state_ = State::kStream;
    return true;
}

std::size_t ReplyWriter::sent_frames(std::span<const Frame> frames, std::size_t count) {
    HEADWAY_ASSERT(streaming() && empty());
    std::size_t done = 0;
    while (done < frames.size() && count >= frames[done]->size())
        count -= frames[done++]->size();
    HEADWAY_ASSERT(done < frames.size() || count == 0);
    if (done < frames.size()) {
        frame_ = frames[done++];
        frame_sent_ = count;
    }
    return done;
}

void ReplyWriter::end_stream() noexcept {
    state_ = streaming() ? State::kStreamEnds : State::kLast;
}

std::array<std::string_view, 2> ReplyWriter::unsent() const noexcept {
    std::array<std::string_view, 2> pieces;
    if (frame_) pieces[0] = std::string_view{*frame_}.substr(frame_sent_);
    pieces[1] = std::string_view{out_}.substr(out_sent_);
    return pieces;
}

void ReplyWriter::sent(std::size_t count) {
    if (frame_) {
        const std::size_t of_frame = std::min(count, frame_->size() - frame_sent_);
        frame_sent_ += of_frame;
        count -= of_frame;
        if (frame_sent_ < frame_->size()) return;
        frame_.reset();
        frame_sent_ = 0;
    }
    HEADWAY_ASSERT(count <= out_.size() - out_sent_);
    out_sent_ += count;
    if (out_sent_ == out_.size()) {
        out_.clear();
        out_sent_ = 0;
        if (out_.capacity() > kIdleBytesMax) out_.shrink_to_fit();
    } else if (out_sent_ >= out_.size() / 2) {
        out_.erase(0, out_sent_);  // else what is appended would make it grow
        out_sent_ = 0;
    }
}

void ReplyWriter::clear() noexcept {
    slots_.clear();
    frame_.reset();
    std::string{}.swap(out_);  // assigning an empty one would keep the memory
    frame_sent_ = out_sent_ = early_ = 0;
    owes_continue_ = false;
    end_stream();
}

}  // namespace headway::server
