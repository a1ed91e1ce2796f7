// Of a vector the lanes that are chosen, one after the other. Included once for each instruction
// set.
#if defined(PENCILBOX_COMPACT_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef PENCILBOX_COMPACT_INL
#undef PENCILBOX_COMPACT_INL
#else
#define PENCILBOX_COMPACT_INL
#endif

#include <array>
#include <bit>
#include <cstdint>

#include <hwy/highway.h>

#include "core/device/launch_shape.hpp"

HWY_BEFORE_NAMESPACE();
namespace pencilbox::host::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// For each choice of eight lanes their numbers, those that are chosen first.
constexpr auto make_true_lanes() {
  std::array<std::array<std::uint8_t, 8>, 256> numbers{};
  for (std::size_t choice = 0; choice < numbers.size(); ++choice) {
    std::size_t found = 0;
    for (std::uint8_t lane = 0; lane < 8; ++lane) {
      if ((choice >> lane & 1U) != 0) numbers[choice][found++] = lane;
    }
  }
  return numbers;
}
inline constexpr auto true_lanes = make_true_lanes();

/// In as many bits as they are stored in, which they fit.
template <class Words, class To>
HWY_INLINE void store_as(const Words& words, const hn::Vec<Words>& numbers, To* to) {
  if constexpr (sizeof(To) == sizeof(hn::TFromD<Words>)) {
    hn::StoreU(numbers, words, to);
  } else {
    const hn::Rebind<To, Words> halves;
    hn::StoreU(hn::DemoteTo(halves, hn::BitCast(hn::RebindToSigned<Words>(), numbers)), halves, to);
  }
}

/// Stores the lanes where it is true, and behind them anything; returns how many there are.
template <class Words, class To>
HWY_INLINE Index store_chosen(const Words& words, const hn::Vec<Words>& numbers,
                              const hn::Mask<Words>& chosen, To* to) {
  constexpr auto lanes = static_cast<Index>(hn::MaxLanes(Words()));
  if constexpr (lanes > 8 || lanes == 1) {
    // In a register first: straight to memory takes a hundred cycles on Zen 4.
    store_as(words, hn::Compress(numbers, chosen), to);
    return static_cast<Index>(hn::CountTrue(words, chosen));
  } else {  // the library's own table goes to the stack at each use (GCC 12)
    std::uint8_t bits[8];
    hn::StoreMaskBits(words, chosen, bits);
    const std::uint8_t mask = lanes == 8 ? bits[0] : bits[0] & ((1U << lanes) - 1U);
    const hn::Rebind<std::uint8_t, Words> bytes;
    const auto which = hn::PromoteTo(words, hn::LoadU(bytes, true_lanes[mask].data()));
    store_as(words, hn::TableLookupLanes(numbers, hn::IndicesFromVec(words, which)), to);
    return static_cast<Index>(std::popcount(mask));
  }
}

}  // namespace pencilbox::host::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
