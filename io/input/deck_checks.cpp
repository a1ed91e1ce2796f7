#include "io/input/deck_checks.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <system_error>

#include <fmt/format.h>

#include "core/error.hpp"
#include "io/input/complaint.hpp"
#include "io/input/resolve_deck.hpp"
#include "io/output_names.hpp"

namespace pencilbox {
namespace {

namespace fs = std::filesystem;

void check_random_density(const Deck& deck, const RandomStart& random) {
  constexpr double densest = 10.0;  // as for a lattice
  const double density =
      static_cast<double>(random.count) / (random.box[0] * random.box[1] * random.box[2]);
  if (density > densest) {
    complain(deck.place("system.particles.random"), "absurd density",
             fmt::format("{:.6g} particles/sigma^3", density), fmt::format("at most {}", densest));
  }
}

std::int64_t lattice_count(const Deck& deck, const Lattice& lattice) {
  try {
    return particle_count(lattice);
  } catch (const InputError& error) {
    complain(deck.place("system.particles.lattice.cells"), error.what(), "", "");
  }
}

/// The number of particles; nothing where a file says it.
std::optional<std::int64_t> count_of(const Deck& deck) {
  if (const auto* lattice = std::get_if<LatticeStart>(&deck.start)) {
    return lattice_count(deck, *lattice);
  }
  if (const auto* random = std::get_if<RandomStart>(&deck.start)) {
    check_random_density(deck, *random);
    return random->count;
  }
  if (const auto* sphere = std::get_if<PlummerStart>(&deck.start)) return sphere->count;
  return std::nullopt;
}

void check_frame(const Deck& deck) {
  const DeckValue* frame = deck.values.find("system.particles.frame");
  if (frame == nullptr || std::holds_alternative<FileStart>(deck.start)) return;
  complain(deck.place("system.particles.frame"), "only with a start file",
           fmt::format("{}", std::get<std::int64_t>(frame->data)),
           "file: a trajectory, or no frame");
}

void check_velocities(const Deck& deck, std::optional<std::int64_t> count) {
  if (deck.velocities && count && *count < 2) {
    complain(deck.place("system.velocities.temperature"),
             "a single particle has no degree of freedom, so no temperature",
             fmt::format("{}", deck.velocities->temperature),
             "two or more particles, or no velocities section");
  }
}

std::size_t fractions_given(const DeckValue::List& types) {
  return static_cast<std::size_t>(
      std::count_if(types.begin(), types.end(),
                    [](const DeckValue& type) { return type.find("fraction") != nullptr; }));
}

void check_type_names(const Deck& deck, const DeckValue::List& types) {
  std::set<std::string> names;
  for (std::size_t i = 0; i < types.size(); ++i) {
    const std::string& name = types[i].text("name");
    if (!names.insert(name).second) {
      complain(
          place_of(deck.name, types[i].origin_of("name"), fmt::format("system.types[{}].name", i)),
          "duplicate type", name, "each name once");
    }
  }
}

void check_fractions(const Deck& deck, const DeckValue::List& types) {
  const std::string place = deck.place("system.types");
  const std::size_t given = fractions_given(types);
  const bool from_file = std::holds_alternative<FileStart>(deck.start);
  if (from_file && given > 0) {
    complain(place, "a start file says each particle's type, so a fraction means nothing",
             "a fraction", "types without fraction");
  }
  if (from_file || (types.size() == 1 && given == 0)) return;
  if (given != types.size()) {
    complain(place, "several types need a fraction each",
             fmt::format("{} of {} fractions", given, types.size()),
             "a fraction for every type, summing to 1");
  }
  double sum = 0.0;
  for (const DeckType& type : deck.types) sum += type.fraction;
  if (std::abs(sum - 1.0) > 1e-6) {
    complain(place, "fractions do not sum to 1", fmt::format("{}", sum), "a sum of 1");
  }
}

void check_types(const Deck& deck) {
  if (deck.types.empty()) return;
  const DeckValue::List& types = deck.values.list("system.types");
  check_type_names(deck, types);
  check_fractions(deck, types);
}

void check_pairs(const Deck& deck) {
  std::set<std::array<std::string, 2>> seen;
  for (std::size_t i = 0; i < deck.pairs.size(); ++i) {
    std::array<std::string, 2> types = deck.pairs[i].types;
    std::sort(types.begin(), types.end());
    if (!seen.insert(types).second) {
      const Origin origin = deck.values.list("potential.pairs")[i].origin_of("types");
      complain(place_of(deck.name, origin, fmt::format("potential.pairs[{}].types", i)),
               "duplicate pair", types[0] + " " + types[1], "each pair once, in either order");
    }
    if (deck.potential == PotentialType::weeks_chandler_andersen &&
        deck.pairs[i].coefficients.cutoff) {
      const Origin origin = deck.values.list("potential.pairs")[i].origin_of("cutoff");
      complain(place_of(deck.name, origin, fmt::format("potential.pairs[{}].cutoff", i)),
               "the cutoff of this potential is where a pair's energy is least",
               fmt::format("{}", *deck.pairs[i].coefficients.cutoff),
               "no cutoff, or potential.type lennard-jones");
    }
  }
}

void check_tail_correction(const Deck& deck) {
  if (!deck.tail_correction) return;
  const std::string place = deck.place("potential.tail_correction");
  if (deck.truncation != Truncation::cut) {
    complain(place, "a tail correction goes with truncation cut only", name_of(deck.truncation),
             "truncation: cut, or tail_correction: false");
  }
  if (!deck.periodic[0] || !deck.periodic[1] || !deck.periodic[2]) {
    complain(place, "a tail correction needs a fully periodic box", "an open direction",
             "boundary: [periodic, periodic, periodic], or tail_correction: false");
  }
}

void check_gravity(const Deck& deck) {
  const bool gravity = deck.potential == PotentialType::softened_gravity;
  if (gravity && (deck.periodic[0] || deck.periodic[1] || deck.periodic[2])) {
    complain(deck.place("system.boundary"),
             "softened-gravity acts at any distance, so a periodic direction would hold infinitely "
             "many images",
             "a periodic direction", "[open, open, open]");
  }
  if (!gravity && std::holds_alternative<PlummerStart>(deck.start)) {
    complain(deck.place("system.particles.plummer"),
             "a Plummer sphere is in equilibrium under its own gravity alone",
             "potential.type " + std::string(name_of(deck.potential)),
             "potential.type " + std::string(name_of(PotentialType::softened_gravity)));
  }
}

std::string place_of_stage(const Deck& deck, std::size_t number, const std::string& key) {
  return deck.place(fmt::format("run.stages[{}].{}", number, key));
}

void check_stages(const Deck& deck) {
  std::set<std::string> names;
  for (std::size_t i = 0; i < deck.stages.size(); ++i) {
    const std::string& name = deck.stages[i].name;
    if (!names.insert(name).second) {
      complain(place_of_stage(deck, i, "name"), "duplicate stage", name, "each name once");
    }
  }
  if (deck.velocities && deck.stages.front().parameters.contains("force_tolerance")) {
    complain(deck.place("system.velocities"),
             "a minimisation begins and ends at rest, so these would be lost",
             fmt::format("a temperature of {}", deck.velocities->temperature),
             "no velocities where the run begins with " + deck.stages.front().integrator);
  }
}

std::string place_of_barostat(const Deck& deck, std::size_t number) {
  return deck.stages[number].name.empty() ? deck.place("barostat")
                                          : place_of_stage(deck, number, "barostat");
}

/// What it needs of the rest of the deck.
void check_barostats(const Deck& deck) {
  for (std::size_t i = 0; i < deck.stages.size(); ++i) {
    const DeckStage& stage = deck.stages[i];
    if (!stage.barostat) continue;
    const std::string place = place_of_barostat(deck, i);
    if (deck.potential == PotentialType::softened_gravity) {
      complain(place, "what acts at any distance has no pressure of a periodic box",
               "potential.type " + std::string(name_of(deck.potential)), "no barostat");
    }
    if (stage.parameters.contains("force_tolerance")) {
      complain(place, "a minimisation has no temperature, so no pressure to keep",
               "integrator.type " + stage.integrator, "no barostat beside it");
    }
    if (!stage.parameters.contains("temperature")) {
      complain(place, "its noise has the temperature of a heat bath, and there is none",
               "integrator.type " + stage.integrator,
               "an integrator with a temperature: langevin, velocity-rescaling, nose-hoover");
    }
    if (!deck.periodic[0] || !deck.periodic[1] || !deck.periodic[2]) {
      complain(place, "a barostat changes a box, which an open direction has none of",
               "an open direction", "boundary: [periodic, periodic, periodic], or no barostat");
    }
  }
}

/// What else it takes only a device knows; but hours into a run is too late for its last stage.
void check_executor(const Deck& deck) {
  if (deck.executor != Executor::persistent) return;
  if (deck.list_until == ListUntil::missed_pair) {
    complain(deck.place("neighbor.list_until"),
             "run.executor: persistent takes lists that are used until a displacement",
             "missed-pair", "displacement, or another executor");
  }
  const bool has_list = deck.values.find("run.stages") != nullptr;
  for (std::size_t i = 0; i < deck.stages.size(); ++i) {
    const std::string& integrator = deck.stages[i].integrator;
    if (integrator == "velocity-verlet") continue;
    complain(has_list ? place_of_stage(deck, i, "integrator.type") : deck.place("integrator.type"),
             "run.executor: persistent takes the integrator velocity-verlet alone", integrator,
             "velocity-verlet, or another executor");
  }
}

void check_observables(const Deck& deck) {
  std::set<std::string> seen;
  for (std::size_t i = 0; i < deck.observables.size(); ++i) {
    const std::string& name = deck.observables[i].name;
    if (!seen.insert(name).second) {
      complain(deck.place_of_observable(i, "type"), "duplicate observable", name, "each type once");
    }
  }
}

void check_fields(const Deck& deck) {
  if (!deck.output.trajectory) return;
  std::set<std::string> seen;
  const DeckValue::List& fields = deck.values.list("output.trajectory.fields");
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const std::string& field = std::get<std::string>(fields[i].data);
    if (!seen.insert(field).second) {
      complain(
          place_of(deck.name, fields[i].origin, fmt::format("output.trajectory.fields[{}]", i)),
          "duplicate field", field, "each field once");
    }
  }
}

fs::path real_path(const fs::path& path) {
  std::error_code error;
  const fs::path found = fs::weakly_canonical(fs::absolute(path), error);
  return error ? fs::absolute(path).lexically_normal() : found;
}

bool is_output_of(const fs::path& file, const fs::path& directory) {
  return file.parent_path() == directory && output_names::is_output(file.filename().string());
}

/// What is read must not be what is written.
void check_paths(const Deck& deck, bool start_is_the_decks) {
  const fs::path directory = real_path(deck.output.directory);
  const std::string place = deck.place("output.directory");
  const std::string got = deck.output.directory.string();
  const auto refuse_if_written = [&](const fs::path& input, std::string_view what) {
    const fs::path file = real_path(input);
    if (file == directory || is_output_of(file, directory)) {
      complain(place, fmt::format("output would overwrite {}", what), got,
               "a directory of its own");
    }
  };
  refuse_if_written(deck.name, "the deck");
  if (const auto* file = std::get_if<FileStart>(&deck.start); file && start_is_the_decks) {
    refuse_if_written(file->path, "the start file");
  }
  for (const DeckTable& table : deck.tables) refuse_if_written(table.file, "a table of pairs");
}

}  // namespace

void check_deck(const Deck& deck, bool start_is_the_decks) {
  check_frame(deck);
  check_velocities(deck, count_of(deck));
  check_types(deck);
  check_pairs(deck);
  check_tail_correction(deck);
  check_gravity(deck);
  check_stages(deck);
  check_barostats(deck);
  check_executor(deck);
  check_observables(deck);
  check_fields(deck);
  check_paths(deck, start_is_the_decks);
}

}  // namespace pencilbox
