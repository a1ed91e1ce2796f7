// The Lennard-Jones model as a deck describes it: cutoff, truncation, and one row of coefficients
// for every pair of types. The formula itself stands in lennard_jones.hpp.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace pencilbox {

/// What happens at the cutoff r_c to u(r) = 4 epsilon ((sigma/r)^12 - (sigma/r)^6).
enum class Truncation {
  cut,          ///< u(r), zero beyond r_c
  shift,        ///< u(r) - u(r_c)
  force_shift,  ///< u(r) - u(r_c) - (r - r_c) u'(r_c): energy and force vanish at r_c
};

inline constexpr std::array<std::string_view, 3> truncation_names{"cut", "shift", "force-shift"};

constexpr std::string_view name_of(Truncation truncation) {
  return truncation_names[static_cast<std::size_t>(truncation)];
}

/// Coefficients of one pair of types, reduced units, all > 0.
struct PairCoefficients {
  double epsilon = 1.0;
  double sigma = 1.0;
  std::optional<double> cutoff{};  ///< absent: that of the model
};

/// Lorentz-Berthelot: arithmetic mean of sigma, geometric mean of epsilon. Cutoffs mix as sigma
/// does where both have one, and one alone is that of the pair.
PairCoefficients mix_lorentz_berthelot(const PairCoefficients& a, const PairCoefficients& b);

/// Where u(r) is least, 2^(1/6) sigma. Cut and shifted there it is purely repulsive: J. D. Weeks,
/// D. Chandler, H. C. Andersen, J. Chem. Phys. 54, 5237 (1971).
double distance_of_minimum(double sigma);

struct LennardJonesModel {
  double cutoff = 2.5;  ///< of pairs that have none of their own
  Truncation truncation = Truncation::cut;
  bool tail_correction = false;
  int types = 1;
  /// types x types, row-major, symmetric.
  std::vector<PairCoefficients> pairs = std::vector<PairCoefficients>(1);

  const PairCoefficients& pair(int a, int b) const {
    return pairs[static_cast<std::size_t>(a) * static_cast<std::size_t>(types) +
                 static_cast<std::size_t>(b)];
  }
  double cutoff_of(const PairCoefficients& of_pair) const {
    return of_pair.cutoff.value_or(cutoff);
  }
  /// Beyond it no pair acts.
  double largest_cutoff() const;
};

/// Energy and virial that a plain cutoff leaves out of a uniform fluid (g = 1 beyond r_c); add them
/// to the sums over pairs. Frenkel and Smit, Understanding Molecular Simulation, section 3.2.2.
struct TailCorrection {
  double energy = 0.0;  ///< whole system
  double virial = 0.0;  ///< sum over pairs of r . f, whole system
};

/// `counts[t]` particles of type t in a box of volume `volume`.
TailCorrection tail_correction(const LennardJonesModel& model,
                               const std::vector<std::int64_t>& counts, double volume);

}  // namespace pencilbox
