#pragma once

#include "contract/fabric/fabric_spec.h"
#include "harness/machine/interrupt.h"
#include "harness/machine/meter.h"
#include "harness/machine/programs.h"
#include "harness/record/link_probe.h"

namespace pacbench::probes {

/// Makes a fabric, measures the flows of record::planned_flows() on it, and takes it down again.
/// Each round of flows lasts two seconds. What disturbances of the machine touched is left out, as
/// far as `meter` (may be null) notices them. A round is measured up to four times, or
/// ten while over a fifth of the machine is taken, while record::is_off() holds. Measures round
/// trips too where a link has delay, loss or reordering, and `with_queues` how long full queues
/// hold packets. An error is in the result's `failure`; the only exception thrown is
/// Interrupted, on Ctrl-C.
record::LinkProbe probe_links(const Programs& programs, const netd::CreateRequest& request,
                              const Interrupt& interrupt, Meter* meter, bool with_queues = true);

}  // namespace pacbench::probes
