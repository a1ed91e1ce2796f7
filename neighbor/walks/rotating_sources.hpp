// Targets in registers, sources that rotate past them: a group of lanes holds the targets of a
// cell, several a lane; each lane fetches one source, and the sources go round the group by
// shuffles, until each has met all targets. The sources of all cells around are laid end to end and
// dealt out to the groups, so that no lane idles because a cell holds few. A group of one lane is a
// source a lane, whose targets are everybody's.
//
// Each pair may be taken once: then a source carries its own sum round the group, and both go to
// memory by atomics.
#pragma once

#include "neighbor/walks/both_ends.hpp"
#include "neighbor/walks/cells_end_to_end.hpp"
#include "neighbor/walks/rotation_shape.hpp"

namespace pencilbox::PENCILBOX_DEVICE {

/// Which pairs a cell takes: all that its targets have, or those with half of the cells around it,
/// for both ends. (Pairs within a cell: see RotatingSources::halves_home.)
enum class PairsOf { targets, half_shell };

/// `most`: targets that a lane has registers for, 1 to 16. `Sink`: where sums go.
template <class Precision, Wanted wanted, class Interaction, class Sink, PairsOf pairs, int most>
struct RotatingSources {
  static constexpr const char* name = pairs == PairsOf::targets ? "rotating-sources" : "half-shell";
  static constexpr int max_threads = RotationRules::most_threads_with_room_for(most);
  static constexpr int min_blocks =
      is_candidate_kernel<Interaction> ? RotationRules::blocks_at_once(most) : 1;
  static constexpr bool to_both = pairs == PairsOf::half_shell;
  static constexpr Index first_code = to_both ? ShiftCode::none : 0;
  /// A potential of a few operations for many targets: what it would wait for is begun early. (With
  /// room for sixteen, and without sums that go round, that is slower.)
  static constexpr bool is_lean =
      is_candidate_kernel<Interaction> && vanishes_far_away<Interaction>() &&
      (most == RotationRules::some_targets || (to_both && most > RotationRules::some_targets));
  /// Whether pairs within a cell are taken once, too: a source meets the targets before it and, by
  /// one end alone, those that it has come with. Elsewhere a cell takes all of them from both
  /// sides: with few targets a lane that is as fast, and with more there is no register for it.
  static constexpr bool halves_home = to_both && is_lean && most == RotationRules::some_targets;
  using Pair = typename Precision::Pair;
  using Sum = QuickSumOf<Precision, wanted, Interaction>;

  /// Sources may be shifted when they are fetched, once for all targets.
  static constexpr bool shifts_once = !pairs_must_cancel<Precision>;
  static constexpr bool needs_places = wanted != Wanted::forces;
  /// What is far away adds nothing, and need not be looked at.
  static constexpr bool drops_padding =
      wanted != Wanted::counts && vanishes_far_away<Interaction>();
  /// Where both sides of a pair must have the same bits they take the same instructions.
  static constexpr bool always_looks = !drops_padding || pairs_must_cancel<Precision>;

  BinnedParticles<Precision> particles;
  Interaction interaction;
  Sink sink;
  RotationLayout layout;

  struct Source {
    Vec3<Pair> position;
    Vec3<Pair> shift{};  ///< where it is added pair by pair
    ShiftedIndex place;
    std::int32_t type = 0;
    Index once_below = most;  ///< of its pairs with a lane's targets those that count to both ends
  };

  /// What a lane holds of a chunk of targets: number k of its own is `first` + k times the group.
  struct Targets {
    IndexRange chunk;
    Index first;
    Index of_a_lane;  ///< how many at most
    Vec3<Pair> position[most];
    std::int32_t type[most];
    Sum sum[most];
  };

  /// No source, and met by no code.
  static constexpr std::uint32_t nobody = ~0U;

  using Around = CellsEndToEnd<Pair>;

