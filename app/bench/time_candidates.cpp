#include "app/bench/time_candidates.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <sstream>

#include "app/bench/measurement.hpp"
#include "core/error.hpp"
#include "neighbor/backend.hpp"
#include "neighbor/cells/binning.hpp"
#include "neighbor/cells/particle_transfer.hpp"
#include "neighbor/walks/cell_walk.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

namespace {

/// What every back end must give: a target's terms in float, as it takes them, summed in double.
template <class Potential>
struct SumInDouble {
  static constexpr const char* name = "benchmark: sum in double";
  BinnedParticles<SinglePrecision> particles;
  Potential potential;
  double* sums;
  double* magnitudes;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index target) const {
    const GridView<float>& grid = particles.grid;
    const CellCoordinates home = grid.coordinates(particles.cell[target]);
    double sum = 0.0;
    double magnitude = 0.0;
    for_each_neighbor_cell(grid, home, [&](Index cell, Index dx, Index dy, Index dz) {
      const Vec3<float> at = particles.position[target] - grid.shift(dx, dy, dz).rounded;
      for (Index source = particles.offset[cell]; source < particles.offset[cell + 1]; ++source) {
        if (source == target) continue;  // no face is periodic: it meets itself once
        const auto term = static_cast<double>(potential.value(at, particles.position[source]));
        sum += term;
        magnitude += term < 0.0 ? -term : term;
      }
    });
    sums[target] = sum;
    magnitudes[target] = magnitude;
  }
};

CellGrid grid_of(const CandidateBench& bench) {
  const Box& box = bench.start.box;
  CellGrid grid;
  grid.lower = box.lower;
  grid.cells = {bench.cells_per_side, bench.cells_per_side, bench.cells_per_side};
  for (std::size_t d = 0; d < 3; ++d) {
    grid.side[d] = box.edges[d] / static_cast<double>(bench.cells_per_side);
  }
  grid.periodic = {false, false, false};
  return grid;
}

template <class Value>
std::vector<Value> download(const Value* from, std::size_t size, Stream& stream) {
  std::vector<Value> values(size);
  memory::copy(values.data(), from, size * sizeof(Value), stream);
  stream.synchronize();
  return values;
}

