// The chemical elements: programs such as ASE know particles by no other names.
#pragma once

#include <string_view>

namespace pencilbox {

bool is_element(std::string_view symbol);

}  // namespace pencilbox
