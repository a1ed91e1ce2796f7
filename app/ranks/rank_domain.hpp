// One rank's part of a simulation: the particles in its cells, copies of others' in the cells
// around them, and forces. All of it stays on the device while steps go on; between two phases
// letters travel from device to device, and nobody else knows how.
//
//   move          v, x of its own; each into the cell where it is now, or into a letter: who
//                 leaves, and copies of those in cells that others see
//                                                                          -> letters ->
//   order         what came, among its own, cell by cell
//   compute       forces (of copies too, which nobody reads)
//   sum           where a heat bath needs it: of the kinetic energy      -> sums of all ranks ->
//   second_half   v
//
// Where the back end keeps a list, order and ghosts last as long as it does:
//
//   compute       by the list, and move under watch: those that others see first -> letters ->
//   take          where ghosts are now, while the interior is computed and moved
//
// until one of some rank has moved too far, which all ranks tell each other. Then, before forces
// are computed:
//
//   settle        each into the cell where it will be (core/look_ahead.hpp),
//                 or over to its owner                                       -> letters ->
//   show          copies of those in cells that others see, as they will be  -> letters ->
//   order         and the list
//   take          where ghosts are now                                       -> letters ->
//
// How many particles there are the device alone knows: kernels run over rows for as many as there
// may be. Where rows or letters turn out to be too few it is noted, and told between batches; then
// the batch is done again from a copy of what it began with, with more of them.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "app/engine/simulation.hpp"
#include "app/ranks/arrivals.hpp"
#include "app/ranks/borders.hpp"
#include "app/ranks/decomposition.hpp"
#include "app/ranks/departures.hpp"
#include "app/ranks/frame_parts.hpp"
#include "app/ranks/mailbox.hpp"
#include "app/ranks/particle_copy.hpp"
#include "app/ranks/particle_rows.hpp"
#include "app/ranks/present_rows.hpp"
#include "app/ranks/sum_exchange.hpp"
#include "core/observables.hpp"
#include "core/profile.hpp"
#include "integrators/shared_integrator.hpp"
#include "integrators/zero_momentum.hpp"
#include "neighbor/backend.hpp"
#include "neighbor/cells/binning.hpp"
#include "neighbor/cells/resolution_watch.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

template <class Precision>
class RankDomain {
 public:
  using Row = ParticleRow<Precision>;

  /// `global`: the problem of all ranks; `step`: of the state that they begin with. Throws
  /// BackendRefusal if the back end cannot run the part of this rank.
  RankDomain(const SimulationSettings& setup, const std::vector<ParticleType>& types,
             const Problem& global, const Decomposition& decomposition, int rank,
             std::int64_t step);

  int rank() const { return rank_; }
  Mailbox<Precision>& mailbox() { return mailbox_; }
  SumExchange& sums() { return sums_; }
  Profiler& profiler() { return profiler_; }
  Stream& stream() { return stream_; }
  /// Of what others see, and of letters with positions.
  Stream& border_stream() { return border_stream_; }

  bool keeps_list() const { return rules_.lasts == OrderLasts::while_near; }

  /// The particles in its cells, to begin with, in no order: ghosts are lacking. Where a list is
  /// kept that is theirs where it was made.
  void own(LargeVector<Row> rows);

  // Phases. Each only enqueues.
  void show();
  void first_half();
  void both_halves();
  /// compute() of forces and both_halves() in one pass, where back end and integrator can: who
  /// stays among unseen cells is through then, others depart behind it. Else false, with
  /// nothing done.
  bool compute_and_move();
  void order();
  void compute(Wanted wanted);
  /// Its part, for all to get.
  void sum_kinetic_energy(Velocities which);
  void second_half();

  // The same where a list is kept: rank_domain_list.cpp. Units are counted from the last open(),
  // and do nothing from the one on before which somebody moved too far.

  /// The list to come is made of places so far ahead as suits one that lasts as long as the last;
  /// 0: of where particles are.
  void look_ahead(const ListAges& ages);
  void stay_where_they_are();
  void settle();
  void take_emigrants();
  void show_own();
  void order_and_list();
  void list();
  /// Own particles back to where they were of late, after a list of older positions was made.
  void return_to_present();

