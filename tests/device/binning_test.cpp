// Binning: every particle in its cell, cells contiguous, nothing lost, places equal to the host's.
#include "neighbor/cells/binning.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <set>

#include <gtest/gtest.h>

#include "neighbor/cells/count_in_parts.hpp"
#include "neighbor/cells/particle_transfer.hpp"
#include "tests/support/way_ahead.hpp"

namespace pencilbox::PENCILBOX_DEVICE {
namespace {

StartState random_state(int count, const Box& box, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  StartState state;
  state.box = box;
  state.types = {{"A", 1.0}, {"B", 2.0}};
  for (int i = 0; i < count; ++i) {
    Double3 position{};
    for (std::size_t d = 0; d < 3; ++d) position[d] = box.lower[d] + uniform(random) * box.edges[d];
    state.id.push_back(i + 1);
    state.type.push_back(i % 2);
    state.position.push_back(position);
    state.velocity.push_back({1.0 * i, -0.5 * i, 0.25});
    state.image.push_back({i % 3, 0, -1});
  }
  return state;
}

/// Adds an independent displacement of up to `most` to each particle, in the device's arrays.
struct Displace {
  static constexpr const char* name = "test: displace";
  Vec3View<double> position;
  const ParticleId* id;
  double most;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index i) const {
    const double phase = 0.7 * id[i];
    position.x[i] += most * std::sin(phase);
    position.y[i] += most * std::cos(1.3 * phase);
    position.z[i] += most * std::sin(2.1 * phase + 1.0);
  }
};

/// Where they are; every third is nobody's any more.
struct ArriveAllButSome {
  static constexpr const char* name = "test: arrive";
  IntoCells<double> into_cells;
  const ParticleId* id;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index i) const {
    if (id[i] % 3 == 0) {
      into_cells.ticket[i] = nobody;
    } else {
      into_cells(i, into_cells.position[i], {});
    }
  }
};

/// Whether the order is deterministic, whether blocks scan the counts each for itself, and the
/// parts of a cell.
class BinningTest : public ::testing::TestWithParam<std::tuple<bool, bool, Index>> {
 protected:
  static bool is_deterministic() { return std::get<0>(GetParam()); }
  static CellParts parts() { return {std::get<2>(GetParam())}; }
  template <class Precision>
  static Binning<Precision> binning_of(const CellGrid& grid, Stream& stream,
                                       OrderLasts lasts = OrderLasts::one_step,
                                       const ListBounds& bounds = {}) {
    Binning<Precision> binning(grid,
                               OrderRules{.deterministic = is_deterministic(),
                                          .lasts = lasts,
                                          .bounds = bounds,
                                          .parts = parts()},
                               stream);
    binning.work_in_blocks(std::get<1>(GetParam()));
    return binning;
  }

  static std::vector<Index> parts_of(const Particles<DoublePrecision>& particles,
                                     const Vec3Buffer<double>& places, const CellGrid& grid,
                                     Stream& stream) {
    const auto cells = particles.state.cell.download(stream);
    const auto x = places.x.download(stream);
    const auto y = places.y.download(stream);
    const auto z = places.z.download(stream);
    std::vector<Index> numbers;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      numbers.push_back(
          parts().number(grid.view<double>().side, cells[i], Vec3<double>{x[i], y[i], z[i]}));
    }
    return numbers;
  }

  static bool is_in_halves() {
    return std::get<1>(GetParam()) && parts().count == CellParts::of_a_curve;
  }

  /// Of each 32 of a cell the first half is below the rest along x, of each 16 along y, of each 8
  /// along z. `at`: by axis. What is outside of its cell is at its face.
  static void expect_halves(const std::array<std::vector<double>, 3>& at,
                            const std::vector<Index>& cells, const std::array<double, 3>& side) {
    const auto along = [&](std::size_t axis, std::size_t i) {
      return std::clamp(at[axis][i], -0.5 * side[axis], 0.5 * side[axis]);
    };
    for (std::size_t begin = 0, end = 0; begin < cells.size(); begin = end) {
      end = std::min(begin + 32, cells.size());
      while (cells[end - 1] != cells[begin]) --end;
      for (std::size_t axis = 0, half = 16; axis < 3; ++axis, half /= 2) {
        for (std::size_t first = begin; first + half < end; first += 2 * half) {
          double most = along(axis, first), least = along(axis, first + half);
          for (std::size_t k = 0; k < half; ++k) {
            most = std::max(most, along(axis, first + k));
            if (first + half + k < end) least = std::min(least, along(axis, first + half + k));
          }
          EXPECT_LE(most, least + 1e-7 * side[axis]) << "axis " << axis << ", from row " << first;
        }
      }
    }
  }

  static FieldSet everything() {
    FieldSet fields;
    for (const Field f :
         {Field::position, Field::velocity, Field::image, Field::species, Field::id}) {
      fields.insert(f);
    }
    return fields;
  }
};

