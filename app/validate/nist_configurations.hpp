// The four reference configurations of NIST (Standard Reference Simulation Website, Lennard-Jones
// fluid: cuboid cell), inside the program, and what they must give.
#pragma once

#include <array>

#include "core/interactions/lennard_jones_model.hpp"
#include "core/start_state.hpp"

namespace pencilbox {

struct NistCase {
  int configuration;
  double cutoff;
  Truncation truncation;
  double energy, virial, tail;  ///< of the whole system; tail: energy alone
};

/// To 17 digits by an independent sum over all pairs, which agrees with every digit that NIST
/// prints.
inline constexpr std::array nist_cases{
    NistCase{1, 3.0, Truncation::cut, -4351.5401945438662, -568.66546531817562, -198.4888837441566},
    NistCase{1, 4.0, Truncation::cut, -4467.4957249479721, -1263.8833718721382,
             -83.768986403337195},
    NistCase{1, 3.0, Truncation::force_shift, -3870.9248857840162, 317.53834601244461, 0},
    NistCase{2, 3.0, Truncation::cut, -690.00404517286734, -568.4573407378997, -24.229600066425366},
    NistCase{2, 4.0, Truncation::cut, -704.60331972696383, -655.98756070664217,
             -10.225706348063625},
    NistCase{2, 3.0, Truncation::force_shift, -620.11986099832086, -445.33104961979836, 0},
    NistCase{3, 3.0, Truncation::cut, -1146.6674208336699, -1164.9496507131998,
             -49.622220936039149},
    NistCase{3, 4.0, Truncation::cut, -1175.38056722541, -1337.102617300988, -20.942246600834299},
    NistCase{3, 3.0, Truncation::force_shift, -1020.9657074821457, -935.77720117552292, 0},
    NistCase{4, 3.0, Truncation::cut, -16.790321304625859, -46.249196746308918,
             -0.54516600149457073},
    NistCase{4, 4.0, Truncation::cut, -17.06045322027088, -47.868828191072375,
             -0.23007839283143153},
    NistCase{4, 3.0, Truncation::force_shift, -15.001402286915356, -43.096005539177909, 0},
};

/// `number`: 1 to 4. The program carries inputs/nist/config-NUMBER.xyz.
StartState nist_configuration(int number);

}  // namespace pencilbox
