"use strict";
// Draws accuracy against time or iteration, one link at a time, for the methods that are ticked.
(() => {
  const plot = document.getElementById("curve-plot");
  if (plot === null) return;
  const curves = pacbench.read("curves");
  const styles = pacbench.read("styles");
  const select = document.getElementById("curve-panel");
  const axis = () => document.querySelector('input[name="axis"]:checked').value;
  // Where there are links, their panels serve both axes, since their points have iterations too.
  const panels = curves.time.length > 0 ? curves.time : curves.iteration;
  pacbench.fill(select, panels.map((panel) => panel.title));

  const ticked = (label) =>
    [...document.querySelectorAll("#methods input")].some(
      (box) => box.dataset.label === label && box.checked);

  const tinted = (colour) => {
    const [red, green, blue] = [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));
    return `rgba(${red}, ${green}, ${blue}, 0.16)`;
  };

  const traces = (series) => {
    const style = styles[series.label];
    const colour = pacbench.isDark() ? style.dark : style.colour;
    const name = pacbench.plain(series.label + (series.suspect ? " (suspect)" : ""));
    const x = series.points.map((point) =>
      axis() === "time" ? point.training_s.median : point.iteration);
    const y = (end) => series.points.map((point) => 100 * point.accuracy[end]);
    const band = {
      x: [...x, ...x.slice().reverse()], y: [...y("maximum"), ...y("minimum").reverse()],
      fill: "toself", fillcolor: tinted(colour), line: { width: 0 }, mode: "lines",
      hoverinfo: "skip", showlegend: false, type: "scatter",
    };
    const line = {
      x, y: y("median"), name, type: "scatter", mode: "lines+markers",
      line: { color: colour, dash: series.suspect ? "dot" : style.dash },
      marker: { symbol: style.symbol, color: colour, size: 6 },
      hovertemplate: "%{y:.2f} % at %{x:.4g}<extra>" + name + "</extra>",
    };
    return series.seeds > 1 ? [band, line] : [line];
  };

  const draw = () => {
    const panel = panels[Number(select.value)];
    const shown = panel.series.filter((series) => ticked(series.label));
    const words = axis() === "time" ? "training clock, s" : "iteration";
    const layout = pacbench.layout({ title: { text: words } }, { title: { text: "accuracy, %" } }, 420);
    pacbench.draw("curve-plot", shown.flatMap(traces), layout);
  };

  const controls = document.querySelector("#curves-part .controls");
  controls.addEventListener("change", draw);
  pacbench.add(draw);
})();
