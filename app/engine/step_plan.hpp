// What a time step is: made once for a problem out of its parts, then enqueued again and again, by
// launches or noted in a graph. Nothing here waits for the device or asks it anything.
//
//   every step        unit k:  order, back end's rebuild, forces, move into cells
//   on displacement   cycle:   [ order, back end's rebuild ]              if due
//                     unit k:  forces, move under watch, look at strays   while k < limit
//
// For a small system all units of a cycle may be one kernel, in which blocks wait for each other.
// Forces and move are one kernel where back end and integrator can. Unit k of a cycle reads the
// mirror that k is even or odd for, and its move writes the other.
#pragma once

#include "core/profile.hpp"
#include "core/step_control.hpp"
#include "integrators/integrator.hpp"
#include "neighbor/backend.hpp"
#include "neighbor/cells/binning.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

/// A batch begins: its units are still to come, and one evaluation after them. `carried`: the last
/// evaluation of the batch before, which belongs to no unit, counts to the age of the order.
struct BeginBatch {
  static constexpr const char* name = "engine: begin a batch";
  StepControl* control;
  StraysView strays;
  std::int32_t units;
  std::int32_t carried;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index) const {
    control->limit = control->done = control->full = 0;
    control->left = units;
    control->final = 1;
    control->age += carried;
    control->rebuilds = control->shortest = control->longest = control->intervals = 0;
    strays.forget_all();
  }
};

/// What the units before have done is booked; nothing runs until the next cycle is open.
struct SettleCycle {
  static constexpr const char* name = "engine: settle a cycle";
  StepControl* control;
  StraysView strays;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index) const {
    control->done += control->limit;
    control->left -= control->limit;
    control->age += control->limit;
    control->odd = control->due == 0 ? control->limit % 2 : 0;
    control->limit = 0;
    if (control->due != 0) control->longest_row = 0;
    control->order_due = control->full == 0 ? control->due : 0;
    strays.forget_all();  // units are counted anew
  }
};

enum class CycleOf { units, the_last_evaluation };

/// After a rebuild, if one was due: as many units may run as the cycle has and the batch still
/// wants. None where the rebuild's rows were too short: then it stays due.
struct OpenCycle {
  static constexpr const char* name = "engine: open a cycle";
  StepControl* control;
  std::int32_t row_capacity;
  std::int32_t units;
  CycleOf kind;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index) const {
    if (control->due != 0) {
      control->full = control->longest_row > row_capacity ? 1 : 0;
      if (control->full != 0) return;
      note_interval(control->age);
      control->due = control->age = 0;
    }
    if (kind == CycleOf::units) {
      control->limit = units < control->left ? units : control->left;
    } else if (control->left == 0 && control->final != 0) {
      control->limit = 1;
      control->left = 1;
      control->final = 0;
    }
  }

  PENCILBOX_DEVICE_FUNCTION void note_interval(std::int32_t interval) const {
    control->age_before = interval;
    ++control->rebuilds;
    control->intervals += interval;
    if (interval > control->longest) control->longest = interval;
    if (interval < control->shortest || control->shortest == 0) control->shortest = interval;
  }
};

/// Units that ran without a limit are booked, so that the next ones know their step.
struct BookUnits {
  static constexpr const char* name = "engine: book units";
  StepControl* control;
  std::int32_t units;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index) const { control->done += units; }
};

/// Of a simulation: whatever a step is made of.
template <class Precision>
struct StepParts {
  Particles<Precision>& particles;
  Binning<Precision>& binning;
  Backend<Precision>& backend;
  const Interaction<typename Precision::Pair>& interaction;
  Integrator<Precision>& integrator;
  double timestep;       ///< [tau]
  StepControl* control;  ///< on the device
  Profiler& profiler;
  Stream& stream;
};

/// How the units of a cycle are enqueued: a kernel each, or more, or, where back end and integrator
/// can, all in one kernel whose blocks meet after each.
enum class UnitsComeAs { several_kernels, one_kernel };

template <class Precision>
class StepPlan {
 public:
  explicit StepPlan(const StepParts<Precision>& parts) : parts_(parts) {}

  bool rebuilds_every_step() const { return parts_.binning.lasts() == OrderLasts::one_step; }

  void begin_batch(std::int32_t units, std::int32_t carried) {
    for_each(parts_.stream, 1, BeginBatch{parts_.control, parts_.binning.strays(), units, carried});
  }

  /// From known forces to the positions of unit 0.
  void first_move() {
    parts_.profiler.begin(Region::integrate, parts_.stream);
    parts_.integrator.first_half(moving_to(0), parts_.stream);
    look_for_missed_pairs(0);
    parts_.profiler.begin(Region::end, parts_.stream);
  }

  /// Order and back end's rebuild, of particles wherever they are at this step of the batch.
  void rebuild(std::int32_t step) {
    order(step);
    rebuild_backend();
  }

  /// Of a plan that rebuilds every step: unit k of those that are not booked yet.
  void unit(std::int32_t k) {
    order_arrived();
    compute_and_move(k);
  }
  void book(std::int32_t units) { for_each(parts_.stream, 1, BookUnits{parts_.control, units}); }

  /// Of a plan that rebuilds on displacement: a rebuild if it is due, then units until the next.
  void cycle(std::int32_t units, UnitsComeAs come) {
    open_cycle(units, CycleOf::units);
    if (come == UnitsComeAs::one_kernel && !parts_.profiler.sampling() && move_at_once(units)) {
      return;
    }
    for (std::int32_t k = 0; k < units; ++k) {
      const GatedStream gated(parts_.stream, Gate{&parts_.control->limit, k});
      compute_and_move(k);
    }
  }

