# Tests of the tree rather than of the code: rooms and arrows, exported names, the installed
# package, other compilers and sanitizers. A second build tree is a test too, so one ctest
# summary counts everything.
set(SCRIPTS ${PROJECT_SOURCE_DIR}/scripts)
set(TREES ${PROJECT_BINARY_DIR})

cmake_host_system_information(RESULT CORES QUERY NUMBER_OF_LOGICAL_CORES)

# Configures and builds another tree by the preset of this name, with further options and targets, on
# all cores while nothing else runs.
function(add_tree name)
  add_test(NAME build_${name} COMMAND bash ${SCRIPTS}/build-tree ${name} ${TREES}/${name} ${ARGN})
  set_tests_properties(build_${name} PROPERTIES TIMEOUT 900 PROCESSORS ${CORES} COST 1000)
endfunction()

# ---------------------------------------------------------------- text and structure
add_test(NAME check_layers COMMAND bash ${SCRIPTS}/check-layers)
add_test(NAME check_text COMMAND bash ${SCRIPTS}/check-text)
add_test(NAME check_debian COMMAND bash ${SCRIPTS}/update-symbols --check)
add_test(NAME check_headers COMMAND bash ${SCRIPTS}/check-headers ${CMAKE_C_COMPILER})
add_test(NAME check_format COMMAND bash ${SCRIPTS}/check-format)
set_tests_properties(check_text check_format PROPERTIES SKIP_RETURN_CODE 77)
if(NOT TENDRIL_SANITIZE)
  add_test(NAME check_symbols COMMAND bash ${SCRIPTS}/check-symbols
           $<TARGET_FILE:tendril> $<TARGET_FILE:tendril_static>)
endif()

# ---------------------------------------------------------------- the installed package
add_test(NAME consumer COMMAND bash ${CMAKE_CURRENT_SOURCE_DIR}/consumer/run
         ${PROJECT_BINARY_DIR} ${TREES}/consumer)
set_tests_properties(consumer PROPERTIES TIMEOUT 300)

# ---------------------------------------------------------------- Octave, where it is
find_program(MKOCTFILE mkoctfile)
if(MKOCTFILE AND TARGET tendril_program AND NOT TENDRIL_SANITIZE)
  add_test(NAME build_octave COMMAND bash ${SCRIPTS}/build-octave ${PROJECT_BINARY_DIR})
  add_test(NAME octave COMMAND bash ${CMAKE_CURRENT_SOURCE_DIR}/octave/run ${PROJECT_SOURCE_DIR}
           "source('${PROJECT_BINARY_DIR}/octave/setup.m')" $<TARGET_FILE:tendril_program>)
  set_tests_properties(build_octave PROPERTIES FIXTURES_SETUP octave)
  set_tests_properties(octave PROPERTIES FIXTURES_REQUIRED octave TIMEOUT 300)
endif()

# ---------------------------------------------------------------- the page
# A browser that draws in software takes a minute and a half: it begins early, beside others.
find_program(NPM npm)
find_program(CHROMIUM chromium)
if(NPM AND CHROMIUM AND TARGET tendril_program)
  add_test(NAME build_page COMMAND bash ${SCRIPTS}/build-page)
  add_test(NAME page COMMAND ${NPM} --silent test WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}/viewer)
  set_tests_properties(build_page PROPERTIES TIMEOUT 300 FIXTURES_SETUP page COST 500)
  set_tests_properties(page PROPERTIES TIMEOUT 900 FIXTURES_REQUIRED page COST 500
    ENVIRONMENT "TENDRIL=$<TARGET_FILE:tendril_program>;CHROMIUM=${CHROMIUM}")
else()
  message(STATUS "npm or chromium was not found: the page is not tested")
endif()

# ---------------------------------------------------------------- the core alone
add_tree(core -DCMAKE_C_FLAGS_RELEASE=-O0 -DTENDRIL_HARDEN=OFF)  # what it needs, not how fast it is
add_test(NAME core_links_only_its_own COMMAND bash ${SCRIPTS}/check-core ${TREES}/core)
add_test(NAME core_consumer COMMAND bash ${CMAKE_CURRENT_SOURCE_DIR}/consumer/run
         ${TREES}/core ${TREES}/core/consumer)
set_tests_properties(build_core PROPERTIES FIXTURES_SETUP core)
set_tests_properties(core_links_only_its_own core_consumer PROPERTIES FIXTURES_REQUIRED core)

# ---------------------------------------------------------------- clang, warnings as errors
find_program(CLANG clang)
if(CLANG)
  # On one core beside the tests: one that asks for all of them waits until no other test is left.
  add_test(NAME check_clang COMMAND bash ${SCRIPTS}/check-clang ${PROJECT_BINARY_DIR})
  set_tests_properties(check_clang PROPERTIES TIMEOUT 900 COST 1000)
