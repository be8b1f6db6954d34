// SPDX-License-Identifier: Apache-2.0
#include "api/json/document_writer.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "core/base/assert.hpp"

namespace headway::api {

namespace limits = core::limits;

DocumentWriter::DocumentWriter(JsonDocument& to) : to_(to) {
    to_.nodes_.clear();
    to_.text_.clear();
    add(JsonKind::kObject, {});
    open_[depth_++] = 0;
}

void DocumentWriter::begin_object(std::string_view name) {
    HEADWAY_ASSERT(depth_ < kOwnDepthMax);
    add(JsonKind::kObject, name);
    open_[depth_++] = static_cast<std::uint32_t>(to_.nodes_.size() - 1);
}

void DocumentWriter::end_object() {
    HEADWAY_ASSERT(depth_ > 0);
    to_.nodes_[open_[--depth_]].next = static_cast<std::uint32_t>(to_.nodes_.size());
}

void DocumentWriter::text(std::string_view name, std::string_view value) {
    keep_text(add(JsonKind::kString, name), value);
}

void DocumentWriter::boolean(std::string_view name, bool value) {
    add(JsonKind::kBoolean, name).boolean = value;
}

void DocumentWriter::count(std::string_view name, std::uint64_t value) {
    JsonDocument::Node& node = add(JsonKind::kUnsigned, name);
    node.integer = value;
    node.number = static_cast<double>(value);
    keep_text(node, std::to_string(value));
}

void DocumentWriter::copy(std::string_view name, JsonValue value) {
    const JsonDocument& from = *value.document_;
    add(value.kind(), name);
    const auto base = static_cast<std::uint32_t>(to_.nodes_.size() - 1);
    const std::uint32_t end = from.nodes_[value.at_].next;
    std::array<std::uint32_t, limits::kJsonDepthMax> ends{};  // of what the value stands in
    std::size_t depth = 0;
    for (std::uint32_t at = value.at_; at < end; ++at) {
        const JsonDocument::Node& node = from.nodes_[at];
        while (depth > 0 && ends[depth - 1] <= at)
            --depth;
        if (node.kind == JsonKind::kArray || node.kind == JsonKind::kObject) {
            ends[depth++] = node.next;  // no deeper than the document that it is of
            too_deep_ = too_deep_ || depth_ + depth > limits::kJsonDepthMax;
        }
        if (at > value.at_) to_.nodes_.emplace_back();
        JsonDocument::Node& copied = to_.nodes_.back();
        const std::uint32_t key_at =
            at == value.at_ ? copied.key_at : keep(JsonValue{from, at}.key());
        const std::uint32_t key_size = at == value.at_ ? copied.key_size : node.key_size;
        copied = node;
        copied.key_at = key_at;
        copied.key_size = key_size;
        copied.next = node.next - value.at_ + base;
        keep_text(copied, JsonValue{from, at}.text());
    }
}

core::Result<> DocumentWriter::finish() {
    end_object();
    const bool too_many = to_.nodes_.size() > limits::kJsonNodesMax;
    if (!too_many && !too_deep_) return {};
    to_.nodes_.clear();
    return core::Error{core::ErrorCode::kInvalidJson,
                       too_deep_
                           ? "nested more than " + std::to_string(limits::kJsonDepthMax) + " levels"
                           : "more than " + std::to_string(limits::kJsonNodesMax) + " values",
                       {}};
}

JsonDocument::Node& DocumentWriter::add(JsonKind kind, std::string_view name) {
    if (depth_ > 0) ++to_.nodes_[open_[depth_ - 1]].children;
    JsonDocument::Node& node = to_.nodes_.emplace_back();
    node.kind = kind;
    node.key_at = keep(name);
    node.key_size = static_cast<std::uint32_t>(name.size());
    node.next = static_cast<std::uint32_t>(to_.nodes_.size());
    return node;
}

std::uint32_t DocumentWriter::keep(std::string_view text) {
    const auto at = static_cast<std::uint32_t>(to_.text_.size());
    to_.text_.append(text);
    return at;
}

void DocumentWriter::keep_text(JsonDocument::Node& node, std::string_view text) {
    node.text_at = keep(text);
    if (!text.empty() && std::memchr(text.data(), 0, text.size()) != nullptr) {
        const auto kept = to_.text_.begin() + node.text_at;
        to_.text_.erase(std::remove(kept, to_.text_.end(), '\0'), to_.text_.end());
    }
    node.text_size = static_cast<std::uint32_t>(to_.text_.size()) - node.text_at;
}

}  // namespace headway::api
