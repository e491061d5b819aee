# Turns CUDA on where its compiler is: sets PACBENCH_HAS_CUDA, enables the language CUDA and finds
# the target CUDA::cudart_static. The build needs nothing else of the toolkit. Machines that only
# run the programs need none of it: the runtime is linked statically and looks for the driver at its
# first use.

set(PACBENCH_CUDA AUTO CACHE STRING "Kernels for GPUs: AUTO (where nvcc works), ON or OFF")
set_property(CACHE PACBENCH_CUDA PROPERTY STRINGS AUTO ON OFF)
set(PACBENCH_HAS_CUDA OFF)

if(NOT PACBENCH_CUDA STREQUAL OFF)
  # Searches the places where the toolkit's own installer and tools/setup put it. CMake's trials get
  # the compiler through the environment, which also reaches check_language.
  file(GLOB pip_toolkits ${CMAKE_SOURCE_DIR}/.venv/lib/python3*/site-packages/nvidia/cu13)
  find_program(PACBENCH_NVCC nvcc HINTS ENV CUDA_HOME PATHS /usr/local/cuda ${pip_toolkits}
               PATH_SUFFIXES bin)
  if(PACBENCH_NVCC AND NOT DEFINED ENV{CUDACXX})
    set(ENV{CUDACXX} ${PACBENCH_NVCC})
  endif()
  if(NOT DEFINED ENV{CUDAHOSTCXX})
    set(ENV{CUDAHOSTCXX} ${CMAKE_CXX_COMPILER})
  endif()
  # Code for today's GPUs of data centres (A100; H100, H200), and PTX that newer GPUs compile. By
  # default CMake 3.25 would try the compiler with an architecture that CUDA 13 has dropped.
  if(NOT DEFINED ENV{CUDAARCHS})
    set(ENV{CUDAARCHS} "80-real;90")
  endif()
  # Makes the targets that are found here visible to the whole project.
  set(CMAKE_FIND_PACKAGE_TARGETS_GLOBAL ON)
  if(PACBENCH_CUDA STREQUAL AUTO)
    # A compiler that an earlier configuration did not find may have been installed since.
    if(NOT CMAKE_CUDA_COMPILER)
      unset(CMAKE_CUDA_COMPILER CACHE)
    endif()
    include(CheckLanguage)
    check_language(CUDA)
  endif()
  if(CMAKE_CUDA_COMPILER OR PACBENCH_CUDA STREQUAL ON)
    enable_language(CUDA)
    find_package(CUDAToolkit REQUIRED)
    set(PACBENCH_HAS_CUDA ON)
  endif()
endif()

if(PACBENCH_HAS_CUDA)
  if(NOT CMAKE_CUDA_ARCHITECTURES)
    # In a build folder with a known compiler CMake does not read the environment again.
    set(CMAKE_CUDA_ARCHITECTURES $ENV{CUDAARCHS})
  endif()
  if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
    # CMake 3.25 does not know nvcc's option for C++20.
    set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
    set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
  endif()
  message(STATUS "CUDA ${CMAKE_CUDA_COMPILER_VERSION}: ${CMAKE_CUDA_COMPILER}")
else()
  message(STATUS "CUDA: none, no kernels for GPUs (PACBENCH_CUDA=${PACBENCH_CUDA})")
endif()
