// Which device of several a process computes on. Without a choice it is the first.
#pragma once

#include <optional>

namespace pencilbox::PENCILBOX_DEVICE {

/// How many there are to choose from; nothing where all processes share one. Throws SystemError if
/// none answers.
std::optional<int> device_count();

/// From 0 on; before anything else is asked of the device. Throws SystemError.
void choose_device(int number);

}  // namespace pencilbox::PENCILBOX_DEVICE
