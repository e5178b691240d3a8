# Writes ctest's entries of a GoogleTest program, one a suite: run by ctest before the tests, once the program has changed.
#   cmake -D PROGRAM=... -D NAME=... -D OUT=... -D LABEL=... -D TIMEOUT=... -D "ENVIRONMENT=A=1;B=2" [-D LEFT_OUT=Suite.*] -P discover.cmake
execute_process(COMMAND ${CMAKE_COMMAND} -E env ${ENVIRONMENT} "${PROGRAM}" --gtest_list_tests
                OUTPUT_VARIABLE listed RESULT_VARIABLE status TIMEOUT 60)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${PROGRAM} --gtest_list_tests: ${status}\n${listed}")
endif()
string(REPLACE ";" "\\;" listed "${listed}")
string(REPLACE "\n" ";" listed "${listed}")

set(entries "")
set(suite "")
set(count 0)
# Suites with many tests begin first: else one of them runs alone at the end.
macro(add_suite)
  if(suite AND count GREATER 0 AND NOT "${suite}.*" STREQUAL "${LEFT_OUT}")
    math(EXPR cost "1 + ${count} / 8")
    string(APPEND entries "add_test([=[${NAME}/${suite}]=] [=[${PROGRAM}]=] [=[--gtest_filter=${suite}.*-*.DISABLED_*]=])\n"
           "set_tests_properties([=[${NAME}/${suite}]=] PROPERTIES LABELS [=[${LABEL}]=] TIMEOUT ${TIMEOUT} COST ${cost} "
           "SKIP_RETURN_CODE 77 ENVIRONMENT [=[${ENVIRONMENT};VD_SKIP_RETURN_CODE=77]=])\n")
  endif()
endmacro()
foreach(line IN LISTS listed)
  if(line MATCHES "^([^ ]+)\\.( +#.*)?$")
    add_suite()
    set(suite "${CMAKE_MATCH_1}")
    set(count 0)
  elseif(line MATCHES "^  [^ ]" AND NOT line MATCHES "^  DISABLED_")
    math(EXPR count "${count} + 1")
  endif()
endforeach()
add_suite()
file(WRITE "${OUT}" "${entries}")
