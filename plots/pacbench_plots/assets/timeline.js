"use strict";
// One iteration of all ranks: what each rank's own thread did, and below it its buckets' exchanges.
(() => {
  const plot = document.getElementById("timeline-plot");
  if (plot === null) return;
  const cells = pacbench.read("timelines");
  const select = document.getElementById("timeline-cell");
  const words = document.getElementById("timeline-words");
  pacbench.fill(select, cells.map((cell) => `${cell.label} over ${cell.link}`));

  const KINDS = {
    forward: ["#0072b2", "forward"], backward: ["#56b4e9", "backward"],
    wait: ["#b8b8b8", "wait for means"], optimizer: ["#009e73", "optimiser"],
    encode: ["#e69f00", "encode"], queue: ["#8c8c8c", "held until its turn"],
    wire: ["#cc79a7", "on the wire"], decode: ["#d55e00", "decode"],
  };

  const bucketsOf = (cell) =>
    1 + Math.max(0, ...cell.ranks.flatMap((rank) => rank.spans.map((span) => span.bucket)));

  // Each rank has two units of height: its thread, then its buckets, one below the other.
  const lane = (rank, span, buckets) =>
    span.bucket < 0
      ? { middle: 2 * rank + 0.45, height: 0.8 }
      : { middle: 2 * rank + 0.95 + (0.9 * (span.bucket + 0.5)) / buckets, height: 0.85 / buckets };

  const trace = (cell, kind) => {
    const buckets = bucketsOf(cell);
    const bars = { x: [], base: [], y: [], width: [], text: [] };
    cell.ranks.forEach((rank, row) => {
      for (const span of rank.spans.filter((each) => each.kind === kind)) {
        const { middle, height } = lane(row, span, buckets);
        const bucket = span.bucket < 0 ? "" : `, bucket ${span.bucket}`;
        bars.x.push(span.end_ms - span.start_ms);
        bars.base.push(span.start_ms);
        bars.y.push(middle);
        bars.width.push(height);
        bars.text.push(`rank ${rank.rank}${bucket}: from ${span.start_ms.toFixed(2)} ms for ` +
                       `${(span.end_ms - span.start_ms).toFixed(3)} ms`);
      }
    });
    const [colour, name] = KINDS[kind];
    return {
      ...bars, type: "bar", orientation: "h", name, marker: { color: colour }, textposition: "none",
      hovertemplate: `${name}<br>%{text}<extra></extra>`,
    };
  };

  const draw = () => {
    const cell = cells[Number(select.value)];
    words.textContent =
      `${cell.label} over ${cell.link}, seed ${cell.seed}, iteration ${cell.iteration}, chosen ` +
      `for a step near the median of ${(1e3 * cell.time_per_iteration_s).toFixed(2)} ms. ` +
      "Upper bars: a rank's own thread; lower bars: its buckets.";
    const ticks = cell.ranks.map((rank) => `rank ${rank.rank}`);
    const layout = pacbench.layout(
      { title: { text: "ms from the start of the first rank's step" } },
      { autorange: "reversed", tickvals: ticks.map((_, row) => 2 * row + 0.9), ticktext: ticks },
      500);
    layout.barmode = "overlay";
    pacbench.draw("timeline-plot", Object.keys(KINDS).map((kind) => trace(cell, kind)), layout);
  };

  select.addEventListener("change", draw);
  pacbench.add(draw);
})();
