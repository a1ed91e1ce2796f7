// Which one of its kind a device is: what a result is filed under.
#pragma once

#include <string>

namespace pencilbox::PENCILBOX_DEVICE {

/// "PCI 0000:17:00.0, GPU-1c6f..." of a GPU, the second where the runtime tells it; the model of a
/// CPU. Throws SystemError if none answers.
std::string device_identifier();

}  // namespace pencilbox::PENCILBOX_DEVICE