  /// Of what belongs to unit k.
  Gate gate_of(std::int32_t k) { return {&control_.data()->limit, k}; }
  /// `units` may run of a list of that age, or none where it is no good. How many of them did:
  /// settled().
  void open(std::int32_t units, const ListAges& ages);
  /// What unit 0 will evaluate is where they are now.
  void begin_units();
  /// Waits until the device is so near to unit k that it should be enqueued. False if a list is due
  /// before it, as far as the host knows.
  bool is_time_for(std::int32_t k);
  /// All of unit k is enqueued.
  void mark_unit(std::int32_t k);
  struct Settled {
    std::int32_t units = 0;
    bool is_due = false;  ///< a new list
  };
  Settled settled();
  /// Of the list, where the last one had too few.
  void grow_rows();
  /// The halves that lead to unit 0, or from unit k to the next.
  void watch_first_half();
  /// In one kernel where back end and integrator can; then the halves have nothing left to do. In
  /// two at a time, where the back end can: the border's is the first to be through.
  void compute_unit(std::int32_t k);
  void watch_both_halves(std::int32_t k);
  /// What follows on the border's stream is behind all that is enqueued as yet.
  void begin_border();
  // On the border's stream, while the interior is under way.
  void send_positions();
  void exchange_positions(Turn turn);
  /// For unit k.
  void take_positions(std::int32_t k);
  /// Of own particles and copies, when all that came is known.
  void look_for_missed_pairs(std::int32_t k);
  /// What follows knows all that came.
  void meet_border();
  /// Whether a list is due before unit k.
  void agree_if_due(Turn turn, std::int32_t k);
  /// Of who is told by the host.
  bool is_due();
  void stop_before(std::int32_t k);

  const SharedIntegrator<Precision>& integrator() const { return *shared_; }
  /// When everybody's are there.
  void take_kinetic_energy() { shared_->take_kinetic_energy(sums_of_all(), stream_); }
  void sum_momentum();
  void take_momentum();

  // Between batches; each waits for the device.

  /// Keeps what the batch to come begins with.
  void keep();
  /// Whether rows or room for letters were too few since keep(); then all that came of it is wrong.
  bool was_short();
  /// Rows and room enough for what was wanted. Rows are not there before lay_rows().
  void grow();
  /// When the mailbox knows what comes.
  void lay_rows();
  /// Back to what was kept.
  void begin_again();

  /// The box of all is another, and the decomposition with it. Its particles come anew: own().
  void stretch(const Problem& global);
  /// Pairs' coordinates lie on another lattice, or on none.
  void take_coordinates_of(const Problem& global);

  /// From here on by the rule of another.
  void begin_stage(const StageSettings& stage);

  /// What the integrator carries besides; the same on all ranks, but for energy that each counts
  /// with its own particles: all of that is the first rank's once the others have handed it over.
  void restore_integrator(NamedNumbers state);
  NamedNumbers integrator_state();
  std::vector<ExchangedEnergy::Total> hand_over_energy();
  void take_over_energy(const ExchangedEnergy::Total& more) { shared_->exchanged()->add(more); }
  double conserved_energy(const Observation& sums);
  bool conserves_momentum() const { return integrator_->conserves_momentum(); }

  /// Of its own, once they are ordered.
  Letter frame_part(const FrameOrder& order);
  /// Its own, by cell and id, with forces and whatever else was wanted of the last evaluation.
  LargeVector<Row> rows();
  /// Its steps are counted from the first of this domain.
  BinningHealth health();
  /// Of its own, whether numbers still resolve what they stand for.
  LookedAt look();
  /// Of its own particles; the number of these is left out.
  Observation sum_observables();
  double sum_squared_forces();

  /// Candidates and partners of each of its own particles.
  struct Counts {
    std::vector<Index> candidates, partners;
    /// Of the list, where one is kept: entries at most so far, room now, how often it grew.
    std::int64_t longest_row = 0, row_capacity = 0, times_grown = 0;
  };
  Counts count();

  LaunchReport launch_report() const { return backend_->launch_report(); }

 private:
  using State = typename Precision::State;

