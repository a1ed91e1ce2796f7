// What streams and events can be asked to be.
#pragma once

namespace pencilbox {

/// Whose kernels get a device's room first, where streams compete for it.
enum class Priority { usual, high };

/// Whether an event is asked when it was.
enum class Timed { yes, no };

}  // namespace pencilbox
