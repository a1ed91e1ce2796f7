// Linked-Cells: the lists of the textbooks (Hockney and Eastwood 1981, 8-4-2; Allen and Tildesley,
// 5.3.2), for particles that come in no order, of which nothing is wanted but who is near. Each
// group of cells has a head, which says who was put into it last; each particle has a link to who
// was put there before it. So nobody is counted or moved: a particle is linked by one exchange, and
// a search follows the lists of the groups in reach. Two launches in all, which is what takes time
// where particles are few.
//
// Heads are never cleared: each says in which round it was written, and those of other rounds are
// heads of nothing.
//
// Who comes first in a list is chance, and so is the order of sums.
#include <bit>

#include "core/device/atomics.hpp"
#include "neighbor/backend.hpp"
#include "neighbor/walks/group_search.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

namespace {

constexpr Index nobody = -1;

/// A round and a particle in one word. Bits that no particle needs are the round's: enough for
/// years.
struct Heads {
  std::uint64_t* of_group;  ///< [groups]
  Index particles;

  int bits() const { return std::bit_width(static_cast<std::uint32_t>(particles)); }

  /// Whom a head names; nobody, if it is of a round before this one. `first` is what the first
  /// particle's head would be.
  PENCILBOX_DEVICE_FUNCTION Index particle(std::uint64_t head, std::uint64_t first) const {
    const std::uint64_t behind = head - first;
    return behind < static_cast<std::uint64_t>(particles) ? static_cast<Index>(behind) : nobody;
  }
};

/// Which round it is, by its first head. Blocks take tickets, together as many in each round: so
/// the first one of a launch can tell as well as the last, and nobody waits for anybody.
struct Rounds {
  std::uint64_t* tickets;
  std::uint64_t* first_head;
  int ticket_bits;  ///< of the tickets of a round
  int head_bits;    ///< of the heads of one

  PENCILBOX_DEVICE_FUNCTION std::uint64_t begin(const Block& block) const {
    const auto others = static_cast<std::uint64_t>(block.blocks() - 1);
    const bool is_first = block.index() == 0;
    const std::uint64_t its_share = is_first ? (std::uint64_t{1} << ticket_bits) - others : 1;
    const std::uint64_t round = (atomic_add(tickets, its_share) >> ticket_bits) + 1;
    if (is_first) *first_head = round << head_bits;
    return round << head_bits;
  }
};

template <class Precision>
struct Link {
  static constexpr const char* name = "linked-cells: link";
  static constexpr int max_threads = 256;
  Ungrouped<Precision> from;
  Heads heads;
  Rounds rounds;
  GroupedParticle<typename Precision::Pair>* grouped;  ///< [N]

  /// What the particle is read from is under way while the block learns which round it is.
  PENCILBOX_DEVICE_FUNCTION void operator()(const Block& block) const {
    const std::int64_t row = block.index() * block.threads() + block.thread();
    const bool is_particle = row < from.particles.count;
    const Index i = is_particle ? static_cast<Index>(row) : 0;
    const Index group = from.key_of(i);
    auto particle = from(i, nobody);
    const auto first_head = block.shared<std::uint64_t>(1);
    if (block.thread() == 0) first_head[0] = rounds.begin(block);
    block.barrier();
    if (!is_particle) return;
    const std::uint64_t first = first_head[0];
    const std::uint64_t before =
        atomic_exchange(heads.of_group + group, first + static_cast<std::uint64_t>(i));
    particle.place.link = heads.particle(before, first);
    grouped[i] = particle;
  }
};

template <class Precision, Wanted wanted, class Interaction>
struct FollowLinks {
  static constexpr const char* name = "linked-cells";
  using Pair = typename Precision::Pair;
  using Grouped = GroupedParticle<Pair>;
  using Sum = TargetSum<Precision, wanted>;
  using Lists = Notes<Index, 3 * rows_of_groups>;

