// An HDF5 file driver for files that must be whole whenever their writer is killed.
//
// HDF5 writes its metadata in an order of its own: a kill between two of those writes may leave an
// index that points to what is not there, and then nothing in the file can be read. With this
// driver metadata waits in memory until HDF5 flushes, and goes to the file so that what is pointed
// to is there before what points to it:
//
//   1. what has not stood in the file before;
//   2. the superblock, which says how long the file is;
//   3. nodes of B-trees, higher levels first: a node that is split keeps its both halves until its
//      parent knows the new one;
//   4. all else, which are the object headers with the lengths of datasets.
//
// Values of datasets go to the file at once, by the usual driver, on which this one stands.
#pragma once

#include <hdf5.h>

namespace pencilbox::hdf5 {

/// Lets files that are opened with this access list be written in that order. Throws SystemError.
void set_ordered_driver(hid_t access);

/// What the system said (errno) to the first call of this thread's that failed since this was last
/// asked; 0 where it said nothing.
int take_fault_of_system();

}  // namespace pencilbox::hdf5
