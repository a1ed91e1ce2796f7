// Verlet-List: each particle keeps a row of all sources within cutoff plus skin, found when the
// list is built and used until a particle has moved by half the skin. L. Verlet, Phys. Rev. 159, 98
// (1967); the criterion: Allen and Tildesley, Computer Simulation of Liquids, section 5.3.1.
//
// An entry of a row is a source and the image shift by which it was met, so boxes of one or two
// cells, where a pair meets through several images, need no special case. Rows stand side by side:
// what neighbouring threads read at a time is contiguous. Several threads may share a row: with few
// particles one a target leaves most of a GPU idle.
//
// The list is full (each pair in both rows): every target's sum is its own, no atomics.
#include <algorithm>
#include <cmath>

#include "neighbor/backend.hpp"
#include "neighbor/cell_walk.hpp"
#include "neighbor/pair_sum.hpp"
#include "neighbor/warp_scan.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

namespace {

/// A source and by which of 27 shifts its cell was met: 3 (3 (dz + 1) + dy + 1) + dx + 1.
struct ListEntry {
  static constexpr int source_bits = 27;
  static constexpr std::uint32_t no_shift = 13;

  std::uint32_t word;

  PENCILBOX_DEVICE_FUNCTION static ListEntry of(Index source, Index dx, Index dy, Index dz) {
    const auto code = static_cast<std::uint32_t>(13 + dx + 3 * dy + 9 * dz);
    return {static_cast<std::uint32_t>(source) | code << source_bits};
  }
  PENCILBOX_DEVICE_FUNCTION Index source() const {
    return static_cast<Index>(word & ((1U << source_bits) - 1U));
  }
  PENCILBOX_DEVICE_FUNCTION std::uint32_t shift() const { return word >> source_bits; }
};

/// Where the rows lie. Entry k of a target belongs to lane k % lanes of those that share the row.
struct ListRows {
  ListEntry* entries;
  Index* length;  ///< [N]
  std::int64_t targets;
  Index lanes;     ///< a power of two
  Index capacity;  ///< entries of a row, a multiple of lanes

  PENCILBOX_DEVICE_FUNCTION std::int64_t place(Index target, Index k) const {
    return (k / lanes * targets + target) * lanes + k % lanes;
  }
  /// From one entry of a lane to its next.
  PENCILBOX_DEVICE_FUNCTION std::int64_t stride() const { return targets * lanes; }
};

/// Builds the row of one target. The sources of a run are dealt out to `Lanes`, which agree on who
/// stores where; all of them must walk together.
template <class Precision, class Lanes>
struct BuildRow {
  using Pair = typename Precision::Pair;

  BinnedParticles<Precision> particles;
  ListRows rows;
  Pair radius_squared;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index target, Lanes& lanes) const {
    const Vec3<Pair> position = particles.packed[target].position;
    const CellCoordinates home = particles.grid.coordinates(particles.cell[target]);
    Index length = 0;
    for_each_neighbor_run(particles.grid, particles.offset, home, [&](const NeighborRun& run) {
      const CellShift<Pair> to_right = particles.grid.shift(1, run.dy, run.dz);
      for (Index first = run.begin; first < run.end; first += lanes.count()) {
        const Index source = first + lanes.number();
        const bool is_partner =
            source < run.end && is_near(target, position, source, run, to_right);
        const Index before = lanes.before(is_partner);
        if (is_partner && length + before < rows.capacity) {
          rows.entries[rows.place(target, length + before)] =
              ListEntry::of(source, run.dx(source), run.dy, run.dz);
        }
        length += lanes.total(is_partner);
      }
    });
    if (lanes.number() != 0) return;
    rows.length[target] = length < rows.capacity ? length : rows.capacity;
    if (length > *particles.longest_row) atomic_max(particles.longest_row, length);
  }

  PENCILBOX_DEVICE_FUNCTION bool is_near(Index target, const Vec3<Pair>& position, Index source,
                                         const NeighborRun& run,
                                         const CellShift<Pair>& to_right) const {
    const bool itself = source == target && run.dy == 0 && run.dz == 0 && run.dx(source) == 0;
    const Vec3<Pair> separation =
        (position - particles.packed[source].position) - run.shift(source, to_right).rounded;
    return !itself && dot(separation, separation) < radius_squared;
  }
};

