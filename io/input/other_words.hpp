// Words of other programs that stand for nothing here: what there is in their place.
#pragma once

#include <string>
#include <string_view>

namespace pencilbox {

/// The answer to a key of `section` ("" is the top), or to a choice, that is not known: "there is
/// no thermostat: ...". Empty if there is none.
std::string_view answer_to(std::string_view section, std::string_view word);

}  // namespace pencilbox
