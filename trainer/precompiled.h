#pragma once

#include <torch/torch.h>
#include <nlohmann/json.hpp>
