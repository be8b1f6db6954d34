// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace headway::api::hooks {

/// A body in a form that the document takes. Texts that the writers of agents make and the document
/// refuses become a text that shows the same: half of a surrogate pair its escape, an object or a
/// list that lies deeper than `depth_max` its JSON, a number beyond those of a double its digits,
/// after a mark (U+FDD0) that no other text gets: an approval of one call is none of the other. A
/// model chooses its arguments, so a call with such ones must not be one that is not understood.
/// Other text than JSON stays as it is. At most three times as long, and some bytes. Linear. Pure.
std::string readable_json(std::string_view body, std::size_t depth_max);

/// Whether the body has that mark itself, so that it has to be made readable too. Pure.
bool has_readable_mark(std::string_view body);

}  // namespace headway::api::hooks
