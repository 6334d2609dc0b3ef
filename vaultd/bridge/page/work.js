// What runs, what is held back and why, what comes next, what was done lately.

import { announce, at, h, own, pathed, show, write } from "./dom.js";
import { count, counted, folderOf, nameOf, obsidian, pageName } from "./words.js";
import { reasonOf, stepOf, titleOf, when } from "./words.js";

export const HELD = 40; // listed one by one; the rest is counted
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
    const listed = [...parts.held, ...withoutJob(status.files, jobs)].slice(0, HELD);
    part("running", parts.running, drawRunning);
    part("held", listed, drawHeld);
    write(at("held-more"), moreHeld(status.queue, listed));
    at("retry-all").hidden = parts.held.length < 2;
    part("queued", parts.queued, drawQueued);
    write(at("queued-more"), moreOf(parts, status.jobs));
    const isMore = at("queued-more").textContent !== "";
    if (isMore) at("queued-part").hidden = false;
    at("work-empty").hidden = jobs.length > 0 || isMore || lately.length > 0;
  }

  function part(name, jobs, draw) {
    show(at(name), jobs, (job) => job.id ?? job.subject, (job, known) => draw(job, known));
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
    const leave = () => (job.id ? button("Leave it", job, () => cancel(job)) : null);
    const item = known ?? jobItem(job, [again(), leave()]);
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
    const ask = () =>
      job.id ? bridge.post(`/v1/jobs/${job.id}/retry`) : bridge.post("/v1/ingest", { path: job.subject });
    await attempt(ask, `${titleOf(job)} is tried again.`);
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

  /** Show what the events of the past say was finished, and nothing from before. */
  function recall(events) {
    lately.length = 0;
    at("lately").replaceChildren();
    at("lately-part").hidden = true;
    events.forEach(note);
  }

  at("retry-all").addEventListener("click", retryAll);
  return { render, note, recall };
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

/** Return the files that are held with no job: still incomplete, in the cloud, or unreadable. */
function withoutJob(files, jobs) {
  const subjects = new Set(jobs.map((job) => job.subject));
  const isHeld = ({ path, state }) => ["waiting", "parked"].includes(state) && !subjects.has(path);
  return files.filter(isHeld).map(({ path, state, reason }) => ({ kind: "ingest", subject: path, state, reason }));
}

function moreHeld({ waiting, paused, parked }, listed) {
  const rest = waiting + paused + parked - listed.filter((job) => job.id).length;
  return rest > 0 ? `and ${count(rest)} more` : "";
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
      own("span", { class: "title" }, titleOf(job)),
      " ",
      job.kind === "ingest" ? h("span", { class: "where" }, pathed(folderOf(job.subject))) : null,
    ),
    h("div", { class: "actions" }, buttons),
    h("p", { class: "why" }),
    bar,
  );
}

function drawDone(done, vault) {
  const shown = done.pages.slice(0, 4);
  const links = shown.map((path) => own("a", { href: obsidian(vault, path) }, pageName(path)));
  const rest = done.pages.length - shown.length;
  return h(
    "li",
    {},
    h("time", { datetime: done.at }, when(done.at)),
    own("span", { class: "title" }, nameOf(done.path)),
    h("span", { class: "pages" }, links, rest ? `and ${rest} more` : ""),
  );
}
