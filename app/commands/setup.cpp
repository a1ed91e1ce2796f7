#include "app/commands/setup.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "core/rng.hpp"
#include "core/velocities.hpp"
#include "io/input/complaint.hpp"
#include "io/input/pair_table.hpp"
#include "io/input/resolve_deck.hpp"
#include "io/input/start_file.hpp"

namespace pencilbox {
namespace {

/// Runs what core refuses without knowing the deck, and puts the place of `key` before its words.
template <class Action>
auto at_key(const Deck& deck, const std::string& key, Action action) {
  try {
    return action();
  } catch (const InputError& error) {
    throw InputError(deck.place(key) + ": " + error.what());
  }
}

std::vector<ParticleType> types_of(const Deck& deck) {
  std::vector<ParticleType> types;
  for (const DeckType& type : deck.types) types.push_back({type.name, type.mass});
  return types;
}

StartState make_positions(const Deck& deck) {
  if (const auto* lattice = std::get_if<LatticeStart>(&deck.start)) {
    return make_lattice(*lattice, deck.periodic);
  }
  if (const auto* random = std::get_if<RandomStart>(&deck.start)) {
    return at_key(deck, "system.particles.random",
                  [&] { return make_random_start(*random, deck.periodic); });
  }
  if (const auto* sphere = std::get_if<PlummerStart>(&deck.start)) {
    return make_plummer_sphere(*sphere);
  }
  const auto& file = std::get<FileStart>(deck.start);
  StartFileRequest request;
  request.periodic = deck.periodic;
  request.types = types_of(deck);
  for (const DeckType& type : deck.types) request.mass_is_given.push_back(type.mass_is_given);
  request.frame = file.frame;
  request.draws_velocities = deck.velocities.has_value();
  return read_start(file.path, request);
}

/// Particles of each type: the fractions of `total`, rounded by largest remainder, so that they sum
/// to it.
std::vector<std::int64_t> type_counts(const std::vector<DeckType>& types, std::int64_t total) {
  double sum = 0.0;
  for (const DeckType& type : types) sum += type.fraction;
  std::vector<std::int64_t> counts;
  std::vector<double> remainder;
  for (const DeckType& type : types) {
    const double share = type.fraction / sum * static_cast<double>(total);
    counts.push_back(static_cast<std::int64_t>(std::floor(share)));
    remainder.push_back(share - std::floor(share));
  }
  std::vector<std::size_t> order(types.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return remainder[a] > remainder[b]; });
  std::int64_t missing = total - std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
  for (std::size_t i = 0; missing > 0; ++i, --missing) ++counts[order[i % order.size()]];
  return counts;
}

/// Hands the types out in blocks, then shuffles them over the particles (Fisher and Yates).
void assign_types(StartState& start, const Deck& deck) {
  start.types = types_of(deck);
  if (deck.types.size() == 1) return;
  const std::vector<std::int64_t> counts = type_counts(deck.types, start.size());
  auto next = start.type.begin();
  for (std::size_t type = 0; type < counts.size(); ++type) {
    next = std::fill_n(next, counts[type], static_cast<std::int32_t>(type));
  }
  for (std::size_t i = start.type.size() - 1; i > 0; --i) {
    const PhiloxCounter bits =
        random_bits(deck.type_seed, RandomStream::type, static_cast<std::uint32_t>(start.id[i]), 0);
    const double uniform = uniform_pair(bits).first;
    std::swap(start.type[i],
              start.type[static_cast<std::size_t>(uniform * static_cast<double>(i + 1))]);
  }
}

StartState make_start(const Deck& deck) {
  StartState start = make_positions(deck);
  if (!std::holds_alternative<FileStart>(deck.start)) assign_types(start, deck);
  if (const auto* sphere = std::get_if<PlummerStart>(&deck.start)) {
    draw_plummer_velocities(start, *sphere, deck.gravitational_constant);
    remove_centre_of_mass(start);
  }
  if (deck.velocities) {
    at_key(deck, "system.velocities.temperature",
           [&] { draw_velocities(start, deck.velocities->temperature, deck.velocities->seed); });
  }
  return start;
}

/// `list`: "potential.pairs", or whatever else has `types` in its entries.
std::size_t type_index(const Deck& deck, const std::vector<ParticleType>& types,
                       const std::string& list, std::size_t pair, const std::string& name) {
  for (std::size_t i = 0; i < types.size(); ++i) {
    if (types[i].name == name) return i;
  }
  std::string names;
  for (const ParticleType& type : types) names += (names.empty() ? "" : ", ") + type.name;
  const Origin origin = deck.values.list(list)[pair].origin_of("types");
  complain(place_of(deck.name, origin, list + "[" + std::to_string(pair) + "].types"),
           "no such type", name, names);
}

/// The coefficients given, mixed where they are absent.
void fill_pairs(LennardJonesModel& model, const Deck& deck,
                const std::vector<ParticleType>& types) {
  const std::size_t count = types.size();
  std::vector<bool> given(count * count, false);
  for (std::size_t i = 0; i < deck.pairs.size(); ++i) {
    const auto [first, second] = deck.pairs[i].types;
    const std::size_t a = type_index(deck, types, "potential.pairs", i, first);
    const std::size_t b = type_index(deck, types, "potential.pairs", i, second);
    model.pairs[a * count + b] = model.pairs[b * count + a] = deck.pairs[i].coefficients;
    given[a * count + b] = given[b * count + a] = true;
  }
  if (deck.pairs.empty()) return;
  for (std::size_t a = 0; a < count; ++a) {
    if (!given[a * count + a]) {
      complain(deck.place("potential.pairs"), "a like pair is missing",
               types[a].name + " " + types[a].name + " not listed",
               "coefficients for every type with itself, or no pairs at all");
    }
  }
  for (std::size_t a = 0; a < count; ++a) {
    for (std::size_t b = 0; b < count; ++b) {
      if (given[a * count + b]) continue;
      model.pairs[a * count + b] =
          mix_lorentz_berthelot(model.pairs[a * count + a], model.pairs[b * count + b]);
    }
  }
}

LennardJonesModel make_lennard_jones(const Deck& deck, const std::vector<ParticleType>& types) {
  LennardJonesModel model{
      .cutoff = deck.cutoff,
      .truncation = deck.truncation,
      .tail_correction = deck.tail_correction,
      .types = static_cast<int>(types.size()),
      .pairs = std::vector<PairCoefficients>(types.size() * types.size(), PairCoefficients{})};
  fill_pairs(model, deck, types);
  return model;
}

LennardJonesModel make_weeks_chandler_andersen(const Deck& deck,
                                               const std::vector<ParticleType>& types) {
  LennardJonesModel model = make_lennard_jones(deck, types);
  model.truncation = Truncation::shift;
  for (PairCoefficients& pair : model.pairs) pair.cutoff = distance_of_minimum(pair.sigma);
  model.cutoff = model.largest_cutoff();
  return model;
}

/// The table of an entry, which acts up to its cutoff.
PairTable make_table(const Deck& deck, std::size_t entry) {
  const DeckTable& given = deck.tables[entry];
  PairTable table = read_pair_table(given.file, given.hash);
  if (!given.cutoff) return table;
  if (*given.cutoff <= table.first || *given.cutoff > table.cutoff) {
    const std::string list = "potential.tables";
    const Origin origin = deck.values.list(list)[entry].origin_of("cutoff");
    complain(place_of(deck.name, origin, list + "[" + std::to_string(entry) + "].cutoff"),
             "outside the table", std::to_string(*given.cutoff),
             "more than " + std::to_string(table.first) + ", at most " +
                 std::to_string(table.cutoff) + ", the first and the last row");
  }
  table.cutoff = *given.cutoff;
  return table;
}

/// Nothing is mixed: a table for every pair of types, each once.
TabulatedModel make_tabulated(const Deck& deck, const std::vector<ParticleType>& types) {
  const std::string list = "potential.tables";
  const std::size_t count = types.size(), none = deck.tables.size();
  TabulatedModel model{static_cast<int>(count), {}, std::vector<std::size_t>(count * count, none)};
  for (std::size_t i = 0; i < deck.tables.size(); ++i) {
    const auto [first, second] = deck.tables[i].types;
    const std::size_t a = type_index(deck, types, list, i, first);
    const std::size_t b = type_index(deck, types, list, i, second);
    if (model.table_of[a * count + b] != none) {
      const Origin origin = deck.values.list(list)[i].origin_of("types");
      complain(place_of(deck.name, origin, list + "[" + std::to_string(i) + "].types"),
               "duplicate pair", first + " " + second, "each pair once, in either order");
    }
    model.table_of[a * count + b] = model.table_of[b * count + a] = i;
    model.tables.push_back(make_table(deck, i));
  }
  for (std::size_t a = 0; a < count; ++a) {
    for (std::size_t b = a; b < count; ++b) {
      if (model.table_of[a * count + b] != none) continue;
      complain(deck.place(list), "a pair of types has no table",
               types[a].name + " " + types[b].name + " not listed",
               "a table for every pair; tables do not mix");
    }
  }
  return model;
}

SoftenedGravityModel make_softened_gravity(const Deck& deck,
                                           const std::vector<ParticleType>& types) {
  SoftenedGravityModel gravity{deck.gravitational_constant, deck.softening, {}};
  for (const ParticleType& type : types) gravity.masses.push_back(type.mass);
  return gravity;
}

Potential make_potential(const Deck& deck, const std::vector<ParticleType>& types) {
  switch (deck.potential) {
    case PotentialType::lennard_jones:
      return make_lennard_jones(deck, types);
    case PotentialType::weeks_chandler_andersen:
      return make_weeks_chandler_andersen(deck, types);
    case PotentialType::tabulated:
      return make_tabulated(deck, types);
    case PotentialType::softened_gravity:
      break;
  }
  return make_softened_gravity(deck, types);
}

}  // namespace

