// The NIST reference configurations: one evaluation of energy and virial each, and the tail
// correction. What a code gets wrong in pairs, images or truncation shows here to the last digits.
#include <cmath>

#include <fmt/format.h>

#include "app/validate/check.hpp"
#include "app/validate/nist_configurations.hpp"

namespace pencilbox {
namespace {

/// Relative: what sums of all pairs lose in each precision.
constexpr PrecisionBars bars{1e-12, 1e-6, 1e-5};

/// Of the energy: two evaluations are subtracted, whose sums may be rounded in another order.
constexpr PrecisionBars tail_bars{1e-12, 1e-7, 1e-6};

Observation evaluate(const Subject& subject, const NistCase& one, bool tail) {
  SimulationSetup setup =
      subject.setup(nist_configuration(one.configuration), one.cutoff, one.truncation);
  std::get<LennardJonesModel>(setup.potential).tail_correction = tail;
  return subject.make(std::move(setup))->observe();
}

ValidationRows rows_of(const Subject& subject, const NistCase& one) {
  const std::string name = fmt::format("configuration {}, {} {}", one.configuration,
                                       name_of(one.truncation), one.cutoff);
  const double bar = bars.of(subject.precision);
  ValidationRows asked{{name + ": U", one.energy, bar * std::abs(one.energy), source_nist},
                       {name + ": W", one.virial, bar * std::abs(one.virial), source_nist}};
  if (one.truncation == Truncation::cut) {
    asked.push_back({name + ": U_LRC", one.tail,
                     tail_bars.of(subject.precision) * std::abs(one.energy), source_nist});
  }
  return answered(std::move(asked), [&](ValidationRows& rows) {
    const Observation plain = evaluate(subject, one, false);
    rows[0].value = plain.potential_energy;
    rows[1].value = plain.virial;
    if (rows.size() < 3) return;
    rows[2].value = evaluate(subject, one, true).potential_energy - plain.potential_energy;
  });
}

}  // namespace

ValidationRows check_configurations(const Subject& subject) {
  ValidationRows rows;
  for (const NistCase& one : nist_cases) {
    append(rows, rows_of(subject, one));
  }
  return rows;
}

}  // namespace pencilbox
