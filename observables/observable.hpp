// The contract of an observable: it takes samples of the state on the device while a run goes on,
// keeps sums, and says at the end what it has found. It changes nothing of the state.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/box.hpp"
#include "core/interactions/potential.hpp"
#include "core/observable_info.hpp"
#include "core/particles.hpp"
#include "neighbor/cells/cell_grid.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

/// What stays while a run goes on.
struct ObservedSystem {
  Box box;  ///< where box_changes: that of the beginning
  std::vector<ParticleType> types;
  std::vector<std::int64_t> type_counts;  ///< particles of each type
  double timestep = 0.0;                  ///< [tau]
  Potential potential = {};
  bool box_changes = false;  ///< there is a barostat

  std::int64_t particles() const {
    std::int64_t all = 0;
    for (const std::int64_t count : type_counts) all += count;
    return all;
  }
};

/// The state after a step. Particles lie cell by cell; where a list is kept they lie in the cells
/// of its last rebuild, and may have left these by `stray`.
template <class Precision>
struct ObservedState {
  const Particles<Precision>& particles;
  const CellGrid& grid;
  const Index* offset;  ///< [cells + 1] first particle of a cell, on the device
  double stray = 0.0;   ///< how far from its cell a particle may be [sigma]
  std::int64_t step = 0;
  double time = 0.0;  ///< [tau]
};

template <class Precision>
class Observable {
 public:
  virtual ~Observable() = default;

  /// Counts the present state in. May allocate and wait: no steps are under way.
  virtual void sample(const ObservedState<Precision>& state, Stream& stream) = 0;

  /// What the samples so far say; `name`, `every` and `seconds` are the caller's to fill.
  virtual ObservableResult result(Stream& stream) = 0;

  /// What it carries from sample to sample, for a checkpoint; doubles hold integers up to 2^53.
  virtual NamedNumbers state(Stream& stream) = 0;

  /// Takes back what state() gave. Throws InputError for what is none of its own.
  virtual void restore(const NamedNumbers& state, Stream& stream) = 0;
};

struct ObservableSettings {
  ObservedSystem system;
  ObservableChoice choice;

  double parameter(const char* name) const { return choice.parameters.at(name); }
  std::int64_t integer(const char* name) const {
    return static_cast<std::int64_t>(parameter(name));
  }
  /// Between two samples [tau].
  double interval() const { return static_cast<double>(choice.every) * system.timestep; }
};

struct ObservableEntry {
  ObservableInfo info;
  /// Throws ObservableRefusal for a system that it is not defined for.
  void (*require)(const ObservableSettings&);
  /// What it takes on the device, in bytes.
  std::int64_t (*own_bytes)(const ObservableSettings&);
  std::unique_ptr<Observable<SinglePrecision>> (*make_single)(const ObservableSettings&);
  std::unique_ptr<Observable<MixedPrecision>> (*make_mixed)(const ObservableSettings&);
  std::unique_ptr<Observable<DoublePrecision>> (*make_double)(const ObservableSettings&);
};

/// The entry of an observable whose class template is constructible from ObservableSettings and has
/// the static functions `require` and `own_bytes`.
template <template <class> class ObservableOf>
ObservableEntry make_observable_entry(ObservableInfo info) {
  using Settings = ObservableSettings;
  return {std::move(info),
          [](const Settings& s) { ObservableOf<DoublePrecision>::require(s); },
          [](const Settings& s) { return ObservableOf<DoublePrecision>::own_bytes(s); },
          [](const Settings& s) -> std::unique_ptr<Observable<SinglePrecision>> {
            return std::make_unique<ObservableOf<SinglePrecision>>(s);
          },
          [](const Settings& s) -> std::unique_ptr<Observable<MixedPrecision>> {
            return std::make_unique<ObservableOf<MixedPrecision>>(s);
          },
          [](const Settings& s) -> std::unique_ptr<Observable<DoublePrecision>> {
            return std::make_unique<ObservableOf<DoublePrecision>>(s);
          }};
}

template <class Precision>
std::unique_ptr<Observable<Precision>> make_observable(const ObservableEntry& entry,
                                                       const ObservableSettings& settings) {
  if constexpr (Precision::value == pencilbox::Precision::single) {
    return entry.make_single(settings);
  } else if constexpr (Precision::value == pencilbox::Precision::mixed) {
    return entry.make_mixed(settings);
  } else {
    return entry.make_double(settings);
  }
}

/// Throws ObservableRefusal where there is a barostat.
inline void require_fixed_box(const ObservableSettings& settings, const std::string& why) {
  if (!settings.system.box_changes) return;
  throw ObservableRefusal(settings.choice.name, "type", why, "a barostat",
                          "a last stage without one");
}

/// All observables, in the order of observables/CMakeLists.txt (generated).
const std::vector<ObservableEntry>& observable_registry();

/// Throws InputError, naming what there is, if no observable is called `name`.
const ObservableEntry& find_observable(const std::string& name);

/// The numbers of `name` in a state, exactly `size` of them. Throws InputError if they are not
/// there.
inline const std::vector<double>& numbers_of(const NamedNumbers& state, const std::string& name,
                                             std::size_t size) {
  const auto found = state.find(name);
  if (found == state.end() || found->second.size() != size) {
    throw InputError("observables: the state in the checkpoint is of another observable: '" + name +
                     "' is missing or of another size");
  }
  return found->second;
}

/// "_A_B" where there are several types, else nothing: what a name of a column ends with.
inline std::string suffix_of(const ObservedSystem& system, std::vector<std::size_t> types) {
  std::string suffix;
  if (system.types.size() < 2) return suffix;
  for (const std::size_t type : types) suffix += "_" + system.types[type].name;
  return suffix;
}

}  // namespace pencilbox::PENCILBOX_DEVICE
