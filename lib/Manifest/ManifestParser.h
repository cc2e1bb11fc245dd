//===- ManifestParser.h - Parts of the manifest's parser --------*- C++ -*-===//
//
// Each function parses one list of the manifest from its root object into the
// manifest. Lists refer to those parsed before them: arguments, contracts,
// values, checks, scratch, steps.
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_LIB_RUNTIME_MANIFEST_MANIFESTPARSER_H
#define SATTN_LIB_RUNTIME_MANIFEST_MANIFESTPARSER_H

#include "JsonNode.h"
#include "sattn/Runtime/Manifest.h"

namespace sattn::runtime {

Error parseArguments(const JsonNode &root, Manifest &manifest);
Error parseContracts(const JsonNode &root, Manifest &manifest);
Error parseValues(const JsonNode &root, Manifest &manifest);
Error parseChecks(const JsonNode &root, Manifest &manifest);
Error parseScratch(const JsonNode &root, Manifest &manifest);
Error parseSteps(const JsonNode &root, Manifest &manifest);
Error parseMissing(const JsonNode &root, Manifest &manifest);

/// The index of an argument that is a tensor.
Error parseTensorIndex(const JsonNode &node, const char *key,
                       const Manifest &manifest, size_t &out);

/// The index of an argument that is a scalar.
Error parseScalarIndex(const JsonNode &node, const char *key,
                       const Manifest &manifest, size_t &out);

} // namespace sattn::runtime

#endif // SATTN_LIB_RUNTIME_MANIFEST_MANIFESTPARSER_H
