# Sets PACBENCH_HAS_NCCL, and then makes the target pacbench::torch_nccl: torch's process group over
# NCCL, for the only library of ours that needs it (trainer/nccl). Building it needs no GPU. NCCL's
# own library is not linked, since torch's library brings the one that it was built with. torch's
# classes hold structures of nccl.h, so the header must have the same version.

set(PACBENCH_NCCL_VERSION 2.28)
set(PACBENCH_NCCL AUTO CACHE STRING "Backend nccl: AUTO (where CUDA, nccl.h and torch's CUDA libraries are), ON or OFF")
set_property(CACHE PACBENCH_NCCL PROPERTY STRINGS AUTO ON OFF)
set(PACBENCH_HAS_NCCL OFF)
if(TARGET pacbench_cuda_kernels)
  find_package(CUDAToolkit REQUIRED)
endif()

# Names what is missing; empty when nothing is.
function(pacbench_find_nccl result)
  set(missing "")
  foreach(library torch_cuda c10_cuda)
    if(NOT EXISTS ${torch_folder}/lib/lib${library}.so)
      list(APPEND missing "${torch_folder}/lib/lib${library}.so")
    endif()
  endforeach()
  if(NOT CUDAToolkit_FOUND)
    list(APPEND missing "CUDA's compiler and headers")
  endif()
  # Looks first in pip's package of NCCL, since torch loads that one.
  find_path(PACBENCH_NCCL_INCLUDE nccl.h HINTS ${torch_folder}/../nvidia/nccl/include
            ${CUDAToolkit_INCLUDE_DIRS})
  if(PACBENCH_NCCL_INCLUDE)
    file(STRINGS ${PACBENCH_NCCL_INCLUDE}/nccl.h lines REGEX "^#define NCCL_M(AJOR|INOR) ")
    string(REGEX REPLACE "[^0-9;]" "" numbers "${lines}")
    list(JOIN numbers "." found)
    if(NOT found VERSION_EQUAL PACBENCH_NCCL_VERSION)
      list(APPEND missing
           "nccl.h of NCCL ${PACBENCH_NCCL_VERSION} (found ${found} in ${PACBENCH_NCCL_INCLUDE})")
    endif()
  else()
    list(APPEND missing "nccl.h")
  endif()
  # CUDA's headers that the header of torch's process group includes.
  foreach(header cublas_v2.h cusparse.h cusolver_common.h)
    if(CUDAToolkit_FOUND)
      find_file(PACBENCH_${header} ${header} HINTS ${CUDAToolkit_INCLUDE_DIRS} NO_CACHE)
      if(NOT PACBENCH_${header})
        list(APPEND missing ${header})
      endif()
    endif()
  endforeach()
  set(${result} "${missing}" PARENT_SCOPE)
endfunction()

if(NOT PACBENCH_NCCL STREQUAL OFF)
  pacbench_find_nccl(missing)
  list(JOIN missing ", " missing)
  if(NOT missing)
    set(PACBENCH_HAS_NCCL ON)
  elseif(PACBENCH_NCCL STREQUAL ON)
    message(FATAL_ERROR "NCCL: missing ${missing}. Run tools/setup --torch cuda, or leave it out "
                        "with -DPACBENCH_NCCL=OFF.")
  endif()
endif()

if(PACBENCH_HAS_NCCL)
  message(STATUS "NCCL ${PACBENCH_NCCL_VERSION}: ${PACBENCH_NCCL_INCLUDE}/nccl.h")
  add_library(pacbench::torch_nccl INTERFACE IMPORTED)
  target_include_directories(pacbench::torch_nccl SYSTEM INTERFACE ${PACBENCH_NCCL_INCLUDE}
                                                                   ${CUDAToolkit_INCLUDE_DIRS})
  target_compile_definitions(pacbench::torch_nccl INTERFACE USE_C10D_NCCL)
  # With --no-as-needed, or the linker drops these libraries: they are called only through tables.
  target_link_libraries(
    pacbench::torch_nccl
    INTERFACE pacbench::torch -Wl,--no-as-needed ${torch_folder}/lib/libtorch_cuda.so
              ${torch_folder}/lib/libc10_cuda.so -Wl,--as-needed CUDA::cudart)
else()
  message(STATUS "NCCL: left out, no backend nccl (PACBENCH_NCCL=${PACBENCH_NCCL}; missing: ${missing})")
endif()
