// The observables of a simulation: each takes its samples when they are due, and its time is
// counted.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/engine/simulation.hpp"
#include "app/engine/simulation_problem.hpp"
#include "core/error.hpp"
#include "observables/observable.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

/// Of a start, or of an exact state.
template <class State>
ObservedSystem observed_system(const State& state, const SimulationSettings& settings) {
  const ObservedStage stage =
      settings.observed.value_or(ObservedStage{settings.timestep, settings.barostat.has_value()});
  return {state.box,      state.types,        count_types(state.types.size(), state.type),
          stage.timestep, settings.potential, stage.box_changes};
}

/// Throws ObservableRefusal for the first that is not defined for the system.
inline void require_observables(const std::vector<ObservableChoice>& choices,
                                const ObservedSystem& system) {
  for (const ObservableChoice& choice : choices) {
    find_observable(choice.name).require({system, choice});
  }
}

template <class Precision>
class Observers {
 public:
  Observers(const std::vector<ObservableChoice>& choices, ObservedSystem system)
      : choices_(choices), system_(std::move(system)) {
    make_anew();
  }

  /// In the box of the present step: none has taken a sample yet, as they look at the last stage
  /// alone.
  void begin_stage(const Box& box, std::int64_t step) {
    if (system_.box.edges == box.edges) return;
    require_in(box, step);
    system_.box = box;
    make_anew();
  }

  std::int64_t due_at(std::int64_t step) const {
    return std::count_if(observers_.begin(), observers_.end(),
                         [step](const Observer& observer) { return observer.choice.is_due(step); });
  }
  bool any_due(std::int64_t step) const { return due_at(step) > 0; }

  /// What was right in the box of the start need not be in the one of now: throws PhysicsError.
  void require_in(const Box& box, std::int64_t step) const {
    ObservedSystem now = system_;
    now.box = box;
    try {
      require_observables(choices_, now);
    } catch (const ObservableRefusal& refusal) {
      throw PhysicsError("step " + std::to_string(step) +
                         ": in the box that the barostat has made: " + refusal.what());
    }
  }

  /// `seconds_before`: what it took to bring the state here, of which those that look at it have
  /// equal shares.
  void sample(const Box& box, const ObservedState<Precision>& state, Stream& stream,
              double seconds_before = 0.0) {
    const std::int64_t step = state.step;
    if (system_.box_changes) require_in(box, step);
    const double share = seconds_before / static_cast<double>(due_at(step));
    for (Observer& observer : observers_) {
      if (!observer.choice.is_due(step)) continue;
      Event begin, end;
      begin.record(stream);
      observer.observable->sample(state, stream);
      end.record(stream);
      end.wait();
      observer.seconds += share + end.seconds_since(begin);
    }
  }

  std::vector<ObservableResult> results(Stream& stream) {
    std::vector<ObservableResult> results;
    for (Observer& observer : observers_) {
      ObservableResult result = observer.observable->result(stream);
      result.name = observer.choice.name;
      result.every = observer.choice.every;
      result.seconds = observer.seconds;
      results.push_back(std::move(result));
    }
    return results;
  }

  std::vector<ObservableState> states(Stream& stream) {
    std::vector<ObservableState> states;
    for (Observer& observer : observers_) {
      states.push_back({observer.choice, observer.observable->state(stream)});
    }
    return states;
  }

  void restore(const std::vector<ObservableState>& states, Stream& stream) {
    for (const ObservableState& state : states) {
      for (Observer& observer : observers_) {
        if (observer.choice.name != state.choice.name) continue;
        if (observer.choice != state.choice) {
          throw InputError("observables: " + state.choice.name +
                           ": the state in the checkpoint is of other parameters");
        }
        observer.observable->restore(state.numbers, stream);
      }
    }
  }

 private:
  struct Observer {
    ObservableChoice choice;
    std::unique_ptr<Observable<Precision>> observable;
    double seconds = 0.0;
  };

  void make_anew() {
    observers_.clear();
    for (const ObservableChoice& choice : choices_) {
      observers_.push_back(
          {choice, make_observable<Precision>(find_observable(choice.name), {system_, choice})});
    }
  }

  std::vector<ObservableChoice> choices_;
  ObservedSystem system_;  ///< that they were made for
  std::vector<Observer> observers_;
};

/// What they take on the device.
inline std::int64_t bytes_of_observables(const std::vector<ObservableChoice>& choices,
                                         const ObservedSystem& system) {
  std::int64_t bytes = 0;
  for (const ObservableChoice& choice : choices) {
    bytes += find_observable(choice.name).own_bytes({system, choice});
  }
  return bytes;
}

}  // namespace pencilbox::PENCILBOX_DEVICE
