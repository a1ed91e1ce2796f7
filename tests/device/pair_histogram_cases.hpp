// Pairs by distance and types, counted by a plain loop over all of them.
#pragma once

#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "neighbor/cells/binning.hpp"
#include "neighbor/cells/particle_transfer.hpp"
#include "observables/pair_histogram.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

inline StartState scattered(int count, const Box& box, int types) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  StartState state;
  state.box = box;
  for (int t = 0; t < types; ++t) state.types.push_back({std::string(1, char('A' + t)), 1.0});
  for (int i = 0; i < count; ++i) {
    Double3 position{};
    // A third of them in a corner: cells are not alike.
    const double share = i % 3 == 0 ? 0.3 : 1.0;
    for (std::size_t d = 0; d < 3; ++d) {
      position[d] = box.lower[d] + share * uniform(random) * box.edges[d];
    }
    state.id.push_back(i + 1);
    state.type.push_back(i * 5 % types);
    state.position.push_back(position);
    state.velocity.push_back({});
    state.image.push_back({});
  }
  return state;
}

template <class Precision>
struct Laid {
  Laid(const StartState& start, double side)
      : grid(make_cell_grid(start.box, side, start.position)),
        binning(grid, OrderRules{.deterministic = true}, stream) {
    upload(start, grid, particles, stream);
    binning.run(particles, 0, profiler, stream);
  }
  ObservedState<Precision> state() { return {particles, grid, binning.view(particles).offset}; }
  Frame frame() {
    FieldSet fields;
    fields.insert(Field::position);
    fields.insert(Field::species);
    return download(particles, grid, fields, stream);
  }

  Stream stream;
  Profiler profiler;
  CellGrid grid;
  Binning<Precision> binning;
  Particles<Precision> particles;
};

inline std::vector<double> counted_plainly(const Frame& frame, const Box& box, Index types,
                                           Index bins, double distance) {
  std::vector<double> counts(static_cast<std::size_t>(types * (types + 1) / 2 * bins), 0.0);
  for (std::size_t i = 0; i < frame.position.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      double squared = 0.0;
      for (std::size_t d = 0; d < 3; ++d) {
        double apart = frame.position[i][d] - frame.position[j][d];
        if (box.periodic[d]) apart -= box.edges[d] * std::round(apart / box.edges[d]);
        squared += apart * apart;
      }
      if (squared >= distance * distance) continue;
      const auto bin = static_cast<Index>(std::sqrt(squared) / distance * bins);
      const Index pair = number_of_pair(frame.species[i], frame.species[j], types);
      counts[static_cast<std::size_t>(pair * bins + std::min(bin, bins - 1))] += 1.0;
    }
  }
  return counts;
}

struct PairHistogramCase {
  Double3 edges;
  Bool3 periodic;
  Index types, bins;
  double side, distance;
};
inline const std::vector<PairHistogramCase> pair_histogram_cases{
    {{6.1, 5.3, 7.7}, {true, true, true}, 1, 40, 1.5, 2.6},   // over several cells
    {{4.1, 5.3, 9.7}, {true, true, true}, 3, 17, 2.0, 2.05},  // two cells wide
    {{6.1, 5.3, 7.7}, {false, true, false}, 2, 25, 1.7, 2.6},
    {{3.0, 3.0, 3.0}, {false, false, false}, 2, 9, 5.0, 9.0}};  // one cell, all pairs

template <class Precision>
void expect_all_ways_to_count_the_same(int warp_size) {
  for (const PairHistogramCase& one : pair_histogram_cases) {
    const Box box{{-1.0, 0.5, 20.0}, one.edges, one.periodic};
    Laid<Precision> laid(scattered(260, box, one.types), one.side);
    const std::vector<double> expected =
        counted_plainly(laid.frame(), box, one.types, one.bins, one.distance);
    PairHistogram plain(one.types, one.bins, one.distance);
    plain.add_in_device_memory(laid.state(), laid.stream);
    EXPECT_EQ(plain.counts().so_far(laid.stream), expected);
    for (const int threads : {warp_size, 2 * warp_size, 256}) {
      PairHistogram in_blocks(one.types, one.bins, one.distance);
      ASSERT_TRUE(in_blocks.add_in_blocks(laid.state(), threads, laid.stream));
      EXPECT_EQ(in_blocks.counts().so_far(laid.stream), expected) << threads << " threads";
    }
  }
}

}  // namespace pencilbox::PENCILBOX_DEVICE