  PENCILBOX_DEVICE_FUNCTION void operator()(const Block& block) const {
    const Index work = static_cast<Index>(block.index()) * layout.cells_of_block +
                       (block.thread() >> layout.bits_of_threads);
    if (work >= layout.pieces_of_work) return;
    const Index cell = layout.by_parts.quotient(work);
    const Index part = work - cell * layout.parts;
    // Elsewhere that is found out while the cells around are looked up.
    if (layout.most_are_empty && particles.particles_of(cell).count() == 0) return;
    const Around around(block, particles, particles.grid.coordinates(cell), first_code);
    const IndexRange all = around.home();
    const Index slots = layout.group * layout.targets;
    const Index chunks = (all.count() + slots - 1) >> layout.bits_of_slots;
    if (part >= chunks) return;
    const auto parts = block.shared<Sum>(adds_teams(block) ? Team::count(block) * slots : 0);
    const Index each = chunks == 1 ? all.count() : (all.count() + chunks - 1) / chunks;
    for (Index chunk = part; chunk < chunks; chunk += layout.parts) {
      const Index first = all.begin + chunk * each;
      const IndexRange targets{first, smaller(first + each, all.end)};
      sum_up(block, around, parts, targets);
      if constexpr (!to_both) {
        if (adds_teams(block)) add_teams(block, targets, parts);
      }
    }
  }

 private:
  /// Whether a cell has several warps, whose sums come together in shared memory.
  PENCILBOX_DEVICE_FUNCTION bool adds_teams(const Block& block) const {
    return !to_both && layout.threads_per_cell > block.warp_size();
  }

  PENCILBOX_DEVICE_FUNCTION void sum_up(const Block& block, const Around& around,
                                        const SharedArray<Sum>& parts,
                                        const IndexRange& chunk) const {
    Targets targets;
    fetch(targets, chunk, around.lane() & (layout.group - 1));
    const Index lane = block.thread() & (layout.threads_per_cell - 1);
    const Index first_lane = lane - around.lane();  // of the warp, in its cell
    Source source;
    for (Index begin = first_lane;; begin += layout.threads_per_cell) {
      Source next;
      const bool is_there = begin < around.total();
      if (is_there) next = fetch(around, begin + around.lane());
      if (begin != first_lane) meet(block, around, source, targets);  // the next is on its way
      if (!is_there) break;
      source = next;
      if constexpr (shifts_once) source.position += source.shift;  // not before: that would wait
    }
    hand_over(block, around.lane(), targets, parts);
  }

  PENCILBOX_DEVICE_FUNCTION void fetch(Targets& targets, const IndexRange& chunk,
                                       Index lane_of_group) const {
    targets.chunk = chunk;
    targets.first = chunk.begin + lane_of_group;
    targets.of_a_lane = (chunk.count() + layout.group - 1) >> layout.bits_of_group;
    for (int t = 0; t < most; ++t) {
      const Index i = targets.first + t * layout.group;
      // Not where padding of the sources is.
      targets.position[t] = Pair(-1) * PackedPosition<Pair>::far_away();
      targets.type[t] = 0;
      if (i >= chunk.end) continue;
      targets.position[t] = particles.position[i];
      targets.type[t] = type_if_needed<Interaction>(particles.type, i);
    }
  }

  /// Every lane of the warp must call it.
  PENCILBOX_DEVICE_FUNCTION Source fetch(const Around& around, Index number) const {
    Source source;
    const typename Around::Found found = around.find(number);
    source.place = found.place;
    if (number < around.total()) {
      source.position = particles.position[source.place.index()];
      source.shift = found.shift;
      source.type = type_if_needed<Interaction>(particles.type, source.place.index());
    } else {
      source.position = PackedPosition<Pair>::far_away();
      source.place.word = nobody;
    }
    return source;
  }

  PENCILBOX_DEVICE_FUNCTION void meet(const Block& block, const Around& around, Source& source,
                                      Targets& targets) const {
    Sum other_end;
    pass_by(block, around.lane(), source, targets, other_end);
    if constexpr (to_both) {
      if (source.place.word != nobody && (halves_home || !is_at_home(source))) {
        add_to(sink, source.place.index(), other_end);
      }
    }
  }

  /// A lane need not look at a pair before it adds it where all of the warp's sources count to all
  /// targets.
  PENCILBOX_DEVICE_FUNCTION void pass_by(const Block& block, Index lane, Source& source,
                                         Targets& targets, Sum& other_end) const {
    if constexpr (!always_looks) {
      const bool has_itself = block.ballot(is_at_home(source)) != 0;
      if (!has_itself) return go_round<false>(block, lane, source, targets, other_end);
    }
    if constexpr (halves_home) source.once_below = once_below(source, targets);
    go_round<true>(block, lane, source, targets, other_end);
  }

  PENCILBOX_DEVICE_FUNCTION static bool is_at_home(const Source& source) {
    return source.place.code() == ShiftCode::none;
  }

