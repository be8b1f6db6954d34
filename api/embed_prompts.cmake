# SPDX-License-Identifier: Apache-2.0

# Writes OUTPUT, which defines what api/judge/prompt_files.hpp declares, from the text files in the folder PROMPTS.
set(text "#include \"api/judge/prompt_files.hpp\"\n\n// Made from api/prompts/*.txt by api/embed_prompts.cmake.\n\n")
string(APPEND text "namespace headway::api::prompt_files {\n\n")
foreach(pair IN ITEMS StatusSystem:status_system StatusUser:status_user EstimateSystem:estimate_system
        EstimateUser:estimate_user)
    string(REPLACE ":" ";" pair "${pair}")
    list(GET pair 0 name)
    list(GET pair 1 file)
    file(READ "${PROMPTS}/${file}.txt" prompt)
    string(APPEND text "const std::string_view k${name} = R\"prompt(${prompt})prompt\";\n\n")
endforeach()
string(APPEND text "}  // namespace headway::api::prompt_files\n")
file(WRITE "${OUTPUT}" "${text}")
