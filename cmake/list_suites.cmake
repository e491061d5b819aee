# Writes FILE, in which every suite of PROGRAM's tests is a test of CTest named GROUP.suite, with
# PROPERTIES. Tests that fit the filter WITHOUT are left out. pacbench_test runs this as a script.
execute_process(COMMAND ${PROGRAM} --gtest_list_tests --gtest_filter=-${WITHOUT}
                OUTPUT_VARIABLE listed TIMEOUT 60 COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "\n[^ \n]+\\.[ \n]" suites "\n${listed}")
set(text)
foreach(suite IN LISTS suites)
  string(STRIP "${suite}" suite)
  string(REGEX REPLACE "\\.$" "" suite "${suite}")
  # ctest would count a suite with one skipped test as skipped, whatever the others did.
  string(APPEND text "add_test([==[${GROUP}.${suite}]==] ${PROGRAM} --gtest_filter=${suite}.*-${WITHOUT})\n"
         "set_tests_properties([==[${GROUP}.${suite}]==] PROPERTIES ${PROPERTIES}"
         " FAIL_REGULAR_EXPRESSION [==[Running 0 tests;\\[  SKIPPED \\]]==])\n")
endforeach()
file(WRITE ${FILE} "${text}")
