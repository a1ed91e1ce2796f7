// What the physics does not see, a back end must not see either.
#include <algorithm>
#include <cmath>
#include <random>

#include "tests/support/every_backend.hpp"

namespace pencilbox::testing {
namespace {

/// In double only: bar 10 of the validation page is 1e-11.
class Invariance : public EveryBackend {
 protected:
  static constexpr double bar = 1e-11;

  void SetUp() override {
    setup_ = make_lj_setup(random_liquid(400, periodic_box(8, 9, 7.7), 0.85, 17, 2), 2.5,
                           Truncation::force_shift);
    base_ = run(setup_);
    scale_ = largest_component(base_.frame.force);
  }

  void expect_same(const SimulationSetup& changed,
                   const std::vector<Double3>& expected_force) const {
    const Evaluation other = run(changed);
    EXPECT_LE(largest_difference(other.frame.force, expected_force), bar * scale_);
    EXPECT_NEAR(other.sums.potential_energy, base_.sums.potential_energy,
                bar * std::abs(base_.sums.potential_energy));
    EXPECT_NEAR(other.sums.virial, base_.sums.virial, bar * 1e3);
    EXPECT_EQ(other.stats.pairs_in_range, base_.stats.pairs_in_range);
  }

  SimulationSetup setup_;
  Evaluation base_;
  double scale_ = 1.0;
};

TEST_P(Invariance, ForcesSumToZero) {
  Double3 sum{};
  for (const Double3& f : base_.frame.force) {
    for (std::size_t d = 0; d < 3; ++d) sum[d] += f[d];
  }
  for (const double component : sum) EXPECT_LE(std::abs(component), 1e-12 * scale_ * 20.0);
}

TEST_P(Invariance, Permutation) {
  std::vector<std::size_t> order(400);
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::shuffle(order.begin(), order.end(), std::mt19937(5));
  SimulationSetup changed = setup_;
  std::vector<Double3> expected(400);
  for (std::size_t i = 0; i < order.size(); ++i) {
    changed.start.position[i] = setup_.start.position[order[i]];
    changed.start.type[i] = setup_.start.type[order[i]];
    expected[i] = base_.frame.force[order[i]];
  }
  expect_same(changed, expected);
}

TEST_P(Invariance, TranslationWithWrapping) {
  SimulationSetup changed = setup_;
  for (Double3& p : changed.start.position) {
    const Double3 shift{3.21, -4.56, 12.3};
    for (std::size_t d = 0; d < 3; ++d) {
      const double side = changed.start.box.edges[d];
      p[d] = std::fmod(p[d] + shift[d] + 4.0 * side, side);
    }
  }
  expect_same(changed, base_.frame.force);
}

TEST_P(Invariance, WholeBoxImages) {
  SimulationSetup changed = setup_;
  for (std::size_t i = 0; i < changed.start.position.size(); ++i) {
    for (std::size_t d = 0; d < 3; ++d) {
      const double k = static_cast<double>(i * 7 % 21) - 10.0;
      changed.start.position[i][d] += k * changed.start.box.edges[d];
    }
  }
  expect_same(changed, base_.frame.force);
}

TEST_P(Invariance, SwappedAxes) {
  const auto turn = [](const Double3& v) { return Double3{v[2], v[0], v[1]}; };
  SimulationSetup changed = setup_;
  changed.start.box.edges = turn(setup_.start.box.edges);
  for (Double3& p : changed.start.position) p = turn(p);
  std::vector<Double3> expected = base_.frame.force;
  for (Double3& f : expected) f = turn(f);
  expect_same(changed, expected);
}

TEST_P(Invariance, Mirror) {
  SimulationSetup changed = setup_;
  for (Double3& p : changed.start.position) p[1] = changed.start.box.edges[1] - p[1];
  std::vector<Double3> expected = base_.frame.force;
  for (Double3& f : expected) f[1] = -f[1];
  expect_same(changed, expected);
}

TEST_P(Invariance, Replication) {
  SimulationSetup changed = setup_;
  const StartState& one = setup_.start;
  StartState& eight = changed.start;
  eight = StartState{one.box, one.types, {}, {}, {}, {}, {}};
  for (double& edge : eight.box.edges) edge *= 2.0;
  for (int copy = 0; copy < 8; ++copy) {
    for (std::size_t i = 0; i < one.position.size(); ++i) {
      Double3 position = one.position[i];
      for (std::size_t d = 0; d < 3; ++d) position[d] += ((copy >> d) & 1) * one.box.edges[d];
      eight.position.push_back(position);
      eight.id.push_back(static_cast<ParticleId>(eight.id.size() + 1));
      eight.type.push_back(one.type[i]);
      eight.velocity.push_back({});
      eight.image.push_back({});
    }
  }
  const Evaluation other = run(changed);
  EXPECT_NEAR(other.sums.potential_energy, 8.0 * base_.sums.potential_energy,
              bar * 8.0 * std::abs(base_.sums.potential_energy));
  EXPECT_EQ(other.stats.pairs_in_range, 8.0 * base_.stats.pairs_in_range);
}

PENCILBOX_FOR_EVERY_BACKEND_IN_DOUBLE(Invariance);

/// deterministic: true promises the same bits; without it only the order of sums may differ.
class Determinism : public EveryBackend {};

TEST_P(Determinism, ThreeRunsHaveTheSameBits) {
  SimulationSetup setup = make_lj_setup(thermal_crystal(4, 0.8442), 2.5, Truncation::cut);
  setup.precision = precision();
  setup.deterministic = true;
  setup.backend = backend().info.name;
  setup.options = default_options(backend().info);
  FieldSet fields;
  for (const Field f : {Field::position, Field::velocity, Field::force, Field::potential_energy}) {
    fields.insert(f);
  }
  const int steps = emulated() ? 10 : 20;
  const int looks_after[] = {steps, 5, 1};
  std::vector<Frame> frames;
  for (int run = 0; run < 3; ++run) {
    const auto simulation = backend().device->make(setup);
    // Looking in between must not change a bit: nor must it that forces which somebody looks at are
    // stored, where others may go straight into the next move.
    for (int step = 0; step < steps; step += looks_after[run]) {
      simulation->advance(looks_after[run]);
      simulation->observe();
    }
    frames.push_back(simulation->snapshot(fields));
  }
  for (int run = 1; run < 3; ++run) {
    const auto& frame = frames[static_cast<std::size_t>(run)];
    EXPECT_EQ(frame.position, frames[0].position);
    EXPECT_EQ(frame.velocity, frames[0].velocity);
    EXPECT_EQ(frame.force, frames[0].force);
    EXPECT_EQ(frame.potential_energy, frames[0].potential_energy);
  }
}

PENCILBOX_WHERE(Determinism, has_a_fixed_order);

}  // namespace
}  // namespace pencilbox::testing
