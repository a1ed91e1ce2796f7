// Fetches what is around a brick, in the order of its bins. Included once for each instruction set.
#if defined(PENCILBOX_STAGE_BRICK_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef PENCILBOX_STAGE_BRICK_INL
#undef PENCILBOX_STAGE_BRICK_INL
#else
#define PENCILBOX_STAGE_BRICK_INL
#endif

#include <algorithm>
#include <type_traits>

#include <hwy/highway.h>

#include "neighbor/vectors/half_rows.hpp"
#include "neighbor/vectors/lanes-inl.hpp"
#include "neighbor/vectors/stage-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace pencilbox::host::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class Real, Digits digits>
class BrickStage {
 public:
  BrickStage(const PlacedParticles<Real>& particles, const BrickLayout& layout,
             BrickScratch& scratch)
      : particles_(particles),
        layout_(layout),
        scratch_(scratch),
        words_(std::get<BrickScratch::Words<Real>>(scratch.words)),
        side_(particles.grid.exact_side),
        whole_(side_) {}

  void operator()() {
    fetch();
    put_in_order();
    lay_side_by_side();
  }

  /// Room behind stretches included.
  Index places() const { return places_; }
  /// Of the distance from the middle.
  float largest_square() const { return largest_square_; }

 private:
  using Tag = hn::ScalableTag<Real>;
  using Floats = hn::Rebind<float, Tag>;
  using Shift = std::conditional_t<digits == Digits::whole, std::int32_t, Real>;
  static constexpr Index lanes = static_cast<Index>(hn::MaxLanes(Tag()));
  static constexpr Index room_behind = StagedWords<Real>::room_behind;

  /// visit(particles, cell of those around), layer by layer and row by row.
  template <class Visit>
  void for_each_cell(const Visit& visit) const {
    for (Index z = 0; z < layout_.z.cells(); ++z) {
      for (Index y = 0; y < layout_.y.cells(); ++y) {
        for (Index x = 0; x < layout_.x.cells(); ++x) {
          const IndexRange cell = layout_.particles(particles_.offset, {x, y, z});
          if (cell.begin < cell.end) visit(cell, CellCoordinates{x, y, z});
        }
      }
    }
  }

  template <class Numbers>
  static void make_room(Numbers& numbers, Index wanted) {
    const auto size = static_cast<std::size_t>(wanted);
    if (numbers.size() < size) numbers.resize(size + size / 4);
  }

  /// Words and bins, cell by cell, each over what was written behind the one before.
  void fetch() {
    Index count = 0;
    for_each_cell([&](const IndexRange& cell, const CellCoordinates&) { count += cell.count(); });
    make_room(words_.arrived, count + room_behind);
    scratch_.order.begin(layout_, count);
    std::int32_t* bin = scratch_.order.bins();
    PackedPosition<Real>* to = words_.arrived.data();
    auto largest = hn::Zero(Floats());
    for_each_cell([&](const IndexRange& cell, const CellCoordinates& at) {
      largest = hn::Max(largest, fetch_cell(cell, at, bin, to));
      bin += cell.count();
      to += cell.count();
    });
    largest_square_ = hn::GetLane(hn::MaxOfLanes(Floats(), largest));
  }

  /// Returns the largest squares of distances from the middle.
  HWY_INLINE hn::Vec<Floats> fetch_cell(const IndexRange& cell, const CellCoordinates& at,
                                        std::int32_t* bin, PackedPosition<Real>* to) const {
    const Tag tag;
    const Floats floats;
    const hn::RebindToSigned<Floats> bins;
    const BrickOrder& order = scratch_.order;
    const auto first_bin = hn::Set(bins, order.bin(at));
    const auto last_part = hn::Set(bins, order.bins_of_a_cell() - 1);
    const auto half = hn::Set(floats, static_cast<float>(0.5 * side_.x));
    const auto per_length = hn::Set(floats, order.bins_per_length());
    const Vec3<Index> steps{layout_.x.steps(at.x), layout_.y.steps(at.y), layout_.z.steps(at.z)};
    const Vec3<Shift> shift{this->shift(steps.x, side_.x), this->shift(steps.y, side_.y),
                            this->shift(steps.z, side_.z)};
    const auto square_from_middle = [&](const hn::Vec<Tag>& numbers, double moved_by) {
      const auto x = hn::Add(in_float(numbers), hn::Set(floats, static_cast<float>(moved_by)));
      return hn::Mul(x, x);
    };
    auto largest = hn::Zero(floats);
    for (Index k = 0; k < cell.count(); k += lanes) {
      const Index i = cell.begin + k, left = cell.count() - k;
      const auto x = load_first(tag, particles_.position.x + i, left);
      const auto y = load_first(tag, particles_.position.y + i, left);
      const auto z = load_first(tag, particles_.position.z + i, left);
      // Who is beyond an end of the cell is in the bin there; what is no number is in some bin.
      const auto part = hn::ConvertTo(bins, hn::Mul(hn::Add(in_float(x), half), per_length));
      const auto within = hn::Min(hn::Max(part, hn::Zero(bins)), last_part);
      hn::StoreU(hn::Add(first_bin, within), bins, bin + k);
      hn::StoreInterleaved4(moved(x, shift.x), moved(y, shift.y), moved(z, shift.z), types(i, left),
                            tag, &to[k].position.x);
      const auto square = hn::Add(square_from_middle(x, steps.x * side_.x),
                                  hn::Add(square_from_middle(y, steps.y * side_.y),
                                          square_from_middle(z, steps.z * side_.z)));
      largest = hn::Max(largest, square);
    }
    return largest;
  }

