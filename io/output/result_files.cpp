#include "io/output/result_files.hpp"

#include <algorithm>
#include <stdexcept>
#include <system_error>

#include <fmt/format.h>

#include "core/error.hpp"
#include "io/output/file.hpp"

namespace pencilbox {
namespace fs = std::filesystem;

ResultFiles::ResultFiles(ResultFilesRequest request) : request_(std::move(request)) {
  if (request_.directory.empty()) return;
  require_usable_place();
  require_no_file_in_the_way();
}

std::vector<std::string> ResultFiles::names() const {
  std::vector<std::string> names{request_.page + ".json", request_.page + ".html"};
  for (const std::string& table : request_.tables) names.push_back(table + ".csv");
  for (const std::string& plot : request_.plots) names.push_back(plot + ".svg");
  return names;
}

void ResultFiles::require_usable_place() const {
  const fs::path existing = nearest_existing(request_.directory);
  std::error_code error;
  const auto refuse = [&](const char* what) {
    throw InputError(fmt::format("{}: {}, got {}, allowed a directory that can be written",
                                 request_.place, what, existing.string()));
  };
  if (!fs::is_directory(existing, error)) refuse("a file, not a directory");
  if (why_not_writable(existing)) refuse("cannot write there");
}

void ResultFiles::require_no_file_in_the_way() const {
  for (const std::string& name : names()) {
    const fs::path path = request_.directory / name;
    std::error_code error;
    for (const fs::path& input : request_.inputs) {
      if (fs::equivalent(path, input, error) && !error) {
        throw InputError(fmt::format("{}: would replace the input {}, allowed another directory",
                                     request_.place, input.string()));
      }
    }
    if (const auto words = what_is_in_the_way(path, temporary_name(path))) {
      throw InputError(fmt::format("{}: {}", request_.place, *words));
    }
    if (!request_.overwrite && is_there(path)) {
      throw InputError(
          fmt::format("{}: the file exists, got {}, allowed another directory, or --overwrite to "
                      "replace it",
                      request_.place, path.string()));
    }
  }
}

void ResultFiles::put(const std::string& name, const std::string& text) const {
  const std::vector<std::string> known = names();
  if (std::find(known.begin(), known.end(), name) == known.end()) {
    throw std::logic_error("a result writes " + name + ", which nobody looked out for");
  }
  replace_file(request_.directory / name, text);
}

void ResultFiles::write(const Result& result) const {
  if (request_.directory.empty()) return;
  std::error_code error;
  fs::create_directories(request_.directory, error);
  if (error) {
    throw SystemError(
        fmt::format("cannot create {}: {}", request_.directory.string(), error.message()));
  }
  for (const ResultTable& table : result.tables)
    put(table.name + ".csv", to_csv(table, result.provenance));
  for (const Plot& plot : result.plots) put(plot.name + ".svg", to_svg(plot));
  put(result.name + ".json", to_json(result));
  put(result.name + ".html", to_html(result));
}

std::string ResultFiles::closing_line() const {
  if (request_.directory.empty()) return {};
  return "output in " + request_.directory.string() + "\n";
}

}  // namespace pencilbox
