// The contract of an integrator: one time step in two halves around the force evaluation. A
// thermostat is an integrator that does more in its halves, and reports what it conserves.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "core/exact_state.hpp"
#include "core/particles.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

template <class Precision>
class Integrator {
 public:
  virtual ~Integrator() = default;

  /// Before the forces of the new positions: `particles` hold those of the old ones.
  virtual void first_half(Particles<Precision>& particles, Stream& stream) = 0;

  /// After them.
  virtual void second_half(Particles<Precision>& particles, Stream& stream) = 0;

  /// The second half of one step and the first of the next, where nothing looks in between.
  virtual void second_then_first_half(Particles<Precision>& particles, Stream& stream) {
    second_half(particles, stream);
    first_half(particles, stream);
  }

  /// What it carries from step to step beside the particles, such as a thermostat's variables, for
  /// a checkpoint. Random numbers need nothing here: they are counted by step and particle.
  virtual NamedNumbers state() const { return {}; }

  /// Takes back what state() gave. Throws InputError for what is none of its own.
  virtual void restore(const NamedNumbers& state) {
    if (state.empty()) return;
    throw InputError("integrator: nothing to restore, got '" + state.begin()->first + "'");
  }
};

struct IntegratorSettings {
  double timestep = 0.005;  ///< [tau]
};

/// What the registry knows of an integrator.
struct IntegratorEntry {
  std::string name;  ///< the word in decks
  std::unique_ptr<Integrator<SinglePrecision>> (*make_single)(const IntegratorSettings&);
  std::unique_ptr<Integrator<MixedPrecision>> (*make_mixed)(const IntegratorSettings&);
  std::unique_ptr<Integrator<DoublePrecision>> (*make_double)(const IntegratorSettings&);
};

/// The entry of an integrator whose class template is constructible from IntegratorSettings.
template <template <class> class IntegratorOf>
IntegratorEntry make_integrator_entry(std::string name) {
  using Settings = IntegratorSettings;
  return {std::move(name),
          [](const Settings& s) -> std::unique_ptr<Integrator<SinglePrecision>> {
            return std::make_unique<IntegratorOf<SinglePrecision>>(s);
          },
          [](const Settings& s) -> std::unique_ptr<Integrator<MixedPrecision>> {
            return std::make_unique<IntegratorOf<MixedPrecision>>(s);
          },
          [](const Settings& s) -> std::unique_ptr<Integrator<DoublePrecision>> {
            return std::make_unique<IntegratorOf<DoublePrecision>>(s);
          }};
}

template <class Precision>
std::unique_ptr<Integrator<Precision>> make_integrator(const IntegratorEntry& entry,
                                                       const IntegratorSettings& settings) {
  if constexpr (Precision::value == pencilbox::Precision::single) {
    return entry.make_single(settings);
  } else if constexpr (Precision::value == pencilbox::Precision::mixed) {
    return entry.make_mixed(settings);
  } else {
    return entry.make_double(settings);
  }
}

/// All integrators, in the order of integrators/CMakeLists.txt (generated).
const std::vector<IntegratorEntry>& integrator_registry();

/// Throws InputError, naming what there is, if no integrator is called `name`.
const IntegratorEntry& find_integrator(const std::string& name);

}  // namespace pencilbox::PENCILBOX_DEVICE
