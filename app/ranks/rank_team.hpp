// The ranks of this process, which keep step with those of others: each call is made by all
// processes, and letters travel between them.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "app/ranks/commission.hpp"
#include "app/ranks/post.hpp"
#include "app/ranks/rank_domain.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

template <class Precision>
class RankTeam {
 public:
  using Row = ParticleRow<Precision>;

  /// Makes the domains of this process, and makes sure that all others have theirs. On the first
  /// rank it throws BackendRefusal if the back end cannot run the part of some rank; elsewhere
  /// `is_complete` is then false.
  RankTeam(const Commission& commission, Post& post);

  bool is_complete() const { return is_complete_; }
  const RankGrid& grid() const { return grid_; }

  /// Deals out the particles: all of them on the first rank, none elsewhere.
  void own(const std::vector<Row>& all);
  void evaluate(Wanted wanted);
  void advance(std::int64_t steps, Wanted of_the_last);

  // What comes together on the first rank; elsewhere it is empty.

  /// By cell and id: as one rank orders them that is deterministic.
  std::vector<Row> rows();
  /// The first particle that was lost, if one was, and the fullest cell.
  BinningHealth health();
  NeighborStats count();

  LaunchReport launch_report() const { return domains_.front()->launch_report(); }

 private:
  using Domain = RankDomain<Precision>;

  template <class Write, class Read>
  void exchange(const Write& write, const Read& read);
  template <class Value, class Find>
  std::vector<Value> from_all(const Find& find);
  void agree(const std::string& refusal);

  RankGrid grid_;
  Decomposition decomposition_;
  Post& post_;
  std::vector<std::unique_ptr<Domain>> domains_;
  std::int64_t particles_, cells_;
  Index largest_cell_ = 0;
  bool is_complete_ = true;
};

/// What processes do that are not that of the first rank: what it orders, until it ends.
template <class Precision>
void follow(const Commission& commission, Post& post);

}  // namespace pencilbox::PENCILBOX_DEVICE
