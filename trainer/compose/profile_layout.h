#pragma once

#include <vector>

#include "contract/profile/profile.h"
#include "trainer/averaging/bucket.h"
#include "trainer/models/model.h"

namespace pacbench::trainer {

/// The buckets of a profile, made of a model's `parameters`. Throws ConfigError, with the place in
/// the profile, when a name is not the model's or occurs twice, an element count differs, or a
/// parameter is missing.
Layout layout_of(const Profile& profile, const std::vector<Parameter>& parameters);

/// All buckets as one, in their order: for methods that take the whole model at once.
BucketLayout joined(const Layout& layout);

}  // namespace pacbench::trainer
