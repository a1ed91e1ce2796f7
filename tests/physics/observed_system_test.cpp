// What observables say of the system as a whole, by type and by place, against plain sums on the
// host in double: odd and small boxes, mixtures, open faces, all truncations, and particles in
// every kind of order.
#include <algorithm>
#include <cmath>
#include <complex>
#include <map>
#include <numbers>
#include <vector>

#include <gtest/gtest.h>

#include "core/plummer_sphere.hpp"
#include "tests/physics/observed.hpp"

namespace pencilbox::testing {
namespace {

constexpr std::array<const char*, 6> components{"xx", "yy", "zz", "xy", "xz", "yz"};
constexpr std::array<std::array<std::size_t, 2>, 6> axes_of{
    {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}}};

ObservableChoice of_series(const char* name, std::int64_t every = 1) {
  return {name, every, 0, {{"blocks", 4.0}}};
}
ObservableChoice density_profile(int axis, int bins) {
  return {"density-profile", 1, 0, {{"axis", double(axis)}, {"bins", double(bins)}}};
}
ObservableChoice coordination(double distance, int most) {
  return {"coordination", 1, 0, {{"max_distance", distance}, {"max_neighbors", double(most)}}};
}
ObservableChoice structure_factor(double k_max, int bins, int vectors) {
  return {"structure-factor",
          1,
          0,
          {{"k_max", k_max}, {"bins", double(bins)}, {"max_vectors", double(vectors)}}};
}

/// Calls action(i, j, r_i - r_j) for each pair nearer than `cutoff`, by whichever image.
template <class Action>
void each_pair(const Frame& frame, const Box& box, double cutoff, const Action& action) {
  std::array<int, 3> images{};
  for (std::size_t d = 0; d < 3; ++d) {
    images[d] = box.periodic[d] ? static_cast<int>(std::ceil(cutoff / box.edges[d])) : 0;
  }
  for (std::size_t i = 0; i < frame.position.size(); ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      for (int x = -images[0]; x <= images[0]; ++x) {
        for (int y = -images[1]; y <= images[1]; ++y) {
          for (int z = -images[2]; z <= images[2]; ++z) {
            if (i == j && std::array{x, y, z} <= std::array{0, 0, 0}) continue;
            const std::array shift{x, y, z};
            Double3 apart{};
            for (std::size_t d = 0; d < 3; ++d) {
              apart[d] = frame.position[i][d] - frame.position[j][d] + shift[d] * box.edges[d];
            }
            const double squared = apart[0] * apart[0] + apart[1] * apart[1] + apart[2] * apart[2];
            if (squared < cutoff * cutoff) action(i, j, apart);
          }
        }
      }
    }
  }
}

struct Term {
  double energy, force_over_r;
};

/// u(r) and -u'(r)/r, as a textbook has them.
Term lennard_jones(const LennardJonesModel& model, int a, int b, double r) {
  const auto& [epsilon, sigma, own] = model.pair(a, b);
  const double cutoff = own.value_or(model.cutoff);
  const auto energy = [&, e = epsilon, s = sigma](double x) {
    return 4.0 * e * (std::pow(s / x, 12) - std::pow(s / x, 6));
  };
  const auto slope = [&, e = epsilon, s = sigma](double x) {
    return -24.0 * e * (2.0 * std::pow(s / x, 12) - std::pow(s / x, 6)) / x;
  };
  Term term{energy(r), -slope(r) / r};
  if (model.truncation != Truncation::cut) term.energy -= energy(cutoff);
  if (model.truncation == Truncation::force_shift) {
    term.energy -= (r - cutoff) * slope(cutoff);
    term.force_over_r += slope(cutoff) / r;
  }
  return term;
}

struct SystemSums {
  std::array<double, 6> virial{}, kinetic{};
  std::map<std::pair<int, int>, double> potential;  ///< of pairs of types, the lower first
  std::map<int, double> kinetic_energy;             ///< of types
};

