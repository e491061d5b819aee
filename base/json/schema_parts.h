#pragma once

#include <string>
#include <vector>

#include "base/json/json_reader.h"

/// Pieces that JSON Schemas are put together from.
namespace pacbench::schema {

/// The version of JSON Schema in which all of pacbench's schemas are written.
inline constexpr const char* kDraft = "http://json-schema.org/draft-07/schema#";

Json described(Json schema, const char* description);
Json with_default(Json schema, const Json& value);
Json one_of(const std::vector<std::string>& words);
Json integer(std::int64_t minimum, std::int64_t maximum);
Json integer_from(std::int64_t minimum);
Json number(double minimum, double maximum);
Json positive_number();
Json ratio();                     ///< (0, 1]
Json list_of(const Json& items);  ///< at least one item, each once

/// An object that has no other keys than `properties` and must have those of `required`.
Json closed_object(const Json& properties, const std::vector<std::string>& required);

// The parts below are mostly for documents that pacbench writes.

/// An object that must have all keys of `properties`, and has no others.
Json whole_object(const Json& properties);
Json array_of(const Json& items);  ///< any number of items, also none
Json or_null(const Json& schema);
Json text();
Json any_number();
Json number_or_null();

/// The schema of a whole document: a whole_object() whose key "format" has the value `format`.
Json document(const std::string& title, const char* format, Json properties);

}  // namespace pacbench::schema