/// One thread, which walks alone.
struct OneLane {
  PENCILBOX_DEVICE_FUNCTION Index number() const { return 0; }
  PENCILBOX_DEVICE_FUNCTION Index count() const { return 1; }
  PENCILBOX_DEVICE_FUNCTION Index before(bool) const { return 0; }
  PENCILBOX_DEVICE_FUNCTION Index total(bool mine) const { return mine ? 1 : 0; }
};

/// The lanes of a warp.
struct LanesOfAWarp {
  const Block& block;

  PENCILBOX_DEVICE_FUNCTION Index number() const { return block.lane(); }
  PENCILBOX_DEVICE_FUNCTION Index count() const { return block.warp_size(); }
  PENCILBOX_DEVICE_FUNCTION Index before(bool mine) {
    votes = block.ballot(mine);
    return count_bits(lanes_below(block, votes));
  }
  PENCILBOX_DEVICE_FUNCTION Index total(bool) const { return count_bits(votes); }

  std::uint64_t votes = 0;
};

template <class Precision>
struct BuildByThreads {
  static constexpr const char* name = "verlet-list: build";
  BuildRow<Precision, OneLane> build;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index target) const {
    OneLane alone;
    build(target, alone);
  }
};

template <class Precision>
struct BuildByWarps {
  static constexpr const char* name = "verlet-list: build, a warp a target";
  static constexpr int max_threads = 256;
  BuildRow<Precision, LanesOfAWarp> build;

  PENCILBOX_DEVICE_FUNCTION void operator()(const Block& block) const {
    const std::int64_t warps = block.threads() / block.warp_size();
    const std::int64_t target = block.index() * warps + block.warp();
    if (target >= build.particles.count) return;  // the whole warp
    LanesOfAWarp lanes{block};
    build(static_cast<Index>(target), lanes);
  }
};

/// The 27 shifts, as a pair adds them and exactly.
template <class Pair>
struct alignas(4 * sizeof(Pair)) RoundedShift {
  Vec3<Pair> rounded;
};

template <class Pair>
struct ShiftTable {
  const RoundedShift<Pair>* rounded;  ///< [27]
  GridView<Pair> grid;

  PENCILBOX_DEVICE_FUNCTION Vec3<double> exact(std::uint32_t code) const {
    const auto c = static_cast<Index>(code);
    return grid.shift(c % 3 - 1, c / 3 % 3 - 1, c / 9 - 1).exact;
  }
};

template <class Pair>
struct FillShifts {
  static constexpr const char* name = "verlet-list: shifts";
  GridView<Pair> grid;
  RoundedShift<Pair>* rounded;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index code) const {
    rounded[code] = {grid.shift(code % 3 - 1, code / 3 % 3 - 1, code / 9 - 1).rounded};
  }
};

template <class Precision, Wanted wanted, class Interaction>
struct WalkRow {
  using Pair = typename Precision::Pair;
  using Sum = TargetSum<Precision, wanted>;

  BinnedParticles<Precision> particles;
  Interaction interaction;
  ListRows rows;
  ShiftTable<Pair> shifts;

  /// Of the row those entries that belong to `lane`. Several are fetched before the first is used:
  /// each is two reads of memory, one after the other.
  PENCILBOX_DEVICE_FUNCTION Sum operator()(Index target, Index lane) const {
    constexpr int ahead = 4;
    const PackedPosition<Pair> at = particles.packed[target];
    const Index length = rows.length[target];
    const ListEntry* entry = rows.entries + rows.place(target, lane);
    const std::int64_t stride = rows.stride();
    Sum sum;
    Index k = lane;
    for (; k + (ahead - 1) * rows.lanes < length; k += ahead * rows.lanes) {
      ListEntry entries[ahead];
      PackedPosition<Pair> sources[ahead];
      for (int a = 0; a < ahead; ++a) entries[a] = entry[a * stride];
      for (int a = 0; a < ahead; ++a) sources[a] = particles.packed[entries[a].source()];
      for (int a = 0; a < ahead; ++a) add(sum, target, at, entries[a], sources[a]);
      entry += ahead * stride;
    }
    for (; k < length; k += rows.lanes) {
      add(sum, target, at, *entry, particles.packed[entry->source()]);
      entry += stride;
    }
    return sum;
  }

