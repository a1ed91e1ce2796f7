#include "app/engine/large_forces.hpp"

#include <bit>
#include <cmath>
#include <cstddef>

namespace pencilbox {
namespace {

constexpr const char* forces_are_large = "forces_are_large";

constexpr std::int64_t first_look = 8, most_between_looks = 16384;

std::int64_t next_look(std::int64_t step) {
  if (step < first_look) return first_look;
  if (step >= most_between_looks) return (step / most_between_looks + 1) * most_between_looks;
  return static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(step))) * 2;
}

double sum_of_squared_forces(const ExactState& state) {
  double sum = 0.0;
  for (const Double3& force : state.force) {
    sum += force[0] * force[0] + force[1] * force[1] + force[2] * force[2];
  }
  return sum;
}

}  // namespace

bool looks_at_forces_at(std::int64_t step, const StageSettings& stage) {
  return step == stage.first_step || (step > 0 && step == next_look(step - 1));
}

std::int64_t steps_to_look_at_forces(std::int64_t step) { return next_look(step) - step; }

bool are_forces_large(const Problem& problem, double sum_of_squares) {
  if (!suits_quanta(problem)) return false;
  const double least = least_force_for_quanta(problem);
  return sum_of_squares >= 3.0 * problem.particles * least * least;
}

void put_forces_into(NamedNumbers& carried, const Problem& problem) {
  if (suits_quanta(problem)) carried[forces_are_large] = {problem.forces_are_large ? 1.0 : 0.0};
}

void take_forces_from(NamedNumbers& carried, const ExactState& state, Problem& problem) {
  const auto known = carried.find(forces_are_large);
  if (known == carried.end()) {
    problem.forces_are_large = are_forces_large(problem, sum_of_squared_forces(state));
    return;
  }
  problem.forces_are_large = known->second.size() == 1 && known->second.front() != 0.0;
  carried.erase(known);
}

}  // namespace pencilbox
