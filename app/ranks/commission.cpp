#include "app/ranks/commission.hpp"

#include <map>
#include <optional>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <variant>

namespace pencilbox {
namespace {

/// Both directions are one description: `archive(values...)` appends them, or takes them off.
class Writer {
 public:
  template <class... Values>
  void operator()(Values&... values) {
    (put(values), ...);
  }

  Letter letter() && { return std::move(letter_); }

 private:
  template <class Value>
  void put(Value& value) {
    if constexpr (std::is_trivially_copyable_v<Value>) {
      letter_.append(value);
    } else {
      describe(*this, value);
    }
  }

  Letter letter_;
};

class Reader {
 public:
  explicit Reader(const Letter& letter) : bytes_(letter.bytes()) {}

  template <class... Values>
  void operator()(Values&... values) {
    (take(values), ...);
  }

 private:
  template <class Value>
  void take(Value& value) {
    if constexpr (std::is_trivially_copyable_v<Value>) {
      if (bytes_.size() - at_ < sizeof(Value)) throw std::logic_error("a commission is cut short");
      std::memcpy(&value, bytes_.data() + at_, sizeof(Value));
      at_ += sizeof(Value);
    } else {
      describe(*this, value);
    }
  }

  const LargeVector<std::byte>& bytes_;
  std::size_t at_ = 0;
};

template <class Archive, class Value>
void describe(Archive& archive, std::optional<Value>& value) {
  bool has = value.has_value();
  archive(has);
  if (has && !value) value.emplace();
  if (has) archive(*value);
}

template <class Archive, class Sequence>
void describe_sequence(Archive& archive, Sequence& sequence) {
  std::size_t size = sequence.size();
  archive(size);
  sequence.resize(size);
  for (auto& one : sequence) archive(one);
}
template <class Archive>
void describe(Archive& archive, std::string& text) {
  describe_sequence(archive, text);
}
template <class Archive, class Value>
void describe(Archive& archive, std::vector<Value>& values) {
  describe_sequence(archive, values);
}

template <class Archive, class Value>
void describe(Archive& archive, std::map<std::string, Value>& values) {
  std::vector<std::pair<std::string, Value>> rows(values.begin(), values.end());
  archive(rows);
  values = {rows.begin(), rows.end()};
}
template <class Archive, class First, class Second>
void describe(Archive& archive, std::pair<First, Second>& both) {
  archive(both.first, both.second);
}

template <class Archive, class... Models>
void describe(Archive& archive, std::variant<Models...>& model) {
  std::size_t kind = model.index();
  archive(kind);
  std::size_t number = 0;
  const auto describe_if_it_is = [&](auto fresh) {
    using Model = decltype(fresh);
    if (number++ != kind) return;
    if (!std::holds_alternative<Model>(model)) model = std::move(fresh);
    archive(std::get<Model>(model));
  };
  (describe_if_it_is(Models{}), ...);
}

// Each takes its struct apart: a member that is new does not compile until it is here. Settings
// cannot be taken apart, as they derive from those of a stage.

template <class Archive>
void describe(Archive& archive, ParticleType& type) {
  auto& [name, mass] = type;
  archive(name, mass);
}

template <class Archive>
void describe(Archive& archive, LennardJonesModel& model) {
  auto& [cutoff, truncation, tail_correction, types, pairs] = model;
  archive(cutoff, truncation, tail_correction, types, pairs);
}

template <class Archive>
void describe(Archive& archive, SoftenedGravityModel& model) {
  auto& [gravitational_constant, softening, masses] = model;
  archive(gravitational_constant, softening, masses);
}

template <class Archive>
void describe(Archive& archive, PairTable& table) {
  auto& [first, spacing, cutoff, energy, force] = table;
  archive(first, spacing, cutoff, energy, force);
}

template <class Archive>
void describe(Archive& archive, TabulatedModel& model) {
  auto& [types, tables, table_of] = model;
  archive(types, tables, table_of);
}

template <class Archive>
void describe(Archive& archive, Barostat& barostat) {
  auto& [type, parameters] = barostat;
  archive(type, parameters);
}

template <class Archive>
void describe(Archive& archive, ObservableChoice& choice) {
  auto& [name, every, from, parameters] = choice;
  archive(name, every, from, parameters);
}

template <class Archive>
void describe(Archive& archive, StageSettings& stage) {
  auto& [integrator, parameters, timestep, first_step, first_time, steps, zero_momentum_every,
         barostat] = stage;
  archive(integrator, parameters, timestep, first_step, first_time, steps, zero_momentum_every,
          barostat);
}

template <class Archive>
void describe(Archive& archive, SimulationSettings& settings) {
  archive(static_cast<StageSettings&>(settings), settings.potential, settings.backend,
          settings.options, settings.precision, settings.deterministic, settings.skin,
          settings.list_until, settings.executor, settings.observables, settings.observed);
}

template <class Archive>
void describe(Archive& archive, Problem& problem) {
  auto& [box, grid, particles, of_all_ranks, largest_cell, potential, parts_of_a_cell, skin,
         list_until, precision, in_quanta, forces_are_large, deterministic, device] = problem;
  static_cast<void>(device);  // everyone has its own
  archive(box, grid, particles, of_all_ranks, largest_cell, potential, parts_of_a_cell, skin,
          list_until, precision, in_quanta, forces_are_large, deterministic);
}

template <class Archive>
void describe(Archive& archive, CommissionForDevice& both) {
  auto& [device, commission] = both;
  auto& [settings, types, global, cuts, shares_devices, exchange, step, integrator, list_age,
         list_age_before] = commission;
  archive(device, settings, types, global, cuts[0], cuts[1], cuts[2], shares_devices, exchange,
          step, integrator, list_age, list_age_before);
}

template <class Value>
Letter letter_with(Value value) {
  Writer writer;
  writer(value);
  return std::move(writer).letter();
}

template <class Value>
Value read_from(const Letter& letter) {
  Value value;
  Reader reader(letter);
  reader(value);
  return value;
}

}  // namespace

Letter letter_of(const std::string& device, const Commission& commission) {
  return letter_with(CommissionForDevice{device, commission});
}

CommissionForDevice commission_in(const Letter& letter) {
  return read_from<CommissionForDevice>(letter);
}

Letter letter_of(const StageSettings& stage) { return letter_with(stage); }

StageSettings stage_in(const Letter& letter) { return read_from<StageSettings>(letter); }

}  // namespace pencilbox