StageSettings settings_of(const DeckStage& stage) {
  return {.integrator = stage.integrator,
          .parameters = stage.parameters,
          .timestep = stage.timestep,
          .first_step = stage.first_step,
          .first_time = stage.first_time,
          .steps = stage.steps,
          .zero_momentum_every = stage.zero_momentum_every,
          .barostat = stage.barostat};
}

SimulationSetup make_setup(const Deck& deck) {
  StartState start = make_start(deck);
  SimulationSetup setup = make_setup_to_resume(deck, start.types, 0);
  setup.start = std::move(start);
  return setup;
}

SimulationSetup make_setup_to_resume(const Deck& deck, const std::vector<ParticleType>& types,
                                     std::int64_t step) {
  SimulationSetup setup;
  static_cast<StageSettings&>(setup) = settings_of(deck.stages[deck.stage_at(step)]);
  setup.potential = make_potential(deck, types);
  setup.backend = deck.backend;
  setup.options = deck.options;
  setup.precision = deck.precision;
  setup.deterministic = deck.deterministic;
  setup.skin = deck.skin;
  setup.executor = deck.executor;
  setup.observables = deck.observables;
  const DeckStage& last = deck.stages.back();
  setup.observed = {last.timestep, last.barostat.has_value()};
  return setup;
}

}  // namespace pencilbox