/// How many candidates all targets have together.
std::int64_t count_candidates(const GridView<float>& grid, const std::vector<Index>& offset) {
  std::int64_t candidates = 0;
  const auto particles_in = [&offset](Index cell) {
    const auto c = static_cast<std::size_t>(cell);
    return std::int64_t{offset[c + 1]} - offset[c];
  };
  for (Index cell = 0; cell + 1 < static_cast<Index>(offset.size()); ++cell) {
    std::int64_t around = -1;  // a target is not its own candidate
    for_each_neighbor_cell(grid, grid.coordinates(cell), [&](Index neighbor, Index, Index, Index) {
      around += particles_in(neighbor);
    });
    candidates += particles_in(cell) * around;
  }
  return candidates;
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// The particles of one row on the device, and what is true of them.
class CandidateRow {
 public:
  explicit CandidateRow(const CandidateBench& bench)
      : bench_(bench),
        grid_(grid_of(bench)),
        device_(device_properties()),
        interaction_(CandidatePotentialModel{bench.potential}, grid_.float_uncertainty(), stream_),
        binning_(grid_, OrderRules{.deterministic = true}, stream_) {
    upload(bench.start, grid_, particles_, stream_);
    Profiler profiler;
    profiler.pause();
    binning_.run(particles_, 0, profiler, stream_);
    view_ = binning_.view(particles_);
    largest_cell_ = binning_.health(stream_).largest_cell;
    const auto cells = static_cast<std::size_t>(grid_.count());
    candidates_ = count_candidates(view_.grid, download(view_.offset, cells + 1, stream_));
    sum_in_double();
  }

  CandidateResult operator()() {
    CandidateResult result;
    result.largest_cell = largest_cell_;
    result.candidates_per_particle =
        static_cast<double>(candidates_) / static_cast<double>(view_.count);
    for (const double sum : sums_) result.overflows += std::isfinite(sum) ? 0 : 1;
    for (const BackendChoice& choice : bench_.backends) result.backends.push_back(time(choice));
    return result;
  }

 private:
  using OneBackend = Backend<SinglePrecision>;

  void sum_in_double() {
    Buffer<double> sums(view_.count);
    Buffer<double> magnitudes(view_.count);
    interaction_.visit_candidate_potential([&](const auto& potential) {
      using Potential = std::decay_t<decltype(potential)>;
      for_each(stream_, view_.count,
               SumInDouble<Potential>{view_, potential, sums.data(), magnitudes.data()});
    });
    sums_ = sums.download(stream_);
    magnitudes_ = magnitudes.download(stream_);
  }

  Problem problem() const {
    Problem problem;
    problem.box = bench_.start.box;
    problem.grid = grid_;
    problem.particles = view_.count;
    problem.largest_cell = largest_cell_;
    problem.potential = CandidatePotentialModel{bench_.potential};
    problem.precision = Precision::single;
    problem.device = device_;
    return problem;
  }

  CandidateTiming time(const BackendChoice& choice) {
    CandidateTiming timing;
    const BackendEntry& entry = find_backend(choice.name);
    timing.refusal = entry.refuse(problem(), choice.options);
    if (timing.refusal) return timing;
    const std::int64_t before = allocated_bytes;
    const auto backend = make_backend<SinglePrecision>(entry, problem(), choice.options);
    backend->occupancy_changed(largest_cell_);
    backend->rebuild(view_, stream_);
    forget_sums();
    compute(*backend, Wanted::forces);
    compare_sums(choice.name);
    compare_candidates(choice.name, *backend);
    timing.prepare = time_prepare(*backend);
    warm_up(*backend);
    forget_sums();
    timing.asynchronous = time_calls(*backend);
    time_graph(*backend, timing);
    timing.largest_error = compare_sums(choice.name);  // of the shape that was timed
    timing.shape = backend->launch_report().shape;
    timing.note = backend->launch_report().note();
    timing.device_bytes = allocated_bytes - before;
    return timing;
  }

  /// So that a sum that is not written is not the one of before: all become NaN.
  void forget_sums() { particles_.sums.energy.fill_bytes(0xff, stream_); }

  void compute(OneBackend& backend, Wanted wanted) {
    backend.compute(view_, interaction_, wanted, particles_.sums, stream_);
  }

  void compute_all_calls(OneBackend& backend) {
    for (int k = 0; k < bench_.calls; ++k) compute(backend, Wanted::forces);
  }

  /// The largest error of a particle; throws if it is more than rounding. Where terms exceed a
  /// float there is nothing to compare.
  double compare_sums(const std::string& name) {
    constexpr double tolerance = 1e-5;
    const std::vector<float> energies = particles_.sums.energy.download(stream_);
    double largest = 0.0;
    for (std::size_t i = 0; i < energies.size(); ++i) {
      if (!std::isfinite(sums_[i])) continue;
      const double difference = std::abs(static_cast<double>(energies[i]) - sums_[i]);
      if (!(difference <= tolerance * magnitudes_[i])) report_wrong_sum(name, i, energies[i]);
      if (difference > 0.0) largest = std::max(largest, difference / magnitudes_[i]);
    }
    return largest;
  }

  [[noreturn]] void report_wrong_sum(const std::string& name, std::size_t i, float energy) {
    const ParticleId id = particles_.state.id.download(stream_)[i];
    std::ostringstream text;
    text.precision(9);
    text << name << ": particle " << id << ": its sum is " << energy << ", in double " << sums_[i]
         << ": the error is " << std::abs(static_cast<double>(energy) - sums_[i]) / magnitudes_[i]
         << " of the sum of its terms' magnitudes, allowed 1e-5";
    throw PhysicsError(text.str());
  }

  void compare_candidates(const std::string& name, OneBackend& backend) {
    particles_.sums.resize_counts(particles_.count);
    compute(backend, Wanted::counts);
    double counted = 0.0;
    for (const Index count : particles_.sums.candidates.download(stream_)) {
      counted += static_cast<double>(count);
    }
    if (counted == static_cast<double>(candidates_)) return;
    std::ostringstream text;
    text.precision(17);
    text << name << ": counts " << counted << " candidates, the cells hold " << candidates_;
    throw PhysicsError(text.str());
  }

  double time_prepare(OneBackend& backend) {
    constexpr int calls = 10;
    stream_.synchronize();
    const auto start = std::chrono::steady_clock::now();
    for (int k = 0; k < calls; ++k) backend.rebuild(view_, stream_);
    stream_.synchronize();
    return seconds_since(start) / calls;
  }

  /// Gives a back end that finds its launch shape from its first evaluations enough of them: none
  /// may be left when a graph is made. An emulated device has nothing to find, and takes its time.
  void warm_up(OneBackend& backend) {
    constexpr int calls = 200;
    constexpr int calls_between_waits = 10;
    constexpr double seconds_if_emulated = 0.5;
    const auto start = std::chrono::steady_clock::now();
    for (int k = 1; k <= calls; ++k) {
      compute(backend, Wanted::forces);
      if (k % calls_between_waits == 0) stream_.synchronize();
      if (device_.emulates_blocks && seconds_since(start) > seconds_if_emulated) break;
    }
    stream_.synchronize();
  }

  /// As published.
  double time_calls(OneBackend& backend) {
    const auto start = std::chrono::steady_clock::now();
    compute_all_calls(backend);
    stream_.synchronize();
    return seconds_since(start) / bench_.calls;
  }

  /// Without what the host needs to launch a kernel, which the smallest rows consist of.
  void time_graph(OneBackend& backend, CandidateTiming& timing) {
    Graph graph(stream_, [&] { compute_all_calls(backend); });
    std::vector<double> seconds;
    for (int k = 0; k < bench_.repeats; ++k) {
      Event begin;
      Event end;
      // One more before it: a device must not wait, between the events, for the host to launch.
      if (!device_.emulates_blocks) graph.replay(stream_);
      begin.record(stream_);
      graph.replay(stream_);
      end.record(stream_);
      seconds.push_back(end.seconds_since(begin) / bench_.calls);
    }
    const Spread spread = spread_of(std::move(seconds));
    timing.graph_best = spread.least;
    timing.graph_median = spread.median;
  }

  const CandidateBench& bench_;
  CellGrid grid_;
  DeviceProperties device_;
  Stream stream_;
  Interaction<float> interaction_;
  Binning<SinglePrecision> binning_;
  Particles<SinglePrecision> particles_;
  BinnedParticles<SinglePrecision> view_;
  Index largest_cell_ = 0;
  std::int64_t candidates_ = 0;
  std::vector<double> sums_, magnitudes_;  // [N] in the order of the cells
};

}  // namespace

CandidateResult time_candidates(const CandidateBench& bench) { return CandidateRow(bench)(); }

}  // namespace pencilbox::PENCILBOX_DEVICE
