// When each kernel of a CUDA program began and ended, by stream: a library that CUDA loads into the
// program, and that writes PREFIX.PID.csv when the program ends (CUPTI's activity records).
//
//   g++ -O2 -shared -fPIC -I/usr/local/cuda/include tools/kernel_timeline.cpp
//       -o libkernel_timeline.so -L/usr/local/cuda/lib -lcupti
//   export CUDA_INJECTION64_PATH=./libkernel_timeline.so KERNEL_TIMELINE=PREFIX
//   build/cuda/app/pencilbox run DECK --ranks 2
//
// tools/draw_timeline.py draws a step of it.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include <cupti.h>
#include <cxxabi.h>
#include <unistd.h>

namespace {

constexpr std::size_t bytes_of_a_buffer = 8 << 20;

std::FILE* file = nullptr;

std::string readable(const char* mangled) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> name(
      abi::__cxa_demangle(mangled, nullptr, nullptr, &status), &std::free);
  return status == 0 ? name.get() : mangled;
}

void CUPTIAPI give_buffer(std::uint8_t** buffer, std::size_t* size, std::size_t* most_records) {
  *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(8, bytes_of_a_buffer));
  *size = bytes_of_a_buffer;
  *most_records = 0;  // as many as it holds
}

void CUPTIAPI take_buffer(CUcontext, std::uint32_t, std::uint8_t* buffer, std::size_t,
                          std::size_t used) {
  CUpti_Activity* record = nullptr;
  while (cuptiActivityGetNextRecord(buffer, used, &record) == CUPTI_SUCCESS) {
    if (record->kind != CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) continue;
    const auto* kernel = reinterpret_cast<const CUpti_ActivityKernel10*>(record);
    std::fprintf(file, "%llu,%llu,%u,%u,\"%s\"\n", static_cast<unsigned long long>(kernel->start),
                 static_cast<unsigned long long>(kernel->end), kernel->deviceId, kernel->streamId,
                 readable(kernel->name).c_str());
  }
  std::free(buffer);
}

void finish() {
  (void)cuptiActivityFlushAll(1);
  std::fclose(file);
}

}  // namespace

/// Called by CUDA before the program's first use of it.
extern "C" int InitializeInjection() {
  const char* prefix = std::getenv("KERNEL_TIMELINE");
  const std::string path = std::string(prefix != nullptr ? prefix : "timeline") + "." +
                           std::to_string(getpid()) + ".csv";
  file = std::fopen(path.c_str(), "w");
  if (file == nullptr) return 0;
  std::fputs("start_ns,end_ns,device,stream,kernel\n", file);
  if (cuptiActivityRegisterCallbacks(give_buffer, take_buffer) != CUPTI_SUCCESS) return 0;
  if (cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) != CUPTI_SUCCESS) return 0;
  return std::atexit(finish) == 0 ? 1 : 0;
}