SystemSums sums_of(const Frame& frame, const SimulationSetup& setup) {
  const auto& model = std::get<LennardJonesModel>(setup.potential);
  SystemSums sums;
  each_pair(frame, setup.start.box, model.cutoff,
            [&](std::size_t i, std::size_t j, const Double3& apart) {
              const auto [a, b] = std::minmax(frame.species[i], frame.species[j]);
              const Term term =
                  lennard_jones(model, a, b, std::hypot(apart[0], apart[1], apart[2]));
              sums.potential[{a, b}] += term.energy;
              for (std::size_t k = 0; k < 6; ++k) {
                sums.virial[k] += term.force_over_r * apart[axes_of[k][0]] * apart[axes_of[k][1]];
              }
            });
  for (std::size_t i = 0; i < frame.velocity.size(); ++i) {
    const int type = frame.species[i];
    const double mass = setup.start.types[static_cast<std::size_t>(type)].mass;
    const Double3& v = frame.velocity[i];
    for (std::size_t k = 0; k < 6; ++k) {
      sums.kinetic[k] += mass * v[axes_of[k][0]] * v[axes_of[k][1]];
    }
    sums.kinetic_energy[type] += 0.5 * mass * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
  }
  return sums;
}

std::string suffix(const SimulationSetup& setup, std::vector<int> types) {
  std::string text;
  if (setup.start.types.size() < 2) return text;
  for (const int type : types) text += "_" + setup.start.types[static_cast<std::size_t>(type)].name;
  return text;
}

StartState moving(StartState start) {
  for (std::size_t i = 0; i < start.velocity.size(); ++i) {
    const auto k = static_cast<double>(i);
    start.velocity[i] = {std::sin(k), std::cos(2.0 * k), 0.7 * std::sin(3.0 * k + 1.0)};
  }
  return start;
}

/// Boxes of one cell, where a pair meets by several images, and of several; with a corner that is
/// not the origin.
struct Case {
  Double3 edges;
  int particles, types;
  double cutoff;
  Truncation truncation;
};
const std::vector<Case> cases{{{2.7, 2.7, 2.7}, 14, 1, 2.5, Truncation::cut},
                              {{2.6, 5.3, 7.9}, 70, 2, 2.5, Truncation::shift},
                              {{7.3, 9.1, 8.6}, 330, 3, 1.9, Truncation::force_shift}};

class SystemObservedOn : public ObservedOn {
 protected:
  SimulationSetup setup_of(const Case& one) const {
    Box box = periodic_box(one.edges[0], one.edges[1], one.edges[2]);
    box.lower = {-1.5, 0.25, 3.0};
    StartState start = moving(random_liquid(one.particles, box, 0.75, 5, one.types));
    SimulationSetup setup = ObservedOn::setup_of(std::move(start), one.cutoff);
    std::get<LennardJonesModel>(setup.potential).truncation = one.truncation;
    setup.skin = 0.3;
    setup.timestep = 0.001;
    return setup;
  }
};

TEST_P(SystemObservedOn, PressureTensorAndEnergiesAreThoseOfAllPairs) {
  constexpr Bars bars{1e-12, 3e-5, 1e-4};
  for (const Case& one : cases) {
    SimulationSetup setup = setup_of(one);
    setup.observables = {of_series("pressure-tensor", 2), of_series("energies-by-type", 2)};
    const double volume = setup.start.box.volume();
    const auto n = static_cast<double>(setup.start.size());
    const auto simulation = backend().device->make(setup);
    for (std::size_t row = 0; row < 5; ++row) {
      simulation->sample_observables();
      const auto results = simulation->observable_results();
      const ObservableResult& tensor = results[0];
      const ObservableResult& energies = results[1];
      ASSERT_EQ(column(tensor, "step").size(), row + 1);
      EXPECT_EQ(column(tensor, "step").back(), 2.0 * static_cast<double>(row));
      EXPECT_NEAR(column(tensor, "time").back(), 0.002 * static_cast<double>(row), 1e-15);
      const SystemSums sums = sums_of(
          simulation->snapshot(set_of({Field::position, Field::velocity, Field::species})), setup);
      double trace = 0.0, scale = 0.0;
      for (std::size_t k = 0; k < 6; ++k) {
        const double found = column(tensor, std::string("pressure_") + components[k]).back();
        const double parts = std::abs(sums.kinetic[k]) + std::abs(sums.virial[k]) + n;
        EXPECT_NEAR(found, (sums.kinetic[k] + sums.virial[k]) / volume, 1e-11 * parts / volume)
            << components[k];
        if (k < 3) trace += found;
        if (k < 3) scale += parts / volume;
      }
      // That of thermo.csv, whatever precision it was computed in.
      const Observation observed = simulation->observe();
      EXPECT_NEAR(trace / 3.0, observed.pressure, bars.of(precision()) * scale);
      EXPECT_NEAR(column(tensor, "pressure").back(), trace / 3.0, 1e-14 * scale);
      double potential = 0.0, kinetic = 0.0;
      for (const auto& [type, energy] : sums.kinetic_energy) {
        const double found = column(energies, "kinetic_energy" + suffix(setup, {type})).back();
        EXPECT_NEAR(found, energy / n, 1e-13);
        kinetic += found;
      }
      for (const auto& [types, energy] : sums.potential) {
        const double found =
            column(energies, "potential_energy" + suffix(setup, {types.first, types.second}))
                .back();
        EXPECT_NEAR(found, energy / n, 1e-11 * (1.0 + std::abs(energy)));
        potential += found;
      }
      EXPECT_NEAR(kinetic, observed.kinetic_energy / n, bars.of(precision()));
      EXPECT_NEAR(potential, observed.potential_energy / n,
                  bars.of(precision()) * (1.0 + std::abs(potential)));
      simulation->advance(2, LastStep::with_energies);
    }
  }
}