  static auto in_float(const hn::Vec<Tag>& numbers) {
    if constexpr (std::is_same_v<Real, float>) {
      return numbers;
    } else {
      return hn::DemoteTo(Floats(), numbers);
    }
  }

  Shift shift(Index steps, double side) const {
    if constexpr (digits == Digits::whole) {
      return steps * whole_.nearest(side);
    } else {
      return static_cast<Shift>(steps * side);
    }
  }
  HWY_INLINE hn::Vec<Tag> moved(const hn::Vec<Tag>& numbers, Shift by) const {
    const Tag tag;
    if constexpr (digits == Digits::whole) {
      const hn::ScalableTag<Shift> whole;
      const Lanes<Real> per_spacing(static_cast<Real>(1.0 / whole_.spacing()));
      const auto place = nearest_whole(Lanes<Real>(numbers) * per_spacing);
      return hn::BitCast(tag, hn::Add(place, hn::Set(whole, by)));
    } else {
      return hn::Add(numbers, hn::Set(tag, by));
    }
  }

  HWY_INLINE hn::Vec<Tag> types(Index i, Index count) const {
    const Tag tag;
    const hn::RebindToSigned<Tag> words;
    const hn::Rebind<std::int32_t, Tag> numbers;
    const auto type = load_first(numbers, particles_.type + i, count);
    if constexpr (std::is_same_v<Real, float>) {
      return hn::BitCast(tag, type);
    } else {
      return hn::BitCast(tag, hn::PromoteTo(words, type));
    }
  }

  void put_in_order() {
    BrickOrder& order = scratch_.order;
    places_ = order.count();
    words_.staged.reserve(places_);
    make_room(scratch_.particle, places_);
    const PackedPosition<Real>* const arrived = words_.arrived.data();
    PackedPosition<Real>* const staged = words_.staged.word.data();
    Index* const particle = scratch_.particle.data();
    Index k = 0;
    for_each_cell([&](const IndexRange& cell, const CellCoordinates&) {
      for (Index i = cell.begin; i < cell.end; ++i, ++k) {
        const Index place = order.place(k);
        staged[place] = arrived[k];
        particle[place] = i;
      }
    });
    const Real far = far_from_all<Real, digits>(particles_.grid);
    for (const Index gap : order.gaps()) {
      std::fill_n(staged + gap, BrickOrder::room_behind, PackedPosition<Real>{{far, far, far}, 0});
    }
  }

  void lay_side_by_side() {
    const Tag tag;
    const Floats floats;
    scratch_.around.reserve(places_);
    make_room(scratch_.square, places_ + room_behind);
    for (Index k = 0; k < places_; k += lanes) {
      auto x = hn::Zero(tag), y = x, z = x, type = x;
      hn::LoadInterleaved4(tag, &words_.staged.word[static_cast<std::size_t>(k)].position.x, x, y,
                           z, type);
      const auto of_x = in_sigma(x), of_y = in_sigma(y), of_z = in_sigma(z);
      hn::StoreU(of_x, floats, scratch_.around.x.data() + k);
      hn::StoreU(of_y, floats, scratch_.around.y.data() + k);
      hn::StoreU(of_z, floats, scratch_.around.z.data() + k);
      hn::StoreU(hn::MulAdd(of_x, of_x, hn::MulAdd(of_y, of_y, hn::Mul(of_z, of_z))), floats,
                 scratch_.square.data() + k);
    }
  }
  HWY_INLINE auto in_sigma(const hn::Vec<Tag>& numbers) const {
    if constexpr (digits == Digits::whole) {
      const hn::ScalableTag<std::int32_t> whole;
      return hn::Mul(hn::ConvertTo(Floats(), hn::BitCast(whole, numbers)),
                     hn::Set(Floats(), static_cast<float>(whole_.spacing())));
    } else {
      return in_float(numbers);
    }
  }

  const PlacedParticles<Real>& particles_;
  const BrickLayout& layout_;
  BrickScratch& scratch_;
  BrickScratch::Words<Real>& words_;
  Vec3<double> side_;
  WholeCoordinates whole_;
  Index places_ = 0;
  float largest_square_ = 0.0F;
};

}  // namespace pencilbox::host::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
