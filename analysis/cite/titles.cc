#include "analysis/cite/titles.h"

namespace pacbench::cite {
namespace {

struct Titled {
  std::string_view identifier;
  std::string_view title;
};

constexpr Titled kTitles[] = {
    {"10.1016/j.jpdc.2008.09.002",
     "Bandwidth optimal all-reduce algorithms for clusters of workstations"},
    {"10.1177/1094342005051521", "Optimization of Collective Communication Operations in MPICH"},
    {"10.1145/3452296.3472904",
     "Efficient Sparse Collective Communication and its Application to Accelerate Distributed Deep "
     "Learning"},
    {"1610.02132", "QSGD: Communication-Efficient SGD via Gradient Quantization and Encoding"},
    {"1704.05021", "Sparse Communication for Distributed Gradient Descent"},
    {"1705.07878",
     "TernGrad: Ternary Gradients to Reduce Communication in Distributed Deep Learning"},
    {"1710.03740", "Mixed Precision Training"},
    {"1712.01887",
     "Deep Gradient Compression: Reducing the Communication Bandwidth for Distributed Training"},
    {"1802.04434", "signSGD: Compressed Optimisation for Non-Convex Problems"},
    {"1805.09767", "Local SGD Converges Fast and Communicates Little"},
    {"1807.11205",
     "Highly Scalable Deep Learning Training System with Mixed-Precision: Training ImageNet in "
     "Four "
     "Minutes"},
    {"1809.07599", "Sparsified SGD with Memory"},
    {"1901.09847", "Error Feedback Fixes SignSGD and other Gradient Compression Schemes"},
    {"1905.13727",
     "PowerSGD: Practical Low-Rank Gradient Compression for Distributed Optimization"},
    {"1911.11134", "Rigging the Lottery: Making All Tickets Winners"},
    {"2102.02888",
     "1-bit Adam: Communication Efficient Large-Scale Training with Adam's Convergence Speed"},
    {"2103.15195",
     "MergeComp: A Compression Scheduler for Scalable Communication-Efficient Distributed "
     "Training"},
    {"2106.05203",
     "EF21: A New, Simpler, Theoretically Better, and Practically Faster Error Feedback"},
    {"2110.09132",
     "EmbRace: Accelerating Sparse Communication for Distributed Training of NLP Neural Networks"},
    {"2201.09531",
     "Communication-Efficient Stochastic Zeroth-Order Optimization for Federated Learning"},
    {"2205.14465", "Espresso: Revisiting Gradient Compression from the System Perspective"},
    {"2211.00188", "Adaptive Compression for Communication-Efficient Distributed Training"},
    {"2302.08545",
     "THC: Accelerating Distributed Deep Learning Using Tensor Homomorphic Compression"},
    {"2304.00737",
     "SparDL: Distributed Deep Learning Training with Efficient Sparse Communication"},
    {"2305.17333", "Fine-Tuning Language Models with Just Forward Passes"},
    {"2306.10015",
     "Just One Byte (per gradient): A Note on Low-Bandwidth Decentralized Language Model "
     "Finetuning "
     "Using Shared Randomness"},
    {"2309.13254", "Zen: Near-Optimal Sparse Tensor Synchronization for Distributed DNN Training"},
    {"2310.00967",
     "MiCRO: Near-Zero Cost Gradient Sparsification for Scaling and Accelerating Distributed DNN "
     "Training"},
    {"2311.08105", "DiLoCo: Distributed Low-Communication Training of Language Models"},
    {"2402.13781",
     "Preserving Near-Optimal Gradient Sparsification Cost for Scalable Distributed Deep Learning"},
    {"2404.00438", "Communication Efficient Distributed Training with Distributed Lion"},
    {"2505.18563",
     "PacTrain: Pruning and Adaptive Sparse Gradient Compression for Efficient Collective "
     "Communication in Distributed Deep Learning"},
    {"2512.14628",
     "PruneX: A Hierarchical Communication-Efficient System for Distributed CNN Training with "
     "Structured Pruning"},
};

}  // namespace

std::string_view title_of(std::string_view identifier) {
  for (const auto& each : kTitles) {
    if (each.identifier == identifier) return each.title;
  }
  return {};
}

}  // namespace pacbench::cite
