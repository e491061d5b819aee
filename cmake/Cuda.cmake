# Turns CUDA on where its compiler is: sets PACBENCH_HAS_CUDA, and has the language CUDA and the
# target CUDA::cudart_static then. Nothing else is needed of the toolkit, and nothing of it on
# machines that only run what was built: the runtime is linked in and looks for the driver when it is
# first asked for.

set(PACBENCH_CUDA AUTO CACHE STRING "Kernels for GPUs: AUTO (where nvcc works), ON or OFF")
set_property(CACHE PACBENCH_CUDA PROPERTY STRINGS AUTO ON OFF)
set(PACBENCH_HAS_CUDA OFF)

if(NOT PACBENCH_CUDA STREQUAL OFF)
  # Places where the toolkit's own installer, or tools/setup, puts it when it is not on the path. All are
  # given to CMake's trials through the environment, which also reaches check_language.
  file(GLOB pip_toolkits ${CMAKE_SOURCE_DIR}/.venv/lib/python3*/site-packages/nvidia/cu13)
  find_program(PACBENCH_NVCC nvcc HINTS ENV CUDA_HOME PATHS /usr/local/cuda ${pip_toolkits}
               PATH_SUFFIXES bin)
  if(PACBENCH_NVCC AND NOT DEFINED ENV{CUDACXX})
    set(ENV{CUDACXX} ${PACBENCH_NVCC})
  endif()
  if(NOT DEFINED ENV{CUDAHOSTCXX})
    set(ENV{CUDAHOSTCXX} ${CMAKE_CXX_COMPILER})
  endif()
  # Code for data centres' GPUs of today (A100; H100, H200), and PTX that newer ones compile. CMake
  # 3.25 would try the compiler with one that CUDA 13 has dropped.
  if(NOT DEFINED ENV{CUDAARCHS})
    set(ENV{CUDAARCHS} "80-real;90")
  endif()
  # The whole project sees what is found here.
  set(CMAKE_FIND_PACKAGE_TARGETS_GLOBAL ON)
  if(PACBENCH_CUDA STREQUAL AUTO)
    # What an earlier configuration did not find may have been installed since.
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
    # A build folder that knew the compiler before has not looked at the environment again.
    set(CMAKE_CUDA_ARCHITECTURES $ENV{CUDAARCHS})
  endif()
  if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
    # CMake 3.25 does not know it of nvcc.
    set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
    set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
  endif()
  message(STATUS "CUDA ${CMAKE_CUDA_COMPILER_VERSION}: ${CMAKE_CUDA_COMPILER}")
else()
  message(STATUS "CUDA: none, no kernels for GPUs (PACBENCH_CUDA=${PACBENCH_CUDA})")
endif()
