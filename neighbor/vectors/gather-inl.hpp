// Fetches the sources of a row, a word each, and lays their coordinates side by side. Included once
// for each instruction set.
#if defined(PENCILBOX_GATHER_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef PENCILBOX_GATHER_INL
#undef PENCILBOX_GATHER_INL
#else
#define PENCILBOX_GATHER_INL
#endif

#include <cstddef>

#include <hwy/highway.h>

#include "neighbor/vectors/rows.hpp"

HWY_BEFORE_NAMESPACE();
namespace pencilbox::host::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// The coordinates of a row's sources and targets, in its order.
template <class Real>
struct GatheredRow {
  Real *x, *y, *z;                            ///< as they are staged
  typename PackedPosition<Real>::Type* type;  ///< only where there are several
};

/// The word of an entry.
template <class Real>
HWY_INLINE const PackedPosition<Real>& word_of(const PackedPosition<Real>* staged, RowEntry entry) {
  constexpr std::size_t bytes = sizeof(PackedPosition<Real>) / entries_of_a_place;
  const auto* const first = reinterpret_cast<const std::byte*>(staged);
  return *reinterpret_cast<const PackedPosition<Real>*>(first + bytes * std::size_t{entry});
}

#if HWY_TARGET != HWY_SCALAR  // whose vectors of one number have no blocks

/// A vector out of blocks of 16 bytes, block b from where(b) on.
template <class Tag, class Where>
HWY_INLINE hn::Vec<Tag> of_blocks(const Tag& tag, int first, const Where& where) {
  constexpr std::size_t of_a_block = 16 / sizeof(hn::TFromD<Tag>);
  if constexpr (hn::MaxLanes(Tag()) <= of_a_block) {
    return hn::LoadU(tag, where(first));
  } else {
    const hn::Half<Tag> half;
    constexpr int blocks = static_cast<int>(hn::MaxLanes(half) / of_a_block);
    return hn::Combine(tag, of_blocks(half, first + blocks, where), of_blocks(half, first, where));
  }
}

/// Four by four numbers in each block turned over.
template <bool several_types>
HWY_INLINE void gather_vector(const PackedPosition<float>* staged, const RowEntry* entry, Index k,
                              const GatheredRow<float>& row) {
  const hn::ScalableTag<float> tag;
  const hn::Repartition<double, decltype(tag)> pairs;
  const auto of_each_block = [&](int number) {
    return of_blocks(
        tag, 0, [&](int block) { return &word_of(staged, entry[4 * block + number]).position.x; });
  };
  const auto a = of_each_block(0), b = of_each_block(1), c = of_each_block(2), d = of_each_block(3);
  const auto xy_of_ab = hn::BitCast(pairs, hn::InterleaveLower(tag, a, b));
  const auto xy_of_cd = hn::BitCast(pairs, hn::InterleaveLower(tag, c, d));
  const auto z_of_ab = hn::BitCast(pairs, hn::InterleaveUpper(tag, a, b));
  const auto z_of_cd = hn::BitCast(pairs, hn::InterleaveUpper(tag, c, d));
  const auto lower = [&](const auto& ab, const auto& cd) {
    return hn::BitCast(tag, hn::InterleaveLower(pairs, ab, cd));
  };
  const auto upper = [&](const auto& ab, const auto& cd) {
    return hn::BitCast(tag, hn::InterleaveUpper(pairs, ab, cd));
  };
  hn::StoreU(lower(xy_of_ab, xy_of_cd), tag, row.x + k);
  hn::StoreU(upper(xy_of_ab, xy_of_cd), tag, row.y + k);
  hn::StoreU(lower(z_of_ab, z_of_cd), tag, row.z + k);
  if constexpr (several_types) {
    const hn::RebindToSigned<decltype(tag)> types;
    hn::StoreU(hn::BitCast(types, upper(z_of_ab, z_of_cd)), types, row.type + k);
  }
}

/// A word is two blocks.
template <bool several_types>
HWY_INLINE void gather_vector(const PackedPosition<double>* staged, const RowEntry* entry, Index k,
                              const GatheredRow<double>& row) {
  const hn::ScalableTag<double> tag;
  const auto of_each_block = [&](int number, double Vec3<double>::*half) {
    return of_blocks(tag, 0, [&](int block) {
      return &(word_of(staged, entry[2 * block + number]).position.*half);
    });
  };
  const auto xy_of_a = of_each_block(0, &Vec3<double>::x);
  const auto xy_of_b = of_each_block(1, &Vec3<double>::x);
  const auto z_of_a = of_each_block(0, &Vec3<double>::z);
  const auto z_of_b = of_each_block(1, &Vec3<double>::z);
  hn::StoreU(hn::InterleaveLower(tag, xy_of_a, xy_of_b), tag, row.x + k);
  hn::StoreU(hn::InterleaveUpper(tag, xy_of_a, xy_of_b), tag, row.y + k);
  hn::StoreU(hn::InterleaveLower(tag, z_of_a, z_of_b), tag, row.z + k);
  if constexpr (several_types) {
    const hn::RebindToSigned<decltype(tag)> types;
    hn::StoreU(hn::BitCast(types, hn::InterleaveUpper(tag, z_of_a, z_of_b)), types, row.type + k);
  }
}

#else

template <bool several_types, class Real>
HWY_INLINE void gather_vector(const PackedPosition<Real>* staged, const RowEntry* entry, Index k,
                              const GatheredRow<Real>& row) {
  const PackedPosition<Real>& word = word_of(staged, *entry);
  row.x[k] = word.position.x;
  row.y[k] = word.position.y;
  row.z[k] = word.position.z;
  if (several_types) row.type[k] = word.type;
}

#endif

/// `count` of them, and what is behind, as far as a vector goes.
template <bool several_types, class Real>
HWY_INLINE void gather(const PackedPosition<Real>* staged, const RowEntry* entry, Index count,
                       const GatheredRow<Real>& row) {
  constexpr Index lanes = static_cast<Index>(hn::MaxLanes(hn::ScalableTag<Real>()));
  for (Index k = 0; k < count; k += lanes) {
    gather_vector<several_types>(staged, entry + k, k, row);
  }
}

}  // namespace pencilbox::host::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
