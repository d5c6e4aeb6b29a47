# Writes a C++ file that holds text files: cmake -D OUTPUT=… -D FUNCTION=… -D FOLDER=… -D FILES=a,b -P
string(REPLACE "," ";" FILES "${FILES}")
set(code "#include \"harness/embedded_files.hpp\"\n\nnamespace rowgate::harness {\nnamespace {\n\nconstexpr EmbeddedFile kFiles[] = {\n")
foreach(file IN LISTS FILES)
  file(READ "${FOLDER}/${file}" text)
  string(APPEND code "    {\"${file}\", R\"_embedded_(${text})_embedded_\"},\n")
endforeach()
string(APPEND code "};\n\n}  // namespace\n\nstd::span<const EmbeddedFile> ${FUNCTION}() { return kFiles; }\n\n}  // namespace rowgate::harness\n")
file(WRITE "${OUTPUT}" "${code}")
