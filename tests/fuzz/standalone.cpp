// A fuzz target without a fuzzer: its seeds, and seeds changed at random, through the program as it is built for the
// other tests. No sanitizers and no coverage, but nothing has to be compiled a second time either; the seed is fixed, so
// that a run tells the same each time. tests/fuzz/run.sh is the thorough one.
//
//   scenario_fuzz INPUTS FOLDER     an input that breaks a promise is left in FOLDER's place as ./broken-input
#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

std::string input;  // the one that is tried

void leave_input(int signal) {
  if (std::FILE* const file = std::fopen("broken-input", "wb")) {
    std::fwrite(input.data(), 1, input.size(), file);
    std::fclose(file);
  }
  std::fputs("this input breaks a promise of the target: ./broken-input\n", stderr);
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

std::vector<std::string> seeds_of(const char* folder) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> seeds;
  for (const auto& path : paths) {
    std::ifstream file(path, std::ios::binary);
    seeds.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return seeds;
}

class Change {
 public:
  /// A seed with a few of its bytes changed, cut out or doubled; or bytes of nobody's.
  std::string of(const std::vector<std::string>& seeds) {
    std::string text = seeds[below(seeds.size())];
    if (below(2) == 0) {
      text.assign(4 * (1 + below(24)), '\0');
      for (char& c : text) c = any();
    }
    for (std::size_t times = below(6); times > 0 && !text.empty(); --times) once(text, seeds[below(seeds.size())]);
    return text;
  }

 private:
  std::size_t below(std::size_t count) { return static_cast<std::size_t>(random_() % count); }
  char any() { return static_cast<char>(below(256)); }

  void once(std::string& text, const std::string& other) {
    const std::size_t at = below(text.size());
    switch (below(4)) {
      case 0: text[at] = any(); break;
      case 1: text.erase(at, 1 + below(8)); break;
      case 2: text.insert(at, text, below(text.size()), 1 + below(16)); break;
      default: text.insert(at, other, below(other.size() + 1), 1 + below(64)); break;
    }
  }

  std::mt19937_64 random_{1};
};

}  // namespace

int main(int count, char** arguments) {
  if (count != 3) return 2;
  const std::vector<std::string> seeds = seeds_of(arguments[2]);
  if (seeds.empty()) return 2;
  for (const int signal : {SIGABRT, SIGSEGV, SIGFPE}) std::signal(signal, leave_input);
  const auto try_one = [](std::string text) {
    input = std::move(text);
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
  };
  for (const std::string& seed : seeds) try_one(seed);
  Change change;
  for (int left = std::atoi(arguments[1]); left > 0; --left) try_one(change.of(seeds));
  std::printf("%s inputs, and every promise was kept\n", arguments[1]);
  return 0;
}