TEST_P(BinningTest, SortsParticlesByCellAndLosesNothing) {
  Stream stream;
  Profiler profiler;
  const Box box{{-3.0, 5.0, 100.0}, {11.0, 7.7, 4.1}, {true, true, true}};
  const StartState start = random_state(1000, box, 3);
  const CellGrid grid = make_cell_grid(box, 2.0, start.position);
  ASSERT_EQ(grid.cells, (std::array<Index, 3>{5, 3, 2}));
  auto binning = binning_of<DoublePrecision>(grid, stream);
  Particles<DoublePrecision> particles;
  upload(start, grid, particles, stream);
  std::vector<Double3> unwrapped = start.position;
  for (int step = 0; step < 8; ++step) {
    binning.run(particles, step, profiler, stream);
    const auto binned = binning.view(particles);
    Buffer<Index> offset(grid.count() + 1);
    memory::copy(offset.data(), binned.offset, static_cast<std::size_t>(offset.bytes()), stream);
    const auto offsets = offset.download(stream);
    const auto cells = particles.state.cell.download(stream);
    EXPECT_EQ(offsets.back(), 1000);
    for (Index i = 0; i < 1000; ++i) {
      const Index cell = cells[static_cast<std::size_t>(i)];
      ASSERT_LE(offsets[static_cast<std::size_t>(cell)], i);
      ASSERT_LT(i, offsets[static_cast<std::size_t>(cell) + 1]);
    }
    const auto ids = particles.state.id.download(stream);
    EXPECT_EQ(std::set<ParticleId>(ids.begin(), ids.end()).size(), 1000U);
    const auto part = parts_of(particles, particles.state.position, grid, stream);
    for (std::size_t i = 1; i < 1000; ++i) {
      ASSERT_LE(part[i - 1], part[i]) << "order of the parts";
      if (!is_deterministic() || part[i] != part[i - 1]) continue;
      ASSERT_LT(ids[i - 1], ids[i]) << "order within a part";
    }
    const Frame frame = download(particles, grid, everything(), stream);
    for (std::size_t i = 0; i < 1000; ++i) {
      EXPECT_EQ(frame.species[i], start.type[i]);
      EXPECT_EQ(frame.velocity[i], start.velocity[i]);
      for (std::size_t d = 0; d < 3; ++d) {
        ASSERT_GE(frame.position[i][d], box.lower[d]);
        ASSERT_LT(frame.position[i][d], box.lower[d] + box.edges[d]);
        const int crossed = frame.image[i][d] - start.image[i][d];
        ASSERT_NEAR(frame.position[i][d] + crossed * box.edges[d], unwrapped[i][d], 1e-11)
            << "particle " << i + 1 << " step " << step;
      }
    }
    for_each(stream, 1000,
             Displace{particles.state.position.view(), particles.state.id.data(), 1.7});
    for (std::size_t i = 0; i < 1000; ++i) {
      const double phase = 0.7 * static_cast<double>(i + 1);
      unwrapped[i][0] += 1.7 * std::sin(phase);
      unwrapped[i][1] += 1.7 * std::cos(1.3 * phase);
      unwrapped[i][2] += 1.7 * std::sin(2.1 * phase + 1.0);
    }
  }
  EXPECT_FALSE(binning.health(stream).failed);
}

