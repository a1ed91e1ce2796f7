#include "app/bench/time_searches.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "app/bench/repeat.hpp"
#include "core/error.hpp"
#include "neighbor/backend.hpp"
#include "neighbor/cells/binning.hpp"
#include "neighbor/cells/particle_transfer.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

namespace {

/// Of every particle, in the order of ids.
struct Counts {
  std::vector<double> neighbors;
  double candidates = 0.0;  ///< of all
};

/// Weak where most neighbours are, and finite where two points nearly coincide.
LennardJonesModel force_between(double radius) {
  LennardJonesModel model;
  model.cutoff = radius;
  model.pairs[0].sigma = radius / 50.0;
  return model;
}

CellGrid cube_grid(const Box& box, Index cells) {
  CellGrid grid;
  grid.lower = box.lower;
  grid.cells = {cells, cells, cells};
  for (std::size_t d = 0; d < 3; ++d) grid.side[d] = box.edges[d] / static_cast<double>(cells);
  grid.periodic = {false, false, false};
  return grid;
}

/// Counted over particles: these grids may have a thousand times as many cells.
Index most_in_a_cell(const CellGrid& grid, const std::vector<Double3>& positions) {
  const GridView<double> view = grid.view<double>();
  std::vector<Index> cells;
  for (const Double3& position : positions) {
    const std::array<Index, 3> cell = place(grid, position).cell;
    cells.push_back(view.linear({cell[0], cell[1], cell[2]}));
  }
  std::sort(cells.begin(), cells.end());
  Index most = 0;
  for (auto first = cells.begin(); first != cells.end();) {
    const auto next = std::upper_bound(first, cells.end(), *first);
    most = std::max(most, static_cast<Index>(next - first));
    first = next;
  }
  return most;
}

Problem problem_of(const SearchBench& bench, const CellGrid& grid, Precision precision) {
  Problem problem;
  problem.box = bench.start.box;
  problem.grid = grid;
  problem.particles = static_cast<Index>(bench.start.size());
  problem.largest_cell = most_in_a_cell(grid, bench.start.position);
  problem.potential = force_between(bench.radius);
  problem.precision = precision;
  problem.device = device_properties();
  return problem;
}

/// Particles on a grid, a back end for them, and the way from one to the other.
template <class Precision>
class Search {
 public:
  Search(const SearchBench& bench, const SearchMethod& method, const Problem& problem)
      : sorts_itself_(method.sorts_itself),
        interaction_(problem.potential, problem.grid.float_uncertainty(), stream_),
        grid_(problem.grid) {
    profiler_.pause();
    upload(bench.start, grid_, particles_, stream_);
    if (!sorts_itself_) upload(bench.start, grid_, unsorted_, stream_);
    const std::int64_t before = allocated_bytes;
    if (!sorts_itself_) binning_.emplace(grid_, OrderRules{}, stream_);
    backend_ =
        make_backend<Precision>(find_backend(method.choice.name), problem, method.choice.options);
    backend_->occupancy_changed(problem.largest_cell);
    run(Wanted::forces);  // back ends may allocate when they first see particles
    device_bytes_ = allocated_bytes - before;
  }

  /// The particles as they were at first: a sort moves them.
  void restore() {
    if (sorts_itself_) return;
    copy(unsorted_.state.position, particles_.state.position);
    copy(unsorted_.state.cell, particles_.state.cell);
    copy(unsorted_.state.id, particles_.state.id);
    copy(unsorted_.state.type, particles_.state.type);
  }

  /// Sort and search.
  void run(Wanted wanted) {
    if (!sorts_itself_) binning_->run(particles_, 0, profiler_, stream_);
    const BinnedParticles<Precision> binned = sorts_itself_ ? as_they_come() : binned_view();
    backend_->rebuild(binned, stream_);
    backend_->compute(binned, interaction_, wanted, particles_.sums, stream_);
  }

  Counts count() {
    restore();
    particles_.sums.resize_counts(particles_.count);
    particles_.sums.partners.fill_bytes(0xff, stream_);  // what is not written is no count
    run(Wanted::counts);
    Counts counts;
    const auto ids = particles_.state.id.download(stream_);
    const auto neighbors = particles_.sums.partners.download(stream_);
    counts.neighbors.resize(ids.size());
    for (std::size_t i = 0; i < ids.size(); ++i) {
      counts.neighbors[static_cast<std::size_t>(ids[i] - 1)] = static_cast<double>(neighbors[i]);
    }
    for (const auto candidates : particles_.sums.candidates.download(stream_)) {
      counts.candidates += static_cast<double>(candidates);
    }
    return counts;
  }

  Stream& stream() { return stream_; }
  std::int64_t device_bytes() const { return device_bytes_; }
  std::string note() const { return backend_->launch_report().note(); }

