// A deck: what the user asks for, read from YAML, checked, with all defaults filled in.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/balance.hpp"
#include "core/barostat.hpp"
#include "core/box.hpp"
#include "core/exchange.hpp"
#include "core/executor.hpp"
#include "core/interactions/potential.hpp"
#include "core/lattice.hpp"
#include "core/list_until.hpp"
#include "core/observable_info.hpp"
#include "core/observation.hpp"
#include "core/plummer_sphere.hpp"
#include "core/precision.hpp"
#include "core/random_start.hpp"
#include "core/real_units.hpp"
#include "core/registry.hpp"
#include "io/input/catalogue.hpp"
#include "io/input/deck_value.hpp"

namespace pencilbox {

using LatticeStart = Lattice;
using RandomStart = RandomPlacement;
using PlummerStart = PlummerSphere;

struct FileStart {
  std::filesystem::path path;           ///< as it can be opened from the working directory
  std::optional<std::int64_t> frame{};  ///< of a trajectory, from 0
};

struct DeckType {
  std::string name;
  double mass = 1.0;
  bool mass_is_given = true;  ///< if not, a start file may say it
  double fraction = 1.0;      ///< of the particles, unless a start file says each one's type
};

struct VelocityStart {
  double temperature = 0.0;
  std::uint64_t seed = 0;
};

/// Coefficients that the deck gives for two types by name, in either order.
struct DeckPair {
  std::array<std::string, 2> types;
  PairCoefficients coefficients;
};

/// A part of the run, in which particles are moved by one rule.
struct DeckStage {
  std::string name;  ///< empty: the deck has no list of stages, so this one is all of the run
  std::int64_t first_step = 0;
  double first_time = 0.0;  ///< where it begins [tau]
  std::int64_t steps = 0;
  std::string integrator;
  double timestep = 0.005;
  IntegratorParameters parameters;                    ///< every parameter of the integrator
  std::optional<std::int64_t> zero_momentum_every{};  ///< 0: where it begins alone; absent: never
  std::optional<Barostat> barostat{};                 ///< absent: the box stays

  std::int64_t last_step() const { return first_step + steps; }
};

/// A pair of types with a table.
struct DeckTable {
  std::array<std::string, 2> types;
  std::filesystem::path file;
  std::string hash;                ///< of what stood in the file when the deck was read, or is to
  std::optional<double> cutoff{};  ///< absent: the table's end [sigma]
};

struct DeckTrajectory {
  std::int64_t every = 1;
  FieldSet fields;               ///< always with position
  int compression = 0;           ///< level of gzip; 0: none
  std::int64_t split_every = 0;  ///< frames in a file; 0: all in one
};

struct DeckOutput {
  std::filesystem::path directory;
  std::int64_t thermo_every = 100;
  std::optional<DeckTrajectory> trajectory;      ///< absent: no frames
  std::optional<std::int64_t> checkpoint_every;  ///< absent: only where a run is stopped
};

struct Deck {
  std::string name;  ///< the deck's file as the user gave it
  std::string title;
  std::optional<RealUnits> units;  ///< absent: the deck is of no substance

  std::variant<LatticeStart, RandomStart, FileStart, PlummerStart> start;
  std::optional<VelocityStart> velocities;  ///< absent: from the start, or zero
  std::vector<DeckType> types;              ///< empty: those of the start file
  std::uint64_t type_seed = 1;
  Bool3 periodic{true, true, true};

  PotentialType potential = PotentialType::lennard_jones;
  // of lennard-jones
  double cutoff = 2.5;
  Truncation truncation = Truncation::cut;
  bool tail_correction = false;
  std::vector<DeckPair> pairs;  ///< empty: epsilon = sigma = 1 for all
  // of tabulated
  std::vector<DeckTable> tables;
  // of softened-gravity
  double softening = 0.0;
  double gravitational_constant = 1.0;

  std::string backend;
  BackendOptions options;      ///< every option of the back end
  std::optional<double> skin;  ///< of a list [sigma]; absent: found while running
  ListUntil list_until = ListUntil::best;

  std::vector<DeckStage> stages;  ///< one or more, each beginning where the one before it ends
  std::int64_t steps = 0;         ///< of all of them
  Precision precision = Precision::mixed;
  std::string device;  ///< auto, host, cuda or hip
  bool deterministic = false;
  Executor executor = Executor::best;
  std::optional<std::array<int, 3>> ranks{};  ///< in each direction; absent: to be found
  Exchange exchange = Exchange::best;
  Balance balance = Balance::best;

  std::vector<ObservableChoice> observables;  ///< each once, with every parameter
  DeckOutput output;

  /// The stage that the step after this one belongs to; of the last step of all, the last.
  std::size_t stage_at(std::int64_t step) const;
  /// Whether a stage ends at this step, and another one goes on.
  bool changes_stage_at(std::int64_t step) const;
  /// Whether the box changes in any of the stages.
  bool has_barostat() const;
  /// The time that is reached by this step [tau].
  double time_at(std::int64_t step) const;

  DeckValue values;  ///< the same as a tree, for resolved_yaml and where

  /// "deck.yaml:12", or "--set", for the innermost part of a path that the deck has.
  std::string where(const std::string& path) const;
  /// The head of an error about a key: "deck.yaml:12: potential.cutoff", "--set potential.cutoff".
  std::string place(const std::string& path) const;
  /// The same for a key of the observable with this number: "deck.yaml:20: observables[0].bins".
  std::string place_of_observable(std::size_t number, const std::string& key) const;
};

/// A start that takes the place of the whole section `system` of a deck.
struct OtherStart {
  std::filesystem::path file;  ///< a checkpoint or a trajectory, from the working directory
  std::optional<std::int64_t> frame{};
  std::string place = "frame";  ///< what an error about the frame begins with
};

/// Reads and checks a deck; overrides are "potential.cutoff=3.0" and stand over it, and over
/// `other`. Throws InputError, one line, for anything that is wrong with either; touches no output.
/// A `file` in the deck is relative to the deck's folder. Of start files only those of HDF5 are
/// looked at: their boundary counts where the deck says none, and the number of the frame is
/// settled, so that "the last" stays the same one. Tables get their hash.
Deck load_deck(const std::filesystem::path& path, const std::vector<std::string>& overrides,
               const Catalogue& catalogue, const std::optional<OtherStart>& other = {});

/// The same from a text; `name` stands for its file.
Deck parse_deck(std::string text, const std::string& name,
                const std::vector<std::string>& overrides, const Catalogue& catalogue,
                const std::optional<OtherStart>& other = {});

/// The deck with overrides and defaults in it. Reads back to the same deck from any folder: the
/// path of a start file is absolute in it.
std::string resolved_yaml(const Deck& deck);

}  // namespace pencilbox