/// Who asks where rows have gone finds them there, with all that they hold.
TEST_P(BinningTest, TellsWhereRowsHaveGone) {
  constexpr Index count = 1000;
  Stream stream;
  Profiler profiler;
  const Box box{{-3.0, 5.0, 100.0}, {11.0, 7.7, 4.1}, {true, true, true}};
  StartState start = random_state(count, box, 8);
  const CellGrid grid = make_cell_grid(box, 2.0, start.position);
  auto binning =
      binning_of<MixedPrecision>(grid, stream, OrderLasts::while_near, {.most_displacement = 0.3});
  Particles<MixedPrecision> particles;
  upload(start, grid, particles, stream);
  binning.reserve(particles, stream);
  Buffer<Index> places(count);
  binning.tell_places(places.data());
  const auto before = particles.state.id.download(stream);
  binning.run(particles, 0, profiler, stream);
  const auto after = particles.state.id.download(stream);
  const auto place = places.download(stream);
  for (std::size_t i = 0; i < before.size(); ++i) {
    ASSERT_EQ(after[static_cast<std::size_t>(place[i])], before[i]) << "row " << i;
  }
  const Frame frame = download(particles, grid, everything(), stream);
  for (std::size_t i = 0; i < start.position.size(); ++i) {
    EXPECT_EQ(frame.species[i], start.type[i]);
    EXPECT_EQ(frame.velocity[i], start.velocity[i]);
    for (std::size_t d = 0; d < 3; ++d) {
      EXPECT_NEAR(frame.position[i][d], start.position[i][d], 1e-12);
    }
  }
  const auto binned = binning.view(particles);
  Buffer<PackedPosition<float>> mirror(count);
  memory::copy(mirror.data(), binned.packed, static_cast<std::size_t>(mirror.bytes()), stream);
  const auto packed = mirror.download(stream);
  const auto x = particles.state.position.x.download(stream);
  const auto type = particles.state.type.download(stream);
  for (std::size_t i = 0; i < packed.size(); ++i) {
    EXPECT_EQ(packed[i].position.x, static_cast<float>(x[i]));
    EXPECT_EQ(packed[i].type, type[i]);
  }
}

/// What the last forces did to velocities: nothing to some, too much to others.
struct KickById {
  static constexpr const char* name = "test: kick";
  Vec3View<double> kick;
  const ParticleId* id;

  PENCILBOX_DEVICE_FUNCTION static Vec3<double> of(ParticleId id) {
    const double size = id % 5 == 0 ? 0.0 : (id % 7 == 0 ? 1e4 : 0.4);
    return {size, -0.5 * size, 0.25 * size * static_cast<double>(id % 3)};
  }
  PENCILBOX_DEVICE_FUNCTION void operator()(Index i) const { kick.store(i, of(id[i])); }
};

