#include "core/pages.hpp"

#include <algorithm>
#include <cstdlib>

#include <sys/mman.h>

#include "core/in_pieces.hpp"

namespace pencilbox {
namespace {

constexpr std::uintptr_t page = std::uintptr_t{2} << 20U;

/// The large pages that lie in it as a whole.
struct WholePages {
  std::uintptr_t first;
  std::int64_t count;

  WholePages(void* begin, std::size_t bytes) {
    const auto address = reinterpret_cast<std::uintptr_t>(begin);
    first = (address + page - 1) / page * page;
    const std::uintptr_t end = address + bytes;
    count = end > first ? static_cast<std::int64_t>((end - first) / page) : 0;
  }
  /// Where it is refused, pages are what they were, and come when they are written.
  void advise(std::int64_t from, std::int64_t pages, int what) const {
    if (pages == 0) return;
    (void)::madvise(reinterpret_cast<void*>(first + static_cast<std::uintptr_t>(from) * page),
                    static_cast<std::size_t>(pages) * page, what);
  }
};

/// A hint, for memory that nobody has written yet.
void prefer_huge_pages([[maybe_unused]] void* begin, [[maybe_unused]] std::size_t bytes) {
#ifdef MADV_HUGEPAGE  // Linux
  const WholePages pages(begin, bytes);
  pages.advise(0, pages.count, MADV_HUGEPAGE);
#endif
}

}  // namespace

void* allocate_in_large_pages(std::size_t bytes) {
  constexpr std::size_t of_a_vector = 64;
  const auto rounded_to = [bytes](std::size_t unit) { return (bytes + unit - 1) / unit * unit; };
  const bool fills_pages = rounded_to(page) <= bytes + bytes / 8;
  const std::size_t alignment = fills_pages ? page : of_a_vector;
  const std::size_t rounded = std::max(rounded_to(alignment), of_a_vector);
  void* const begin = std::aligned_alloc(alignment, rounded);
  if (begin != nullptr) prefer_huge_pages(begin, rounded);
  return begin;
}

void take_pages(void* begin, std::size_t bytes) {
  prefer_huge_pages(begin, bytes);
#ifdef MADV_POPULATE_WRITE  // Linux 5.14
  constexpr std::int64_t few = 16;
  const WholePages pages(begin, bytes);
  if (pages.count < few) return;
  for_each_piece(pages.count, 1, [&](std::int64_t from, std::int64_t to) {
    pages.advise(from, to - from, MADV_POPULATE_WRITE);
  });
#endif
}

}  // namespace pencilbox
