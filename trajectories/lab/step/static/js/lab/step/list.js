/* The list of steps. Each step is shown with its number, action, signs and the beginning of its thought. */

import { create } from "../shared/elements.js";
import { startTimeline } from "../shared/timeline.js";
import * as replay from "./viewer.js";

/** @type {(className: string, shown: string, label: string) => HTMLElement} */
const sign = (className, shown, label) => {
  const one = create("span", `item-sign ${className}`);
  const mark = create("span", "", shown);
  mark.setAttribute("aria-hidden", "true");
  one.title = label;
  one.append(mark, create("span", "visually-hidden", label));
  return one;
};

const marked = new Set(document.querySelector("[data-marked]").dataset.marked.split(" ").map(Number));

/* This listener runs before the timeline's, which draws the cell again. */
document.addEventListener("bookmark:saved", ({ detail }) => {
  const index = Number(detail.address.match(/\/steps\/(\d+)\//)?.[1]);
  if (detail.isMarked) marked.add(index);
  else marked.delete(index);
});

/** @type {(row: StepRow, reached: string) => HTMLElement} */
const itemOf = (row, reached) => {
  const item = create("a", `item item-${row.tone}`);
  const line = create("span", "item-line");
  const took = row.ms === null ? "" : `${row.ms.toLocaleString("en")} ms`;
  const [shown, check] = row.check ?? ["", ""];
  item.title = [`${row.index} ${row.type}`, row.phrase, row.result, took, check].filter(Boolean).join(" · ");
  item.classList.toggle("is-page-change", Boolean(row.page_change));
  line.append(
    create("span", "item-number", String(row.index)),
    " ",
    create("span", "item-verb", row.type || "–"),
    " ",
    create("span", "item-what", row.phrase),
  );
  if (marked.has(row.index)) line.append(sign("tone-accent", "⚑", "bookmarked"));
  if (reached) line.append(sign("tone-good", "★", `milestone ${reached}`));
  if (row.repeats) line.append(sign("", "↺", `same as step ${row.repeats}${row.provisional}`));
  if (check) line.append(sign("tone-warn", shown, check));
  if (row.result && row.result !== "ok") line.append(create("span", "item-result", row.result));
  const thought = create("span", "item-thought", row.thought);
  thought.dir = "auto";
  item.append(line, thought);
  return item;
};

/* Returns a step's row once it is loaded. */
export const rowOf = startTimeline(itemOf, replay);
