// What a back end is asked to run, before anything is allocated.
#pragma once

#include <optional>
#include <string>

#include "core/box.hpp"
#include "core/device/properties.hpp"
#include "core/interactions/potential.hpp"
#include "core/list_until.hpp"
#include "core/precision.hpp"
#include "core/registry.hpp"
#include "neighbor/cells/cell_grid.hpp"

namespace pencilbox {

struct Problem {
  Box box;
  CellGrid grid;
  Index particles = 0;
  Index particles_of_all_ranks = 0;  ///< where these are those of one; 0: they are all
  Index largest_cell = 0;            ///< most particles in one cell of the start
  Potential potential;
  Index parts_of_a_cell = 1;  ///< that particles are sorted by: see core/cell_parts.hpp
  double skin = 0.0;          ///< cells are wider than the cutoff by this much, for lists [sigma]
  ListUntil list_until = ListUntil::best;
  Precision precision = Precision::mixed;
  /// Forces are summed in whole quanta, of coordinates on a lattice, while they are large enough.
  bool in_quanta = false;
  bool forces_are_large = false;  ///< enough for quanta: of the state, when it was last looked at
  bool deterministic = false;     ///< the order of sources must not depend on who comes first
  DeviceProperties device;
};

/// Of all cells [sigma^3].
double volume_of(const Problem& problem);

/// Whether forces may be large enough to be summed in quanta that are made for a liquid, which is
/// for sums that keep more digits than pairs have: where a cube of the cutoff, or of what a cutoff
/// usually is, has a few particles in the mean, and a cutoff is no more than a few sigma.
bool suits_quanta(const Problem& problem);

/// Where that is so: the least root mean square of a component of a particle's force that quanta
/// leave as exact as `mixed` has to be [epsilon/sigma]. Those of a crystal at rest may be smaller.
double least_force_for_quanta(const Problem& problem);

/// Of the lattice that coordinates of pairs are on where forces are in quanta, or 0: floats hold
/// every sum and difference of those of two partners, as long as nobody is farther than `stray`
/// outside its cell [sigma].
double coordinate_spacing(const Problem& problem, double stray);

/// The reason, in words, why the 27 cells around a particle do not hold all its partners: the
/// interaction acts at any distance, or a periodic side is below the cutoff. Nothing if they do.
std::optional<std::string> partners_beyond_neighbor_cells(const Problem& problem);

/// One reason each, for back ends that do not walk 27 cells: a periodic side is below the cutoff;
/// an interaction without a cutoff meets a periodic direction.
std::optional<std::string> side_below_cutoff(const Problem& problem);
std::optional<std::string> infinitely_many_images(const Problem& problem);

/// The reason, in words, why this arithmetic loses pairs on the problem's grid: its cells are so
/// wide, or the box so large, that a separation is off by more than `largest_share_of_sigma`.
std::optional<std::string> separations_too_coarse(const Problem& problem, Precision arithmetic);

/// The benchmark's potentials know no cutoff but the 27 cells around a particle: the reason, in
/// words, why a back end cannot evaluate them; `what_it_does` ends the sentence.
std::optional<std::string> cells_for_a_cutoff(const Problem& problem,
                                              const std::string& what_it_does);

/// The reason, in words, why cells cannot be sorted in so many parts each: there are too many.
std::optional<std::string> too_many_parts(const Problem& problem, Index of_a_cell);

/// The skin, or what is left of it where a periodic side is less than cutoff plus skin: a pair
/// might then meet beyond the neighbouring cells.
double skin_that_fits(const Box& box, double cutoff, double skin);

/// The option of back ends whose blocks may have any number of whole warps, and the reason in words
/// why the device cannot run such a block.
OptionInfo block_option(std::string default_threads,
                        std::string description = "threads of a block");
int block_of(const BackendOptions& options);
std::optional<std::string> block_below_warp(const Problem& problem, const BackendOptions& options);

/// What back ends refuse that walk 27 cells with such blocks and know no other bound.
std::optional<std::string> refuse_cells_or_block(const Problem& problem,
                                                 const BackendOptions& options);

/// The option of back ends in which several threads may share the sources of a target.
OptionInfo threads_per_target_option(std::string description);
int threads_per_target_of(const BackendOptions& options);
/// "1 thread a target", "4 threads a target"
std::string threads_per_target_in_words(int threads);

/// `sums`, of back ends with BackendInfo::sums_quanta.
OptionInfo sums_option();

}  // namespace pencilbox
