#pragma once

#include <nlohmann/json.hpp>
#include <torch/torch.h>
