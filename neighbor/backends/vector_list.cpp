// Vector-List: a list for a CPU's vectors. Four targets of a pencil that lie near each other share
// a row of sources: all that are within cutoff plus skin of any of them, single ones, used until a
// particle is half the skin off its place. See neighbor/vectors/rows.hpp.
//
// S. Pall and B. Hess, Comput. Phys. Commun. 184, 2641 (2013), have clusters on both sides; with
// single sources there are fewer pairs in vain, and a row is full (each pair in the rows of both),
// so that every target's sum is its own: no atomics, and the same bits for any number of threads.
#include "neighbor/vectors/row_sums.hpp"
#include "neighbor/walks/list_rows.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

namespace {

/// A pencil has rows for all its particles, or for none where none is a target.
template <class Real>
struct CountRows {
  PlacedParticles<Real> particles;
  Pencils pencils;
  bool all_are_targets;
  CellBox targets;
  Index* count;            ///< [pencils + 1] the last is 0
  Index* places_of_a_run;  ///< as many as any needs

  void operator()(Index k) const {
    count[k] = 0;
    if (k == pencils.count()) return;
    const Pencil pencil = pencils[k];
    if (!all_are_targets && !has_targets(pencil)) return;
    count[k] = rows_needed(particles.offset, particles.grid.linear(pencil.first), pencil);
    atomic_max(places_of_a_run, NeighborhoodLayout::places_needed(particles, pencil));
  }

  bool has_targets(const Pencil& pencil) const {
    const auto [x, y, z] = pencil.first;
    return x + pencil.length > targets.begin.x && x < targets.end.x &&
           targets.has({targets.begin.x, y, z});
  }
};

template <class Precision>
class VectorList final : public Backend<Precision> {
  using State = typename Precision::State;

 public:
  using PairArithmetic = State;

  VectorList(const Problem& problem, const BackendOptions&)
      : radius_(list_radius(problem)), capacity_(expected_row(problem)), sums_(problem.potential) {}

  static std::optional<std::string> refuse(const Problem& problem, const BackendOptions&) {
    return refuse_rows(problem);
  }

  static std::int64_t own_bytes(const Problem& problem, const BackendOptions&) {
    const auto& cells = problem.grid.cells;
    const std::int64_t pencils =
        RowSums<Precision>::pencils({cells[0], cells[1], cells[2]}).count();
    const std::int64_t rows = most_rows_of_four(problem.particles, pencils);
    return rows * std::int64_t{sizeof(RowTargets)} +
           RowMemory::entries_for(rows, expected_row(problem)) * std::int64_t{sizeof(KeptEntry)} +
           2 * (pencils + 1) * std::int64_t{sizeof(Index)};
  }

  void rebuild(const BinnedParticles<Precision>& particles, Stream& stream) override {
    reserve(particles);
    reads_packed_alone_ = sums_.reads_packed_alone(particles);
    const Pencils pencils = RowSums<Precision>::pencils(particles.grid.cells);
    for_each(stream, 1, [none = places_of_a_run_.data()](Index) { *none = 0; });
    for_each(stream, pencils.count() + 1,
             CountRows<State>{VectorPairs<Precision>::placed(particles), pencils,
                              particles.all_are_targets, particles.targets, count_.data(),
                              places_of_a_run_.data()});
    scan_(count_.data(), first_.data(), pencils.count() + 1, stream);
    for_each_pencil(
        stream, pencils,
        [this, view = this->view(), particles](const Pencil& pencil, Index number, bool) {
          const Index first = view.first[number];
          if (first == view.first[number + 1]) return false;
          const Index longest = sums_.kernels().build(
              VectorPairs<Precision>::placed(particles), radius_, pencil, *view.places_of_a_run,
              view.targets + first, view.rows.behind(first), row_scratch());
          if (longest > 0) atomic_max(particles.longest_row, longest);
          if (longest > view.rows.capacity) {
            empty(view.targets + first, view.first[number + 1] - first);
          }
          return true;
        });
  }

