// Every back end against the truth: all pairs and images in double, on the host.
#include <cmath>

#include "tests/support/every_backend.hpp"

namespace pencilbox::testing {
namespace {

class AgainstReference : public EveryBackend {
 protected:
  // Validation page, bars 2 and 11. Forces by the largest force: a per-atom relative bar is
  // meaningless for atoms with a small net force.
  static constexpr Bars force_bars{1e-12, 5e-5, 1e-4};
  static constexpr Bars sum_bars{1e-12, 5e-6, 1e-5};

  /// Those of a pair to the last bit, where they are added up in double.
  static void expect_forces_that_cancel(const std::vector<Double3>& force, double scale) {
    for (std::size_t d = 0; d < 3; ++d) {
      double sum = 0.0;
      for (const Double3& f : force) sum += f[d];
      EXPECT_LE(std::abs(sum), 1e-12 * scale * static_cast<double>(force.size()))
          << "direction " << d;
    }
  }

  void compare(const SimulationSetup& setup, const std::string& what) const {
    SCOPED_TRACE(what);
    if (refusal_of_the_crowd(setup)) return;  // it is known which may, and where it has to
    const Evaluation truth = evaluate_reference(setup);
    const Evaluation mine = run(setup);
    const double scale = std::max(1.0, largest_component(truth.frame.force));
    EXPECT_LE(largest_difference(mine.frame.force, truth.frame.force),
              force_bars.of(precision()) * scale);
    if (precision() != Precision::single) expect_forces_that_cancel(mine.frame.force, scale);
    double energies = 1.0;
    for (const double energy : truth.frame.potential_energy) energies += std::abs(energy);
    EXPECT_NEAR(mine.sums.potential_energy, truth.sums.potential_energy,
                sum_bars.of(precision()) * energies);
    const double virials = energies + scale * std::sqrt(static_cast<double>(setup.start.size()));
    EXPECT_NEAR(mine.sums.virial, truth.sums.virial, 10.0 * sum_bars.of(precision()) * virials);
    if (precision() == Precision::double_) {
      EXPECT_EQ(mine.stats.pairs_in_range, truth.stats.pairs_in_range);
    } else {
      EXPECT_NEAR(mine.stats.pairs_in_range, truth.stats.pairs_in_range, 1.0);  // at the cutoff
    }
    for (std::size_t i = 0; i < mine.frame.id.size(); ++i) {
      ASSERT_EQ(mine.frame.id[i], truth.frame.id[i]);
    }
  }
};

constexpr int numbers[] = {1, 2, 3, 31, 32, 33, 63, 64, 65, 127, 129, 1000};

TEST_P(AgainstReference, EveryNumberOfParticles) {
  for (const int count : numbers) {
    const double side = std::max(2.6, std::cbrt(count / 0.6));
    compare(make_lj_setup(random_liquid(count, periodic_box(side, side, side), 0.8, 7), 2.5,
                          Truncation::shift),
            std::to_string(count) + " particles");
  }
}

TEST_P(AgainstReference, FourThousandParticles) {
  compare(make_lj_setup(random_liquid(4000, periodic_box(18.9, 18.8, 18.7), 0.8, 9), 2.5,
                        Truncation::shift),
          "4000 particles");
}

TEST_P(AgainstReference, EveryTruncation) {
  for (const Truncation truncation :
       {Truncation::cut, Truncation::shift, Truncation::force_shift}) {
    compare(make_lj_setup(random_liquid(300, periodic_box(8, 8, 8), 0.85, 3), 2.5, truncation),
            std::string(name_of(truncation)));
  }
}

TEST_P(AgainstReference, Mixtures) {
  for (const Truncation truncation : {Truncation::cut, Truncation::force_shift}) {
    for (const int types : {2, 3}) {
      compare(make_lj_setup(random_liquid(300, periodic_box(8, 8.5, 9), 0.85, 11, types), 2.5,
                            truncation),
              std::to_string(types) + " types, " + std::string(name_of(truncation)));
    }
  }
}

/// Cutoffs of its pairs in place of one for all, from 1.3 to 2.5.
SimulationSetup with_cutoffs_of_pairs(SimulationSetup setup) {
  auto& model = std::get<LennardJonesModel>(setup.potential);
  for (int a = 0; a < model.types; ++a) {
    for (int b = 0; b < model.types; ++b) {
      auto& pair = model.pairs[static_cast<std::size_t>(a * model.types + b)];
      if (a + b > 0) pair.cutoff = 2.5 - 0.4 * (a + b) + 0.1 * a * b;
    }
  }
  return setup;
}

TEST_P(AgainstReference, CutoffsOfPairs) {
  for (const Truncation truncation : {Truncation::shift, Truncation::force_shift}) {
    compare(with_cutoffs_of_pairs(make_lj_setup(
                random_liquid(300, periodic_box(8, 8.5, 9), 0.85, 12, 3), 2.5, truncation)),
            std::string(name_of(truncation)));
  }
}

TEST(CutoffsOfPairs, AreThoseOfAPlainSum) {
  const SimulationSetup setup = with_cutoffs_of_pairs(make_lj_setup(
      random_liquid(300, periodic_box(8, 8.5, 9), 0.85, 12, 3), 2.5, Truncation::shift));
  const auto& model = std::get<LennardJonesModel>(setup.potential);
  const StartState& start = setup.start;
  double energy = 0.0, virial = 0.0;
  for (std::size_t i = 0; i < start.position.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      double square = 0.0;
      for (std::size_t d = 0; d < 3; ++d) {
        double apart = start.position[i][d] - start.position[j][d];
        apart -= std::round(apart / start.box.edges[d]) * start.box.edges[d];
        square += apart * apart;
      }
      const PairCoefficients& pair = model.pair(start.type[i], start.type[j]);
      const double cutoff = pair.cutoff.value_or(2.5);
      if (square >= cutoff * cutoff) continue;
      const double s6 = std::pow(pair.sigma, 6) / (square * square * square);
      const double at_cutoff = std::pow(pair.sigma / cutoff, 6);
      energy += 4.0 * pair.epsilon * (s6 * s6 - s6 - at_cutoff * at_cutoff + at_cutoff);
      virial += 24.0 * pair.epsilon * (2.0 * s6 * s6 - s6);
    }
  }
  const Evaluation truth = evaluate_reference(setup);
  EXPECT_NEAR(truth.sums.potential_energy / energy, 1.0, 1e-12);
  EXPECT_NEAR(truth.sums.virial / virial, 1.0, 1e-11);
}

TEST_P(AgainstReference, BoxesOfOneOrTwoCells) {
  for (const double side : {2.5, 2.6, 3.7, 4.99, 5.0, 5.1}) {
    compare(make_lj_setup(random_liquid(12, periodic_box(side, side, side), 0.7, 5), 2.5,
                          Truncation::shift),
            "cube of side " + std::to_string(side));
    compare(make_lj_setup(random_liquid(100, periodic_box(side, 12.0, 7.6), 0.8, 5), 2.5,
                          Truncation::shift),
            "slab of side " + std::to_string(side));
  }
}

TEST_P(AgainstReference, LongAndThinBoxes) {
  compare(make_lj_setup(random_liquid(300, periodic_box(60.0, 2.6, 2.9), 0.8, 21), 2.5,
                        Truncation::shift),
          "along x");
  compare(make_lj_setup(random_liquid(300, periodic_box(2.6, 60.0, 2.9), 0.8, 22), 2.5,
                        Truncation::shift),
          "along y");
  compare(make_lj_setup(random_liquid(300, periodic_box(2.9, 2.6, 60.0), 0.8, 23), 2.5,
                        Truncation::shift),
          "along z");
}

TEST_P(AgainstReference, OpenBoundaries) {
  for (int mask = 0; mask < 7; ++mask) {
    Box box{{-4.0, 2.0, 1000.0}, {9.0, 8.0, 7.0}, {}};
    for (std::size_t d = 0; d < 3; ++d) box.periodic[d] = ((mask >> d) & 1) != 0;
    compare(make_lj_setup(random_liquid(200, box, 0.85, 31U + static_cast<unsigned>(mask)), 2.5,
                          Truncation::force_shift),
            "periodic mask " + std::to_string(mask));
  }
}

TEST_P(AgainstReference, ADropletWithMostCellsEmpty) {
  StartState droplet = random_liquid(150, periodic_box(6, 6, 6), 0.9, 41);
  droplet.box = periodic_box(50, 50, 50);
  for (Double3& position : droplet.position) position[0] += 47.0;  // across a face
  compare(make_lj_setup(std::move(droplet), 2.5, Truncation::shift), "droplet");
}

TEST_P(AgainstReference, AllParticlesInOneCell) {
  StartState cluster = random_liquid(90, {{0, 0, 0}, {4, 4, 4}, {false, false, false}}, 0.8, 43);
  cluster.box = periodic_box(40, 40, 40);
  for (Double3& position : cluster.position) {
    for (double& x : position) x += 20.3;
  }
  const SimulationSetup setup = make_lj_setup(std::move(cluster), 6.0, Truncation::shift);
  if (refusal_of_the_crowd(setup)) return;  // as it has to
  compare(setup, "cells of side 6.67");
}

TEST_P(AgainstReference, ParticlesOnFacesAndCellBorders) {
  // A simple cubic lattice whose planes lie on the faces and on every cell border; the half of the
  // particles is written on the upper face, where the box closes.
  StartState state;
  state.box = {{-5.0, 0.0, 5.0}, {10.0, 10.0, 10.0}, {true, true, true}};
  for (int x = 0; x < 8; ++x) {
    for (int y = 0; y < 8; ++y) {
      for (int z = 0; z < 8; ++z) {
        const bool upper = (x + y + z) % 2 == 0;
        const auto at = [upper](double lower, int k) {
          return lower + (k == 0 && upper ? 10.0 : 1.25 * k);
        };
        state.position.push_back({at(-5.0, x), at(0.0, y), at(5.0, z)});
      }
    }
  }
  state.types = {{"A", 1.0}};
  for (std::size_t i = 0; i < state.position.size(); ++i) {
    state.id.push_back(static_cast<ParticleId>(i + 1));
    state.type.push_back(0);
    state.velocity.push_back({});
    state.image.push_back({});
  }
  // 2.4 and not 2.5: a lattice distance that is the cutoff exactly would be decided by rounding.
  compare(make_lj_setup(state, 2.4, Truncation::shift), "lattice on borders");
}

TEST_P(AgainstReference, ABoxFarFromTheOrigin) {
  Box box = periodic_box(9, 10, 11);
  box.lower = {1e5, -2e5, 3e4};
  compare(make_lj_setup(random_liquid(500, box, 0.85, 51), 2.5, Truncation::shift), "far away");
}

TEST_P(AgainstReference, ABoxOfManyCells) {
  // Single precision must not lose digits in a big box: two clusters a long way from each other.
  StartState state = random_liquid(100, periodic_box(5, 5, 5), 0.9, 61);
  // Where blocks are emulated, each of the 262,144 cells of a cube would start hundreds of fibers.
  state.box = emulated() ? periodic_box(4000, 6, 6) : periodic_box(4000, 4000, 4000);
  for (std::size_t i = 0; i < 50; ++i) state.position[i][0] += 3990.0;
  compare(make_lj_setup(std::move(state), 2.5, Truncation::shift), "side 4000");
}

TEST_P(AgainstReference, Dense) {
  compare(
      make_lj_setup(random_liquid(400, periodic_box(7, 7, 7), 0.72, 71), 2.5, Truncation::shift),
      "density 1.17");
}

TEST_P(AgainstReference, Dilute) {
  compare(
      make_lj_setup(random_liquid(300, periodic_box(40, 41, 42), 0.8, 73), 3.5, Truncation::cut),
      "density 0.004");
}

PENCILBOX_FOR_EVERY_BACKEND(AgainstReference);

}  // namespace
}  // namespace pencilbox::testing
