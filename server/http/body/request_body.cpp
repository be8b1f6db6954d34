// SPDX-License-Identifier: Apache-2.0
#include "server/http/body/request_body.hpp"

#include <algorithm>
#include <utility>

#include "core/base/limits.hpp"

namespace headway::server {
namespace {

constexpr std::size_t kStepMin = 4'096;
constexpr std::size_t kStepMax = 16'384;
/// At most a connection's buffer, because the next requests may begin in it.
constexpr std::size_t kWireBytes = core::limits::kReadBufferBytes;

}  // namespace

void RequestBody::start(std::size_t length) {
    clear();
    wanted_ = length;
}

void RequestBody::start_chunked(std::size_t bytes_max) {
    clear();
    chunks_.emplace(bytes_max);
}

RequestBody::Status RequestBody::take(std::string_view bytes, std::size_t& used) {
    if (chunks_) return decode(bytes, used);
    used = std::min(bytes.size(), wanted_);
    text_.assign(bytes.substr(0, used));
    have_ = wire_bytes_ = used;
    return status_ = have_ == wanted_ ? Status::kComplete : Status::kNeedMore;
}

std::span<char> RequestBody::room() {
    if (chunks_) {
        if (!wire_) wire_ = std::make_unique<char[]>(kWireBytes);
        return {wire_.get(), kWireBytes};
    }
    if (have_ == text_.size()) {
        const std::size_t step = std::clamp(have_, kStepMin, kStepMax);
        text_.resize(std::min(wanted_, have_ + step));
    }
    return {text_.data() + have_, text_.size() - have_};
}

RequestBody::Status RequestBody::received(std::size_t count) {
    if (chunks_) {
        std::size_t used = 0;
        const std::string_view wire{wire_.get(), count};
        decode(wire, used);
        behind_ = wire.substr(used);
        return status_;
    }
    have_ += count;
    wire_bytes_ += count;
    return status_ = have_ == wanted_ ? Status::kComplete : Status::kNeedMore;
}

RequestBody::Status RequestBody::decode(std::string_view wire, std::size_t& used) {
    const ChunkedBody::Status status = chunks_->feed(wire, text_, used);
    have_ = text_.size();
    wire_bytes_ += used;
    status_ = status == ChunkedBody::Status::kComplete ? Status::kComplete
              : status == ChunkedBody::Status::kFailed ? Status::kFailed
                                                       : Status::kNeedMore;
    return status_;
}

std::size_t RequestBody::held() const noexcept {
    static const std::size_t kInside = std::string{}.capacity();  // no allocation
    return (text_.capacity() > kInside ? text_.capacity() : 0) + (wire_ ? kWireBytes : 0);
}

void RequestBody::clear() {
    std::string{}.swap(text_);  // assigning an empty one would keep the memory
    have_ = wanted_ = wire_bytes_ = 0;
    chunks_.reset();
    wire_.reset();
    behind_ = {};
    status_ = Status::kNeedMore;
}

}  // namespace headway::server
