// Frames: rows in id order whatever the order on the device and whatever the ids, floats rounded
// once, and memory that nobody overwrites while a frame is held.
#include "neighbor/cells/frame_gatherer.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "neighbor/cells/particle_transfer.hpp"

namespace pencilbox::PENCILBOX_DEVICE {
namespace {

constexpr int particles = 700;

/// Ids with gaps, in no order: what the device's order is after binning.
StartState shuffled_state() {
  StartState state;
  state.box = {{-3.0, 5.0, 100.0}, {11.0, 7.7, 4.1}, {true, false, true}};
  state.types = {{"A", 1.0}, {"B", 2.0}};
  for (int i = 0; i < particles; ++i) {
    const int number = i * 311 % particles;
    const double phase = 0.37 * number;
    state.id.push_back(5 + 3 * number + (number > 400 ? 1000000 : 0));
    state.type.push_back(number % 2);
    state.position.push_back({-3.0 + 11.0 * (0.5 + 0.49 * std::sin(phase)), 8.0 + std::cos(phase),
                              100.0 + 4.0 * (0.5 + 0.49 * std::sin(2.0 * phase))});
    state.velocity.push_back({std::sin(phase), -phase, 0.25});
    state.image.push_back({number % 3, 0, -number});
  }
  return state;
}

FieldSet all_fields() {
  FieldSet fields;
  for (std::size_t i = 0; i < field_names.size(); ++i) fields.insert(static_cast<Field>(i));
  return fields;
}

template <class T>
std::vector<T> rows(const PackedFrame& frame, Field field) {
  const auto* data = static_cast<const T*>(frame.rows_of(field));
  return {data, data + frame.particles * shape_of(field).components};
}

/// A state on the device, with forces and energies that tell the particle.
template <class Precision>
class OnTheDevice {
 public:
  using Accumulator = typename Precision::Accumulator;

  OnTheDevice()
      : start_(shuffled_state()), grid_(make_cell_grid(start_.box, 2.0, start_.position)) {
    upload(start_, grid_, particles_, stream_);
    std::vector<Accumulator> x, energy;
    for (const ParticleId id : start_.id) {
      x.push_back(static_cast<Accumulator>(id) / 7);
      energy.push_back(static_cast<Accumulator>(-id) / 11);
    }
    particles_.sums.force.x.upload(x, stream_);
    particles_.sums.force.y.upload(energy, stream_);
    particles_.sums.force.z.upload(x, stream_);
    particles_.sums.energy.upload(energy, stream_);
  }

  PackedFrame gather(FrameGatherer<Precision>& gatherer, int float_bytes) {
    return gatherer.gather(particles_, grid_, all_fields(), float_bytes, stream_);
  }
  FrameGatherer<Precision> gatherer() { return {particles_, stream_}; }
  Stream& stream() { return stream_; }
  Particles<Precision>& on_device() { return particles_; }
  const StartState& start() const { return start_; }

  /// The places of the rows in the start.
  std::vector<std::size_t> order() const {
    std::vector<std::size_t> order(start_.id.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(),
              [this](auto a, auto b) { return start_.id[a] < start_.id[b]; });
    return order;
  }