  PENCILBOX_DEVICE_FUNCTION void add(Sum& sum, Index target, const PackedPosition<Pair>& at,
                                     const ListEntry& entry,
                                     const PackedPosition<Pair>& source) const {
    const CellShift<Pair> shift{shifts.rounded[entry.shift()].rounded, {}};
    const auto exact = [&] {
      return exact_separation(particles, target, entry.source(),
                              CellShift<Pair>{{}, shifts.exact(entry.shift())});
    };
    sum.add(interaction, at.position, source.position, shift, exact, at.type, source.type);
  }
};

template <class Precision, Wanted wanted, class Interaction>
struct OneThreadARow {
  static constexpr const char* name = "verlet-list";
  WalkRow<Precision, wanted, Interaction> walk;
  PairSumsView<Precision> sums;

  PENCILBOX_DEVICE_FUNCTION void operator()(Index target) const {
    walk(target, 0).store(sums, target);
  }
};

template <class Precision, Wanted wanted, class Interaction>
struct SeveralThreadsARow {
  static constexpr const char* name = "verlet-list: several threads a target";
  static constexpr int max_threads = 256;
  WalkRow<Precision, wanted, Interaction> walk;
  PairSumsView<Precision> sums;

  PENCILBOX_DEVICE_FUNCTION void operator()(const Block& block) const {
    const Index lanes = walk.rows.lanes;
    const std::int64_t thread = block.index() * block.threads() + block.thread();
    const auto target = static_cast<Index>(thread / lanes);
    const auto lane = static_cast<Index>(thread % lanes);
    TargetSum<Precision, wanted> sum;
    if (target < walk.particles.count) sum = walk(target, lane);
    sum.add_lanes(block, lanes);
    if (target < walk.particles.count && lane == 0) sum.store(sums, target);
  }
};

template <class Precision>
class VerletList final : public Backend<Precision> {
  using Pair = typename Precision::Pair;

 public:
  VerletList(const Problem& problem, const BackendOptions& options)
      : radius_(list_radius(problem)),
        lanes_(lanes_for(problem, options)),
        warps_build_(!problem.device.emulates_blocks && problem.particles < few_particles),
        threads_(block_of(options)),
        capacity_(capacity_for(expected_row(problem))) {}

  static std::optional<std::string> refuse(const Problem& problem, const BackendOptions& options) {
    if (auto reason = refuse_cells_or_block(problem, options)) return reason;
    if (std::holds_alternative<CandidatePotentialModel>(problem.potential)) {
      return "the benchmark's potentials have no cutoff, and a list is made of what is within one";
    }
    constexpr std::int64_t most = std::int64_t{1} << ListEntry::source_bits;
    if (problem.particles <= most) return {};
    return "an entry of a list numbers at most " + std::to_string(most) + " particles, got " +
           std::to_string(problem.particles);
  }

  static std::int64_t own_bytes(const Problem& problem, const BackendOptions&) {
    const std::int64_t row = capacity_for(expected_row(problem));
    constexpr std::int64_t entry = sizeof(ListEntry);
    return std::int64_t{problem.particles} * (row * entry + std::int64_t{sizeof(Index)});
  }

  void rebuild(const BinnedParticles<Precision>& particles, Stream& stream) override {
    const ListRows rows = rows_for(particles.count);
    fill_shifts(particles.grid, stream);
    const auto radius_squared = static_cast<Pair>(radius_ * radius_);
    if (warps_build_) {
      const LaunchShape shape{divide_up(std::int64_t{particles.count} * 64, 256), 256};
      launch(stream, shape, BuildByWarps<Precision>{{particles, rows, radius_squared}});
    } else {
      for_each(stream, particles.count,
               BuildByThreads<Precision>{{particles, rows, radius_squared}});
    }
  }

