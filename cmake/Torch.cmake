# Makes the imported target pacbench::torch: libtorch of the PyPI wheel, used in place.
#
# The wheel's own package (find_package(Torch)) asks for a whole CUDA toolkit even where there is no
# GPU, and would take Debian's libtorch 1.13 without a word. So the libraries are named here.

set(PACBENCH_TORCH_VERSION 2.11)
set(PACBENCH_TORCH "" CACHE PATH "Folder of the torch package; empty: the one in .venv")

function(pacbench_find_torch result)
  if(PACBENCH_TORCH)
    set(folders ${PACBENCH_TORCH})
  else()
    file(GLOB folders ${CMAKE_SOURCE_DIR}/.venv/lib/python3*/site-packages/torch)
  endif()
  foreach(folder ${folders})
    if(EXISTS ${folder}/lib/libtorch_cpu.so AND EXISTS ${folder}/include/torch/headeronly/version.h)
      set(${result} ${folder} PARENT_SCOPE)
      return()
    endif()
  endforeach()
  if(PACBENCH_TORCH)
    set(place "in PACBENCH_TORCH=${PACBENCH_TORCH}")
  else()
    set(place "under ${CMAKE_SOURCE_DIR}/.venv")
  endif()
  message(FATAL_ERROR
    "torch: no package with lib/libtorch_cpu.so and headers found ${place}, expected the wheel of "
    "torch ${PACBENCH_TORCH_VERSION}. Run tools/setup, which puts it into .venv, or point "
    "-DPACBENCH_TORCH= at the torch folder of another environment, or leave the worker out with "
    "-DPACBENCH_TRAINER=OFF.")
endfunction()

function(pacbench_check_torch_version folder)
  file(READ ${folder}/include/torch/headeronly/version.h text)
  string(REGEX MATCH "TORCH_VERSION_MAJOR +([0-9]+)" ignored "${text}")
  set(major ${CMAKE_MATCH_1})
  string(REGEX MATCH "TORCH_VERSION_MINOR +([0-9]+)" ignored "${text}")
  set(found ${major}.${CMAKE_MATCH_1})
  if(NOT found VERSION_EQUAL PACBENCH_TORCH_VERSION)
    message(FATAL_ERROR
      "torch: found version ${found} in ${folder}, expected ${PACBENCH_TORCH_VERSION}: the worker "
      "uses interfaces of c10d that change between versions. Run tools/setup.")
  endif()
  message(STATUS "torch ${found}: ${folder}")
endfunction()

pacbench_find_torch(torch_folder)
pacbench_check_torch_version(${torch_folder})
find_package(Threads REQUIRED)

foreach(library c10 torch_cpu)
  add_library(pacbench::${library} SHARED IMPORTED GLOBAL)
  set_target_properties(pacbench::${library} PROPERTIES
    IMPORTED_LOCATION ${torch_folder}/lib/lib${library}.so)
endforeach()

add_library(pacbench::torch INTERFACE IMPORTED GLOBAL)
target_include_directories(pacbench::torch SYSTEM INTERFACE
  ${torch_folder}/include ${torch_folder}/include/torch/csrc/api/include)
# The definitions that the wheel was built with: without these the headers hide c10d's Gloo or, worse, lay out
# some of its classes differently.
target_compile_definitions(pacbench::torch INTERFACE
  USE_DISTRIBUTED USE_C10D_GLOO USE_RPC USE_TENSORPIPE)
add_library(pacbench_torch_fmt STATIC ${CMAKE_CURRENT_LIST_DIR}/torch_fmt.cc)
target_include_directories(pacbench_torch_fmt SYSTEM PRIVATE ${torch_folder}/include)
set_target_properties(pacbench_torch_fmt PROPERTIES POSITION_INDEPENDENT_CODE ON)
target_link_libraries(pacbench::torch INTERFACE
  pacbench_torch_fmt pacbench::torch_cpu pacbench::c10 Threads::Threads)
# libtorch_cpu finds the few CUDA libraries that it needs by its own run path; the linker does not.
target_link_options(pacbench::torch INTERFACE
  -Wl,-rpath,${torch_folder}/lib -Wl,--allow-shlib-undefined)
