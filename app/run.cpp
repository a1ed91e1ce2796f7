// `pencilbox run`: from a deck to its outputs.
#include <algorithm>
#include <chrono>
#include <iostream>
#include <optional>

#include <unistd.h>

#include "app/program.hpp"
#include "app/setup.hpp"
#include "core/error.hpp"
#include "io/input/deck.hpp"
#include "io/output/output_directory.hpp"
#include "io/output/progress.hpp"
#include "io/output/report.hpp"
#include "io/output/thermo_log.hpp"
#include "io/output/trajectory.hpp"

namespace pencilbox {

namespace {

/// Adds the time of its own life to `seconds`.
class Stopwatch {
 public:
  explicit Stopwatch(double& seconds) : seconds_(seconds) {}
  ~Stopwatch() {
    seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  double& seconds_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// Everything of the start that a trajectory's header needs; the particles themselves move on.
StartState without_motion(const StartState& start) {
  StartState header;
  header.box = start.box;
  header.types = start.types;
  header.id = start.id;
  header.type = start.type;
  return header;
}

bool needs_blocks(const std::string& backend) {
  for (const BackendInfo& info : build_catalogue().backends) {
    if (info.name == backend) return info.needs_blocks;
  }
  return false;
}

/// One run: the simulation, its outputs, and when they are due.
class Run {
 public:
  Run(const RunArguments& arguments, const Deck& deck, const DeviceApi& device)
      : deck_(deck), quiet_(arguments.quiet), table_(std::cout, isatty(STDOUT_FILENO) == 1) {
    SimulationSetup setup = make_setup(deck);
    const StartState header = without_motion(setup.start);
    particles_ = setup.start.size();
    report_.device = device.properties();
    simulation_ = make_simulation(device, std::move(setup));
    first_ = simulation_->observe();  // a start that is broken leaves no file behind
    directory_.emplace(OutputDirectory::open(output_request(deck, arguments.overwrite)));
    thermo_.emplace(directory_->thermo());
    if (deck.output.trajectory) {
      trajectory_.emplace(directory_->trajectory(), header, trajectory_header());
    }
  }

  void operator()() {
    announce();
    Progress progress(STDERR_FILENO, progress_style(STDERR_FILENO, quiet_), 0, deck_.steps,
                      particles_);
    {
      const Stopwatch stopwatch(report_.seconds);
      write_due_outputs(first_, progress);
      while (simulation_->step() < deck_.steps) {
        advance_to(next_due_step(), progress);
        write_due_outputs(observe(), progress);
      }
    }
    finish(progress);
  }

 private:
  std::unique_ptr<Simulation> make_simulation(const DeviceApi& device,
                                              SimulationSetup setup) const {
    try {
      return device.make(std::move(setup));
    } catch (const BackendRefusal& refusal) {
      throw InputError(refusal_text(deck_, refusal.what()));
    }
  }

  bool thermo_due(std::int64_t step) const {
    return step % deck_.output.thermo_every == 0 || step == deck_.steps;
  }
  bool frame_due(std::int64_t step) const {
    if (!trajectory_) return false;
    return step % deck_.output.trajectory->every == 0 || step == deck_.steps;
  }

  std::int64_t next_due_step() const {
    const std::int64_t step = simulation_->step();
    const auto next = [step](std::int64_t every) { return (step / every + 1) * every; };
    std::int64_t due = std::min(deck_.steps, next(deck_.output.thermo_every));
    if (trajectory_) due = std::min(due, next(deck_.output.trajectory->every));
    return due;
  }

  /// In batches that are short enough for the progress line, and no shorter.
  void advance_to(std::int64_t due, Progress& progress) {
    constexpr double seconds_between_looks = 0.5;
    while (simulation_->step() < due) {
      const std::int64_t steps = std::min(batch_, due - simulation_->step());
      double seconds = 0.0;
      {
        const Stopwatch stopwatch(seconds);
        const bool reached = simulation_->step() + steps == due;
        simulation_->advance(steps, reached ? LastStep::with_energies : LastStep::forces_only);
      }
      if (steps == batch_ && seconds < seconds_between_looks) batch_ *= 2;
      if (seconds > 2.0 * seconds_between_looks) batch_ = std::max<std::int64_t>(1, batch_ / 2);
      progress.update(simulation_->step());
    }
  }

  Observation observe() {
    const Stopwatch stopwatch(observe_seconds_);
    return simulation_->observe();
  }

  void write_due_outputs(const Observation& observation, Progress& progress) {
    const Stopwatch stopwatch(write_seconds_);
    last_ = observation;
    if (thermo_due(observation.step)) {
      thermo_->append(observation);
      if (!quiet_) {
        progress.clear();
        table_.append(observation);
      }
    }
    if (frame_due(observation.step)) {
      trajectory_->append(simulation_->packed_snapshot(trajectory_->frame_fields()), observation);
    }
  }

  void announce() const {
    if (quiet_) return;
    std::string text;
    if (!deck_.title.empty()) text += deck_.title + "\n";
    text += std::to_string(particles_) + " particles, " + std::to_string(deck_.steps) +
            " steps, back end " + deck_.backend + ", " + std::string(name_of(deck_.precision)) +
            " precision, " + report_.device.kind + ": " + report_.device.name + "\n";
    if (report_.device.emulates_blocks && needs_blocks(deck_.backend)) {
      text += "note: on the host, " + deck_.backend +
              " runs on the block emulator, which is for tests, not for speed\n";
    }
    print(text);
  }

  TrajectoryHeader trajectory_header() const {
    return {deck_.output.trajectory->fields,
            deck_.precision,
            PENCILBOX_VERSION,
            resolved_yaml(deck_),
            deck_.backend,
            report_.device.name,
            deck_.output.trajectory->compression,
            deck_.output.trajectory->split_every};
  }

  void finish(Progress& progress) {
    progress.clear();
    if (trajectory_) trajectory_->close();
    thermo_->close();
    report_.particles = particles_;
    report_.steps = deck_.steps;
    report_.backend = deck_.backend;
    report_.options = deck_.options;
    report_.precision = deck_.precision;
    report_.deterministic = deck_.deterministic;
    report_.integrator = deck_.integrator;
    report_.regions = simulation_->regions();
    report_.regions.observe = observe_seconds_;
    report_.regions.write = write_seconds_;
    report_.backend_stats = simulation_->backend_stats();
    if (last_.time > first_.time) {
      report_.energy_drift = (last_.total_energy() - first_.total_energy()) /
                             static_cast<double>(particles_) / (last_.time - first_.time);
    }
    report_.versions = library_versions();
    report_.versions["pencilbox"] = PENCILBOX_VERSION;
    report_.deck = resolved_yaml(deck_);
    write_report(directory_->report(), report_);
    if (!quiet_) print_summary(std::cout, report_);
    if (!quiet_) print("output in " + directory_->path().string() + "\n");
  }

  const Deck& deck_;
  bool quiet_;
  std::int64_t particles_ = 0;
  std::unique_ptr<Simulation> simulation_;
  std::optional<OutputDirectory> directory_;
  std::optional<ThermoLog> thermo_;
  std::optional<TrajectoryWriter> trajectory_;
  ThermoTable table_;
  RunReport report_;
  Observation first_, last_;
  double observe_seconds_ = 0.0;
  double write_seconds_ = 0.0;
  std::int64_t batch_ = 1;
};

}  // namespace

void run_command(const RunArguments& arguments) {
  const Deck deck = load_deck(arguments.deck, arguments.overrides, build_catalogue());
  OutputDirectory::check(output_request(deck, arguments.overwrite));
  Run(arguments, deck, choose_device(deck.device))();
}

}  // namespace pencilbox
