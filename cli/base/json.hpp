// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace headway::cli {

/// A JSON value. Reading never fails, whatever a daemon of another version sends: an absent member
/// is null, and a value of another kind reads as empty or 0. One thread at a time.
class Json {
public:
    struct Member;
    using List = std::vector<Json>;
    using Members = std::map<std::string, Json, std::less<>>;

    Json() noexcept;  ///< null
    // Values convert implicitly, so that an object can be written as {{"name", value}, ...}.
    Json(std::nullptr_t) noexcept;
    Json(std::same_as<bool> auto value) : value_(std::in_place_type<bool>, value) {}
    template <std::signed_integral Number>
    Json(Number value) : value_(std::in_place_type<std::int64_t>, value) {}
    template <std::unsigned_integral Number>
    requires(!std::same_as<Number, bool>) Json(Number value)
        : value_(std::in_place_type<std::uint64_t>, value) {}
    Json(double value) : Json(Real{value, {}}) {}
    Json(const char* text);
    Json(std::string text);
    Json(std::string_view text);
    Json(const std::vector<std::string>& texts);
    Json(std::initializer_list<Member> members);

    Json(const Json&);
    Json(Json&&) noexcept;
    Json& operator=(const Json&);
    Json& operator=(Json&&) noexcept;
    ~Json();

    static Json object();
    static Json array(std::initializer_list<Json> values = {});
    /// Parses `text`; nothing if it is not JSON. A model chooses what its agent writes, so values
    /// that a parser would refuse (half of a surrogate pair, nesting beyond kDepthMax) are read as
    /// texts (api/json/readable_json.hpp). If several members have one name, the last of them is
    /// used. dump() writes numbers as they are in `text`, never rounded, because people decide
    /// about them.
    static std::optional<Json> parse(std::string_view text);
    static constexpr std::size_t kDepthMax = 1'000;

    bool is_null() const { return std::holds_alternative<std::nullptr_t>(value_); }
    bool is_boolean() const { return std::holds_alternative<bool>(value_); }
    bool is_string() const { return std::holds_alternative<std::string>(value_); }
    bool is_array() const { return std::holds_alternative<List>(value_); }
    bool is_object() const { return std::holds_alternative<Members>(value_); }
    bool is_number() const { return is_integer() || std::holds_alternative<Real>(value_); }
    bool is_unsigned() const { return std::holds_alternative<std::uint64_t>(value_); }
    bool is_integer() const {
        return is_unsigned() || std::holds_alternative<std::int64_t>(value_);
    }

    const std::string& text() const;  ///< empty unless it is text
    double number() const;            ///< 0 unless it is a number
    /// 0 unless it is a number; a number outside of the type's range becomes the nearest number
    /// within it.
    std::int64_t integer() const;
    std::uint64_t count() const;
    const List& list() const;        ///< empty unless it is a list
    const Members& members() const;  ///< by name; empty unless it is an object
    List& list();                    ///< null becomes a list; any other value must be a list
    Members& members();              ///< null becomes an object; any other value must be an object

    /// Elements of a list or an object; 0 for null, 1 for others.
    std::size_t size() const;
    bool empty() const { return size() == 0; }

    bool contains(std::string_view name) const { return find(name) != nullptr; }
    const Json* find(std::string_view name) const;
    const Json& operator[](std::string_view name) const;
    const Json& operator[](std::size_t index) const;
    Json& operator[](std::string_view name);  ///< adds an absent member; see members()
    Json& operator[](std::size_t index);      ///< `index` is below size()

    const std::string& text_of(std::string_view name) const { return (*this)[name].text(); }
    std::uint64_t count_of(std::string_view name, std::uint64_t otherwise = 0) const;
    /// True only for the literal `true`.
    bool flag_of(std::string_view name) const;

    // Iterates a list; other values have no elements.
    List::const_iterator begin() const { return list().begin(); }
    List::const_iterator end() const { return list().end(); }

    void push_back(Json value);
    void erase(std::string_view name);
    /// Adds the members of `other`; they replace members of the same name.
    void update(const Json& other);

    /// Numbers with equal values are equal, whatever their form.
    friend bool operator==(const Json& a, const Json& b);

private:
    friend class JsonBuilder;
    friend std::string json_number(const Json& value);

    /// A number that is not a 64-bit integer, or is -0.
    struct Real {
        double value = 0;
        std::string text;  ///< as parsed; empty for a number made in code
        friend bool operator==(const Real& a, const Real& b) { return a.value == b.value; }
    };

    explicit Json(Real value) : value_(std::in_place_type<Real>, std::move(value)) {}

    std::variant<std::nullptr_t, bool, std::int64_t, std::uint64_t, Real, std::string, List,
                 Members>
        value_;
};

struct Json::Member {
    std::string name;
    Json value;
};

/// JSON text, on one line unless `indent` is given. Never fails: broken UTF-8 is replaced. Pure.
std::string dump(const Json& value, int indent = -1);

}  // namespace headway::cli