  void compute(const BinnedParticles<Precision>& particles, const Interaction<Pair>& interaction,
               Wanted wanted, PairSums<Precision>& sums, Stream& stream) override {
    const ListRows rows = rows_for(particles.count);
    const ShiftTable<Pair> shifts{shifts_.data(), particles.grid};
    shape_ = {divide_up(std::int64_t{particles.count} * lanes_, threads_), threads_};
    dispatch<Precision>(interaction, wanted, [&](const auto& functor, auto chosen) {
      using Functor = std::decay_t<decltype(functor)>;
      const WalkRow<Precision, chosen(), Functor> walk{particles, functor, rows, shifts};
      const PairSumsView<Precision> view(sums);
      if (lanes_ > 1) {
        launch(stream, shape_, SeveralThreadsARow<Precision, chosen(), Functor>{walk, view});
      } else {
        for_each(stream, particles.count, OneThreadARow<Precision, chosen(), Functor>{walk, view},
                 threads_);
      }
    });
  }

  Index row_capacity() const override { return capacity_; }
  /// Here, and not where they are filled: a graph is being made perhaps, where nothing may be
  /// allocated, and those that were made must see that their addresses are old.
  void grow_rows(Index wanted) override {
    capacity_ = capacity_for(wanted);
    (void)rows_for(static_cast<Index>(length_.size()));
  }

  LaunchReport launch_report() const override {
    return {shape_, threads_per_target_in_words(lanes_) + ", rows of at most " +
                        std::to_string(capacity_) + " sources"};
  }

 private:
  /// Below this a warp builds a row: threads alone would be too few to fill a GPU.
  static constexpr Index few_particles = 200000;

  /// What a float separation may be off is no reason to miss a pair.
  static double list_radius(const Problem& problem) {
    return cutoff_of(problem.potential) + problem.skin;
  }

  /// As many as fill the device, if each of its multiprocessors holds 2,048 threads.
  static int lanes_for(const Problem& problem, const BackendOptions& options) {
    const std::string& given = options.at("threads_per_target");
    if (given != "auto") return std::stoi(given);
    if (problem.device.emulates_blocks) return 1;
    const double threads = 2048.0 * problem.device.multiprocessors;
    int lanes = 1;
    while (lanes < 32 && 2.0 * lanes * problem.particles <= 1.25 * threads) {
      lanes *= 2;
    }
    return lanes;
  }

  /// Partners of a particle where they lie as dense as in the mean, and half as many again.
  static Index expected_row(const Problem& problem) {
    const double volume = problem.grid.side[0] * problem.grid.side[1] * problem.grid.side[2];
    const double mean = static_cast<double>(problem.particles) /
                        (volume * static_cast<double>(problem.grid.count()));
    const double ball = 4.19 * std::pow(list_radius(problem), 3.0);
    return static_cast<Index>(
        std::min(1.5 * mean * ball + 16.0, static_cast<double>(27.0 * problem.particles)));
  }

  static Index capacity_for(Index row) {
    constexpr Index most_lanes = 32;
    return static_cast<Index>(round_up(row, most_lanes));
  }

  ListRows rows_for(Index targets) {
    entries_.resize(std::int64_t{targets} * capacity_);
    length_.resize(targets);
    return {entries_.data(), length_.data(), targets, lanes_, capacity_};
  }

  void fill_shifts(const GridView<Pair>& grid, Stream& stream) {
    if (shifts_.size() != 0) return;
    shifts_.resize(27);
    for_each(stream, 27, FillShifts<Pair>{grid, shifts_.data()});
  }

  double radius_;
  int lanes_;
  bool warps_build_;
  int threads_;
  Index capacity_;
  Buffer<ListEntry> entries_;
  Buffer<Index> length_;
  Buffer<RoundedShift<Pair>> shifts_;
  LaunchShape shape_;
};

}  // namespace

BackendEntry verlet_list() {
  BackendInfo info;
  info.name = "verlet-list";
  info.summary =
      "a list of all partners within cutoff plus skin, used until a particle has moved far";
  info.source = "Verlet 1967; Allen and Tildesley, section 5.3.1";
  OptionInfo threads =
      threads_per_target_option("threads that share a row; auto: as many as fill the device");
  threads.default_value = "auto";
  threads.choices.insert(threads.choices.begin(), "auto");
  threads.choices_without_blocks.emplace_back("auto");
  info.options = {block_option("128"), std::move(threads)};
  info.rebuild = Rebuild::on_displacement;
  info.worth_trying = {{}};
  return make_entry<VerletList>(std::move(info));
}

}  // namespace pencilbox::PENCILBOX_DEVICE
