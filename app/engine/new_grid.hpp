// With open directions a grid can become too small for its particles: right, but slow, and in the
// end too coarse. Then one is laid anew, as if the run began with what it has.
#pragma once

#include <utility>

#include "core/observation.hpp"
#include "core/start_state.hpp"

namespace pencilbox {

/// What a start is made of.
inline FieldSet fields_of_a_start() {
  FieldSet fields;
  for (const Field field :
       {Field::position, Field::velocity, Field::image, Field::species, Field::id}) {
    fields.insert(field);
  }
  return fields;
}

inline StartState as_start(Frame frame, const Box& box, const std::vector<ParticleType>& types) {
  return {box,
          types,
          std::move(frame.id),
          std::move(frame.species),
          std::move(frame.position),
          std::move(frame.velocity),
          std::move(frame.image)};
}

}  // namespace pencilbox
