// `run.deterministic`: the same bits twice, at constant energy and in a heat bath.
#include <cstring>

#include <fmt/format.h>

#include "app/validate/check.hpp"
#include "io/output/provenance.hpp"

namespace pencilbox {
namespace {

struct Ending {
  std::vector<double> numbers;  ///< positions and velocities

  std::string hash() const {
    std::string bytes(numbers.size() * sizeof(double), '\0');
    std::memcpy(bytes.data(), numbers.data(), bytes.size());
    return hash_of(bytes);
  }
};

Ending ending_of(const Subject& subject, const SimulationSetup& setup, std::int64_t steps) {
  const auto simulation = subject.make(setup);
  simulation->advance(steps);
  FieldSet fields;
  for (const Field field : {Field::position, Field::velocity}) fields.insert(field);
  const Frame frame = simulation->snapshot(fields);
  Ending ending;
  for (const auto* vectors : {&frame.position, &frame.velocity}) {
    for (const Double3& vector : *vectors) {
      ending.numbers.insert(ending.numbers.end(), vector.begin(), vector.end());
    }
  }
  return ending;
}

ValidationRows rows_of(const Subject& subject, const std::string& name,
                       const SimulationSetup& setup, std::int64_t steps) {
  return answered(
      {{fmt::format("{} twice, {} steps: bits", name, steps), 0.0, 0.0, source_itself}},
      [&](ValidationRows& rows) {
        const Ending first = ending_of(subject, setup, steps);
        const Ending second = ending_of(subject, setup, steps);
        std::int64_t different = 0;
        for (std::size_t k = 0; k < first.numbers.size(); ++k) {
          different += std::memcmp(&first.numbers[k], &second.numbers[k], sizeof(double)) != 0;
        }
        rows[0].value = static_cast<double>(different);
        rows[0].remark = first.hash() == second.hash() ? "both " + first.hash()
                                                       : first.hash() + ", then " + second.hash();
      });
}

}  // namespace

ValidationRows check_determinism(const Subject& subject) {
  const std::int64_t steps = subject.too_slow.empty() ? 500 : 20;
  SimulationSetup setup = subject.setup(warm_crystal(6, 0.8442, 1.44), 2.5, Truncation::cut);
  setup.deterministic = true;
  ValidationRows rows = rows_of(subject, "constant energy", setup, steps);
  append(rows, rows_of(subject, "heat bath", in_bath(setup, 1.0, 1.0), steps));
  return rows;
}

}  // namespace pencilbox
