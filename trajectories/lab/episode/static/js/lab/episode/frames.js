/* The timeline on an episode's page. Each step is a frame with its screenshot, a bar for its duration, and signs. */

import { create } from "../shared/elements.js";
import { startTimeline } from "../shared/timeline.js";

const SVG = "http://www.w3.org/2000/svg";

/** @type {(name: string, attributes: Record<string, string>) => SVGElement} */
const drawing = (name, attributes) => {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
};

/** @param {StepRow} row */
const barOf = (row) => {
  const svg = drawing("svg", {
    class: "frame-bar",
    viewBox: "0 0 100 4",
    preserveAspectRatio: "none",
    "aria-hidden": "true",
  });
  svg.append(drawing("rect", { width: String(row.bar ?? 0), height: "4" }));
  return svg;
};

/** @param {StepRow} row */
const thumbnailOf = (row) => {
  if (!row.sha256) return create("span", "frame-blank");
  const picture = create("img");
  picture.alt = "";
  picture.width = 72;
  picture.height = 45;
  picture.decoding = "async";
  picture.src = `/blobs/${row.sha256}/thumbnail`;
  return picture;
};

/** @type {(className: string, sign: string, label: string) => HTMLElement} */
const flagOf = (className, sign, label) => {
  const flag = create("span", className);
  const shown = create("span", "", sign);
  shown.setAttribute("aria-hidden", "true");
  flag.append(shown, create("span", "visually-hidden", ` ${label}`));
  return flag;
};

/** @type {(row: StepRow, reached: string) => HTMLElement} */
const frameOf = (row, reached) => {
  const frame = create("a", `frame frame-${row.tone}`);
  const took = row.ms === null ? "" : `${row.ms.toLocaleString("en")} ms`;
  const repeats = row.repeats ? `same as step ${row.repeats}${row.provisional}` : "";
  const [sign, check] = row.check ?? ["", ""];
  frame.title = [`${row.index} ${row.type}`, row.phrase, row.result, took, check, repeats].filter(Boolean).join(" · ");
  frame.classList.toggle("is-page-change", Boolean(row.page_change));
  const name = create("span", "frame-name");
  name.append(create("span", "frame-number", String(row.index)), ` ${row.type || "–"}`);
  frame.append(thumbnailOf(row), barOf(row), name, create("span", "frame-lane"));
  if (reached) {
    frame.title += ` · milestone ${reached}`;
    frame.append(flagOf("frame-flag", "★", `milestone ${reached}`));
  }
  if (check) frame.append(flagOf("frame-check", sign, check));
  if (repeats) frame.append(flagOf("frame-loop", "↺", repeats));
  if (row.result && row.result !== "ok") frame.append(create("span", "visually-hidden", ` ${row.result}`));
  return frame;
};

startTimeline(frameOf);