  /// -1: of a cell's targets that are not of this chunk each takes its own side.
  PENCILBOX_DEVICE_FUNCTION Index once_below(const Source& source, const Targets& targets) const {
    if (!is_at_home(source)) return most;
    const Index i = source.place.index();
    return targets.chunk.has(i) ? (i - targets.chunk.begin) >> layout.bits_of_group : -1;
  }

  /// How many targets of a lane meet any of the warp's sources: of a cell's own, which come in
  /// their order, as many as the last one meets.
  PENCILBOX_DEVICE_FUNCTION Index met_of_a_lane(const Block& block, const Source& source,
                                                const Targets& targets) const {
    if constexpr (!halves_home) return targets.of_a_lane;
    const bool meets_all = source.once_below < 0 || source.once_below >= targets.of_a_lane;
    if (block.ballot(meets_all) != 0) return targets.of_a_lane;
    return block.shuffle(source.once_below, block.warp_size() - 1) + 1;
  }

  /// A potential is what is measured: its sources go round in a loop that is made for just so many
  /// targets. Forces always take all that there are registers for.
  template <bool looks>
  PENCILBOX_DEVICE_FUNCTION void go_round(const Block& block, Index lane, Source& source,
                                          Targets& targets, Sum& other_end) const {
    if constexpr (is_candidate_kernel<Interaction>) {
      const Index met = looks ? met_of_a_lane(block, source, targets) : targets.of_a_lane;
      with_loop_for<fewest_of_loops>(met, [&](auto of_a_lane) {
        go_round_of<looks>(block, lane, source, other_end,
                           [&] { add_potentials<looks, of_a_lane()>(source, targets, other_end); });
      });
    } else {
      go_round_of<looks>(block, lane, source, other_end, [&] {
        for (int t = 0; t < most; ++t) add<looks>(source, targets, t, other_end);
      });
    }
  }

  /// Who has fewer targets takes a kernel that has room for fewer.
  static constexpr int fewest_of_loops =
      most > RotationRules::some_targets ? RotationRules::some_targets : 1;
  template <int of_a_lane, class Run>
  PENCILBOX_DEVICE_FUNCTION static void with_loop_for(Index wanted_of_a_lane, Run&& run) {
    if constexpr (of_a_lane < most) {
      if (wanted_of_a_lane > of_a_lane) return with_loop_for<of_a_lane + 1>(wanted_of_a_lane, run);
    }
    run(std::integral_constant<int, of_a_lane>{});
  }

  template <bool looks, class Meet>
  PENCILBOX_DEVICE_FUNCTION void go_round_of(const Block& block, Index lane, Source& source,
                                             Sum& other_end, const Meet& meet_targets) const {
    if (layout.group == 1) return meet_targets();
    const Index in_group = layout.group - 1;
    const int from = (lane & ~in_group) | ((lane + 1) & in_group);
    Index step = layout.group;
    do {
      Source next;
      if constexpr (is_lean) next = rotated<looks>(block, source, from);  // on its way meanwhile
      meet_targets();
      if (!to_both && step == 1) return;
      if constexpr (!is_lean) next = rotated<looks>(block, source, from);
      source = next;
      if constexpr (to_both) {
        other_end = Sum::of_both(other_end, other_end,
                                 [&](auto mine, auto) { return block.shuffle(mine, from); });
      }
    } while (--step > 0);  // all are at home again
  }

  /// What the lane `from` has.
  template <bool looks>
  PENCILBOX_DEVICE_FUNCTION static Source rotated(const Block& block, const Source& source,
                                                  int from) {
    const auto next = [&](const Vec3<Pair>& mine) {
      return Vec3<Pair>{block.shuffle(mine.x, from), block.shuffle(mine.y, from),
                        block.shuffle(mine.z, from)};
    };
    Source other = source;
    other.position = next(source.position);
    if constexpr (!shifts_once) other.shift = next(source.shift);
    if constexpr (looks || needs_places) {
      other.place.word = block.shuffle(source.place.word, from);
    }
    if constexpr (looks && halves_home) {
      other.once_below = block.shuffle(source.once_below, from);
    }
    if constexpr (Interaction::needs_types) other.type = block.shuffle(source.type, from);
    return other;
  }