/// Cell and part are those of the place where a particle will be, no farther than the order can
/// bear; the particle itself stays where it is.
TEST_P(BinningTest, SortsByWhereParticlesWillBe) {
  constexpr double most = 0.3, timestep = 0.01;
  constexpr int interval = 8, count = 1000;
  Stream stream;
  Profiler profiler;
  const Box box{{-3.0, 5.0, 100.0}, {11.0, 7.7, 4.1}, {true, false, true}};
  StartState start = random_state(count, box, 6);
  for (std::size_t i = 0; i < count; ++i) {
    const double speed = i % 10 == 0 ? 1e6 : 3.0;  // some are too fast
    const double phase = static_cast<double>(i);
    start.velocity[i] = {speed * std::sin(phase), speed * std::cos(2.0 * phase), 0.5 * speed};
  }
  start.velocity[5] = {0.0, 0.0, 0.0};
  const CellGrid grid = make_cell_grid(box, 2.0, start.position);
  auto binning = binning_of<DoublePrecision>(grid, stream, OrderLasts::while_near,
                                             {.most_displacement = most});
  Particles<DoublePrecision> particles;
  upload(start, grid, particles, stream);
  binning.reserve(particles, stream);
  for_each(stream, count, KickById{binning.kick(), particles.state.id.data()});
  binning.run(particles, StepNumber{nullptr, 1}, profiler, stream,
              binning.look_ahead(nullptr, {interval, interval}, timestep));

  Vec3Buffer<double> place;
  binning.copy_reference(place, count, stream);
  const auto ids = particles.state.id.download(stream);
  const auto cells = particles.state.cell.download(stream);
  EXPECT_TRUE(std::is_sorted(cells.begin(), cells.end()));
  if (is_in_halves()) {
    expect_halves({place.x.download(stream), place.y.download(stream), place.z.download(stream)},
                  cells, grid.side);
  } else {
    const auto part = parts_of(particles, place, grid, stream);
    EXPECT_TRUE(std::is_sorted(part.begin(), part.end()));
  }
  const Buffer<double>* const of_place[] = {&place.x, &place.y, &place.z};
  const Vec3Buffer<double>& position = particles.state.position;
  const Buffer<double>* const of_position[] = {&position.x, &position.y, &position.z};
  std::vector<Double3> ahead(count);
  std::vector<bool> is_inside(count, true);
  for (std::size_t d = 0; d < 3; ++d) {
    const auto then = of_place[d]->download(stream), now = of_position[d]->download(stream);
    for (std::size_t i = 0; i < count; ++i) {
      ahead[i][d] = then[i] - now[i];
      if (box.periodic[d]) is_inside[i] = is_inside[i] && std::abs(then[i]) <= 0.5 * grid.side[d];
    }
  }
  for (std::size_t i = 0; i < count; ++i) {
    EXPECT_TRUE(is_inside[i]) << "its cell " << cells[i];
    const Vec3<double> kick = KickById::of(ids[i]);
    const Double3 expected =
        testing::way_ahead(start.velocity[static_cast<std::size_t>(ids[i] - 1)],
                           {kick.x, kick.y, kick.z}, interval, timestep, 0.98 * most);
    for (std::size_t d = 0; d < 3; ++d) EXPECT_NEAR(ahead[i][d], expected[d], 1e-12);
  }
  const Frame frame = download(particles, grid, everything(), stream);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t d = 0; d < 3; ++d) {
      const int crossed = frame.image[i][d] - start.image[i][d];
      EXPECT_NEAR(frame.position[i][d] + crossed * box.edges[d], start.position[i][d], 1e-11);
    }
  }
  EXPECT_FALSE(binning.health(stream).failed);
}

/// Places where a list was made, and where particles are now.
struct Strays {
  StartState start;
  std::vector<Double3> now;
};

constexpr double stray_cutoff = 2.0, stray_skin = 0.6;

