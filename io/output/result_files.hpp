// Where a result is written, and whether it may: the rules of a run.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "io/output/result.hpp"

namespace pencilbox {

struct ResultFilesRequest {
  std::string place;                ///< what an error begins with: "compare: --output"
  std::filesystem::path directory;  ///< empty: nothing is written
  std::vector<std::string> tables;  ///< names of tables: NAME.csv
  std::vector<std::string> plots;   ///< names of plots: NAME.svg
  std::string page;                 ///< name of the result: NAME.json, NAME.html
  bool overwrite = false;
  std::vector<std::filesystem::path> inputs;  ///< never to be replaced
};

class ResultFiles {
 public:
  /// Changes nothing on the disk. Throws InputError if the directory is a file or cannot be
  /// written, if one of the files is there and `overwrite` is not set, or if one of them is an
  /// input.
  explicit ResultFiles(ResultFilesRequest request);

  /// Writes every file of the result, each whole or not at all; may be called again with more. Does
  /// nothing where no directory was given. Throws SystemError.
  void write(const Result& result) const;

  /// "output in DIRECTORY", or nothing.
  std::string closing_line() const;

 private:
  std::vector<std::string> names() const;
  void require_usable_place() const;
  void require_no_file_in_the_way() const;
  void put(const std::string& name, const std::string& text) const;

  ResultFilesRequest request_;
};

}  // namespace pencilbox
