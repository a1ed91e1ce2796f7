#include "app/compare/force_check.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/interactions/lennard_jones.hpp"

namespace pencilbox {
namespace {

FieldSet fields_of_check() {
  FieldSet fields;
  for (const Field field :
       {Field::position, Field::force, Field::image, Field::species, Field::id}) {
    fields.insert(field);
  }
  return fields;
}

StartState start_from(const Frame& frame, const std::vector<ParticleType>& types) {
  StartState start;
  start.box = frame.box;
  start.types = types;
  start.id = frame.id;
  start.type = frame.species;
  start.position = frame.position;
  start.velocity.assign(frame.id.size(), {});
  start.image = frame.image;
  return start;
}

double largest_component(const std::vector<Double3>& forces) {
  double largest = 1.0;
  for (const Double3& force : forces) {
    for (const double component : force) largest = std::max(largest, std::abs(component));
  }
  return largest;
}

double difference(const Double3& a, const Double3& b) {
  double largest = 0.0;
  for (std::size_t d = 0; d < 3; ++d) {
    const double apart = std::abs(a[d] - b[d]);
    if (std::isnan(apart)) return apart;
    largest = std::max(largest, apart);
  }
  return largest;
}

/// What a force loses or gains where a partner crosses the cutoff: the most of all pairs of types.
double jump_at_cutoff(const TabulatedModel& model) {
  double largest = 0.0;
  for (const PairTable& table : model.tables) {
    largest = std::max(largest, std::abs(table.at(table.cutoff).force_over_r * table.cutoff));
  }
  return largest;
}

double jump_at_cutoff(const Potential& potential) {
  if (const auto* tabulated = std::get_if<TabulatedModel>(&potential)) {
    return jump_at_cutoff(*tabulated);
  }
  const auto* model = std::get_if<LennardJonesModel>(&potential);
  if (model == nullptr || model->truncation == Truncation::force_shift) return 0.0;
  double largest = 0.0;
  for (const auto& constants : lennard_jones_constants<double>(*model)) {
    const auto at_cutoff = lennard_jones(constants, 1.0 / constants.cutoff_squared);
    largest = std::max(largest, std::abs(at_cutoff.force_over_r * constants.cutoff));
  }
  return largest;
}

/// Images of a partner in one direction, beyond the nearest, that may lie within `reach`.
int more_images(const Box& box, std::size_t direction, double reach) {
  const double edge = box.edges[direction];
  if (!box.periodic[direction] || edge > 2.0 * reach) return 0;
  return static_cast<int>(std::ceil(reach / edge));
}

double cutoff_between(const Potential& potential, std::int32_t type, std::int32_t other) {
  if (const auto* tabulated = std::get_if<TabulatedModel>(&potential)) {
    return tabulated->table(type, other).cutoff;
  }
  const auto* model = std::get_if<LennardJonesModel>(&potential);
  return model != nullptr ? model->cutoff_of(model->pair(type, other)) : cutoff_of(potential);
}

/// Partners of a particle, images included, whose distance is that of the cutoff, give or take.
int partners_at_cutoff(const Frame& frame, std::size_t particle, const Potential& potential,
                       double give) {
  const Box& box = frame.box;
  std::array<int, 3> more{};
  for (std::size_t d = 0; d < 3; ++d) more[d] = more_images(box, d, cutoff_of(potential) + give);
  int count = 0;
  for (std::size_t other = 0; other < frame.position.size(); ++other) {
    const double cutoff = cutoff_between(potential, frame.species[particle], frame.species[other]);
    Double3 nearest{};
    for (std::size_t d = 0; d < 3; ++d) {
      nearest[d] = frame.position[other][d] - frame.position[particle][d];
      if (box.periodic[d]) nearest[d] -= box.edges[d] * std::round(nearest[d] / box.edges[d]);
    }
    for (int i = -more[0]; i <= more[0]; ++i) {
      for (int j = -more[1]; j <= more[1]; ++j) {
        for (int k = -more[2]; k <= more[2]; ++k) {
          const double r = std::hypot(nearest[0] + i * box.edges[0], nearest[1] + j * box.edges[1],
                                      nearest[2] + k * box.edges[2]);
          count += std::abs(r - cutoff) <= give ? 1 : 0;
        }
      }
    }
  }
  return count;
}

}  // namespace

double force_bar(Precision precision) {
  switch (precision) {
    case Precision::single:
      return 1e-4;
    case Precision::mixed:
      return 5e-5;
    default:
      return 1e-10;
  }
}

ForceCheck::ForceCheck(const SimulationSetup& setup, const std::vector<BackendInfo>& known,
                       double uncertainty, MakeSimulation make)
    : truth_(setup.start.size() > most_against_reference &&
                     !std::holds_alternative<SoftenedGravityModel>(setup.potential)
                 ? "par-part-no-loop"
                 : "reference"),
      jump_(jump_at_cutoff(setup.potential)),
      reach_(setup.precision == Precision::double_ ? 0.0 : uncertainty),
      rounding_(reach_ / 64.0),
      make_(std::move(make)) {
  setup_.start.types = setup.start.types;
  setup_.potential = setup.potential;
  setup_.integrator = "velocity-verlet";  // no step is taken
  setup_.timestep = setup.timestep;
  setup_.precision = setup.precision;
  for (const BackendInfo& info : known) {
    if (info.name == truth_) setup_.options = default_options(info);
  }
}

Frame ForceCheck::evaluate(const Frame& frame) const {
  SimulationSetup setup = setup_;
  setup.start = start_from(frame, setup_.start.types);
  setup.backend = truth_;
  setup.precision = Precision::double_;
  setup.deterministic = true;
  return make_(std::move(setup))->snapshot(fields_of_check());
}

double ForceCheck::error_of(const Frame& frame, const Frame& truth, std::size_t i,
                            double bar) const {
  const double error = difference(frame.force[i], truth.force[i]);
  const bool may_be_jumps = error > bar && reach_ > 0.0 && error <= 64.0 * jump_;
  if (!may_be_jumps) return error;
  return error - jump_ * partners_at_cutoff(truth, i, setup_.potential, reach_);
}

double ForceCheck::sensitivity_of(const Frame& truth, double bar) const {
  Frame moved = truth;
  std::mt19937 random(1);
  for (Double3& position : moved.position) {
    for (double& x : position) x += random() % 2 == 0 ? rounding_ : -rounding_;
  }
  const Frame answer = evaluate(moved);
  double largest = 0.0;
  for (std::size_t i = 0; i < truth.force.size(); ++i) {
    largest = std::max(largest, error_of(answer, truth, i, bar));
  }
  return largest;
}

double ForceCheck::operator()(const std::string& backend, Simulation& simulation) const {
  const Frame mine = simulation.snapshot(fields_of_check());
  const Frame truth = evaluate(mine);
  const double scale = largest_component(truth.force);
  const double bar = force_bar(setup_.precision) * scale;
  double allowed = bar, largest = 0.0;
  for (std::size_t i = 0; i < mine.force.size(); ++i) {
    const double error = error_of(mine, truth, i, bar);
    if (!(error <= allowed) && allowed == bar) {
      allowed = std::max(bar, 4.0 * sensitivity_of(truth, bar));
    }
    if (!(error <= allowed)) {
      throw PhysicsError(fmt::format(
          "{}: step {}: particle {}: its force differs from that of {} in double by {:.3g}, {:.3g} "
          "of the largest force, allowed {:.0e}",
          backend, simulation.step(), mine.id[i], truth_, error, error / scale, allowed / scale));
    }
    largest = std::max(largest, error / scale);
  }
  return largest;
}

}  // namespace pencilbox
