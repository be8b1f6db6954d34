// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace headway::cli {

// Exit codes that a script can rely on. Any verb may exit with 0, 1, 64, 69 or 74, and with the
// codes below whose comments name the verb. `wait` uses all codes except those whose comments name
// only other verbs. `check --wait` uses the same codes as `wait`, except 3, 5 and 6.
inline constexpr int kExitOk = 0;      ///< done; `wait`: completed; `check`: answer A
inline constexpr int kExitFailed = 1;  ///< refused; `wait`: failed, halted; `check`: no answer
inline constexpr int kExitStuck = 2;   ///< `wait`: stuck; `check`: B, looping
/// `config`, `backup`, `restore`, `migrate`: a mistake in the settings.
inline constexpr int kExitConfig = 2;
/// `hook --require`: in place of each failure. Agents run the call after any other exit code.
inline constexpr int kExitMustNotRun = 2;
inline constexpr int kExitCancelled = 3;     ///< `wait`: cancelled, or the verdict is impossible
inline constexpr int kExitNeedsHuman = 4;    ///< `wait`: blocked, waiting; `check`: C or D
inline constexpr int kExitSilent = 5;        ///< `wait`: no heartbeat for --silent-for
inline constexpr int kExitNeverOpened = 6;   ///< `wait`, `watch`: no session within --open-within
inline constexpr int kExitUsage = 64;        ///< the command line is wrong
inline constexpr int kExitUnreachable = 69;  ///< no daemon is reachable
inline constexpr int kExitDaemonError = 70;  ///< `wait`: the daemon's reply was an error
inline constexpr int kExitOutput = 74;       ///< done, but the output cannot be written
inline constexpr int kExitDenied = 77;    ///< `wait`: the daemon refuses the token, or requires one
inline constexpr int kExitTimeout = 124;  ///< the time of --timeout or --wait is over
inline constexpr int kExitCannotExecute = 126;  ///< `run`: the command cannot be executed
inline constexpr int kExitNotFound = 127;       ///< `run`: there is no such command

}  // namespace headway::cli
