#pragma once

#include <string>
#include <vector>

#include "contract/catalogue/catalogue.h"

namespace pacbench {

/// The paths of the programs that pacbench starts: in the folder of pacbench itself, or the one
/// that the environment variable PACBENCH_PROGRAMS names.
struct Programs {
  std::string folder;
  std::string daemon;     ///< pacbench-netd, or the socket of one that is shared
  std::string worker;     ///< pacbench-worker
  std::string probe;      ///< pacbench-probe
  std::string simulator;  ///< pacbench-simulate; missing where pacbench was built without SimGrid

  static Programs find();
};

/// The catalogue that was made with the worker: catalog.json beside the programs, or in
/// ../share/pacbench when installed. Throws ConfigError naming both places when it is missing.
Catalogue load_catalogue(const Programs& programs);

/// The folder that holds imported data sets: $PACBENCH_DATA, else $XDG_DATA_HOME/pacbench, else
/// ~/.local/share/pacbench.
std::string data_folder();

/// The folder of things that can be made again: $PACBENCH_CACHE, else $XDG_CACHE_HOME/pacbench,
/// else ~/.cache/pacbench.
std::string cache_folder();

/// The existing folders of this name that came with pacbench: ../share/pacbench/NAME as seen from
/// the program's folder, then NAME in the sources that it was built from.
std::vector<std::string> shipped_folders(const std::string& name);

}  // namespace pacbench
