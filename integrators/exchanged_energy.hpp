// Energy that a thermostat has given to the particles, summed over all steps so far.
//
// It is counted in whole quanta of 2^-40 epsilon, because integers add up to the same whatever
// their order is: each thread keeps a count of its own, whichever particle it moves, nothing is
// summed before somebody asks, and a resumed run goes on with the very same number.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>

#include "core/error.hpp"
#include "core/exact_state.hpp"
#include "core/reduction.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

/// A place for each thread of a kernel that exchanges energy.
struct ExchangedEnergyView {
  static constexpr double quanta_of_one = 0x1p40;  ///< in an epsilon

  std::int64_t* counts;  ///< [N]

  PENCILBOX_DEVICE_FUNCTION void add(Index thread, double energy) const {
    counts[thread] += static_cast<std::int64_t>(std::floor(energy * quanta_of_one + 0.5));
  }
};

/// Twenty-two bits of each count in a part, the least significant first, the sign with the last:
/// sums of 2^31 of them are exact in double.
struct PartsOfCount {
  static constexpr int bits = 22;
  static constexpr int number = 3;
  const std::int64_t* counts;

  PENCILBOX_DEVICE_FUNCTION Numbers<number> operator()(Index i) const {
    constexpr std::int64_t lowest = (std::int64_t{1} << bits) - 1;
    const std::int64_t count = counts[i];
    return {{static_cast<double>(count & lowest), static_cast<double>((count >> bits) & lowest),
             static_cast<double>(count >> (2 * bits))}};
  }
};

class ExchangedEnergy {
 public:
  static constexpr std::size_t parts = PartsOfCount::number;
  /// The least significant first; each but the last below 2^22.
  using Total = std::array<std::int64_t, parts>;

  /// For kernels of so many threads. Allocates on the first call, which must be no part of a graph.
  ExchangedEnergyView view(Index threads, Stream& stream) {
    if (counts_.size() != threads) {
      counts_.resize(threads);
      counts_.fill_bytes(0, stream);
    }
    return {counts_.data()};
  }

  // Where steps may be done again, and ranks count for themselves; each waits for the stream.

  /// What was counted so far stays, whatever forget() does.
  void keep(Stream& stream) {
    before_ = count(stream);
    forget(stream);
  }
  /// What was counted since keep().
  void forget(Stream& stream) { counts_.fill_bytes(0, stream); }
  /// All of it, which is then no longer here.
  Total take(Stream& stream) {
    keep(stream);
    return std::exchange(before_, {});
  }
  void add(const Total& more) {
    for (std::size_t k = 0; k < parts; ++k) before_[k] += more[k];
  }

  /// [epsilon]; waits for the stream.
  double total(Stream& stream) {
    const Total sum = count(stream);
    return (std::ldexp(static_cast<double>(sum[2]), 2 * PartsOfCount::bits) +
            std::ldexp(static_cast<double>(sum[1]), PartsOfCount::bits) +
            static_cast<double>(sum[0])) /
           ExchangedEnergyView::quanta_of_one;
  }

  /// All that an integrator keeps whose only memory this is.
  NamedNumbers state(Stream& stream) {
    const Total sum = count(stream);
    return {{name, {sum.begin(), sum.end()}}};
  }
  /// Throws InputError for what is none of it; `integrator` says whose it should be.
  void restore(const NamedNumbers& state, const std::string& integrator) {
    const auto found = state.find(name);
    if (state.size() != 1 || found == state.end() || found->second.size() != parts) {
      throw InputError("integrator: the state is none of " + integrator);
    }
    for (std::size_t k = 0; k < parts; ++k) {
      before_[k] = static_cast<std::int64_t>(found->second[k]);
    }
  }

 private:
  static constexpr const char* name = "exchanged_energy";

  Total count(Stream& stream) {
    Total sum = before_;
    if (counts_.size() > 0) {
      const auto more = reduction_.sums<PartsOfCount::number>(
          PartsOfCount{counts_.data()}, static_cast<Index>(counts_.size()), stream);
      for (std::size_t k = 0; k < parts; ++k) sum[k] += static_cast<std::int64_t>(more[k]);
    }
    for (std::size_t k = 0; k + 1 < parts; ++k) {
      sum[k + 1] += sum[k] >> PartsOfCount::bits;
      sum[k] &= (std::int64_t{1} << PartsOfCount::bits) - 1;
    }
    return sum;
  }

  Buffer<std::int64_t> counts_;
  Reduction reduction_;
  Total before_{};  ///< of the run that this one resumes
};

}  // namespace pencilbox::PENCILBOX_DEVICE
