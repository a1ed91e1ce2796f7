// What the first rank tells the others: what there is to simulate, and then what to do.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/engine/simulation.hpp"
#include "app/ranks/decomposition.hpp"
#include "app/ranks/mail.hpp"
#include "core/observation.hpp"
#include "neighbor/problem.hpp"

namespace pencilbox {

/// All that a rank has to know to make its domain.
struct Commission {
  SimulationSettings settings;
  std::vector<ParticleType> types;
  Problem global;               ///< of all ranks; its device is that of who reads it
  RankCuts cuts;                ///< of its cells, among the ranks
  bool shares_devices = false;  ///< several ranks may compute on one GPU
  Exchange exchange = Exchange::best;
  std::int64_t step = 0;             ///< of the state that it begins with
  NamedNumbers integrator{};         ///< likewise: what the integrator carries
  std::int64_t list_age = 0;         ///< likewise: evaluations since its list was made
  std::int64_t list_age_before = 0;  ///< likewise: that the list before has served
};

/// What a frame is to have of each particle.
struct FrameOrder {
  FieldSet fields;
  int float_bytes = 8;  ///< 4: floats are float, 8: double
};

/// What all ranks do next, together.
struct Order {
  enum class What {
    own,       ///< take the particles that the first rank deals out
    evaluate,  ///< forces of the present state
    advance,
    zero_momentum,
    tell_kinetic_energy,  ///< of velocities that others have changed
    begin_stage,          ///< of which a letter follows
    stretch,              ///< to a box of which a letter follows; particles are dealt out then
    rows,                 ///< hand them to the first rank
    frame,                ///< likewise, what `frame` asks for
    collect_energy,       ///< that with heat baths, likewise
    count,
    look,  ///< whether numbers still resolve what they stand for
    busy_seconds,
    sum_observables,
    sum_squared_forces,
    take_forces_to_be,  ///< large enough for quanta, or not
    end
  };
  What what = What::end;
  std::int64_t steps = 0;  ///< of `advance`
  bool energies = false;   ///< of `evaluate`, and of the last step of `advance`
  FrameOrder frame{};
  bool large = false;  ///< of `take_forces_to_be`
};

/// Nothing is lost. A process of another build would not understand it.
Letter letter_of(const std::string& device, const Commission& commission);

struct CommissionForDevice {
  std::string device;
  Commission commission;
};
CommissionForDevice commission_in(const Letter& letter);

/// Another box, and the same cells over it.
struct BoxAndCells {
  Box box;
  CellGrid grid;
};

Letter letter_of(const StageSettings& stage);
StageSettings stage_in(const Letter& letter);

}  // namespace pencilbox
