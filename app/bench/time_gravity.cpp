// Gravity between all bodies: Nyland, Harris, Prins, Fast N-body simulation with CUDA, GPU Gems 3,
// chapter 31. The tiled kernel is the back end all-pairs; the naive one, which reads every source
// from device memory, is here.
#include <cmath>
#include <limits>
#include <sstream>

#include "app/bench/repeat.hpp"
#include "app/bench/time_all_pairs.hpp"
#include "core/error.hpp"
#include "neighbor/backend.hpp"
#include "neighbor/cells/binning.hpp"
#include "neighbor/cells/particle_transfer.hpp"
#include "neighbor/pair_sum.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

namespace {

template <class Interaction>
struct NaiveGravity {
  static constexpr const char* name = "n-body: naive";
  BinnedParticles<SinglePrecision> particles;
  Interaction interaction;
  PairSumsView<SinglePrecision> sums;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index target) const {
    const Vec3<float> at = particles.position[target];
    const std::int32_t type = particles.type[target];
    TargetSum<SinglePrecision, Wanted::forces> sum;
    for (Index source = 0; source < particles.count; ++source) {
      if (source == target) continue;
      const auto exact = [&] { return exact_separation(particles, target, source, no_shift()); };
      sum.add(interaction, at, particles.position[source], no_shift(), exact, type,
              particles.type[source]);
    }
    sum.store(sums, target);
  }

  /// One cell, no images.
  PENCILBOX_DEVICE_FUNCTION static CellShift<float> no_shift() { return {}; }
};

class GravityRow {
 public:
  explicit GravityRow(const GravityBench& bench)
      : bench_(bench),
        grid_(make_cell_grid(bench.start.box, std::numeric_limits<double>::infinity(),
                             bench.start.position)),
        interaction_(bench.gravity, grid_.float_uncertainty(), stream_),
        binning_(grid_, OrderRules{.deterministic = true}, stream_) {
    upload(bench.start, grid_, particles_, stream_);
    Profiler profiler;
    profiler.pause();
    binning_.run(particles_, 0, profiler, stream_);
    view_ = binning_.view(particles_);
    // A named string: gcc 14 fears for a reference that comes from a call with a temporary.
    const std::string name = "reference";
    const BackendEntry& reference = find_backend(name);
    const auto truth =
        make_backend<SinglePrecision>(reference, problem(), default_options(reference.info));
    truth->rebuild(view_, stream_);
    truth->compute(view_, interaction_, Wanted::forces, particles_.sums, stream_);
    truth_ = forces();
    for (const Double3& force : truth_) {
      for (const double component : force) scale_ = std::max(scale_, std::abs(component));
    }
  }

  GravityResult operator()() {
    GravityResult result;
    result.naive = time("naive", [&] { compute_naively(); });
    result.naive.note = "one thread a target, sources from device memory";
    for (const BackendChoice& choice : bench_.backends) result.backends.push_back(time(choice));
    return result;
  }

 private:
  Problem problem() const {
    Problem problem;
    problem.box = bench_.start.box;
    problem.grid = grid_;
    problem.particles = view_.count;
    problem.largest_cell = view_.count;
    problem.potential = bench_.gravity;
    problem.precision = Precision::single;
    problem.device = device_properties();
    return problem;
  }

  void compute_naively() {
    interaction_.visit_softened_gravity([&](const auto& functor) {
      using Functor = std::decay_t<decltype(functor)>;
      for_each(
          stream_, view_.count,
          NaiveGravity<Functor>{view_, functor, PairSumsView<SinglePrecision>(particles_.sums)},
          /*threads=*/256);
    });
  }

  GravityTiming time(const BackendChoice& choice) {
    const BackendEntry& entry = find_backend(choice.name);
    GravityTiming timing;
    timing.refusal = entry.refuse(problem(), choice.options);
    if (timing.refusal) return timing;
    const auto backend = make_backend<SinglePrecision>(entry, problem(), choice.options);
    backend->rebuild(view_, stream_);
    timing = time(choice.name, [&] {
      backend->compute(view_, interaction_, Wanted::forces, particles_.sums, stream_);
    });
    timing.note = backend->launch_report().note();
    return timing;
  }

  template <class Compute>
  GravityTiming time(const std::string& name, Compute compute) {
    GravityTiming timing;
    particles_.sums.force.fill_bytes(0xff, stream_);  // what is not written is not a number
    compute();
    timing.largest_error = compare(name);
    timing.seconds = spread_of(time_repeats(
        bench_.patience, stream_, [] {}, compute));
    return timing;
  }

  std::vector<Double3> forces() {
    const auto x = particles_.sums.force.x.download(stream_);
    const auto y = particles_.sums.force.y.download(stream_);
    const auto z = particles_.sums.force.z.download(stream_);
    std::vector<Double3> all(x.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = {x[i], y[i], z[i]};
    return all;
  }

  double compare(const std::string& name) {
    constexpr double tolerance = 1e-4;
    const std::vector<Double3> mine = forces();
    double largest = 0.0;
    for (std::size_t i = 0; i < mine.size(); ++i) {
      for (std::size_t d = 0; d < 3; ++d) {
        const double error = std::abs(mine[i][d] - truth_[i][d]);
        if (!(error <= tolerance * scale_)) report_wrong_force(name, i, error / scale_);
        largest = std::max(largest, error / scale_);
      }
    }
    return largest;
  }

  [[noreturn]] void report_wrong_force(const std::string& name, std::size_t i, double error) {
    std::ostringstream text;
    text << name << ": body " << particles_.state.id.download(stream_)[i]
         << ": its force is off by " << error << " of the largest, allowed 1e-4";
    throw PhysicsError(text.str());
  }

  const GravityBench& bench_;
  CellGrid grid_;
  Stream stream_;
  Interaction<float> interaction_;
  Binning<SinglePrecision> binning_;
  Particles<SinglePrecision> particles_;
  BinnedParticles<SinglePrecision> view_;
  std::vector<Double3> truth_;  // [N] in the order of the view
  double scale_ = 0.0;          // of the largest force
};

}  // namespace

GravityResult time_gravity(const GravityBench& bench) { return GravityRow(bench)(); }

}  // namespace pencilbox::PENCILBOX_DEVICE