endif()

# ---------------------------------------------------------------- sanitizers
# A null pointer, or one beyond its object, ends a program under AddressSanitizer anyway; checks of them, of their
# arithmetic and of alignment at each access are half of what the compiler does, and the wide kernels, whose text the plain
# one has, a third. Reproductions
# of papers, solvers that share no code with the library and long runs through code that shorter tests run too
# take minutes. `make sanitize` has all of these.
set(SANITIZED ${TEST_NAMES})
list(FILTER SANITIZED EXCLUDE REGEX "^test_(paper|truth)_|^test_(driven|platform_reference|rom_material|collocation_reference|equilibria_helix|equilibria_lumped|equilibria_models|resolution|lumped_net)$")
list(FILTER SANITIZED EXCLUDE REGEX "^test_(rom_motion|virtual_power_motion|constant_curvature_motion|dynamics|collocation_(spectrum|energy)|assembly_stability|equilibria_branches|chamber_reference|lumped_spin)$")
list(FILTER SANITIZED EXCLUDE REGEX "^test_(batch_random|contact_motion|contact_models|gradient|statics_words|contact_bounces|contact_bar|rom_branch)$")
list(FILTER SANITIZED EXCLUDE REGEX "^test_(contact_(through|bodies|ring|hard|parts|pairs|tube)|equilibria_(hanging|limp)|fit_coverage|obstacle_grid|fluid)$")
# Of what is left, these reach at most fifteen branches in src that no other sanitized program reaches (by the counters of
# `make coverage`), 137 of 46 819 together, for a quarter of the time.
list(FILTER SANITIZED EXCLUDE REGEX "^test_(assembly_(derivatives|motion)|collocation_(contract|motion|nodes|statics)|contact_(column|restitution|statics)|coordinates)$")
list(FILTER SANITIZED EXCLUDE REGEX "^test_(examples|fed_rods|inverse|lumped_(base|buckling|contract|eba|frequency|joints)|material_(fibres|models)|modes_part|motion)$")
list(FILTER SANITIZED EXCLUDE REGEX "^test_(platform_feed|rom_statics|slopes|statics|tendon_(friction|motion|statics)|virtual_power_equilibria)$")
set(UNDEFINED bool,bounds,builtin,enum,float-cast-overflow,integer-divide-by-zero,nonnull-attribute,return,returns-nonnull-attribute,shift,signed-integer-overflow,unreachable,vla-bound)
add_tree(asan -DTENDRIL_BENCH=OFF -DTENDRIL_WIDE=OFF -DCMAKE_C_FLAGS_DEBUG=-g1 -DTENDRIL_SANITIZE=address,${UNDEFINED}
         tendril_program ${SANITIZED})
set_tests_properties(build_asan PROPERTIES FIXTURES_SETUP asan)
# Frames that are kept after their return, to find who still points into them, are a third to a half of the time of code
# with many small arrays: `make sanitize` keeps them.
string(REPLACE "detect_stack_use_after_return=1" "detect_stack_use_after_return=0" ASAN_ENVIRONMENT "${TEST_ENVIRONMENT}")
foreach(name ${SANITIZED})
  add_test(NAME asan_${name} COMMAND ${TREES}/asan/tests/${name})
  set_tests_properties(asan_${name} PROPERTIES TIMEOUT 600 FIXTURES_REQUIRED asan
                       ENVIRONMENT "${ASAN_ENVIRONMENT};TENDRIL_TEST_BRIEF=1")
endforeach()
get_property(CLI_TESTS DIRECTORY cli PROPERTY TESTS)
list(REMOVE_ITEM CLI_TESTS cli_examples)  # every verb, which the other scripts run too
foreach(name ${CLI_TESTS})
  add_test(NAME asan_${name} COMMAND bash ${CMAKE_CURRENT_SOURCE_DIR}/cli/${name}.sh)
  set_tests_properties(asan_${name} PROPERTIES TIMEOUT 600 COST 50 FIXTURES_REQUIRED asan ENVIRONMENT
    "${ASAN_ENVIRONMENT};TENDRIL=${TREES}/asan/tendril;SOURCE=${PROJECT_SOURCE_DIR}")
endforeach()
# The longest of them begin first, as in tests/CMakeLists.txt.
foreach(name test_step_slopes test_optimise test_tubes_statics test_step_motion test_reactions)
  if(name IN_LIST SANITIZED)
    set_tests_properties(asan_${name} PROPERTIES COST 100)
  endif()
endforeach()
