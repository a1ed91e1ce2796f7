// What a simulation has at present as a start: for stages of decks that need one, and where cells
// are laid anew.
#pragma once

#include <utility>
#include <vector>

#include "app/engine/simulation.hpp"
#include "core/start_state.hpp"

namespace pencilbox {

inline StartState start_of(Simulation& simulation, const std::vector<ParticleType>& types) {
  FieldSet fields;
  for (const Field field :
       {Field::position, Field::velocity, Field::image, Field::species, Field::id}) {
    fields.insert(field);
  }
  Frame frame = simulation.snapshot(fields);
  return {frame.box,
          types,
          std::move(frame.id),
          std::move(frame.species),
          std::move(frame.position),
          std::move(frame.velocity),
          std::move(frame.image)};
}

}  // namespace pencilbox