/// Two in the box at random places, about as far apart as a list still sees, go towards each other:
/// the first farther than half the skin. Others are anywhere and go anywhere, not as far.
Strays two_that_may_meet(const Box& box, unsigned seed) {
  Strays strays{random_state(40, box, seed), {}};
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> number(0.0, 1.0);
  const auto direction = [&] {
    Double3 u{number(random) - 0.5, number(random) - 0.5, number(random) - 0.5};
    const double length = std::hypot(u[0], u[1], u[2]);
    for (double& component : u) component /= length;
    return u;
  };
  const auto moved = [](const Double3& from, double far, const Double3& to) {
    return Double3{from[0] + far * to[0], from[1] + far * to[1], from[2] + far * to[2]};
  };
  auto& place = strays.start.position;
  for (std::size_t i = 2; i < place.size(); ++i) {
    strays.now.push_back(moved(place[i], 0.25 * stray_skin * number(random), direction()));
  }
  for (std::size_t d = 0; d < 3; ++d) {
    if (box.periodic[d]) continue;
    if (seed % 4 == 1) place[0][d] += 16.0 * (number(random) - 0.5);
    if (seed % 4 == 3) place[0][d] = box.lower[d] + 1.6 + 0.4 * number(random);
  }
  Double3 u = direction();
  for (std::size_t d = 0; d < 3; ++d) {
    if (box.periodic[d] || seed % 4 != 3) continue;  // else the other is right beyond the face
    u = {0.0, 0.0, 0.0};
    u[d] = -1.0;
  }
  place[1] = moved(place[0], stray_cutoff + stray_skin + 0.15 * (number(random) - 0.2), u);
  // Hardly farther than half the skin, and each straight at the other, where one is beyond a face.
  const double more = seed % 4 == 3 ? 0.1 : 0.4, least = seed % 4 == 3 ? 0.9 : 0.5;
  const double first = stray_skin * (0.55 + more * (number(random) - 0.1));
  const double second = 0.49 * stray_skin * (least + (1.0 - least) * number(random));
  strays.now.insert(strays.now.begin(), {moved(place[0], first, u), moved(place[1], -second, u)});
  for (std::size_t d = 0; d < 3; ++d) {  // places lie in the box, and who is there goes with them
    if (!box.periodic[d]) continue;
    for (std::size_t i = 0; i < 2; ++i) {
      const double by = std::floor((place[i][d] - box.lower[d]) / box.edges[d]) * box.edges[d];
      place[i][d] -= by;
      strays.now[i][d] -= by;
    }
  }
  return strays;
}

/// The least by which a pair, now within the cutoff, was too far apart for the list; negative: of
/// none.
double miss_of(const Strays& strays, const Box& box) {
  double miss = -1.0;
  const auto& place = strays.start.position;
  for (std::size_t i = 0; i < place.size(); ++i) {
    for (std::size_t j = 0; j < place.size(); ++j) {
      for (int image = 0; image < 125; ++image) {
        const std::array<int, 3> steps{image % 5 - 2, image / 5 % 5 - 2, image / 25 - 2};
        double then = 0.0, now = 0.0;
        bool is_one = true;
        for (std::size_t d = 0; d < 3; ++d) {
          if (!box.periodic[d] && steps[d] != 0) is_one = false;
          const double by = steps[d] * box.edges[d];
          then += std::pow(place[j][d] + by - place[i][d], 2);
          now += std::pow(strays.now[j][d] + by - strays.now[i][d], 2);
        }
        if (!is_one || (i == j && image == 62)) continue;
        miss = std::max(miss, std::min(std::sqrt(then) - stray_cutoff - stray_skin,
                                       stray_cutoff - std::sqrt(now)));
      }
    }
  }
  return miss;
}

template <class Precision>
struct GoThere {
  static constexpr const char* name = "test: go there";
  UnderWatch<Precision> watch;
  const Index* cell;
  const ParticleId* id;
  Vec3View<const double> now;  ///< by id
  GridView<double> grid;
  Vec3<double> lower;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index i) const {
    const CellCoordinates c = grid.coordinates(cell[i]);
    const Vec3<double> at = now[static_cast<Index>(id[i]) - 1];
    const Vec3<double> offset{at.x - lower.x - (c.x + 0.5) * grid.side.x,
                              at.y - lower.y - (c.y + 0.5) * grid.side.y,
                              at.z - lower.z - (c.z + 0.5) * grid.side.z};
    watch(i, offset.template to<typename Precision::State>(), 1);
  }
};

