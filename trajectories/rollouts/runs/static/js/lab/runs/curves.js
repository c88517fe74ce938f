/* Curves over policy versions. Readers can choose and smooth a metric, hover for a value, drag to zoom, and double-click
   to see everything. Without this script, the mean reward is shown as a drawing and a table. */

/**
 * @typedef {object} Curve
 * @property {string} id
 * @property {string} title
 * @property {string} unit
 * @property {number[]} versions
 * @property {number[]} values
 * @property {number[]} low
 * @property {number[]} high
 */

/* The reader's choices, which are kept when the page's parts are fetched again. */
/** @type {{ metric: string, smoothing: number, range: { min: number, max: number } | null }} */
const chosen = { metric: "", smoothing: 0, range: null };
/** @type {any} */
let plot = null;
let drawn = "";

/** @type {(id: string) => any} */
const byId = (id) => document.getElementById(id);
const HEIGHT = 240;

/* Colours are light-dark pairs, which only the browser can resolve. */
/** @param {string} name */
const colour = (name) => {
  const probe = byId("curve");
  probe.style.color = `var(${name})`;
  const value = getComputedStyle(probe).color;
  probe.style.color = "";
  return value;
};

/* An exponential moving average that is corrected for its start at 0, so that early values are not too low. */
/** @type {(values: number[], weight: number) => number[]} */
const smoothed = (values, weight) => {
  let sum = 0;
  let total = 0;
  return values.map((value) => {
    sum = sum * weight + value;
    total = total * weight + 1;
    return sum / total;
  });
};

/** @param {number | null} value */
const short = (value) => (value === null || value === undefined ? "–" : Number(value.toPrecision(4)).toLocaleString("en"));

/** @param {Curve} curve */
const series = (curve) => {
  const accent = colour("--accent");
  const isSmooth = chosen.smoothing > 0;
  /** @type {any[]} */
  const made = [{ label: "Version", value: (/** @type {any} */ _, /** @type {number | null} */ value) => (value === null ? "–" : String(value)) }];
  const data = [curve.versions];
  const bands = [];
  /* The band is drawn before the line, because it would otherwise cover it. */
  if (curve.low.length) {
    for (const [label, values] of Object.entries({ Low: curve.low, High: curve.high })) {
      made.push({ label, stroke: "transparent", points: { show: false }, value: (/** @type {any} */ _, /** @type {number | null} */ value) => short(value) });
      data.push(values);
    }
    bands.push({ series: [2, 1], fill: colour("--accent-wash") });
  }
  made.push({
    label: curve.title,
    stroke: accent,
    width: isSmooth ? 1 : 2,
    alpha: isSmooth ? 0.4 : 1,
    points: { show: curve.versions.length <= 60, size: 6, fill: accent },
    value: (/** @type {any} */ _, /** @type {number | null} */ value) => short(value),
  });
  data.push(curve.values);
  if (isSmooth) {
    made.push({ label: "Smoothed", stroke: accent, width: 2.5, points: { show: false }, value: (/** @type {any} */ _, /** @type {number | null} */ value) => short(value) });
    data.push(smoothed(curve.values, chosen.smoothing));
  }
  return { made, data, bands };
};

const draw = () => {
  const host = byId("curve");
  const source = byId("run-curves");
  if (!host || !source || typeof uPlot === "undefined") return;
  /** @type {Curve[]} */
  const curves = JSON.parse(source.textContent);
  const curve = curves.find((one) => one.id === chosen.metric) ?? curves[0];
  plot?.destroy();
  host.replaceChildren();
  const { made, data, bands } = series(curve);
  const ink = colour("--ink-soft");
  const line = colour("--line");
  const axis = { stroke: ink, grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1 }, font: "12px Inter, system-ui, sans-serif" };
  plot = new uPlot(
    {
      width: Math.max(host.clientWidth, 200),
      height: HEIGHT,
      series: made,
      bands,
      scales: { x: { time: false } },
      axes: [{ ...axis, incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000], space: 60 }, { ...axis, size: 56, values: (/** @type {any} */ _, /** @type {number[]} */ ticks) => ticks.map(short) }],
      cursor: { drag: { x: true, y: false } },
      hooks: {
        setScale: [
          (/** @type {any} */ self, /** @type {string} */ key) => {
            if (key !== "x") return;
            const { min, max } = self.scales.x;
            const isWhole = min <= curve.versions[0] && max >= curve.versions.at(-1);
            chosen.range = isWhole ? null : { min, max };
            byId("curve-reset").disabled = isWhole;
          },
        ],
      },
    },
    data,
    host,
  );
  host.setAttribute("role", "img");
  host.setAttribute("aria-label", `${curve.title} by policy version, ${curve.unit}`);
  if (chosen.range) plot.setScale("x", chosen.range);
  byId("curve-metric").value = curve.id;
  byId("curve-smoothing").value = String(chosen.smoothing);
  host.closest("[data-curves-frame]").dataset.drawn = "";
  drawn = source.textContent;
};

document.addEventListener("input", (event) => {
  const target = /** @type {HTMLInputElement} */ (event.target);
  if (target.id === "curve-metric") {
    chosen.metric = target.value;
    chosen.range = null;
    draw();
  } else if (target.id === "curve-smoothing") {
    chosen.smoothing = Number(target.value);
    draw();
  }
});
document.addEventListener("click", (event) => {
  if (!event.target.closest?.("#curve-reset")) return;
  chosen.range = null;
  draw();
});
/* The update has removed the drawing. */
document.addEventListener("htmx:afterSwap", () => {
  const source = byId("run-curves");
  if (source && (source.textContent !== drawn || !byId("curve").querySelector("canvas"))) draw();
});
addEventListener("resize", () => {
  const host = byId("curve");
  if (plot && host) plot.setSize({ width: Math.max(host.clientWidth, 200), height: HEIGHT });
});
new MutationObserver(draw).observe(document.documentElement, { attributeFilter: ["data-theme"] });
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
draw();
