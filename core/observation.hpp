// What a simulation tells the host: sums, frames and where the time went. Plain data.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/device/properties.hpp"
#include "core/registry.hpp"
#include "core/start_state.hpp"

namespace pencilbox {

/// Sums over all particles at one step. Energies of the whole system, not per particle, with the
/// tail correction inside where the deck asks for it.
struct Observation {
  std::int64_t step = 0;
  double time = 0.0;  ///< step * timestep [tau]
  std::int64_t particles = 0;
  double kinetic_energy = 0.0;
  double potential_energy = 0.0;
  double virial = 0.0;  ///< sum over pairs of r . f
  /// 2 KE over the degrees of freedom, 3N - 3 where momentum is conserved; 0 where there are none.
  double temperature = 0.0;
  /// The integrator's: the total energy, less what a heat bath has given, and with what a barostat
  /// has taken.
  double conserved_energy = 0.0;
  double pressure = 0.0;  ///< (2 KE + W) / 3V; NaN where a direction is open
  double volume = 0.0;    ///< of the box [sigma^3]
  Double3 momentum{};

  double total_energy() const { return kinetic_energy + potential_energy; }
  double density() const { return static_cast<double>(particles) / volume; }
};

/// Per-particle fields of a frame, in the words of the deck and of H5MD.
enum class Field { position, velocity, force, image, species, id, potential_energy, speed };

inline constexpr std::array<std::string_view, 8> field_names{
    "position", "velocity", "force", "image", "species", "id", "potential_energy", "speed"};

constexpr std::string_view name_of(Field field) {
  return field_names[static_cast<std::size_t>(field)];
}

class FieldSet {
 public:
  void insert(Field field) { bits_ |= bit(field); }
  bool contains(Field field) const { return (bits_ & bit(field)) != 0; }

 private:
  static unsigned bit(Field field) { return 1U << static_cast<unsigned>(field); }
  unsigned bits_ = 0;
};

/// One frame on the host, rows in id order. A vector that was not asked for is empty.
struct Frame {
  std::int64_t step = 0;
  double time = 0.0;
  Box box;
  std::vector<Double3> position;  ///< wrapped into the box in periodic directions
  std::vector<Double3> velocity;
  std::vector<Double3> force;
  std::vector<std::array<std::int32_t, 3>> image;
  std::vector<std::int32_t> species;  ///< 0-based type
  std::vector<ParticleId> id;
  std::vector<double> potential_energy;  ///< half of each pair's energy
};

/// Seconds spent in a named part of the run.
struct RegionSeconds {
  double integrate = 0.0, bin = 0.0, reorder = 0.0, prepare = 0.0, force = 0.0, observe = 0.0,
         write = 0.0;
  double exchange = 0.0;  ///< letters between ranks, and waiting for them

  RegionSeconds& operator+=(const RegionSeconds& more) {
    integrate += more.integrate;
    exchange += more.exchange;
    bin += more.bin;
    reorder += more.reorder;
    prepare += more.prepare;
    force += more.force;
    observe += more.observe;
    write += more.write;
    return *this;
  }
};

/// How evenly ranks had work.
struct RankLoad {
  double busiest = 1.0;    ///< seconds of work of the rank that had most, over the mean of all
  std::int64_t dealt = 0;  ///< how often cells were dealt out anew
};

/// What back end `auto` has chosen, and by what margin.
struct AutomaticChoice {
  BackendChoice chosen;
  std::optional<BackendChoice> runner_up;
  double margin = 0.0;  ///< the runner-up took 1 + margin times as long
  int tried = 0;        ///< candidates that were timed
  int choices = 1;      ///< how often it chose so far: again when cells have filled or emptied
};

/// What a run saw of a list that is kept over several steps.
struct ListStats {
  double skin = 0.0;              ///< [sigma]
  std::int64_t rebuilds = 0;      ///< when a particle had moved too far
  std::int64_t steps = 0;         ///< between them, in all
  std::int64_t shortest = 0;      ///< of the intervals [steps]; 0: none yet
  std::int64_t longest = 0;       ///< likewise
  std::int64_t longest_row = 0;   ///< partners of the particle that had most
  std::int64_t row_capacity = 0;  ///< partners that a row has room for
  std::int64_t grown = 0;         ///< how often rows were made longer

  /// With what another saw before.
  void follow(const ListStats& before) {
    rebuilds += before.rebuilds;
    steps += before.steps;
    longest = std::max(longest, before.longest);
    if (before.shortest > 0)
      shortest = shortest > 0 ? std::min(shortest, before.shortest) : before.shortest;
    longest_row = std::max(longest_row, before.longest_row);
    grown += before.grown;
  }

  double mean_interval() const {
    return rebuilds > 0 ? static_cast<double>(steps) / static_cast<double>(rebuilds) : 0.0;
  }
};

/// What a back end says about its last evaluation.
struct BackendStats {
  double candidates_per_particle = 0.0;  ///< directed pairs tested, self excluded
  double pairs_in_range = 0.0;           ///< undirected pairs within the cutoff
  std::int64_t blocks = 0;
  int threads = 0;
  std::int64_t shared_bytes = 0;            ///< per block
  std::int64_t device_bytes = 0;            ///< memory of its own
  std::string note;                         ///< launch rule in words, e.g. "pencils of 8 cells"
  std::optional<AutomaticChoice> choice{};  ///< where there was one, once it was made
  bool is_choosing = false;                 ///< others are still to be tried
  KernelResources resources{};              ///< of the kernel of forces
  std::optional<ListStats> list{};          ///< where one is kept
};

}  // namespace pencilbox