/// A list is due if, and only if, two have met that it does not know: through faces, in boxes of
/// one cell or two, and beyond open faces.
TEST_P(BinningTest, FindsThePairsThatAListMisses) {
  Stream stream;
  Profiler profiler;
  int missed = 0, held = 0;
  for (unsigned seed = 0; seed < 240; ++seed) {
    SCOPED_TRACE(seed);
    Box box{{-3.0, 5.0, 100.0}, {10.7, 8.1, 2.7}, {true, seed % 2 == 0, seed % 3 != 0}};
    if (seed % 5 == 0) box.edges = {5.4, 2.7, 9.0};
    const Strays strays = two_that_may_meet(box, seed);
    const double miss = miss_of(strays, box);
    if (std::abs(miss) < 1e-4) continue;
    // The two may be beyond an open face, in cells that end there.
    const std::vector<Double3> others(strays.start.position.begin() + 2,
                                      strays.start.position.end());
    const CellGrid grid = make_cell_grid(box, stray_cutoff + stray_skin, others);
    const ListBounds bounds{0.5 * stray_skin, stray_skin, stray_cutoff + 1e-5,
                            stray_cutoff + stray_skin - 1e-5};
    auto binning = binning_of<SinglePrecision>(grid, stream, OrderLasts::while_near, bounds);
    Particles<SinglePrecision> particles;
    upload(strays.start, grid, particles, stream);
    binning.run(particles, 0, profiler, stream);
    Buffer<StepControl> control;
    StepControl open;
    open.limit = 7;
    control.upload({&open, 1}, stream);
    Vec3Buffer<double> now;
    std::vector<double> x, y, z;
    for (const Double3& one : strays.now) {
      x.push_back(one[0]);
      y.push_back(one[1]);
      z.push_back(one[2]);
    }
    now.x.upload(x, stream);
    now.y.upload(y, stream);
    now.z.upload(z, stream);
    for_each(stream, particles.count,
             GoThere<SinglePrecision>{binning.arrival(particles, {}, control.data(), 1).under_watch,
                                      particles.state.cell.data(),
                                      particles.state.id.data(),
                                      std::as_const(now).view(),
                                      grid.view<double>(),
                                      {grid.lower[0], grid.lower[1], grid.lower[2]}});
    ASSERT_EQ(control.download(stream)[0].due, 0) << "nobody is too far away";
    binning.look_for_missed_pairs(particles, control.data(), 1, 1, stream);
    const StepControl after = control.download(stream)[0];
    EXPECT_EQ(after.due, miss > 0.0 ? 1 : 0) << miss;
    EXPECT_EQ(after.limit, miss > 0.0 ? 1 : 7);
    ++(miss > 0.0 ? missed : held);
  }
  EXPECT_GT(missed, 40);
  EXPECT_GT(held, 40);
}

TEST_P(BinningTest, LeavesOutWhoHasNoTicket) {
  Stream stream;
  Profiler profiler;
  const Box box{{0.0, 0.0, 0.0}, {11.0, 7.7, 4.1}, {true, true, true}};
  const StartState start = random_state(1000, box, 4);
  const CellGrid grid = make_cell_grid(box, 2.0, start.position);
  auto binning = binning_of<DoublePrecision>(grid, stream);
  Particles<DoublePrecision> particles;
  upload(start, grid, particles, stream);
  binning.run(particles, 0, profiler, stream);
  for_each(stream, particles.count,
           ArriveAllButSome{binning.arrival(particles, {}, nullptr, 0).into_cells,
                            particles.state.id.data()});
  binning.order_arrived(particles, profiler, stream);
  Buffer<Index> offset(grid.count() + 1);
  memory::copy(offset.data(), binning.view(particles).offset,
               static_cast<std::size_t>(offset.bytes()), stream);
  const auto offsets = offset.download(stream);
  ASSERT_EQ(offsets.back(), 1000 - 333);
  const auto ids = particles.state.id.download(stream);
  const auto cells = particles.state.cell.download(stream);
  std::set<ParticleId> seen;
  for (Index cell = 0; cell < grid.count(); ++cell) {
    for (Index i = offsets[static_cast<std::size_t>(cell)];
         i < offsets[static_cast<std::size_t>(cell) + 1]; ++i) {
      EXPECT_EQ(cells[static_cast<std::size_t>(i)], cell);
      EXPECT_NE(ids[static_cast<std::size_t>(i)] % 3, 0);
      seen.insert(ids[static_cast<std::size_t>(i)]);
    }
  }
  EXPECT_EQ(seen.size(), 667U);
  for (const Index cell : cells) EXPECT_LT(cell, grid.count()) << "of a row that nobody uses";
}

