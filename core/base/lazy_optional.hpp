// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>

namespace headway::core {

/// An optional value that most owners never set. Until the first change it is a null pointer and
/// reads as T's default. Copies are deep. Thus 100,000 quiet sessions stay small.
template <class T>
class LazyOptional {
public:
    using value_type = T;

    LazyOptional() = default;
    LazyOptional(const LazyOptional& other)
        : held_(other.held_ ? std::make_unique<T>(*other.held_) : nullptr) {}
    LazyOptional(LazyOptional&&) noexcept = default;
    LazyOptional& operator=(LazyOptional other) noexcept {
        held_ = std::move(other.held_);
        return *this;
    }
    ~LazyOptional() = default;

    bool has_value() const noexcept { return held_ != nullptr; }
    const T& operator*() const { return held_ ? *held_ : default_value(); }
    const T* operator->() const { return &**this; }
    /// Resets to the default.
    void reset() noexcept { held_.reset(); }
    /// Creates the value if needed.
    T& change() {
        if (!held_) held_ = std::make_unique<T>();
        return *held_;
    }
    bool operator==(const LazyOptional& other) const { return **this == *other; }

private:
    static const T& default_value() {
        static const T kDefault{};
        return kDefault;
    }

    std::unique_ptr<T> held_;
};

}  // namespace headway::core
