// `pencilbox schema`: JSON Schema of the deck, for editors.
#include "app/commands/program.hpp"
#include "io/input/json_schema.hpp"

namespace pencilbox {

void schema_command() { print(json_schema(build_catalogue()) + "\n"); }

}  // namespace pencilbox
