// What a run may measure while it goes on: how observables describe themselves, what a deck asks of
// them, what they keep in a checkpoint and what they find. Plain data.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "core/exact_state.hpp"
#include "core/registry.hpp"

namespace pencilbox {

/// A word that an observable takes from a deck. Among its parameters stands the word's number, from
/// 0 on.
struct WordInfo {
  std::string name;
  std::string description;
  std::vector<std::string> choices;
  std::string default_value = {};  ///< empty: a deck has to give it
};

/// What the registry knows of an observable.
struct ObservableInfo {
  std::string name;     ///< the word in decks
  std::string summary;  ///< one line for people
  std::string source;   ///< of the formula
  /// Beside `every` and `from`, which all of them have. Two that have a parameter of one name mean
  /// the same.
  std::vector<ParameterInfo> parameters = {};
  std::vector<WordInfo> words = {};  ///< likewise
};

/// The values chosen in a deck, by parameter name; all of them set.
using ObservableParameters = std::map<std::string, double>;

/// An observable that a deck asks for.
struct ObservableChoice {
  std::string name;
  std::int64_t every = 1;  ///< steps between two samples, which are due at multiples of it
  std::int64_t from = 0;   ///< no sample before this step
  ObservableParameters parameters;

  bool is_due(std::int64_t step) const { return step >= from && step % every == 0; }

  /// The first step after this at which a sample is due.
  std::int64_t next_due(std::int64_t step) const {
    const std::int64_t later = std::max(step + 1, from);
    return (later + every - 1) / every * every;
  }

  bool operator==(const ObservableChoice&) const = default;
};

/// All that its samples to come depend on.
struct ObservableState {
  ObservableChoice choice;
  NamedNumbers numbers;
};

/// A column of the table that is written; the first of a table is the abscissa.
struct ObservableColumn {
  std::string name;  ///< in the CSV
  std::vector<double> values;
  std::string legend = {};  ///< in the picture; empty: not drawn
};

/// One number that people ask for, such as a diffusion coefficient. NaN: not known.
struct ObservableNumber {
  std::string name;
  double value = 0.0;
  std::string unit = {};
};

/// What an observable has found so far.
struct ObservableResult {
  std::string name;
  std::int64_t every = 1;
  std::int64_t samples = 0;
  double seconds = 0.0;  ///< that sampling took in this part of the run
  /// A row for each sample, the first two columns are step and time. Else a table over all samples
  /// so far, always of as many rows.
  bool is_time_series = false;
  std::string title, x_label, y_label;
  std::vector<ObservableColumn> columns;
  std::vector<ObservableNumber> numbers = {};
};

/// A system that an observable is not defined for, or not with this parameter.
class ObservableRefusal : public InputError {
 public:
  ObservableRefusal(std::string observable_, std::string key_, std::string reason_,
                    std::string got_, std::string allowed_)
      : InputError("observables: " + observable_ + ": " + key_ + ": " + reason_ + ", got " + got_ +
                   ", allowed " + allowed_),
        observable(std::move(observable_)),
        key(std::move(key_)),
        reason(std::move(reason_)),
        got(std::move(got_)),
        allowed(std::move(allowed_)) {}

  std::string observable;
  std::string key;  ///< of the observable in the deck
  std::string reason, got, allowed;
};

}  // namespace pencilbox
