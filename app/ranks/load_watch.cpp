#include "app/ranks/load_watch.hpp"

#include <algorithm>
#include <numeric>

#include "core/balance.hpp"

namespace pencilbox {

void LoadWatch::dealt(double seconds) {
  if (++dealt_ > 0) before_ = busiest_;
  cost_ = seconds;
  waited_before_ += waited_;
  mean_before_ += mean_;
  waited_ = mean_ = 0.0;
  busiest_ = 1.0;
  to_look_ = first_look;
}

void LoadWatch::look(const std::vector<double>& busy_seconds) {
  to_look_ = later_looks;
  if (busy_seconds.empty()) return;
  const double most = *std::max_element(busy_seconds.begin(), busy_seconds.end());
  mean_ = std::accumulate(busy_seconds.begin(), busy_seconds.end(), 0.0) /
          static_cast<double>(busy_seconds.size());
  if (!(mean_ > 0.0)) return;
  busiest_ = most / mean_;
  waited_ = most - mean_;
  if (!before_) return;
  // Where less than half of the waiting is gone, the next time has to be worth twice as much.
  patience_ = busiest_ - 1.0 > 0.5 * (*before_ - 1.0) ? 2.0 * patience_ : 1.0;
  before_.reset();
}

bool LoadWatch::should_deal() const {
  return busiest_ > tolerated_load && waited_ > patience_ * cost_;
}

RankLoad LoadWatch::load() const {
  RankLoad load;
  const double mean = mean_before_ + mean_;
  if (mean > 0.0) load.busiest = 1.0 + (waited_before_ + waited_) / mean;
  load.dealt = std::max<std::int64_t>(dealt_, 0);
  return load;
}

}  // namespace pencilbox
