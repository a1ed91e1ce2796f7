// Makes of a file that a run has written one that no run writes.
#pragma once

#include <filesystem>
#include <string>

#include "io/output/hdf5.hpp"

namespace pencilbox::testing {

/// Another file of HDF5 than any run writes: a dataset of zeros in the place of one that is there.
inline void replace_dataset(const std::filesystem::path& path, const std::string& name,
                            const hdf5::Shape& shape, hid_t type = H5T_IEEE_F64LE) {
  const hdf5::Lock lock;
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  H5Ldelete(file, name.c_str(), H5P_DEFAULT);
  hdf5::Dataset::create(file, name, type, hdf5::Dataspace::simple(shape),
                        hdf5::PropertyList::create(H5P_DATASET_CREATE));
  H5Fclose(file);
}

/// One number of a dataset, or of an attribute of it, in the place of another.
inline void replace_number(const std::filesystem::path& path, const std::string& name,
                           const hdf5::Shape& place, double number) {
  const hdf5::Lock lock;
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  {
    const hdf5::Dataset dataset = hdf5::Dataset::open(file, name);
    const hdf5::Dataspace all = hdf5::Dataspace::of_dataset(dataset.id());
    const hdf5::Shape one(place.size(), 1);
    H5Sselect_hyperslab(all.id(), H5S_SELECT_SET, place.data(), nullptr, one.data(), nullptr);
    H5Dwrite(dataset.id(), H5T_NATIVE_DOUBLE, hdf5::Dataspace::simple({1}).id(), all.id(),
             H5P_DEFAULT, &number);
  }
  H5Fclose(file);
}

}  // namespace pencilbox::testing
