// Tokens by day as a drawing, and the same as a table for those who do not see it.

import { at, h, svg } from "./dom.js";
import { count, counted, short } from "./words.js";

const DAYS = 30;
const DAY = 86_400_000; // ms
const WIDTH = 360;
const HEIGHT = 120;
const FLOOR = 96; // where the bars stand; below are the days
const LEFT = 30; // for the scale
const OFFLINE = "No model is configured: pages are written here, nothing leaves this machine.";
const NAME = "Tokens by day; the table below holds the numbers";
const NO_CALL = `No call within ${DAYS} days.`;

export function renderUsage(usage, model, now = new Date()) {
  const place = at("usage");
  const days = byDay(usage.days, now);
  const total = days.reduce((sum, day) => sum + day.input + day.output, 0);
  if (!total) {
    place.replaceChildren(h("p", { class: "empty" }, model === "offline" ? OFFLINE : NO_CALL));
    return;
  }
  const calls = counted(days.reduce((sum, day) => sum + day.calls, 0), "call");
  place.replaceChildren(
    h("p", { class: "quiet" }, `${short(total)} tokens in ${calls}, the last ${DAYS} days`),
    chart(days),
    legend(),
    table(days),
  );
}

/** Return one entry for each of the last days, oldest first; days are those of UTC. */
export function byDay(rows, now) {
  const days = Array.from({ length: DAYS }, (_, number) => {
    const moment = new Date(now.getTime() - (DAYS - 1 - number) * DAY);
    return { day: moment.toISOString().slice(0, 10), input: 0, output: 0, calls: 0 };
  });
  const known = new Map(days.map((day) => [day.day, day]));
  for (const row of rows) {
    const day = known.get(row.day);
    if (!day) continue;
    day.input += row.input_tokens;
    day.output += row.output_tokens;
    day.calls += row.calls;
  }
  return days;
}

/** Return a round number at or above `most`: 1, 2 or 5 times a power of ten. */
export function roundUp(most) {
  const power = 10 ** Math.floor(Math.log10(Math.max(most, 1)));
  return [1, 2, 5, 10].map((step) => step * power).find((step) => step >= most);
}

function chart(days) {
  const top = roundUp(Math.max(...days.map((day) => day.input + day.output)));
  const scale = (tokens) => (tokens / top) * (FLOOR - 8);
  const step = (WIDTH - LEFT) / DAYS;
  const box = `0 0 ${WIDTH} ${HEIGHT}`;
  const drawing = svg("svg", { viewBox: box, class: "chart", role: "img", "aria-label": NAME });
  for (const share of [0, 0.5, 1]) {
    const y = FLOOR - scale(top * share);
    drawing.append(
      svg("line", { x1: LEFT, x2: WIDTH, y1: y, y2: y, class: "rule" }),
      svg("text", { x: LEFT - 6, y: y + 3, class: "tick", "text-anchor": "end" }, short(top * share)),
    );
  }
  days.forEach((day, number) => drawing.append(bar(day, LEFT + number * step, step, scale)));
  for (const number of [0, 10, 20, DAYS - 1]) {
    const anchor = number === DAYS - 1 ? "end" : "start";
    const x = LEFT + (number + (anchor === "end" ? 1 : 0)) * step;
    const wanted = { x, y: HEIGHT - 8, class: "tick", "text-anchor": anchor };
    drawing.append(svg("text", wanted, dayName(days[number].day)));
  }
  return drawing;
}

function bar(day, x, step, scale) {
  const [input, output] = [scale(day.input), scale(day.output)];
  const wide = { x: x + step * 0.15, width: step * 0.7 };
  return svg(
    "g",
    {},
    svg("title", {}, `${day.day}: ${count(day.input)} in, ${count(day.output)} out`),
    svg("rect", { ...wide, y: FLOOR - input, height: input, class: "input" }),
    svg("rect", { ...wide, y: FLOOR - input - output, height: output, class: "output" }),
  );
}

function legend() {
  return h(
    "p",
    { class: "legend", "aria-hidden": "true" },
    h("span", { class: "swatch input" }),
    "read by the model",
    h("span", { class: "swatch output" }),
    "written by it",
  );
}

function table(days) {
  const used = days.filter((day) => day.calls).reverse();
  const heads = ["Day", "Calls", "In", "Out"].map((name) => h("th", { scope: "col" }, name));
  return h(
    "details",
    {},
    h("summary", {}, "As a table"),
    h("table", {}, h("thead", {}, h("tr", {}, heads)), h("tbody", {}, used.map(row))),
  );
}

function row(day) {
  const numbers = [day.calls, day.input, day.output].map((number) => h("td", {}, count(number)));
  return h("tr", {}, h("th", { scope: "row" }, dayName(day.day)), numbers);
}

function dayName(day) {
  return new Date(`${day}T12:00:00Z`).toLocaleDateString("en-GB", { day: "numeric", month: "short" });
}
