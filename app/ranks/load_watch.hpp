// Whether ranks should deal out their cells anew: once their waiting for the busiest of them has
// cost as much as that would.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/observation.hpp"

namespace pencilbox {

class LoadWatch {
 public:
  /// Cells were dealt out, which took so long.
  void dealt(double seconds);

  /// Steps until it wants to look again.
  std::int64_t steps_to_look() const { return to_look_; }
  void advanced(std::int64_t steps) { to_look_ -= steps; }
  /// What ranks were busy for since cells were dealt out: of each that is timed.
  void look(const std::vector<double>& busy_seconds);

  bool should_deal() const;

  /// Since the beginning.
  RankLoad load() const;

 private:
  static constexpr std::int64_t first_look = 100, later_looks = 1000;

  double busiest_ = 1.0;  ///< since cells were dealt out last
  double waited_ = 0.0;   ///< likewise, of the mean rank for the busiest [s]
  double mean_ = 0.0;     ///< likewise, work of the mean rank [s]
  double waited_before_ = 0.0, mean_before_ = 0.0;  ///< until then
  double cost_ = 0.0;                               ///< of dealing [s]
  double patience_ = 1.0;                           ///< grows where dealing has not helped
  std::optional<double> before_;  ///< what busiest_ was when cells were dealt out for it
  std::int64_t dealt_ = -1;       ///< times; the first is none
  std::int64_t to_look_ = first_look;
};

}  // namespace pencilbox
