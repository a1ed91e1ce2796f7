// Trimmed-rows: sources that are read behind the end of a run must not count, wherever the next
// particle of the row is, and none is met twice where rows are short.
#include "core/error.hpp"
#include "tests/support/every_backend.hpp"

namespace pencilbox::testing {
namespace {

class TrimmedRows : public EveryBackend {
 protected:
  static StartState particles_at(const Box& box, const std::vector<Double3>& positions) {
    StartState start = random_liquid(static_cast<int>(positions.size()), box, 0.0, 1);
    start.position = positions;
    return start;
  }

  void expect_right(const StartState& start, const std::string& what) const {
    SimulationSetup setup = make_lj_setup(start, 2.5, Truncation::cut);
    const Evaluation truth = evaluate_reference(setup), mine = run(setup);
    const double largest = std::max(1.0, largest_component(truth.frame.force));
    EXPECT_LE(largest_difference(mine.frame.force, truth.frame.force),
              Bars({1e-12, 5e-5, 1e-4}).of(precision()) * largest)
        << what;
    EXPECT_EQ(mine.stats.pairs_in_range, truth.stats.pairs_in_range) << what;
  }
};

/// Along x a coordinate comes round after eight cells: who is as far away must not be a partner,
/// though it is the next one in memory.
TEST_P(TrimmedRows, WhoIsARingAwayIsNoPartner) {
  constexpr double cell = 2.5;
  const Box box = periodic_box(40 * cell, 12.0, 12.0);
  for (const double beside : {0.0, 1.1, -1.3}) {
    for (const int cells : {4, 7, 8, 9, 16, 24}) {
      std::vector<Double3> positions;
      for (int k = 0; k < 3; ++k) {
        const double x = 3.0 * cell + 0.4 + k * (cells * cell + beside);
        for (const double y : {1.2, 2.4, 6.0}) positions.push_back({std::fmod(x, 100.0), y, 3.0});
      }
      expect_right(particles_at(box, positions),
                   std::to_string(cells) + " cells and " + std::to_string(beside));
    }
  }
}

/// The last of a row is followed by the first of the next.
TEST_P(TrimmedRows, TheNextRowIsAnother) {
  const Box box = periodic_box(20.0, 7.6, 7.6);
  std::vector<Double3> positions;
  for (const double x : {0.1, 1.3, 18.6, 19.8}) {
    for (const double y : {0.3, 2.4, 2.75, 5.2, 7.45}) {
      for (const double z : {0.2, 3.9}) positions.push_back({x, y, z});
    }
  }
  expect_right(particles_at(box, positions), "two ends");
}

/// One, two and three cells a row: each of them is met by several images.
TEST_P(TrimmedRows, ShortRowsAreMetByEachImageOnce) {
  for (const double x : {2.6, 4.9, 5.1, 7.4, 7.7}) {
    for (const bool is_open : {false, true}) {
      Box box = periodic_box(x, 7.0, 5.2);
      box.periodic[0] = !is_open;
      expect_right(random_liquid(static_cast<int>(10 * x), box, 0.85, 5),
                   std::to_string(x) + (is_open ? " open" : ""));
    }
  }
}

PENCILBOX_FOR_BACKEND(TrimmedRows, "trimmed-rows");

}  // namespace
}  // namespace pencilbox::testing
