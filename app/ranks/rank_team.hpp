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
  const RankGrid& grid() const { return decomposition_.rank_grid(); }
  /// Whether letters go straight from device to device.
  bool exchanges_directly() const { return is_direct_; }

  bool keeps_list() const { return domains_.front()->keeps_list(); }
  /// Since the last evaluation, until particles are owned anew.
  bool is_ordered() const { return is_ordered_; }

  /// Deals out the particles: all of them on the first rank, none elsewhere. `have_list`: they are
  /// to go on with that, and with the forces that they have.
  void own(const LargeVector<Row>& all, bool have_list = false);
  void evaluate(Wanted wanted);
  void advance(std::int64_t steps, Wanted of_the_last);
  /// Takes out the motion of the centre of mass.
  void zero_momentum();
  /// Its settings: on the first rank; the others are told.
  void begin_stage(const StageSettings& stage);
  /// The same cells, over another box; the first rank has it, and the others are told. Nothing is
  /// owned any more.
  void stretch(const BoxAndCells& to);
  /// How they are summed follows, with the evaluation that has to come next.
  void take_forces_to_be(bool large);
  /// Others than steps have changed the velocities.
  void velocities_changed();
  /// Whether velocities_changed() has anything to do.
  bool keeps_kinetic_energy() const {
    return domains_.front()->integrator().keeps_kinetic_energy();
  }
  /// The last that is done together: from here on nobody has hold of another's memory.
  void part();

  // What comes together on the first rank; elsewhere it is empty.

  /// By cell and id: as one rank orders them that is deterministic.
  LargeVector<Row> rows();
  /// Of a frame each rank's part. Only while particles are ordered: is_ordered().
  Mail frame_parts(const FrameOrder& order);
  /// The first particle that was lost, if one was, and the fullest cell.
  BinningHealth health();
  NeighborStats count();
  LookedAt look();
  /// In the order of ranks: not to the bit those of one.
  Observation sum_observables();
  double sum_squared_forces();
  /// What integrators have counted on all ranks is on the first one from here on.
  void collect_energy();
  /// Of the first domain here, which has it all on the first rank when that is collected.
  NamedNumbers integrator_state() { return domains_.front()->integrator_state(); }
  double conserved_energy(const Observation& sums) {
    return domains_.front()->conserved_energy(sums);
  }
  bool conserves_momentum() const { return domains_.front()->conserves_momentum(); }

  /// Of steps, as the first domain of this process sees them.
  RegionSeconds regions() const { return domains_.front()->profiler().seconds(); }
  /// Of each rank of which a process keeps time, without waiting for others, on the first one.
  std::vector<double> busy_seconds();
  void forget_regions() { domains_.front()->profiler() = Profiler(); }

  /// Of the list, where one is kept; of its rows what count() found.
  const ListStats& list_stats() const { return list_; }
  /// Goes on counting.
  void go_on_from(const ListStats& before) { list_ = before; }
  /// Evaluations since it was made.
  const ListAges& list_ages() const { return ages_; }

  LaunchReport launch_report() const { return domains_.front()->launch_report(); }

 private:
  using Domain = RankDomain<Precision>;

  template <class Value, class Find>
  LargeVector<Value> from_all(const Find& find);
  /// Throws on the first rank if any has a reason; elsewhere `is_complete_` is then false.
  template <class Refusal>
  void agree(const std::string& refusal);
  bool is_any(bool here);
  std::string why_not_direct();
  void choose_exchange(Exchange wanted);

  template <class Action>
  void until_it_fits(const Action& action);
  void connect();
  void connect_sums();
  void begin_region(Region region);
  template <class Of>
  void carry_through_host(const Of& of);
  void carry_letters_through_host();
  void exchange_letters();
  void exchange_sums();
  void sum_kinetic_energy(Velocities which);
  void tell_kinetic_energy();
  void order();
  void compute(Wanted wanted);
  bool compute_and_move();
  void advance_by_steps(std::int64_t steps, Wanted of_the_last);

  // Where a list is kept: rank_team_list.cpp.
  void advance_by_units(std::int64_t steps, Wanted of_the_last);
  void order_and_list();
  void list_what_is_owned();
  void list_what_has_moved();
  void list_anew();
  void tell_present_positions();
  void open(std::int32_t units);
  void count_interval();
  template <class Say>
  void take_turns(const Say& say);
  bool exchange_positions(std::int32_t unit);
  bool is_list_due(std::int32_t unit);
  void run_units(std::int32_t units);

  Problem global_;
  Decomposition decomposition_;
  Post& post_;
  std::vector<std::unique_ptr<Domain>> domains_;
  std::int64_t particles_, cells_;
  Index largest_cell_ = 0;
  bool is_complete_ = true;
  bool is_direct_ = false;
  bool is_ordered_ = false;

  bool is_list_old_ = false;  ///< of what is owned: made of where it was, not of where it is
  ListStats list_, kept_list_;
  ListAges ages_, kept_ages_;
};

/// What processes do that are not that of the first rank: what it orders, until it ends.
template <class Precision>
void follow(const Commission& commission, Post& post);

}  // namespace pencilbox::PENCILBOX_DEVICE