  template <bool looks, int of_a_lane>
  PENCILBOX_DEVICE_FUNCTION void add_potentials(const Source& source, Targets& targets,
                                                Sum& other_end) const {
    static_assert(shifts_once);  // a potential is in float
    using Quick = typename Sum::Quick;
    const auto begin = [&](int t) { return Quick::begin(targets.position[t], source.position); };
    float begun[of_a_lane];
    if constexpr (is_lean) {
      for (int t = 0; t < of_a_lane; ++t) begun[t] = begin(t);
    }
    for (int t = 0; t < of_a_lane; ++t) {
      if constexpr (!is_lean) begun[t] = begin(t);
      const float term = Quick::of_begun(begun[t]);
      const bool counts = is_pair<looks>(source, targets, t);
      const bool to_source = !looks || t < source.once_below;
      const bool to_target = to_source || source.once_below < 0 || t == source.once_below;
      targets.sum[t].add_term(term, counts && to_target);
      if constexpr (to_both) other_end.add_term(Quick::seen_from_source(term), counts && to_source);
    }
  }

  template <bool looks>
  PENCILBOX_DEVICE_FUNCTION void add(const Source& source, Targets& targets, int t,
                                     Sum& other_end) const {
    const Index i = targets.first + t * layout.group;
    const bool counts = is_pair<looks>(source, targets, t);
    const CellShift<Pair> shift{shifts_once ? Vec3<Pair>{} : source.shift, {}};
    const auto exact = [&] {
      return exact_separation(particles, i, source.place.index(),
                              ShiftCode::shift(particles.grid, source.place.code()));
    };
    if constexpr (to_both) {
      add_to_both(interaction, targets.position[t], source.position, shift, exact, targets.type[t],
                  source.type, counts, targets.sum[t], other_end);
    } else {
      targets.sum[t].add_in_step(interaction, targets.position[t], source.position, shift, exact,
                                 targets.type[t], source.type, counts);
    }
  }

  template <bool looks>
  PENCILBOX_DEVICE_FUNCTION bool is_pair(const Source& source, const Targets& targets,
                                         int t) const {
    const Index i = targets.first + t * layout.group;
    bool counts = true;
    if constexpr (looks) counts = source.place.word != ShiftedIndex::of(i, ShiftCode::none).word;
    if constexpr (!drops_padding) {
      counts = counts && source.place.word != nobody && i < targets.chunk.end;
    }
    return counts;
  }

  /// Each target has a sum in every group of its cell: first they come together within a team, or
  /// the warp that is alone with its cell, then, in shared memory, those of several teams.
  PENCILBOX_DEVICE_FUNCTION void hand_over(const Block& block, Index lane, Targets& targets,
                                           const SharedArray<Sum>& parts) const {
    const Index lanes = to_both || adds_teams(block) ? Team::lanes : block.warp_size();
    for (int distance = layout.group; distance < lanes; distance *= 2) {
      for (int t = 0; t < most; ++t) {
        targets.sum[t] = Sum::of_both(targets.sum[t], targets.sum[t], [&](auto mine, auto) {
          return mine + block.shuffle_xor(mine, distance);
        });
      }
    }
    const Index slots = layout.group * layout.targets;
    const Index group = lane & (lanes - 1) & ~(layout.group - 1);
    for (int t = 0; t < most; ++t) {
      const Index i = targets.first + t * layout.group;
      const Index by_group = (t * layout.group) & (Team::lanes - 1);  // each stores a few
      if (group != by_group || i >= targets.chunk.end) continue;
      if constexpr (to_both) {
        add_to(sink, i, targets.sum[t]);
      } else if (adds_teams(block)) {
        parts[Team::number(block) * slots + i - targets.chunk.begin] = targets.sum[t];
      } else {
        targets.sum[t].store(sink, i);
      }
    }
  }

  PENCILBOX_DEVICE_FUNCTION void add_teams(const Block& block, const IndexRange& chunk,
                                           const SharedArray<Sum>& parts) const {
    const Index slots = layout.group * layout.targets;
    block.barrier();
    for (Index slot = block.thread(); slot < chunk.count(); slot += block.threads()) {
      Sum whole = parts[slot];
      for (Index team = 1; team < Team::count(block); ++team) {
        const Sum more = parts[team * slots + slot];
        whole = Sum::of_both(whole, more, [](auto a, auto b) { return a + b; });
      }
      whole.store(sink, chunk.begin + slot);
    }
    block.barrier();  // before the next targets' sums come there
  }
};

}  // namespace pencilbox::PENCILBOX_DEVICE
