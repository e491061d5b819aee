cmake_minimum_required(VERSION 3.25)
# Writes OUTPUT, the C++ source that holds VERSION and the git commit of SOURCE.
execute_process(
  COMMAND git -C ${SOURCE} describe --always --dirty --abbrev=12 --exclude=*
  OUTPUT_VARIABLE COMMIT
  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(NOT COMMIT)
  set(COMMIT unknown)
endif()
file(
  CONFIGURE
  OUTPUT ${OUTPUT}
  CONTENT
    "#include \"harness/machine/build_info.h\"\n\nnamespace pacbench {\n\nconst char* version() { return \"@VERSION@\"; }\nconst char* git_commit() { return \"@COMMIT@\"; }\n\n}  // namespace pacbench\n"
  @ONLY)
