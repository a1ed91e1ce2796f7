// One checkpoint in one HDF5 file. It holds nothing that depends on when, where or by whom it was
// written: the same state gives the same bytes.
//
//   /                       attributes `format`, `version` (of pencilbox), `step`, `precision`
//   /start                  attributes `time` [tau], `total_energy` (per particle) of the first row
//   /deck                   the keys that a resumed run must not change, `key: value` a line
//   /box                    attributes `lower`, `edges`, `periodic` [3]
//   /types                  attributes `names`, `masses`
//   /grid                   attributes `lower`, `side`, `cells` [3]: what places refer to
//   /integrator/NAME        [any] f64: what the integrator carries from step to step
//   /observables/TYPE/...   of each observable: `parameters/NAME` and `state/NAME`, [any] f64
//   /particles/{id,type}    [N] i32
//   /particles/{cell,image} [N][3] i32
//   /particles/{offset,velocity,force} [N][3], f32 in single precision, else f64
//   /list                   where one is kept, attributes `skin` [sigma], `age` and `age_before`
//                           [evaluations] that it and the one before have reached
//   /particles/reference    likewise [N][3]: places that it was made of, as `offset`
//
// Behind the end of HDF5's part there is a seal (seal.hpp).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/exact_state.hpp"
#include "core/observable_info.hpp"

namespace pencilbox {

/// What the first row of thermo.csv says, for the energy drift of the whole run.
struct RunStart {
  double time = 0.0;          ///< [tau]
  double total_energy = 0.0;  ///< per particle [epsilon]
};

struct Checkpoint {
  ExactState state;
  RunStart start;
  std::string version;  ///< of the pencilbox that wrote it
  std::string deck;     ///< see fixed_keys()
  std::vector<ObservableState> observables{};
};

/// Writes a sealed file and waits until the disk has it; a file that is there is replaced. Throws
/// SystemError, and then the file is worth nothing.
void write_checkpoint_file(const std::filesystem::path& path, const Checkpoint& checkpoint);

/// Throws InputError, one line that names the file, if it is damaged, cut short, not a checkpoint
/// or one of another format.
Checkpoint read_checkpoint_file(const std::filesystem::path& path);

}  // namespace pencilbox
