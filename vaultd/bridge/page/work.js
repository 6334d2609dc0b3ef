// What runs, what is held back and why, what comes next, what was done lately.

import { announce, at, h, show, write } from "./dom.js";
import { count, counted, folderOf, nameOf, obsidian, pageName } from "./words.js";
import { reasonOf, stepOf, titleOf, when } from "./words.js";

const HELD = 40;
const LATELY = 6;
const FIGURES = [
  ["done", "done"],
  ["running", "under way"],
  ["queued", "next"],
  ["held", "held back"],
];

export function makeWork(bridge, refresh) {
  let vault = "";
  const lately = [];

  /** Show the documents `status` and `jobs` as they are now. */
  function render(status, jobs) {
    vault = nameOf(status.vault.replaceAll("\\", "/"));
    const { counts } = status;
    const held = { ...counts, held: counts.waiting + counts.parked };
    show(at("figures"), FIGURES, ([name]) => name, (figure, known) => drawFigure(figure, held, known));
    show(at("problems"), status.problems, (each) => each.code, (each) => h("li", {}, each.text));
    const parts = sorted(jobs);
    part("running", parts.running, drawRunning);
    part("held", parts.held.slice(0, HELD), drawHeld);
    at("retry-all").hidden = parts.held.length < 2;
    part("queued", parts.queued, drawQueued);
    write(at("queued-more"), moreOf(parts, status.jobs));
    const isMore = at("queued-more").textContent !== "";
    if (isMore) at("queued-part").hidden = false;
    at("work-empty").hidden = jobs.length > 0 || isMore || lately.length > 0;
  }

  function part(name, jobs, draw) {
    show(at(name), jobs, (job) => job.id, (job, known) => draw(job, known));
    at(`${name}-part`).hidden = !jobs.length;
  }

  function drawRunning(job, known) {
    const item = known ?? jobItem(job, button("Cancel", job, () => cancel(job)), h("progress"));
    const bar = item.querySelector("progress");
    bar.setAttribute("aria-label", `Progress of ${job.subject}`);
    if (job.total > 1) {
      bar.max = job.total;
      bar.value = job.done;
    } else bar.removeAttribute("value");
    write(item.querySelector(".why"), stepOf(job) || "Begun");
    return item;
  }

  function drawHeld(job, known) {
    const again = () => button("Retry", job, () => retry(job));
    const item = known ?? jobItem(job, [again(), button("Leave it", job, () => cancel(job))]);
    item.dataset.state = job.state;
    write(item.querySelector(".why"), reasonOf(job));
    return item;
  }

  function drawQueued(job, known) {
    const item = known ?? jobItem(job, button("Cancel", job, () => cancel(job)));
    const isLater = new Date(job.run_at) > new Date(Date.now() + 1000);
    const due = isLater ? `Again at ${when(job.run_at)}. ${job.reason}` : job.reason;
    write(item.querySelector(".why"), due);
    return item;
  }

  function button(label, job, act) {
    const name = `${label}: ${titleOf(job)}`;
    return h("button", { type: "button", "aria-label": name, click: act }, label);
  }

  async function retry(job) {
    await attempt(() => bridge.post(`/v1/jobs/${job.id}/retry`), `${titleOf(job)} is tried again.`);
  }

  async function retryAll() {
    const all = () => bridge.post("/v1/retry", { what: "held" });
    await attempt(all, "Everything held back is tried again.");
  }

  async function cancel(job) {
    await attempt(() => bridge.remove(`/v1/jobs/${job.id}`), `${titleOf(job)} is cancelled.`);
  }

  async function attempt(act, done) {
    try {
      await act();
      announce(done);
    } catch (error) {
      announce(error.message);
    }
    await refresh();
  }

  /** Note what an event says was finished. */
  function note(event) {
    if (event.kind !== "source.published") return;
    lately.unshift({ id: event.id, at: event.at, ...event.payload });
    lately.length = Math.min(lately.length, LATELY);
    show(at("lately"), lately, (each) => each.id, (each, known) => known ?? drawDone(each, vault));
    at("lately-part").hidden = !lately.length;
    at("work-empty").hidden = true;
  }

  at("retry-all").addEventListener("click", retryAll);
  return { render, note };
}

/** Sort jobs by what a person has to know. Only documents are listed one by one. */
export function sorted(jobs) {
  const isDocument = (job) => job.kind === "ingest";
  const running = jobs.filter((job) => job.state === "running");
  const isHeld = (job) => ["waiting", "paused", "parked"].includes(job.state);
  return {
    running: [...running.filter(isDocument), ...running.filter((job) => !isDocument(job))],
    held: jobs.filter(isHeld),
    queued: jobs.filter((job) => job.state === "queued" && isDocument(job)),
  };
}

/** Say what is queued and not listed. `byKind` counts all jobs that are not over. */
function moreOf(parts, byKind) {
  const listed = [...parts.running, ...parts.held, ...parts.queued];
  const documents = listed.filter((job) => job.kind === "ingest").length;
  const { ingest = 0, ...others } = byKind;
  const steps = Object.values(others).reduce((sum, number) => sum + number, 0);
  const more = [];
  if (ingest > documents) more.push(counted(ingest - documents, "more document"));
  const quiet = steps - (listed.length - documents);
  if (quiet > 0) more.push(`${counted(quiet, "step")} of indexing`);
  return more.length ? `and ${more.join(", ")}` : "";
}

function drawFigure([name, label], counts, known) {
  const figure = known ?? h("div", { class: "figure" }, h("dt", {}, label), h("dd"));
  write(figure.querySelector("dd"), count(counts[name]));
  figure.dataset.name = name;
  figure.toggleAttribute("data-none", !counts[name]);
  return figure;
}

function jobItem(job, buttons, bar = null) {
  return h(
    "li",
    {},
    h(
      "div",
      { class: "what" },
      h("span", { class: "title" }, titleOf(job)),
      " ",
      job.kind === "ingest" ? h("span", { class: "where" }, folderOf(job.subject)) : null,
    ),
    h("div", { class: "actions" }, buttons),
    h("p", { class: "why" }),
    bar,
  );
}

function drawDone(done, vault) {
  const shown = done.pages.slice(0, 4);
  const links = shown.map((path) => h("a", { href: obsidian(vault, path) }, pageName(path)));
  const rest = done.pages.length - shown.length;
  return h(
    "li",
    {},
    h("time", { datetime: done.at }, when(done.at)),
    h("span", { class: "title" }, nameOf(done.path)),
    h("span", { class: "pages" }, links, rest ? `and ${rest} more` : ""),
  );
}