  void make_integrator_of(const StageSettings& stage);
  template <HalfSteps halves, class Move>
  void move_own(const Move& move);
  template <HalfSteps halves>
  void move();
  template <HalfSteps halves>
  void watch(std::int32_t unit);
  void take_in(Coming coming);
  void keep_list();
  std::int32_t* heard() { return reinterpret_cast<std::int32_t*>(heard_.data()); }
  void note_longest_row(const StepControl& control);
  void return_to_references();
  void add_references(LargeVector<Row>& rows);
  Index* tickets();
  OwnRows own_rows() const;
  CellBox own_box() const;
  CellBox without_margins(Index margins) const;
  CellCoordinates first_cell_in_global_grid() const;
  SumsOfRanks sums_of_all() const { return sums_.all(all_particles_); }
  Departures<Precision> departures();
  Departures<Precision> departures_for_list();
  OwnDepartures<Precision> own_rows_of(const Departures<Precision>& depart);
  UnseenCells unseen_cells();
  BinnedParticles<Precision> view(std::int32_t unit = 0, PartOfTargets part = PartOfTargets::all);
  BinnedParticles<Precision> as_this_rank_sees(BinnedParticles<Precision> view, PartOfTargets part);
  void compute_and_move(std::int32_t unit, const KickAndDrift<Precision>& move, PartOfTargets part,
                        Stream& stream);
  std::int32_t mirror_of(std::int32_t unit) const { return (first_mirror_ + unit) % 2; }
  Arrival<Precision> watch_for(std::int32_t unit, bool apart);
  const Index* rows_used() const;
  Index rows_now();
  std::vector<std::optional<Index>> own_cells();
  StepNumber step() const { return {nullptr, step_}; }

  const Decomposition& decomposition_;
  int rank_;
  OrderRules rules_;
  Stream stream_;
  Stream border_stream_{Priority::high};
  Event before_border_{Timed::no}, after_border_{Timed::no};
  std::array<Event, 2> unit_is_over_{Event(Timed::no), Event(Timed::no)};  ///< even and odd units
  Profiler profiler_;
  Mailbox<Precision> mailbox_;
  SumExchange sums_;
  ResolutionWatch<Precision> watch_;

  /// Rows [0, count) are its particles' and ghosts'; behind them lies what letters bring, until it
  /// is ordered.
  Particles<Precision> particles_;
  std::optional<Binning<Precision>> binning_;
  bool is_ordered_ = false;  ///< and ghosts are there
  Reduction reduction_;
  Buffer<std::int32_t> leap_;       ///< see UnseenCells
  Buffer<Index> used_, most_used_;  ///< rows: while it is not ordered; and at most, so far
  ParticleCopy<Precision> kept_;
  FramePart<Precision> frame_part_;
  Index wanted_rows_ = 0;
  std::vector<LetterSize> wanted_letters_;

  // Where a list is kept.
  Buffer<StepControl> control_;
  HostBuffer heard_;  ///< the unit before which a list is due, where the device has said so
  LookAhead<Precision> ahead_;  ///< of the list that was made last
  double timestep_ = 0.0;
  Borders borders_;
  PresentRows<Precision> present_;  ///< of those that are where a list was made of them
  Vec3Buffer<State> kept_reference_;
  bool kept_order_ = false;
  std::int32_t wanted_row_ = 0;    ///< entries of the longest row of late
  std::int32_t longest_row_ = 0;   ///< of all that were
  std::int64_t times_grown_ = 0;   ///< rows
  std::int32_t opened_at_ = 0;     ///< step that unit 0 evaluates
  std::int32_t first_mirror_ = 0;  ///< that it reads
  bool has_moved_ = false;         ///< the unit under way, with its forces
  bool border_is_ahead_ = false;   ///< of the interior, in that unit
  std::uint32_t letters_then_ = 0, sums_then_ = 0;

  std::array<Buffer<PlacesOfCell>, 3> places_;
  std::array<Buffer<Index>, 3> cells_of_ranks_;
  std::optional<Interaction<typename Precision::Pair>> interaction_;
  std::unique_ptr<Backend<Precision>> backend_;
  std::unique_ptr<Integrator<Precision>> integrator_;
  SharedIntegrator<Precision>* shared_ = nullptr;  ///< the same
  ZeroMomentum<Precision> zero_momentum_;
  bool zeroes_momentum_ = false;
  Box box_;  ///< of all ranks
  std::int64_t all_particles_;
  std::int64_t first_step_;  ///< of the state that this domain began with
  std::int32_t step_ = 0, kept_step_ = 0;
};

}  // namespace pencilbox::PENCILBOX_DEVICE