  void compute(const BinnedParticles<Precision>& particles,
               const Interaction<typename Precision::Pair>&, Wanted wanted,
               PairSums<Precision>& sums, Stream& stream) override {
    for_rows_of_each_pencil(particles, stream,
                            [this, particles, wanted, to = PairSumsView<Precision>(sums)](
                                const RowsOfPencil& rows) { sums_(particles, rows, wanted, to); });
  }

  bool moves_targets() const override { return reads_packed_alone_; }

  void compute_and_move(const BinnedParticles<Precision>& particles,
                        const Interaction<typename Precision::Pair>&,
                        const KickAndDrift<Precision>& move, Stream& stream) override {
    for_rows_of_each_pencil(particles, stream, [this, particles, move](const RowsOfPencil& rows) {
      sums_(particles, rows, move);
    });
  }

  Index row_capacity() const override { return capacity_; }
  void grow_rows(Index wanted) override {
    capacity_ = wanted;
    make_room(targets_.size());
  }

  LaunchReport launch_report() const override {
    return {{}, [this] {
              return sums_.in_words() + " of at most " + std::to_string(capacity_) + " sources";
            }};
  }

 private:
  struct View {
    RowTargets* targets;
    RowMemory rows;
    const Index* first;  ///< [pencils + 1] row of a pencil
    const Index* places_of_a_run;
  };

  template <class Visit>
  void for_rows_of_each_pencil(const BinnedParticles<Precision>& particles, Stream& stream,
                               const Visit& visit) {
    for_each_pencil(
        stream, RowSums<Precision>::pencils(particles.grid.cells),
        [view = this->view(), visit](const Pencil& pencil, Index number, bool is_next) {
          const Index begin = view.first[number], end = view.first[number + 1];
          if (begin == end) return false;
          visit(RowsOfPencil{pencil, view.targets + begin, view.rows.behind(begin).entries,
                             end - begin, *view.places_of_a_run, is_next});
          return true;
        });
  }

  View view() {
    return {targets_.data(), {entries_.data(), capacity_}, first_.data(), places_of_a_run_.data()};
  }

  /// Rows that did not fit are made once more; who walks them before that shall find nothing.
  static void empty(RowTargets* rows, Index count) {
    for (Index row = 0; row < count; ++row) rows[row].length = rows[row].begin = 0;
  }

  static Index expected_row(const Problem& problem) {
    return static_cast<Index>(expected_sources_of_four(problem));
  }

  void reserve(const BinnedParticles<Precision>& particles) {
    const Index pencils = RowSums<Precision>::pencils(particles.grid.cells).count();
    const std::int64_t most = most_rows_of_four(particles.count, pencils);
    targets_.resize(most);
    make_room(most);
    count_.resize(pencils + 1);
    first_.resize(pencils + 1);
  }

  void make_room(std::int64_t rows) { entries_.resize(RowMemory::entries_for(rows, capacity_)); }

  double radius_;
  Index capacity_;
  RowSums<Precision> sums_;
  bool reads_packed_alone_ = false;
  Buffer<RowTargets> targets_;
  Buffer<KeptEntry> entries_;
  Buffer<Index> count_, first_;
  Buffer<Index> places_of_a_run_{1};
  ExclusiveScan scan_;
};

}  // namespace

BackendEntry vector_list() {
  return make_entry<VectorList>({
      .name = "vector-list",
      .summary = "four targets a row of sources, for a CPU's vectors; a list used until a particle "
                 "has moved far",
      .source = "ours, after Pall and Hess 2013",
      .options = {sums_option()},
      .has_vectors = true,
      .rebuild = Rebuild::on_displacement,
      .on_ranks = OnRanks::not_to_the_bit,
      .sums_quanta = true,
      .worth_trying = {{}},
  });
}

}  // namespace pencilbox::PENCILBOX_DEVICE
