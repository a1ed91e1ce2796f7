// What a run evaluates between two particles: one of the models, and what everybody asks of any.
#pragma once

#include <array>
#include <string_view>
#include <variant>

#include "core/interactions/candidate_potential.hpp"
#include "core/interactions/lennard_jones_model.hpp"
#include "core/interactions/softened_gravity.hpp"
#include "core/interactions/tabulated_model.hpp"

namespace pencilbox {

/// What a deck can ask for, in the order of the names.
enum class PotentialType { lennard_jones, softened_gravity, weeks_chandler_andersen, tabulated };

inline constexpr std::array<std::string_view, 4> potential_names{
    "lennard-jones", "softened-gravity", "weeks-chandler-andersen", "tabulated"};

constexpr std::string_view name_of(PotentialType type) {
  return potential_names[static_cast<std::size_t>(type)];
}

using Potential =
    std::variant<LennardJonesModel, SoftenedGravityModel, CandidatePotentialModel, TabulatedModel>;

/// Beyond this distance nothing acts; infinity for what acts at any distance, 0 where the cells
/// alone decide.
double cutoff_of(const Potential& potential);

/// How many types of particles it tells apart.
int types_of(const Potential& potential);

}  // namespace pencilbox