  static constexpr std::size_t bytes_of_a_thread =
      Lists::bytes_of_a_thread + NearSlots::bytes_of_a_thread;
  static constexpr int max_threads = most_threads_of_search;
  /// A thread waits for memory most of the time, so there should be many.
  static constexpr int min_blocks = sizeof(Pair) == sizeof(float) ? 5 : 1;

  /// Of lists, one after the other.
  struct Candidates {
    Lists& newest;
    Index target;
    Index next = nobody;

    PENCILBOX_DEVICE_FUNCTION explicit operator bool() const {
      return next != nobody || newest.any();
    }
    PENCILBOX_DEVICE_FUNCTION Place<Pair> take(const Grouped* grouped, Index& particle) {
      particle = next != nobody ? next : newest.take();
      const Place<Pair> place = read_ahead(&grouped[particle].place);
      next = place.link;
      return place;
    }
    PENCILBOX_DEVICE_FUNCTION bool is_other(Index particle) const { return particle != target; }
  };

  GroupSearch<Precision> near;
  Heads heads;
  const std::uint64_t* first_head;  ///< of this round
  Interaction interaction;
  PairSumsView<Precision> sums;

  PENCILBOX_DEVICE_FUNCTION void operator()(const Block& block) const {
    Lists lists(block);
    NearSlots found(block);
    const std::int64_t i = block.index() * block.threads() + block.thread();
    if (i < near.particles.count) search(static_cast<Index>(i), lists, found);
  }

  PENCILBOX_DEVICE_FUNCTION void search(Index i, Lists& lists, NearSlots& found) const {
    const Grouped target = near.read(i);
    const RowsInReach<Pair> rows = near.rows_around(target);
    rows.for_each([&](const IndexRange& row) { note(row, lists); });
    Sum sum;
    Candidates candidates{lists, i};
    Index looked_at = near.pass(candidates, target.place, found,
                                [&](Index source) { add(sum, i, target, source); });
    if (rows.have_images()) looked_at += pass_images(i, target, sum);
    if constexpr (wanted == Wanted::counts) sum.candidates = looked_at - 1;  // itself
    sum.store(sums, i);
  }

  /// All heads of a row are read before the first is looked at.
  PENCILBOX_DEVICE_FUNCTION void note(const IndexRange& row, Lists& lists) const {
    const auto head = [&](Index k) { return k < row.count() ? heads.of_group[row.begin + k] : 0; };
    const std::uint64_t first = head(0), second = head(1), third = head(2);
    note(first, lists);
    note(second, lists);
    note(third, lists);
  }
  PENCILBOX_DEVICE_FUNCTION void note(std::uint64_t head, Lists& lists) const {
    const Index newest = heads.particle(head, *first_head);
    if (newest != nobody) lists.add(newest);
  }

  PENCILBOX_DEVICE_FUNCTION Index pass_images(Index i, const Grouped& target, Sum& sum) const {
    Index looked_at = 0;
    near.around(target).for_each_image(near.groups, [&](Index group, const Vec3<Index>& image) {
      const Grouped seen = near.seen_from(image, target);
      for (Index source = heads.particle(heads.of_group[group], *first_head); source != nobody;
           source = near.grouped[source].place.link) {
        ++looked_at;
        if (near.may_be_partner(seen.place, near.grouped[source].place)) {
          add(sum, i, seen, source);
        }
      }
    });
    return looked_at;
  }

  PENCILBOX_DEVICE_FUNCTION void add(Sum& sum, Index i, const Grouped& target, Index source) const {
    const Grouped partner = near.read(source);
    const CellShift<Pair> shift = near.shift(target, partner);
    const auto exact = [&] { return exact_separation(near.particles, i, source, shift); };
    sum.add(interaction, target.offset.in_cell, partner.offset.in_cell, shift, exact,
            target.offset.type, partner.offset.type);
  }
};

template <class Precision>
class LinkedCells final : public Backend<Precision> {
  using Pair = typename Precision::Pair;

