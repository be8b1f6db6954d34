// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace headway::api::hooks {

/// A body in a form that the document accepts. Values that agents write and the document refuses
/// become texts: half of a surrogate pair becomes its escape, an object or a list deeper than
/// `depth_max` its JSON, a number beyond a double its digits. Each follows a mark (U+FDD0) that no
/// other text gets, so that the approval of one call does not fit another. A model chooses its
/// arguments, so such a call must not become unreadable. Text other than JSON stays unchanged. The
/// result has at most three times the size, and some bytes. Linear. Pure.
std::string readable_json(std::string_view body, std::size_t depth_max);

/// True if the body itself has the mark, so that readable_json() must escape it. Pure.
bool has_readable_mark(std::string_view body);

}  // namespace headway::api::hooks
