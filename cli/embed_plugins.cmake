# SPDX-License-Identifier: Apache-2.0

# Writes OUTPUT, which defines what cli/agents/settings/client_plugins.hpp declares, from the plugins in the folder CLIENTS, each with the half
# that they have in common.
set(text "#include \"cli/agents/settings/client_plugins.hpp\"\n\n// Made from clients/ by cli/embed_plugins.cmake.\n\n")
string(APPEND text "namespace headway::cli::client_plugins {\n\n")
file(READ "${CLIENTS}/plugin/daemon.js" common)
string(REGEX REPLACE "^(//[^\n]*\n)+\n" "" common "${common}")  # its head
foreach(pair IN ITEMS Opencode:opencode/headway.js Pi:pi/headway.ts)
    string(REGEX MATCH "^([^:]+):(.+)$" all "${pair}")
    set(name ${CMAKE_MATCH_1})
    file(READ "${CLIENTS}/${CMAKE_MATCH_2}" plugin)
    string(REPLACE "// Here stands clients/plugin/daemon.js.\n" "${common}" plugin "${plugin}")
    string(APPEND text "const std::string_view k${name} = R\"plugin(${plugin})plugin\";\n\n")
endforeach()
string(APPEND text "}  // namespace headway::cli::client_plugins\n")
file(WRITE "${OUTPUT}" "${text}")
