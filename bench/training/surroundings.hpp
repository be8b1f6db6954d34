// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the program takes from its machine, made the same on each: random numbers count up, and what
// is written need not survive. The functions of the C library are replaced for the whole program.

namespace headway::training {

/// Both ends of a connection are descriptors of this process: from now on what is sent into one has
/// arrived at the other when send() returns. By itself the kernel may deliver it later where the
/// machine is busy.
void pair_ends(int one, int other);
void forget_ends(int one);

}  // namespace headway::training
