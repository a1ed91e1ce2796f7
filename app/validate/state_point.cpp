#include "app/validate/state_point.hpp"

#include <algorithm>
#include <cmath>

namespace pencilbox {
namespace {

constexpr double melting_temperature = 2.0;  // far above every liquid's
constexpr std::int64_t melting_steps = 2500;
/// Energy and virial of a liquid and the energy of a vapour remember longer than 60 steps, the
/// virial of a vapour 8: their means would be no better by samples at every step, that by 1 % of
/// its error.
constexpr std::int64_t sample_every = 20;

}  // namespace

SimulationSetup hot_crystal(const Subject& subject, const StatePoint& point) {
  SimulationSetup setup =
      subject.setup(warm_crystal(point.cells, point.density, melting_temperature), point.cutoff,
                    point.truncation);
  std::get<LennardJonesModel>(setup.potential).tail_correction = point.tail_correction;
  return setup;
}

StatePointRun::StatePointRun(const Subject& subject, SimulationSetup crystal,
                             const StatePoint& point, std::vector<ObservableChoice> observables)
    : point_(point) {
  SimulationSetup setup = std::move(crystal);
  setup.timestep = point.timestep;
  volume_ = setup.start.box.volume();
  if (point.by_monte_carlo) ensemble_.emplace(setup, point.temperature);
  setup = after(subject, melting_steps, in_bath(setup, melting_temperature, point.friction), setup);
  setup.observables = std::move(observables);
  constexpr double other_seed = 2.0;
  simulation_ = subject.make(in_bath(std::move(setup), point.bath.value_or(point.temperature),
                                     point.friction, other_seed));
  simulation_->advance(point.equilibration);
}

void StatePointRun::produce(std::int64_t steps) {
  for (std::int64_t done = sample_every; done <= steps; done += sample_every) {
    simulation_->advance(sample_every);
    const Observation sums = simulation_->observe();
    const auto particles = static_cast<double>(sums.particles);
    energies_.push_back(sums.potential_energy / particles);
    pressures_.push_back(point_.density * point_.temperature + sums.virial / (3.0 * volume_));
    if (ensemble_) log_weights_.push_back(ensemble_->log_weight(*simulation_));
    simulation_->sample_observables();
  }
}

ObservableChoice radial_distribution(double max_distance) {
  constexpr double bins_a_sigma = 100.0;
  return {"radial-distribution",
          200,
          0,
          {{"bins", std::round(bins_a_sigma * max_distance)}, {"max_distance", max_distance}}};
}

Peak peak_of(const ObservableResult& g, const std::string& column) {
  const auto found = std::find_if(g.columns.begin(), g.columns.end(),
                                  [&](const ObservableColumn& one) { return one.name == column; });
  return highest_peak(g.columns.front().values, found->values);
}

void judge_state_point(StatePointRun& run, std::int64_t steps, ValidationRow& energy,
                       ValidationRow& pressure) {
  judge_by_work({&energy, &pressure}, steps, [&](std::int64_t more) {
    run.produce(more);
    judge_mean(energy, run.energy());
    judge_mean(pressure, run.pressure());
  });
}

}  // namespace pencilbox
