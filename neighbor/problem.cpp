#include "neighbor/problem.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <sstream>
#include <utility>

#include "core/pair_coordinates.hpp"
#include "neighbor/density_for_quanta.hpp"

namespace pencilbox {

double volume_of(const Problem& problem) {
  const Double3& side = problem.grid.side;
  return side[0] * side[1] * side[2] * static_cast<double>(problem.grid.count());
}

bool suits_quanta(const Problem& problem) {
  const auto* model = std::get_if<LennardJonesModel>(&problem.potential);
  if (problem.precision != Precision::mixed || model == nullptr || model->types > 1) return false;
  // Coarser for its sigma, a lattice that reaches as far as the cutoff would show in steep forces.
  constexpr double longest_cutoff = 8.0;  // [sigma]
  if (model->largest_cutoff() > longest_cutoff * model->pairs.front().sigma) return false;
  return dense_enough_for_quanta(problem.particles, volume_of(problem), reach_for_quanta(*model));
}

/// The rounding of each partner's force is anywhere within half a quantum. What the sum is off by
/// keeps to the bar with a factor to spare if both have the same distribution; forces of a liquid
/// have the longer tail.
double least_force_for_quanta(const Problem& problem) {
  constexpr double quantum = 4.6e-5;  // docs/decisions/0047-whole-quanta-on-a-gpu.md
  constexpr double bar = 5e-5;        // of the largest force
  constexpr double to_spare = 2.0;
  const auto& model = std::get<LennardJonesModel>(problem.potential);
  const PairCoefficients& pair = model.pairs.front();
  const double partners = 4.0 / 3.0 * std::numbers::pi * std::pow(model.largest_cutoff(), 3) *
                          problem.particles / volume_of(problem);
  return to_spare * quantum * std::sqrt(partners / 12.0) / bar * pair.epsilon / pair.sigma;
}

double coordinate_spacing(const Problem& problem, double stray) {
  if (!problem.in_quanta || !problem.forces_are_large) return 0.0;
  const Double3& side = problem.grid.side;
  const double from_centre = 0.5 * *std::max_element(side.begin(), side.end()) + stray;
  return lattice_spacing(from_centre + cutoff_of(problem.potential));
}

std::optional<std::string> partners_beyond_neighbor_cells(const Problem& problem) {
  if (std::isinf(cutoff_of(problem.potential))) {
    return "the interaction acts at any distance, and this back end looks no further than the "
           "neighbouring cells (back ends 'all-pairs' and 'reference' can)";
  }
  return side_below_cutoff(problem);
}

std::optional<std::string> side_below_cutoff(const Problem& problem) {
  constexpr const char* directions = "xyz";
  const double cutoff = cutoff_of(problem.potential);
  for (std::size_t d = 0; d < 3; ++d) {
    if (problem.box.periodic[d] && problem.box.edges[d] < cutoff) {
      std::ostringstream text;
      text.precision(12);
      text << "the box side along " << directions[d] << " is " << problem.box.edges[d]
           << ", below the cutoff " << cutoff
           << ": more than the 27 neighbour cells would interact (back end 'reference' can)";
      return text.str();
    }
  }
  return {};
}

std::optional<std::string> infinitely_many_images(const Problem& problem) {
  const Bool3& periodic = problem.box.periodic;
  if (!std::isinf(cutoff_of(problem.potential))) return {};
  if (!periodic[0] && !periodic[1] && !periodic[2]) return {};
  return "the interaction acts at any distance, so a periodic direction would hold infinitely many "
         "images: all three have to be open";
}

std::optional<std::string> separations_too_coarse(const Problem& problem, Precision arithmetic) {
  const Resolution resolution = resolution_of(problem.potential, arithmetic);
  const Double3& sides = problem.grid.side;
  const double side = *std::max_element(sides.begin(), sides.end());
  double corner = 0.0;
  for (std::size_t d = 0; d < 3; ++d) {
    if (!problem.box.periodic[d]) continue;  // there the particles tell, one by one
    corner = std::max({corner, std::abs(problem.box.lower[d]),
                       std::abs(problem.box.lower[d] + problem.box.edges[d])});
  }
  std::ostringstream text;
  if (side > resolution.widest_cell()) {
    text << "in " << name_of(arithmetic) << " precision the separation of a pair can be off by "
         << resolution.separation * side / resolution.widest_cell() << ", as a cell is " << side
         << " wide";
  } else if (corner > resolution.largest_coordinate()) {
    text << "a coordinate of the box is as large as " << corner
         << ", where positions can be off by " << corner * double_rounding;
  } else {
    return {};
  }
  text << "; allowed " << resolution.separation << ", " << largest_share_of_sigma
       << " of the smallest sigma";
  if (arithmetic != Precision::double_) text << " (run.precision: double is finer)";
  return text.str();
}

std::optional<std::string> cells_for_a_cutoff(const Problem& problem,
                                              const std::string& what_it_does) {
  if (!std::holds_alternative<CandidatePotentialModel>(problem.potential)) return {};
  return "the benchmark's potentials have no cutoff but the 27 cells around a particle, and this "
         "back end " +
         what_it_does;
}

std::optional<std::string> too_many_parts(const Problem& problem, Index of_a_cell) {
  constexpr Index most = std::numeric_limits<Index>::max() - 1;
  const Index cells = problem.grid.count();
  if (cells <= most / of_a_cell) return {};
  return "it sorts particles in " + std::to_string(of_a_cell) +
         " parts of a cell, and can number " + std::to_string(most) + " parts; there are " +
         std::to_string(cells) + " cells";
}

double skin_that_fits(const Box& box, double cutoff, double skin) {
  for (std::size_t d = 0; d < 3; ++d) {
    if (box.periodic[d]) skin = std::min(skin, std::max(0.0, box.edges[d] - cutoff));
  }
  return skin;
}

OptionInfo sums_option() {
  return {.name = "sums",
          .default_value = "auto",
          .description =
              "of forces in mixed precision; auto: whole quanta in a liquid of one "
              "type, which is faster and less exact; else double",
          .choices = {"auto", "double"}};
}

OptionInfo block_option(std::string default_threads, std::string description) {
  return {"block",
          std::move(default_threads),
          std::move(description),
          {"32", "64", "128", "256", "512"}};
}

int block_of(const BackendOptions& options) { return std::stoi(options.at("block")); }

std::optional<std::string> refuse_cells_or_block(const Problem& problem,
                                                 const BackendOptions& options) {
  if (auto reason = partners_beyond_neighbor_cells(problem)) return reason;
  return block_below_warp(problem, options);
}

OptionInfo threads_per_target_option(std::string description) {
  OptionInfo option{
      "threads_per_target", "1", std::move(description), {"1", "2", "4", "8", "16", "32"}};
  option.choices_without_blocks = {"1"};
  return option;
}

int threads_per_target_of(const BackendOptions& options) {
  return std::stoi(options.at("threads_per_target"));
}

std::string threads_per_target_in_words(int threads) {
  return std::to_string(threads) + (threads == 1 ? " thread" : " threads") + " a target";
}

std::optional<std::string> block_below_warp(const Problem& problem, const BackendOptions& options) {
  const int threads = block_of(options);
  if (threads >= problem.device.warp_size) return {};
  return "a block of " + std::to_string(threads) + " threads is less than a warp of " +
         std::to_string(problem.device.warp_size);
}

}  // namespace pencilbox
