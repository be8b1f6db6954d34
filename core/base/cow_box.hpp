// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <utility>

namespace headway::core {

/// A copy-on-write value: it never changes in place, so copies and other threads can share it. A
/// box takes two machine words; a default T takes no further memory. Thus 100,000 sessions with one
/// configuration stay small.
template <class T>
class CowBox {
public:
    using value_type = T;

    CowBox() : held_(default_value()) {}
    CowBox(const CowBox&) = default;
    CowBox(CowBox&& other) noexcept : held_(std::exchange(other.held_, default_value())) {}
    CowBox& operator=(CowBox other) noexcept {
        held_.swap(other.held_);
        return *this;
    }
    ~CowBox() = default;

    const T& operator*() const noexcept { return *held_; }
    const T* operator->() const noexcept { return held_.get(); }
    /// The value as a shared pointer, for an owner on another thread. Never null.
    const std::shared_ptr<const T>& pointer() const noexcept { return held_; }
    bool is_default() const noexcept { return held_.use_count() == 0; }
    /// Number of owners, on any thread.
    std::size_t owners() const noexcept { return static_cast<std::size_t>(held_.use_count()); }

    /// Replaces the value; other owners keep theirs.
    void set(T value) { held_ = std::make_shared<const T>(std::move(value)); }
    /// Like set(), but takes no further memory if this thread has recently passed an equal value to
    /// this function: the boxes then share it. For values that come from a configuration.
    void take_alike(T value) {
        thread_local std::array<std::weak_ptr<const T>, kRecent> recent;
        thread_local std::size_t next = 0;
        if (value == *default_value()) {
            held_ = default_value();
            return;
        }
        for (const std::weak_ptr<const T>& one : recent) {
            std::shared_ptr<const T> known = one.lock();
            if (known == nullptr || !(*known == value)) continue;
            held_ = std::move(known);
            return;
        }
        set(std::move(value));
        recent[next++ % kRecent] = held_;
    }
    /// Replaces the shared value with a private copy, and returns the copy to be changed.
    T& change() {
        auto own = std::make_shared<T>(*held_);
        T& value = *own;
        held_ = std::move(own);
        return value;
    }
    bool operator==(const CowBox& other) const {
        return held_ == other.held_ || *held_ == *other.held_;
    }

private:
    /// Number of values remembered: about the number of agent types whose reports alternate.
    static constexpr std::size_t kRecent = 8;

    /// A shared pointer that owns nothing.
    static const std::shared_ptr<const T>& default_value() {
        static const T kDefault{};
        static const std::shared_ptr<const T> kPointer{std::shared_ptr<const T>{}, &kDefault};
        return kPointer;
    }

    std::shared_ptr<const T> held_;
};

}  // namespace headway::core