 private:
  BinnedParticles<Precision> binned_view() { return binning_->view(particles_); }

  /// In no order, and without cells' offsets: for who sorts himself. State and pair have one type.
  BinnedParticles<Precision> as_they_come() {
    BinnedParticles<Precision> view;
    if constexpr (std::is_same_v<typename Precision::State, typename Precision::Pair>) {
      const ParticleState<Precision>& state = particles_.state;
      view.count = particles_.count;
      view.grid = grid_.template view<typename Precision::Pair>();
      view.cell = state.cell.data();
      view.position = state.position.view();
      view.state_position = state.position.view();
      view.type = state.type.data();
    }
    return view;
  }

  template <class T>
  void copy(const Buffer<T>& from, Buffer<T>& to) {
    memory::copy(to.data(), from.data(), static_cast<std::size_t>(from.size()) * sizeof(T),
                 stream_);
  }
  template <class T>
  void copy(const Vec3Buffer<T>& from, Vec3Buffer<T>& to) {
    copy(from.x, to.x);
    copy(from.y, to.y);
    copy(from.z, to.z);
  }

  bool sorts_itself_;
  Stream stream_;
  Interaction<typename Precision::Pair> interaction_;
  CellGrid grid_;
  Profiler profiler_;
  Particles<Precision> particles_, unsorted_;
  std::optional<Binning<Precision>> binning_;
  std::unique_ptr<Backend<Precision>> backend_;
  std::int64_t device_bytes_ = 0;
};

class SearchRow {
 public:
  explicit SearchRow(const SearchBench& bench) : bench_(bench), truth_(count_in_double()) {}

  SearchResult operator()() const {
    SearchResult result;
    for (const double neighbors : truth_.neighbors) result.neighbors_per_particle += neighbors;
    result.neighbors_per_particle /= static_cast<double>(bench_.start.size());
    for (const SearchMethod& method : bench_.methods) result.methods.push_back(time(method));
    return result;
  }

 private:
  Counts count_in_double() const {
    const CellGrid grid = make_cell_grid(bench_.start.box, bench_.radius, bench_.start.position);
    const std::string plain = "par-part-no-loop";  // as in time_gravity.cpp
    const BackendEntry& entry = find_backend(plain);
    const SearchMethod method{{entry.info.name, default_options(entry.info)}, 1, false};
    return Search<DoublePrecision>(bench_, method, problem_of(bench_, grid, Precision::double_))
        .count();
  }

  SearchTiming time(const SearchMethod& method) const {
    SearchTiming timing;
    const CellGrid grid = cube_grid(bench_.start.box, method.cells_per_side);
    const Problem problem = problem_of(bench_, grid, Precision::single);
    timing.refusal = find_backend(method.choice.name).refuse(problem, method.choice.options);
    if (timing.refusal) return timing;
    Search<SinglePrecision> search(bench_, method, problem);
    const Counts counts = search.count();
    compare(method.choice.name, counts, grid);
    const std::vector<double> seconds = time_repeats(
        bench_.patience, search.stream(), [&] { search.restore(); },
        [&] { search.run(Wanted::forces); });
    timing.repeats = static_cast<int>(seconds.size());
    timing.seconds = spread_of(seconds);
    timing.device_bytes = search.device_bytes();
    timing.candidates_per_particle = counts.candidates / static_cast<double>(bench_.start.size());
    timing.note = search.note();
    return timing;
  }

  void compare(const std::string& name, const Counts& mine, const CellGrid& grid) const {
    for (std::size_t i = 0; i < mine.neighbors.size(); ++i) {
      const double apart = std::abs(mine.neighbors[i] - truth_.neighbors[i]);
      if (apart == 0.0 || apart <= uncertain_partners(i, 2.0 * grid.float_uncertainty())) continue;
      std::ostringstream text;
      text << name << ": particle " << bench_.start.id[i] << ": counts " << mine.neighbors[i]
           << " neighbours, there are " << truth_.neighbors[i];
      throw PhysicsError(text.str());
    }
  }

  /// Partners of a particle whose distance is the radius, more or less.
  int uncertain_partners(std::size_t i, double uncertainty) const {
    int count = 0;
    const Double3& a = bench_.start.position[i];
    for (const Double3& b : bench_.start.position) {
      const double r = std::sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) +
                                 (a[2] - b[2]) * (a[2] - b[2]));
      count += std::abs(r - bench_.radius) <= uncertainty ? 1 : 0;
    }
    return count;
  }

  const SearchBench& bench_;
  Counts truth_;
};

}  // namespace

SearchResult time_searches(const SearchBench& bench) { return SearchRow(bench)(); }

}  // namespace pencilbox::PENCILBOX_DEVICE