TEST_P(SystemObservedOn, NeighboursAreCountedByType) {
  for (const bool open : {false, true}) {
    SimulationSetup setup = setup_of(cases[1]);
    setup.start.box.periodic = {!open, true, !open};
    constexpr int most = 5;
    constexpr double distance = 1.29;
    setup.observables = {coordination(distance, most)};
    const auto simulation = backend().device->make(setup);
    std::map<std::pair<int, int>, std::array<double, most + 1>> histogram;  // 2: of any type
    std::map<std::pair<int, int>, double> sums;
    std::array<double, 2> particles{};
    for (int sample = 0; sample < 3; ++sample) {
      simulation->sample_observables();
      const Frame frame = simulation->snapshot(set_of({Field::position, Field::species}));
      std::vector<std::array<int, 3>> neighbours(frame.position.size());
      each_pair(frame, setup.start.box, distance,
                [&](std::size_t i, std::size_t j, const Double3&) {
                  ++neighbours[i][static_cast<std::size_t>(frame.species[j])];
                  ++neighbours[j][static_cast<std::size_t>(frame.species[i])];
                  ++neighbours[i][2];
                  ++neighbours[j][2];
                });
      for (std::size_t i = 0; i < neighbours.size(); ++i) {
        particles[static_cast<std::size_t>(frame.species[i])] += 1.0;
        for (int b = 0; b < 3; ++b) {
          const int count = neighbours[i][static_cast<std::size_t>(b)];
          sums[{frame.species[i], b}] += count;
          histogram[{frame.species[i], b}][static_cast<std::size_t>(std::min(count, most))] += 1.0;
        }
      }
      simulation->advance(7, LastStep::forces_only);
    }
    const ObservableResult result = simulation->observable_results().front();
    for (int a = 0; a < 2; ++a) {
      for (int b = 0; b < 3; ++b) {
        const std::string tail = b == 2 ? suffix(setup, {a}) : suffix(setup, {a, b});
        const double all = particles[static_cast<std::size_t>(a)];
        const std::pair types{a, b};
        EXPECT_NEAR(number(result, "coordination_number" + tail), sums[types] / all, 1e-12);
        for (std::size_t k = 0; k <= most; ++k) {
          EXPECT_NEAR(column(result, "fraction" + tail)[k], histogram[types][k] / all, 1e-12)
              << tail << " " << k;
        }
      }
      EXPECT_GT((sums[std::pair{a, 2}]), 20.0) << "a test over nothing";
    }
  }
}

TEST_P(SystemObservedOn, ADensityProfileCountsTheParticlesOfASlice) {
  for (const int axis : {0, 1, 2}) {
    SimulationSetup setup = setup_of(cases[1]);
    setup.start.box.periodic[1] = false;
    for (Double3& velocity : setup.start.velocity) velocity[1] *= 30.0;  // out of the open faces
    constexpr std::size_t bins = 23;
    setup.observables = {density_profile(axis, bins)};
    const auto d = static_cast<std::size_t>(axis);
    const Box& box = setup.start.box;
    const auto simulation = backend().device->make(setup);
    std::array<std::vector<double>, 2> counts{std::vector<double>(bins), std::vector<double>(bins)};
    int outside = 0;
    for (int sample = 0; sample < 4; ++sample) {
      simulation->sample_observables();
      const Frame frame = simulation->snapshot(set_of({Field::position, Field::species}));
      for (std::size_t i = 0; i < frame.position.size(); ++i) {
        const double place = (frame.position[i][d] - box.lower[d]) / box.edges[d] * double(bins);
        const bool is_in = place >= 0.0 && place < double(bins);
        if (is_in) {
          counts[static_cast<std::size_t>(frame.species[i])][static_cast<std::size_t>(place)] +=
              1.0;
        }
        if (!is_in) ++outside;
      }
      simulation->advance(9, LastStep::forces_only);
    }
    EXPECT_EQ(outside > 0, axis == 1);
    const ObservableResult result = simulation->observable_results().front();
    const double slice = 4.0 * box.volume() / double(bins);
    for (std::size_t k = 0; k < bins; ++k) {
      EXPECT_NEAR(column(result, "density_A")[k], counts[0][k] / slice, 1e-9) << axis << " " << k;
      EXPECT_NEAR(column(result, "density_B")[k], counts[1][k] / slice, 1e-9);
      EXPECT_NEAR(column(result, "density")[k], (counts[0][k] + counts[1][k]) / slice, 1e-9);
      EXPECT_NEAR(column(result, std::string(1, "xyz"[d]))[k],
                  box.lower[d] + box.edges[d] * (double(k) + 0.5) / double(bins), 1e-12);
    }
  }
}

