// What a run was and how fast it went: report.json for programs, a summary for people.
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "core/device/properties.hpp"
#include "core/minimisation.hpp"
#include "core/neighbor_stats.hpp"
#include "core/observable_info.hpp"
#include "core/observation.hpp"
#include "core/precision.hpp"
#include "core/registry.hpp"
#include "io/output/provenance.hpp"

namespace pencilbox {

/// What a run, or this part of it, did of a stage.
struct StageReport {
  std::string name;  ///< empty: the deck has no list of stages
  std::string integrator;
  double timestep = 0.0;                       ///< [tau]
  std::int64_t first_step = 0, last_step = 0;  ///< from the one to the other
  double seconds = 0.0;                        ///< wall time
  std::optional<Minimisation> minimisation{};  ///< how it ended, where it is one
  std::string barostat{};                      ///< empty: the box stayed
  bool on_first_rank_alone = false;            ///< of several
};

/// "stage minimise: steps 0 to 2000 in 0.31 s; minimised: ..."
std::string in_words(const StageReport& stage);

struct RunReport {
  std::int64_t particles = 0;
  std::int64_t steps = 0;       ///< done by this run, or this part of a resumed one
  std::int64_t first_step = 0;  ///< where it began: 0, or the checkpoint's step
  std::string stopped;          ///< why it ended before its last step; empty: it did not
  double seconds = 0.0;         ///< wall time of the time loop, outputs included
  double start_seconds = 0.0;  ///< before it: particles are made or read, put on the device, sorted
  std::int64_t device_bytes = 0;  ///< of this process, everything counted
  std::string backend;
  BackendOptions options;
  DeviceProperties device;
  Precision precision = Precision::mixed;
  bool deterministic = false;
  std::array<int, 3> ranks{1, 1, 1};  ///< in each direction
  std::string exchange;               ///< between them, in words; empty where there is one
  std::optional<RankLoad> load;       ///< likewise
  std::string integrator;             ///< of the last stage
  std::vector<StageReport> stages;    ///< those that this run, or part, was in
  RegionSeconds regions;
  BackendStats backend_stats;
  NeighborStats neighbors{};
  std::vector<ObservableResult> observables{};
  /// Total energy per particle, last observation less first, by the time between [epsilon/tau]; of
  /// the whole last stage, whatever parts it was done in. NaN for a minimisation.
  double energy_drift = std::numeric_limits<double>::quiet_NaN();
  std::map<std::string, std::string> versions;  ///< pencilbox, and library_versions()
  Provenance provenance{};
  std::string deck;  ///< resolved, YAML
};

/// NaN for a run of no steps or no time.
double steps_per_second(const RunReport& report);

/// The figure of merit: millions of particles times steps, each second.
double matom_steps_per_second(const RunReport& report);

/// compiler, hdf5, fmt and nlohmann_json, as built (hdf5: as loaded).
std::map<std::string, std::string> library_versions();

/// Writes report.json whole or not at all. A number that is not finite becomes null. Throws
/// SystemError.
void write_report(const std::filesystem::path& path, const RunReport& report);

/// The end of a run on the screen: figure of merit, where the time went, energy drift.
void print_summary(std::ostream& out, const RunReport& report);

}  // namespace pencilbox
