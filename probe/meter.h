#pragma once

namespace pacbench::probe {

/// Measures how much of the CPUs' time others take from the program that started this one, until
/// told to stop. One thread on each CPU, above every class that pacbench uses, wakes every 15 ms
/// and notes where it woke late. Prints a line each second, and when a line comes on standard input
/// (see
/// --help). Where a real-time class is
/// not allowed there are no such threads, since lateness would say as much of pacbench's own work.
void run_meter();

}  // namespace pacbench::probe
