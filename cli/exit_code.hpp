#pragma once

namespace headway::cli {

// What a script can rely on. `wait` uses all of them, the other verbs 0, 1, 64 and 69.
inline constexpr int kExitOk = 0;               ///< done; `wait`: completed
inline constexpr int kExitFailed = 1;           ///< the daemon refused; `wait`: failed or halted
inline constexpr int kExitStuck = 2;            ///< `wait`: stuck
inline constexpr int kExitConfig = 2;           ///< `config`: a mistake in the settings
inline constexpr int kExitCancelled = 3;        ///< `wait`: cancelled, or can never match any more
inline constexpr int kExitNeedsHuman = 4;       ///< `wait`: blocked or waiting for a person
inline constexpr int kExitUsage = 64;           ///< the command line is wrong
inline constexpr int kExitUnreachable = 69;     ///< no daemon answers
inline constexpr int kExitTimeout = 124;        ///< `wait`: its own --timeout passed
inline constexpr int kExitCannotExecute = 126;  ///< `run`: the command cannot be executed
inline constexpr int kExitNotFound = 127;       ///< `run`: there is no such command

}  // namespace headway::cli
