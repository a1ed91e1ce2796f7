#include "core/device/host/huge_pages.hpp"

#include <cstdint>

#include <sys/mman.h>

namespace pencilbox::host {

void prefer_huge_pages([[maybe_unused]] void* begin, [[maybe_unused]] std::size_t bytes) {
#ifdef MADV_HUGEPAGE  // Linux
  constexpr std::uintptr_t page = std::uintptr_t{2} << 20U;
  const auto address = reinterpret_cast<std::uintptr_t>(begin);
  const std::uintptr_t first = (address + page - 1) / page * page, end = address + bytes;
  if (first + page > end) return;
  // Where it is refused, pages are what they were.
  (void)::madvise(reinterpret_cast<void*>(first), end - first, MADV_HUGEPAGE);
#endif
}

}  // namespace pencilbox::host
