// Large pages of memory, where the system has them: what is read as a stream through a large buffer
// waits for the addresses of its pages otherwise.
#pragma once

#include <cstddef>

namespace pencilbox::host {

/// A hint, for memory that has not been written yet.
void prefer_huge_pages(void* begin, std::size_t bytes);

}  // namespace pencilbox::host
