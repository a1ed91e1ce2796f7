#include "app/commands/potential_of_deck.hpp"

#include <string>
#include <vector>

#include "io/input/complaint.hpp"
#include "io/input/pair_table.hpp"
#include "io/input/resolve_deck.hpp"
#include "io/input/text_file.hpp"

namespace pencilbox {
namespace {

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
  const std::string its = "potential.tables[" + std::to_string(entry) + "].";
  require_file(given.file, deck.place(its + "file"), pair_table_kind);
  PairTable table = read_pair_table(given.file, given.hash);
  if (!given.cutoff) return table;
  if (*given.cutoff <= table.first || *given.cutoff > table.cutoff) {
    complain(deck.place(its + "cutoff"), "outside the table", std::to_string(*given.cutoff),
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

}  // namespace

Potential potential_of(const Deck& deck, const std::vector<ParticleType>& types) {
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

}  // namespace pencilbox