TEST_P(SystemObservedOn, AStructureFactorIsAFourierSum) {
  SimulationSetup setup = setup_of(cases[1]);
  constexpr double k_max = 6.0;
  constexpr std::size_t bins = 7;
  setup.observables = {structure_factor(k_max, bins, 1000)};
  const auto simulation = backend().device->make(setup);
  using Wave = std::array<std::complex<double>, 2>;
  std::array<double, 2> particles{};
  for (const int type : setup.start.type) particles[static_cast<std::size_t>(type)] += 1.0;
  std::array<std::vector<double>, 4> sums;  // all, AA, AB, BB
  for (auto& one : sums) one.assign(bins, 0.0);
  std::vector<double> vectors(bins, 0.0);
  for (int sample = 0; sample < 2; ++sample) {
    simulation->sample_observables();
    const Frame frame = simulation->snapshot(set_of({Field::position, Field::species}));
    for (int x = -10; x <= 10; ++x) {
      for (int y = -10; y <= 10; ++y) {
        for (int z = -10; z <= 10; ++z) {
          Double3 k{};
          for (std::size_t d = 0; d < 3; ++d) {
            k[d] = 2.0 * std::numbers::pi * std::array{x, y, z}[d] / setup.start.box.edges[d];
          }
          const double length = std::hypot(k[0], k[1], k[2]);
          if (length == 0.0 || length > k_max) continue;
          Wave wave{};
          for (std::size_t i = 0; i < frame.position.size(); ++i) {
            const Double3& r = frame.position[i];
            wave[static_cast<std::size_t>(frame.species[i])] +=
                std::polar(1.0, k[0] * r[0] + k[1] * r[1] + k[2] * r[2]);
          }
          const auto bin = static_cast<std::size_t>(length / k_max * double(bins));
          if (sample == 0) vectors[bin] += 1.0;
          sums[0][bin] += std::norm(wave[0] + wave[1]) / (particles[0] + particles[1]);
          sums[1][bin] += std::norm(wave[0]) / particles[0];
          sums[2][bin] +=
              std::real(wave[0] * std::conj(wave[1])) / std::sqrt(particles[0] * particles[1]);
          sums[3][bin] += std::norm(wave[1]) / particles[1];
        }
      }
    }
    simulation->advance(5, LastStep::forces_only);
  }
  const ObservableResult result = simulation->observable_results().front();
  for (std::size_t bin = 0; bin < bins; ++bin) {
    EXPECT_EQ(column(result, "vectors")[bin], vectors[bin] / 2.0) << "of k and -k one";
    if (vectors[bin] == 0.0) {
      EXPECT_TRUE(std::isnan(column(result, "S")[bin]));
      continue;
    }
    const std::array<const char*, 4> names{"S", "S_A_A", "S_A_B", "S_B_B"};
    for (std::size_t row = 0; row < names.size(); ++row) {
      EXPECT_NEAR(column(result, names[row])[bin], sums[row][bin] / (2.0 * vectors[bin]), 1e-9)
          << names[row] << " " << bin;
    }
  }
  EXPECT_GT(vectors[3], 10.0) << "a test over nothing";
}

PENCILBOX_WHERE(SystemObservedOn, keeps_an_order);

class SystemObserved : public Observed {
 protected:
  static std::string refusal_of(const SimulationSetup& setup) {
    try {
      make(setup);
    } catch (const ObservableRefusal& refusal) {
      return refusal.what();
    }
    return "not refused";
  }
};