  /// The batch's last evaluation, after units that are booked, and the half step that ends it. On
  /// displacement: if all units have run, else nothing.
  void last(Wanted wanted) {
    if (rebuilds_every_step()) {
      order_arrived();
      evaluate(wanted);
      return end_step();
    }
    open_cycle(1, CycleOf::the_last_evaluation);
    const GatedStream gated(parts_.stream, Gate{&parts_.control->limit, 0});
    evaluate(wanted);
    end_step();
  }

  /// Forces of the particles as they are ordered.
  void evaluate(Wanted wanted, std::int32_t unit = 0) {
    parts_.profiler.begin(Region::force, parts_.stream);
    parts_.backend.compute(view(unit), parts_.interaction, wanted, parts_.particles.sums,
                           parts_.stream);
    parts_.profiler.begin(Region::end, parts_.stream);
  }

  /// Forces of unit k, and from them the positions of the next, which the particles do not show
  /// yet. False, with nothing enqueued, where that takes two kernels.
  bool move_by_forces(std::int32_t k) {
    const std::optional<KickAndDrift<Precision>> move = move_apart_after(k);
    if (!move) return false;
    parts_.backend.compute_and_move(view(k), parts_.interaction, *move, parts_.stream);
    return true;
  }

  /// All units of a cycle. False, with nothing enqueued, where that takes several kernels.
  bool move_at_once(std::int32_t units) {
    if (parts_.binning.allows_strays()) return false;
    const std::optional<KickAndDrift<Precision>> move = move_apart_after(0);
    if (!move) return false;
    const GatedStream gated(parts_.stream, Gate{&parts_.control->limit, 0});
    return parts_.backend.compute_and_move_units(
        view(0), parts_.interaction, *move,
        {units, &parts_.control->limit, parts_.binning.mirror(0), parts_.binning.mirror(1)},
        parts_.stream);
  }

  void rebuild_backend() {
    parts_.profiler.begin(Region::prepare, parts_.stream);
    BinnedParticles<Precision> places =
        parts_.binning.view_for_list(parts_.particles, parts_.stream);
    places.longest_row = &parts_.control->longest_row;
    parts_.backend.rebuild(places, parts_.stream);
    parts_.profiler.begin(Region::end, parts_.stream);
  }

  BinnedParticles<Precision> view(std::int32_t unit = 0) const {
    BinnedParticles<Precision> view = parts_.binning.view(parts_.particles, unit);
    view.longest_row = &parts_.control->longest_row;
    return view;
  }

 private:
  void order(std::int32_t step) {
    parts_.binning.run(parts_.particles, StepNumber{parts_.control, step}, parts_.profiler,
                       parts_.stream,
                       parts_.binning.look_ahead(parts_.control, {}, parts_.timestep));
  }

  /// When everybody is where unit `unit` will find them.
  void look_for_missed_pairs(std::int32_t unit) {
    parts_.binning.look_for_missed_pairs(parts_.particles, parts_.control, unit, unit,
                                         parts_.stream);
  }

  /// What is done to a target by the forces of unit k, where back end and integrator can: nothing
  /// is written that the unit reads of others.
  std::optional<KickAndDrift<Precision>> move_apart_after(std::int32_t k) {
    if (!parts_.backend.moves_targets()) return {};
    const StepNumber step = step_of(k + 1);
    return parts_.integrator.kick_and_drift(
        {parts_.particles,
         parts_.binning.arrival_apart(parts_.particles, step, parts_.control, k + 1), step});
  }

  /// The step that unit k evaluates: the first of a batch is step 1 of it.
  StepNumber step_of(std::int32_t unit) const { return {parts_.control, unit + 1}; }

  MovingStep<Precision> moving_to(std::int32_t unit) {
    const StepNumber step = step_of(unit);
    return {parts_.particles, parts_.binning.arrival(parts_.particles, step, parts_.control, unit),
            step};
  }

  void order_arrived() {
    parts_.profiler.begin(Region::bin, parts_.stream);
    parts_.binning.order_arrived(parts_.particles, parts_.profiler, parts_.stream);
    rebuild_backend();
  }

  /// The parts one after the other where the profile is to tell them apart: to the bit the same.
  void compute_and_move(std::int32_t unit) {
    if (!parts_.profiler.sampling() && move_by_forces(unit)) {
      parts_.binning.moved_apart(parts_.particles);
      return look_for_missed_pairs(unit + 1);
    }
    evaluate(Wanted::forces, unit);
    parts_.profiler.begin(Region::integrate, parts_.stream);
    parts_.integrator.second_then_first_half(moving_to(unit + 1), parts_.stream);
    look_for_missed_pairs(unit + 1);
    parts_.profiler.begin(Region::end, parts_.stream);
  }

  /// All units before are booked.
  void end_step() {
    parts_.profiler.begin(Region::integrate, parts_.stream);
    parts_.integrator.second_half({parts_.particles, step_of(0)}, parts_.stream);
    parts_.profiler.begin(Region::end, parts_.stream);
  }

  void open_cycle(std::int32_t units, CycleOf kind) {
    for_each(parts_.stream, 1, SettleCycle{parts_.control, parts_.binning.strays()});
    {
      const GatedStream gated(parts_.stream, Gate{&parts_.control->order_due, 0});
      order(1);
    }
    {
      const GatedStream gated(parts_.stream, Gate{&parts_.control->due, 0});
      rebuild_backend();
    }
    {
      const GatedStream gated(parts_.stream, Gate{&parts_.control->odd, 0});
      parts_.binning.turn_mirror(parts_.particles.count, parts_.stream);
    }
    for_each(parts_.stream, 1,
             OpenCycle{parts_.control, parts_.backend.row_capacity(), units, kind});
  }

  StepParts<Precision> parts_;
};

}  // namespace pencilbox::PENCILBOX_DEVICE
