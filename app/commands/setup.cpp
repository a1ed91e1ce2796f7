#include "app/commands/setup.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "app/commands/potential_of_deck.hpp"
#include "core/error.hpp"
#include "core/rng.hpp"
#include "core/velocities.hpp"
#include "io/input/start_file.hpp"
#include "io/input/text_file.hpp"

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
  require_file(file.path, deck.place("system.particles.file"), start_file_kind);
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
  setup.potential = potential_of(deck, types);
  setup.backend = deck.backend;
  setup.options = deck.options;
  setup.precision = deck.precision;
  setup.deterministic = deck.deterministic;
  setup.skin = deck.skin;
  setup.list_until = deck.list_until;
  setup.executor = deck.executor;
  setup.observables = deck.observables;
  const DeckStage& last = deck.stages.back();
  setup.observed = {last.timestep, last.barostat.has_value()};
  return setup;
}

}  // namespace pencilbox
