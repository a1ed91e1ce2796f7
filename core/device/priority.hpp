// Whose kernels get a device's room first, where streams compete for it.
#pragma once

namespace pencilbox {

enum class Priority { usual, high };

}  // namespace pencilbox
