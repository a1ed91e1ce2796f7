// Fetches a vector of a row's sources, a word each, and lays their coordinates side by side.
// Included once for each instruction set.
#if defined(PENCILBOX_GATHER_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef PENCILBOX_GATHER_INL
#undef PENCILBOX_GATHER_INL
#else
#define PENCILBOX_GATHER_INL
#endif

#include <cstddef>

#include <hwy/highway.h>

#include "neighbor/vectors/lanes-inl.hpp"
#include "neighbor/vectors/pairs-inl.hpp"
#include "neighbor/vectors/rows.hpp"

HWY_BEFORE_NAMESPACE();
namespace pencilbox::host::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// The coordinates of a vector of sources, as they are staged.
template <class Real, bool several_types>
struct GatheredSources {
  using Types = TypesOfSources<Real, several_types>;

  Vec3<Lanes<Real>> position;
  Types types;
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
template <bool several_types, class Entry>
HWY_INLINE GatheredSources<float, several_types> gather(const PackedPosition<float>* staged,
                                                        const Entry* entry,
                                                        [[maybe_unused]] std::int32_t types) {
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
  const Vec3<Lanes<float>> position{Lanes<float>(lower(xy_of_ab, xy_of_cd)),
                                    Lanes<float>(upper(xy_of_ab, xy_of_cd)),
                                    Lanes<float>(lower(z_of_ab, z_of_cd))};
  if constexpr (several_types) {
    const SourceTypes<float>::Words words;
    return {position, {hn::BitCast(words, upper(z_of_ab, z_of_cd)), types}};
  } else {
    return {position, {}};
  }
}

/// A word is two blocks.
template <bool several_types, class Entry>
HWY_INLINE GatheredSources<double, several_types> gather(const PackedPosition<double>* staged,
                                                         const Entry* entry,
                                                         [[maybe_unused]] std::int32_t types) {
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
  const Vec3<Lanes<double>> position{Lanes<double>(hn::InterleaveLower(tag, xy_of_a, xy_of_b)),
                                     Lanes<double>(hn::InterleaveUpper(tag, xy_of_a, xy_of_b)),
                                     Lanes<double>(hn::InterleaveLower(tag, z_of_a, z_of_b))};
  if constexpr (several_types) {
    const SourceTypes<double>::Words words;
    return {position, {hn::BitCast(words, hn::InterleaveUpper(tag, z_of_a, z_of_b)), types}};
  } else {
    return {position, {}};
  }
}

#else

template <bool several_types, class Real, class Entry>
HWY_INLINE GatheredSources<Real, several_types> gather(const PackedPosition<Real>* staged,
                                                       const Entry* entry,
                                                       [[maybe_unused]] std::int32_t types) {
  const PackedPosition<Real>& word = word_of(staged, *entry);
  const Vec3<Lanes<Real>> position{Lanes<Real>(word.position.x), Lanes<Real>(word.position.y),
                                   Lanes<Real>(word.position.z)};
  if constexpr (several_types) {
    return {position, {hn::Set(typename SourceTypes<Real>::Words(), word.type), types}};
  } else {
    return {position, {}};
  }
}

#endif

}  // namespace pencilbox::host::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
