# SPDX-License-Identifier: Apache-2.0

# Writes OUTPUT with the version of the checkout; touches it only when the text changes, so nothing is rebuilt for nothing.
execute_process(COMMAND git -C ${SOURCE} describe --always --dirty --tags
    OUTPUT_VARIABLE git OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
if(failed)
    set(git "unknown")
endif()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT
    "#pragma once\n#define HEADWAY_VERSION \"${VERSION}\"\n#define HEADWAY_GIT \"${git}\"\n" @ONLY)
