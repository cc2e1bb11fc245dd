//===- StubModule.cpp - Kernels that the stub driver knows ----------------===//

#include "StubModule.h"

#include <cstdlib>
#include <sstream>

using namespace stubcuda;

/// Bytes of one parameter: ".param .align 64 .b8 map[128]", ".param .u64 x".
static size_t parameterSize(const std::string &declaration) {
  std::istringstream words(declaration);
  std::string word;
  size_t width = 0, count = 1;
  while (words >> word) {
    if (word == ".align") {
      words >> word;
      continue;
    }
    // .u64, .b8, .f32: the type is the one word of a letter and digits.
    if (word.size() >= 3 && word[0] == '.' && word[2] >= '0' && word[2] <= '9')
      width = std::strtoul(word.c_str() + 2, nullptr, 10) / 8;
    size_t bracket = word.find('[');
    if (bracket != std::string::npos)
      count = std::strtoul(word.c_str() + bracket + 1, nullptr, 10);
  }
  return width * count;
}

std::vector<Kernel> stubcuda::parsePtx(const std::string &text) {
  std::vector<Kernel> kernels;
  const std::string entry = ".entry";
  for (size_t at = text.find(entry); at != std::string::npos;
       at = text.find(entry, at)) {
    at += entry.size();
    size_t open = text.find('(', at), close = text.find(')', at);
    if (open == std::string::npos || close == std::string::npos)
      break;
    Kernel kernel;
    std::istringstream(text.substr(at, open - at)) >> kernel.name;
    std::istringstream list(text.substr(open + 1, close - open - 1));
    for (std::string declaration; std::getline(list, declaration, ',');)
      if (size_t size = parameterSize(declaration))
        kernel.parameters.push_back(size);
    kernels.push_back(kernel);
  }
  return kernels;
}
