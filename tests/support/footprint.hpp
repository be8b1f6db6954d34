// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/footprint.hpp"

namespace headway::tests {

using core::footprint;
using core::owned_bytes;

}  // namespace headway::tests
