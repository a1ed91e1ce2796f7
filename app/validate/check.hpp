// What is validated: families of rows, one file each. A new one is a function here and a line in
// checks.cpp.
#pragma once

#include <vector>

#include "app/validate/row.hpp"
#include "app/validate/subject.hpp"

namespace pencilbox {

struct Check {
  const char* name;
  const char* summary;
  ValidationRows (*rows)(const Subject& subject);
};

/// In the order of the table.
const std::vector<Check>& all_checks();

// Each throws SystemError if the device or its memory fails; whatever else goes wrong is in its
// rows.
ValidationRows check_configurations(const Subject& subject);
ValidationRows check_melt(const Subject& subject);
ValidationRows check_conservation(const Subject& subject);
ValidationRows check_triple_point(const Subject& subject);
ValidationRows check_state_points(const Subject& subject);
ValidationRows check_vapours(const Subject& subject);
ValidationRows check_mixture(const Subject& subject);
ValidationRows check_langevin(const Subject& subject);
ValidationRows check_barostat(const Subject& subject);
ValidationRows check_determinism(const Subject& subject);

// Words for where references come from, explained below the table.
inline constexpr const char* source_nist = "NIST";
inline constexpr const char* source_lammps = "LAMMPS";
inline constexpr const char* source_rumd = "RUMD";
inline constexpr const char* source_fit = "fit";
inline constexpr const char* source_lattice = "lattice";
inline constexpr const char* source_theory = "theory";
inline constexpr const char* source_itself = "itself";

}  // namespace pencilbox