TEST_P(BinningTest, ReportsALostParticleWithItsStep) {
  Stream stream;
  Profiler profiler;
  const Box box{{0, 0, 0}, {6, 6, 6}, {true, true, true}};
  StartState start = random_state(100, box, 5);
  const CellGrid grid = make_cell_grid(box, 2.0, start.position);
  auto binning = binning_of<DoublePrecision>(grid, stream);
  Particles<DoublePrecision> particles;
  upload(start, grid, particles, stream);
  binning.run(particles, 1, profiler, stream);
  EXPECT_FALSE(binning.health(stream).failed);
  // Particle 42 goes to infinity, 77 leaves by more than the box.
  const auto ids = particles.state.id.download(stream);
  auto x = particles.state.position.x.download(stream);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] == 42) x[i] = std::nan("");
    if (ids[i] == 77) x[i] = 25.0;
  }
  particles.state.position.x.upload(x, stream);
  binning.run(particles, 17, profiler, stream);
  binning.run(particles, 18, profiler, stream);
  const BinningHealth health = binning.health(stream);
  EXPECT_TRUE(health.failed);
  EXPECT_EQ(health.failed_step, 17);
  EXPECT_EQ(health.failed_id, 42);
}

TEST_P(BinningTest, KeepsParticlesThatLeaveAnOpenBox) {
  Stream stream;
  Profiler profiler;
  const Box box{{0, 0, 0}, {6, 6, 6}, {false, false, true}};
  StartState start = random_state(64, box, 9);
  const CellGrid grid = make_cell_grid(box, 2.0, start.position);
  auto binning = binning_of<SinglePrecision>(grid, stream);
  Particles<SinglePrecision> particles;
  upload(start, grid, particles, stream);
  auto x = particles.state.position.x.download(stream);
  x[10] += 1000.0F;
  particles.state.position.x.upload(x, stream);
  const ParticleId id = particles.state.id.download(stream)[10];
  binning.run(particles, 1, profiler, stream);
  const BinningHealth health = binning.health(stream);
  EXPECT_FALSE(health.failed);
  const Frame frame = download(particles, grid, everything(), stream);
  const auto i = static_cast<std::size_t>(id - 1);
  EXPECT_NEAR(frame.position[i][0], start.position[i][0] + 1000.0, 1e-3);
}

INSTANTIATE_TEST_SUITE_P(Order, BinningTest,
                         ::testing::Combine(::testing::Bool(), ::testing::Bool(),
                                            ::testing::Values(1, CellParts::of_a_curve,
                                                              CellParts::of_slices)),
                         [](const auto& parameters) {
                           const bool in_blocks = std::get<1>(parameters.param);
                           const Index parts = std::get<2>(parameters.param);
                           return std::string(std::get<0>(parameters.param) ? "deterministic"
                                                                            : "ticket") +
                                  (in_blocks ? "_scanned_in_blocks" : "") +
                                  (parts == CellParts::of_a_curve  ? "_along_curves"
                                   : parts == CellParts::of_slices ? "_in_slices"
                                                                   : "");
                         });

}  // namespace
}  // namespace pencilbox::PENCILBOX_DEVICE