TEST_F(SystemObserved, TailCorrectionsAreInThem) {
  SimulationSetup setup = setup_of(moving(random_liquid(400, periodic_box(8, 9, 10), 0.8, 3, 3)));
  std::get<LennardJonesModel>(setup.potential).tail_correction = true;
  setup.observables = {of_series("pressure-tensor"), of_series("energies-by-type")};
  const auto simulation = make(setup);
  simulation->sample_observables();
  const Observation observed = simulation->observe();
  const auto results = simulation->observable_results();
  EXPECT_NEAR(column(results[0], "pressure")[0], observed.pressure,
              1e-12 * (1.0 + std::abs(observed.pressure)));
  double potential = 0.0;
  for (const ObservableColumn& one : results[1].columns) {
    if (one.name.starts_with("potential_energy")) potential += one.values[0];
  }
  EXPECT_NEAR(potential, observed.potential_energy / 400.0, 1e-12 * (1.0 + std::abs(potential)));
}

TEST_F(SystemObserved, EnergiesOfOpenBoxesAndOfGravityAddUp) {
  SimulationSetup open = setup_of(moving(random_liquid(200, periodic_box(7, 8, 9), 0.8, 3, 2)));
  open.start.box.periodic = {false, true, false};
  SimulationSetup cluster = open;
  cluster.start = make_plummer_sphere({150, 1.0, 11});
  cluster.potential = SoftenedGravityModel{1.5, 0.05, {1.0 / 150.0}};
  cluster.start.types = {{"A", 1.0 / 150.0}};
  cluster.backend = "all-pairs";
  for (SimulationSetup* setup : {&open, &cluster}) {
    if (setup == &cluster) {
      for (const DeviceBackend& backend : device_backends()) {
        if (backend.info.name == setup->backend) setup->options = default_options(backend.info);
      }
    }
    setup->observables = {of_series("energies-by-type")};
    const auto simulation = make(*setup);
    simulation->sample_observables();
    const Observation observed = simulation->observe();
    double energy = 0.0;
    const ObservableResult result = simulation->observable_results().front();
    for (const ObservableNumber& one : result.numbers) {
      if (!one.name.ends_with("_error")) energy += one.value;
    }
    const double expected = observed.total_energy() / static_cast<double>(observed.particles);
    EXPECT_NEAR(energy, expected, 1e-12 * (1.0 + std::abs(expected)));
  }
}

TEST_F(SystemObserved, MeansHaveTheErrorOfTheirBlocks) {
  SimulationSetup setup = setup_of(thermal_crystal(4, 0.8442));
  setup.observables = {of_series("pressure-tensor")};
  const auto simulation = make(setup);
  run(*simulation, 3, 1);
  EXPECT_TRUE(std::isnan(number(simulation->observable_results().front(), "pressure_error")));
  run(*simulation, 11, 1);
  const ObservableResult result = simulation->observable_results().front();
  const std::vector<double>& all = column(result, "pressure_xy");
  ASSERT_EQ(all.size(), 14U);
  EXPECT_EQ(result.samples, 14);
  // Four blocks of three samples; the first two are left out.
  std::array<double, 4> blocks{};
  for (std::size_t k = 0; k < 12; ++k) blocks[k / 3] += all[k + 2] / 3.0;
  double mean = 0.0, squares = 0.0, whole = 0.0;
  for (const double block : blocks) mean += block / 4.0;
  for (const double block : blocks) squares += (block - mean) * (block - mean);
  for (const double one : all) whole += one / 14.0;
  EXPECT_NEAR(number(result, "pressure_xy_error"), std::sqrt(squares / 3.0 / 4.0), 1e-14);
  EXPECT_NEAR(number(result, "pressure_xy"), whole, 1e-14);
  EXPECT_NEAR(column(result, "mean_pressure_xy").back(), whole, 1e-14);
  EXPECT_EQ(column(result, "mean_pressure_xy").front(), all.front());
}

/// An ideal gas has S = 1 at all wave vectors, of which only some are used here.
TEST_F(SystemObserved, AnIdealGasHasNoStructure) {
  SimulationSetup setup = setup_of(random_particles(3000, periodic_box(19, 18, 20), 3), 1.0);
  std::get<LennardJonesModel>(setup.potential).pairs = {{1e-6, 0.01}};
  setup.observables = {structure_factor(8.0, 8, 100)};
  const auto simulation = make(setup);
  simulation->sample_observables();
  const ObservableResult result = simulation->observable_results().front();
  for (std::size_t bin = 2; bin < 8; ++bin) {
    EXPECT_EQ(column(result, "vectors")[bin], 100.0);
    EXPECT_NEAR(column(result, "S")[bin], 1.0, 0.45);  // 4.5 standard deviations
    EXPECT_NEAR(column(result, "k")[bin], 0.5 + double(bin), 0.15);
  }
}

