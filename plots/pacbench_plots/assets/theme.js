"use strict";
// Shared by all plots: colours that follow the page's scheme (light in print), their data, and
// buttons for those who zoom with a keyboard.
const pacbench = (() => {
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  const drawers = [];
  let printing = false;

  const read = (name) => JSON.parse(document.getElementById(name).textContent);
  const isDark = () => dark.matches && !printing;
  const redraw = () => drawers.forEach((draw) => draw());
  dark.addEventListener("change", redraw);
  window.addEventListener("beforeprint", () => { printing = true; redraw(); });
  window.addEventListener("afterprint", () => { printing = false; redraw(); });

  // Names come from scenarios: Plotly would take tags in them for markup.
  const plain = (text) =>
    text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

  // In print, the width of A4 landscape without margins: a window's width would be cut off.
  const paper = (height) =>
    printing ? { width: 960, height, autosize: false }
             : { width: undefined, height: undefined, autosize: true };

  const layout = (x, y, printedHeight) => {
    const text = isDark() ? "#e8e8e8" : "#1b1b1b";
    const grid = isDark() ? "#3a3d44" : "#e2e2e2";
    const axis = (more) => ({ gridcolor: grid, zerolinecolor: grid, automargin: true, ...more });
    return {
      paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)", font: { color: text },
      margin: { l: 55, r: 15, t: 30, b: 45 }, hovermode: "closest", dragmode: "zoom",
      xaxis: axis(x), yaxis: axis(y),
      // The legend is above the plot, where it cannot cover the title of an axis.
      legend: { orientation: "h", x: 0, y: 1.02, yanchor: "bottom" },
      modebar: { bgcolor: "rgba(0,0,0,0)", color: grid, activecolor: text },
      ...paper(printedHeight),
    };
  };

  const draw = (id, traces, shape) =>
    Plotly.react(id, traces, shape, { responsive: true, displaylogo: false });

  const zoom = (id, kind) => {
    if (kind === "all") return Plotly.relayout(id, { "xaxis.autorange": true, "yaxis.autorange": true });
    const [low, high] = document.getElementById(id)._fullLayout.xaxis.range;
    const half = ((high - low) / 2) * (kind === "in" ? 0.5 : 2);
    const middle = (low + high) / 2;
    return Plotly.relayout(id, { "xaxis.range": [middle - half, middle + half] });
  };
  for (const button of document.querySelectorAll("[data-zoom]")) {
    button.addEventListener("click", () => zoom(button.dataset.plot, button.dataset.zoom));
  }

  const fill = (select, texts) => {
    texts.forEach((text, at) => select.add(new Option(text, String(at))));
  };
  const add = (draw) => { drawers.push(draw); draw(); };
  return { read, isDark, plain, layout, draw, fill, add };
})();
