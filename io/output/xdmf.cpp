#include "io/output/xdmf.hpp"

#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "core/error.hpp"

namespace pencilbox {
namespace {

constexpr std::string_view opening =
    "<?xml version=\"1.0\"?>\n"
    "<Xdmf Version=\"3.0\">\n"
    "  <Domain>\n"
    "    <Grid Name=\"trajectory\" GridType=\"Collection\" CollectionType=\"Temporal\">\n";
constexpr std::string_view closing =
    "    </Grid>\n"
    "  </Domain>\n"
    "</Xdmf>\n";

std::string escape_xml(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

}  // namespace

XdmfWriter::XdmfWriter(const std::filesystem::path& path, std::int64_t particles,
                       std::vector<ParticleArray> arrays, SidecarSwap swap)
    : path_(path),
      twin_path_(twin_of(path)),
      particles_(particles),
      arrays_(std::move(arrays)),
      swap_(swap),
      shown_{OutputFile::create(path_), 0, std::string(opening)},
      twin_{OutputFile::create(twin_path_), 0, std::string(opening)} {
  write_missing(shown_);
}

XdmfWriter::~XdmfWriter() { ::unlink(twin_path_.c_str()); }

std::string XdmfWriter::data_item(const ParticleArray& array, const FramePlace& frame) const {
  const bool vector = array.components > 1;
  const std::string row =
      vector ? fmt::format("{} {}", particles_, array.components) : fmt::to_string(particles_);
  const std::string number = fmt::format("NumberType=\"{}\" Precision=\"{}\" Format=\"HDF\"",
                                         array.is_float ? "Float" : "Int", array.bytes);
  const std::string source = fmt::format("{}:{}", escape_xml(frame.file), escape_xml(array.path));
  if (!array.in_frames) {
    return fmt::format("          <DataItem Dimensions=\"{}\" {}>{}</DataItem>\n", row, number,
                       source);
  }
  // Start, stride and count of each dimension. The extent names the frames of this moment; the
  // reader takes the dataset's true extent from the file.
  return fmt::format(
      "          <DataItem ItemType=\"HyperSlab\" Type=\"HyperSlab\" Dimensions=\"{0}\">\n"
      "            <DataItem Dimensions=\"3 {1}\" NumberType=\"Int\" Format=\"XML\">"
      "{2} {3} {4} 1 {0}</DataItem>\n"
      "            <DataItem Dimensions=\"{5} {0}\" {6}>{7}</DataItem>\n"
      "          </DataItem>\n",
      row, vector ? 3 : 2, frame.row, vector ? "0 0" : "0", vector ? "1 1 1" : "1 1", frame.row + 1,
      number, source);
}

std::string XdmfWriter::frame_text(const FramePlace& frame) const {
  std::string geometry, attributes;
  for (const ParticleArray& array : arrays_) {
    if (array.name == "position") {
      geometry = fmt::format("        <Geometry GeometryType=\"XYZ\">\n{}        </Geometry>\n",
                             data_item(array, frame));
    } else {
      attributes += fmt::format(
          "        <Attribute Name=\"{}\" AttributeType=\"{}\" Center=\"Node\">\n{}"
          "        </Attribute>\n",
          escape_xml(array.name), array.components > 1 ? "Vector" : "Scalar",
          data_item(array, frame));
    }
  }
  return fmt::format(
      "      <Grid Name=\"particles\" GridType=\"Uniform\">\n"
      "        <Time Value=\"{:.17g}\"/>\n"
      "        <Topology TopologyType=\"Polyvertex\" NumberOfElements=\"{}\""
      " NodesPerElement=\"1\"/>\n"
      "{}{}"
      "      </Grid>\n",
      frame.time, particles_, geometry, attributes);
}

void XdmfWriter::write_missing(Text& text) {
  text.file.write_at(text.body_end, text.missing + std::string(closing));
  text.body_end += static_cast<std::int64_t>(text.missing.size());
  text.missing.clear();
}

void XdmfWriter::append(std::span<const FramePlace> frames) {
  std::string text;
  for (const FramePlace& frame : frames) text += frame_text(frame);
  shown_.missing += text;
  twin_.missing += text;
  write_missing(twin_);
  swap_names();
}

void XdmfWriter::swap_names() {
  if (swap_ == SidecarSwap::exchange && exchange_files(twin_path_, path_)) {
    std::swap(shown_, twin_);
    return;
  }
  swap_ = SidecarSwap::copy;
  move_file(twin_path_, path_);
  std::error_code error;
  std::filesystem::copy_file(path_, twin_path_, error);
  if (error) {
    throw SystemError(fmt::format("cannot write {}: {}", twin_path_.string(), error.message()));
  }
  const std::int64_t body_end = twin_.body_end;
  shown_ = std::exchange(twin_, Text{OutputFile::open(twin_path_), body_end, ""});
}

void XdmfWriter::close() {
  shown_.file.close();
  twin_.file.close();
  remove_file(twin_path_);
}

}  // namespace pencilbox