TEST_F(SystemObserved, ACrystalScattersWhereItsPlanesAre) {
  const double side = std::cbrt(4.0 / 0.8442);
  SimulationSetup setup = setup_of(thermal_crystal(4, 0.8442));
  setup.observables = {structure_factor(8.0, 40, 1000), coordination(1.2, 50)};
  const auto simulation = make(setup);
  simulation->sample_observables();
  const auto results = simulation->observable_results();
  // The first reflection of fcc is (1 1 1): 4 of its 8 wave vectors, with N each.
  const double k = 2.0 * std::numbers::pi * std::sqrt(3.0) / side;
  const auto bin = static_cast<std::size_t>(k / 0.2);
  EXPECT_NEAR(column(results[0], "S")[bin] * column(results[0], "vectors")[bin], 4.0 * 256.0, 1e-6);
  EXPECT_EQ(column(results[1], "fraction")[12], 1.0);
  EXPECT_EQ(number(results[1], "coordination_number"), 12.0);
}

TEST_F(SystemObserved, StatesGoOnWhereTheyWereToTheBit) {
  for (const char* backend : {"par-part-no-loop", "verlet-list"}) {
    SimulationSetup setup = setup_of(moving(random_liquid(500, periodic_box(9, 8, 10), 0.8, 2, 2)));
    setup.backend = backend;
    for (const DeviceBackend& one : device_backends()) {
      if (one.info.name == setup.backend) setup.options = default_options(one.info);
    }
    setup.skin = 0.3;
    setup.deterministic = true;
    setup.observables = {of_series("pressure-tensor"), of_series("energies-by-type", 2),
                         density_profile(2, 30), coordination(1.5, 20),
                         structure_factor(7.0, 10, 20)};
    const auto whole = make(setup);
    whole->sample_observables();
    run(*whole, 11, 1);
    const ExactState state = whole->exact_state();
    const auto states = whole->observable_states();
    const auto second = host().resume(setup, state);
    second->restore_observables(states);
    run(*whole, 9, 1);
    run(*second, 9, 1);
    const auto expected = whole->observable_results(), found = second->observable_results();
    for (std::size_t k = 0; k < expected.size(); ++k) {
      EXPECT_EQ(found[k].samples, expected[k].samples);
      for (std::size_t c = 0; c < expected[k].columns.size(); ++c) {
        const auto& a = expected[k].columns[c].values;
        const auto& b = found[k].columns[c].values;
        ASSERT_EQ(a.size(), b.size());
        for (std::size_t row = 0; row < a.size(); ++row) {
          EXPECT_TRUE(a[row] == b[row] || (std::isnan(a[row]) && std::isnan(b[row])))
              << expected[k].columns[c].name << " " << row;
        }
      }
    }
  }
}

TEST_F(SystemObserved, WhatIsNotDefinedIsRefused) {
  SimulationSetup setup = setup_of(thermal_crystal(4, 0.8442));
  const double half = 0.5 * setup.start.box.edges[0];
  setup.observables = {coordination(half, 10)};
  EXPECT_EQ(refusal_of(setup), "not refused");
  setup.observables = {coordination(half * 1.0001, 10)};
  EXPECT_NE(refusal_of(setup).find("max_distance: more than half of the shortest side"),
            std::string::npos);
  setup.observables = {structure_factor(2000.0, 10, 10)};
  EXPECT_NE(refusal_of(setup).find("k_max: too many wave vectors in this box"), std::string::npos);
  setup.observables = {structure_factor(200.0, 100000, 100000)};
  EXPECT_NE(refusal_of(setup).find("max_vectors: too many"), std::string::npos);
  setup.start.box.periodic[0] = false;
  setup.observables = {coordination(half * 1.0001, 10)};
  EXPECT_NE(refusal_of(setup), "not refused") << "y and z are periodic";
  setup.observables = {structure_factor(5.0, 10, 10)};
  EXPECT_NE(refusal_of(setup).find("type: its wave vectors are those of a periodic box"),
            std::string::npos);
  setup.observables = {of_series("pressure-tensor")};
  EXPECT_NE(refusal_of(setup).find("type: a pressure is relative to a volume"), std::string::npos);
}

}  // namespace
}  // namespace pencilbox::testing
