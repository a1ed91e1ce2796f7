// What the benchmark of the first paper has measured, as tables and as the paper's figures.
#pragma once

#include <string>
#include <vector>

#include "app/bench/candidate_bench.hpp"
#include "app/bench/few_particles.hpp"
#include "core/device/properties.hpp"
#include "io/output/result.hpp"

namespace pencilbox {

/// One row with one potential.
struct MeasuredRow {
  FewParticlesRow row;
  CandidatePotential potential = CandidatePotential::lennard_jones;
  CandidateResult result;

  double interactions() const {
    return result.candidates_per_particle * static_cast<double>(row.particles());
  }
};

struct FewParticlesMeasurement {
  std::vector<BackendInfo> known;
  std::vector<BackendChoice> backends;  ///< whose timings are in each row, in this order
  DeviceProperties device;
  int calls = 0;
  int repeats = 0;
  std::vector<MeasuredRow> rows;
};

/// Names of its files.
inline constexpr const char* few_particles_page = "few-particles";
std::vector<std::string> few_particles_tables();
std::vector<std::string> few_particles_plots();

/// Everything, a line for each row and back end.
ResultTable table_of_rows(const FewParticlesMeasurement& measurement);

/// Adds all tables, Figures 6 and 8, and notes.
void add_few_particles(Result& result, const FewParticlesMeasurement& measurement);

/// The table of published columns and ours, for a terminal; empty where no row is published.
std::string beside_the_published(const FewParticlesMeasurement& measurement);

}  // namespace pencilbox