 private:
  Stream stream_;
  StartState start_;
  CellGrid grid_;
  Particles<Precision> particles_;
};

template <class Precision>
class FrameGathererTest : public ::testing::Test {};
using Precisions = ::testing::Types<SinglePrecision, MixedPrecision, DoublePrecision>;
TYPED_TEST_SUITE(FrameGathererTest, Precisions);

template <class Precision, class Real>
void expect_rows_in_id_order() {
  using State = typename Precision::State;
  using Accumulator = typename Precision::Accumulator;
  OnTheDevice<Precision> state;
  auto gatherer = state.gatherer();
  const PackedFrame frame = state.gather(gatherer, sizeof(Real));
  frame.arrive();
  ASSERT_EQ(frame.particles, particles);
  const auto position = rows<Real>(frame, Field::position);
  const auto velocity = rows<Real>(frame, Field::velocity);
  const auto force = rows<Real>(frame, Field::force);
  const auto image = rows<std::int32_t>(frame, Field::image);
  const auto species = rows<std::int32_t>(frame, Field::species);
  const auto id = rows<ParticleId>(frame, Field::id);
  const auto energy = rows<Real>(frame, Field::potential_energy);
  const auto speed = rows<Real>(frame, Field::speed);
  const StartState& start = state.start();
  std::size_t row = 0;
  for (const std::size_t i : state.order()) {
    EXPECT_EQ(id[row], start.id[i]);
    EXPECT_EQ(species[row], start.type[i]);
    EXPECT_EQ(energy[row], static_cast<Real>(static_cast<Accumulator>(-start.id[i]) / 11));
    EXPECT_EQ(force[3 * row], static_cast<Real>(static_cast<Accumulator>(start.id[i]) / 7));
    EXPECT_EQ(force[3 * row + 1], energy[row]);
    double square = 0.0;
    for (std::size_t d = 0; d < 3; ++d) {
      EXPECT_EQ(image[3 * row + d], start.image[i][d]);
      const auto v = static_cast<State>(start.velocity[i][d]);
      EXPECT_EQ(velocity[3 * row + d], static_cast<Real>(v));
      square += static_cast<double>(v) * static_cast<double>(v);
      // An offset in a cell is rounded to State, the sum with the cell's corner to Real.
      const double near = sizeof(Real) == 4 ? 8e-6 : (sizeof(State) == 4 ? 3e-7 : 3e-14);
      EXPECT_NEAR(static_cast<double>(position[3 * row + d]), start.position[i][d], near);
    }
    EXPECT_NEAR(static_cast<double>(speed[row]), std::sqrt(square),
                1e-4 * std::sqrt(square) / 1e3 + 1e-12);
    ++row;
  }
}

TYPED_TEST(FrameGathererTest, PutsRowsIntoIdOrderInFloat) {
  expect_rows_in_id_order<TypeParam, float>();
}

TYPED_TEST(FrameGathererTest, PutsRowsIntoIdOrderInDouble) {
  expect_rows_in_id_order<TypeParam, double>();
}

TEST(FrameGatherer, LeavesFramesAloneThatAreHeldAndUsesMemoryAgain) {
  OnTheDevice<MixedPrecision> state;
  auto gatherer = state.gatherer();
  PackedFrame held = state.gather(gatherer, 4);
  held.arrive();
  const std::vector<float> before = rows<float>(held, Field::velocity);
  state.on_device().state.velocity.fill_bytes(0, state.stream());
  const void* second_memory = nullptr;
  {
    const PackedFrame second = state.gather(gatherer, 4);
    second.arrive();
    second_memory = second.rows_of(Field::position);
    EXPECT_EQ(rows<float>(second, Field::velocity), std::vector<float>(3 * particles, 0.0F));
  }
  EXPECT_EQ(rows<float>(held, Field::velocity), before);
  EXPECT_EQ(state.gather(gatherer, 4).rows_of(Field::position), second_memory);
}

TEST(FrameGatherer, GathersOnlyWhatIsAskedFor) {
  OnTheDevice<SinglePrecision> state;
  auto gatherer = state.gatherer();
  FieldSet fields;
  fields.insert(Field::image);
  const CellGrid grid = make_cell_grid(state.start().box, 2.0, state.start().position);
  const PackedFrame frame = gatherer.gather(state.on_device(), grid, fields, 4, state.stream());
  frame.arrive();
  for (std::size_t i = 0; i < field_names.size(); ++i) {
    EXPECT_EQ(frame.rows[i] != nullptr, static_cast<Field>(i) == Field::image) << field_names[i];
  }
}

}  // namespace
}  // namespace pencilbox::PENCILBOX_DEVICE