 public:
  LinkedCells(const Problem& problem, const BackendOptions& options)
      : threads_(block_of(options)),
        shape_of_groups_(shape_of_groups(problem, 3.0)),  // measured on an H200
        cutoff_(cutoff_of(problem.potential)),
        has_types_(types_of(problem.potential) > 1),
        particles_(problem.particles),
        link_shape_{divide_up(std::int64_t{problem.particles}, Link<Precision>::max_threads),
                    Link<Precision>::max_threads, sizeof(std::uint64_t)},
        heads_(CellGroups<Pair>(problem.grid.view<Pair>(), shape_of_groups_).count()),
        tickets_and_first_head_(2),
        grouped_(problem.particles) {}

  static std::optional<std::string> refuse(const Problem& problem, const BackendOptions& options) {
    if (problem.deterministic) {
      return "who comes first in its lists is chance, so that sums differ in their last bits from "
             "run to run (run.deterministic: false, or back end 'sort-and-search')";
    }
    if (auto reason = cells_for_a_cutoff(problem, "leaves out what is beyond one")) return reason;
    if (auto reason = row_too_long<Pair>(problem)) return reason;
    return refuse_cells_or_block(problem, options);
  }

  void rebuild(const BinnedParticles<Precision>& particles, Stream& stream) override {
    if (!is_clear_) {
      heads_.fill_bytes(0, stream);
      tickets_and_first_head_.fill_bytes(0, stream);
      is_clear_ = true;
    }
    const Heads heads = this->heads();
    const auto blocks = static_cast<std::uint64_t>(link_shape_.blocks);
    const Rounds rounds{tickets_and_first_head_.data(), tickets_and_first_head_.data() + 1,
                        static_cast<int>(std::bit_width(blocks)), heads.bits()};
    launch(stream, link_shape_,
           Link<Precision>{{particles, {particles.grid, shape_of_groups_}, has_types_},
                           heads,
                           rounds,
                           grouped_.data()});
  }

  void compute(const BinnedParticles<Precision>& particles, const Interaction<Pair>& interaction,
               Wanted wanted, PairSums<Precision>& sums, Stream& stream) override {
    const GroupSearch<Precision> near(particles, shape_of_groups_, grouped_.data(), cutoff_);
    dispatch_short_ranged(interaction, wanted, [&](const auto& functor, auto chosen) {
      using Functor = std::decay_t<decltype(functor)>;
      using Kernel = FollowLinks<Precision, chosen(), Functor>;
      shape_ = {divide_up(std::int64_t{particles.count}, threads_), threads_,
                threads_ * Kernel::bytes_of_a_thread};
      launch(stream, shape_,
             Kernel{near, heads(), tickets_and_first_head_.data() + 1, functor,
                    PairSumsView<Precision>(sums)});
    });
  }

  LaunchReport launch_report() const override {
    return {shape_, [this] { return words(heads_.size(), shape_of_groups_); }};
  }

 private:
  Heads heads() { return {heads_.data(), particles_}; }

  int threads_;
  GroupShape shape_of_groups_;
  double cutoff_;
  bool has_types_;
  Index particles_;
  LaunchShape link_shape_;
  Buffer<std::uint64_t> heads_;
  Buffer<std::uint64_t> tickets_and_first_head_;
  Buffer<GroupedParticle<Pair>> grouped_;
  bool is_clear_ = false;
  LaunchShape shape_;
};

}  // namespace

BackendEntry linked_cells() {
  return make_entry<LinkedCells>({
      .name = "linked-cells",
      .summary = "lists of the particles of each group of cells, by heads and links, made anew at "
                 "every step; one thread per particle",
      .source = "Hockney and Eastwood 1981, 8-4-2; groups of cells: ours",
      .options = {search_block_option()},
      .needs_blocks = true,
      .has_fixed_order = false,
  });
}

}  // namespace pencilbox::PENCILBOX_DEVICE
