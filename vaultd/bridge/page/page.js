// The page as a whole: pairs with vaultd, shows everything, follows the events, waits when alone.

import { Away, Bridge, Refused } from "./bridge.js";
import { at, write } from "./dom.js";
import { makeFolders } from "./folders.js";
import { makeReviews } from "./reviews.js";
import { makeSearch } from "./search.js";
import { makeUpkeep } from "./upkeep.js";
import { renderUsage } from "./usage.js";
import { counted, nameOf } from "./words.js";
import { HELD, makeWork } from "./work.js";

const LONGEST_WAIT = 30; // s between two tries while nobody answers
const AT_HAND = "/v1/jobs?state=running,waiting,paused,parked&limit=100";
const NEXT = "/v1/jobs?state=queued&kind=ingest&limit=12";
const GATHER = 250; // ms: a burst of events is one look
const HISTORY = 400; // events looked through for what was done lately
const PARTS = {
  progress: ["jobs"],
  "review.answered": ["jobs", "reviews"],
  "reviews.changed": ["reviews"],
  "source.published": ["status", "jobs", "folders", "reviews", "usage"],
  folder: ["folders"],
}; // any other event: the documents
const DOCUMENTS = ["status", "jobs"];
const NO_KEY = "Not connected";
const EVERYTHING = [...DOCUMENTS, "reviews", "folders", "usage"];

const bridge = new Bridge();
const work = makeWork(bridge, () => refresh(DOCUMENTS));
const reviews = makeReviews(bridge, () => refresh(["jobs", "reviews"]));
const folders = makeFolders(bridge);
const upkeep = makeUpkeep(bridge, () => refresh(DOCUMENTS));
const search = makeSearch(bridge);

let status = null;
let vault = "";
let gathered = new Set();
let timer = 0;
let wake = () => {}; // ends a wait

async function refresh(parts) {
  const wanted = new Set(parts);
  if (wanted.has("status")) await askStatus();
  if (wanted.has("jobs")) showWork(await askJobs());
  if (wanted.has("reviews")) reviews.render((await bridge.get("/v1/reviews")).reviews, vault);
  if (wanted.has("folders")) await folders.render(vault);
  if (wanted.has("usage")) renderUsage(await bridge.get("/v1/usage?days=30"), status.model.chat);
}

/** Ask for what is under way or held back, and for the next documents: a queue may be long. */
async function askJobs() {
  const [now, next] = await Promise.all([bridge.get(AT_HAND), bridge.get(NEXT)]);
  return [...now.jobs, ...next.jobs];
}

async function askStatus() {
  status = await bridge.get(`/v1/status?files=${HELD}&unsettled=true`);
  vault = nameOf(status.vault.replaceAll("\\", "/"));
  write(at("vault"), vault);
  upkeep.render(status);
  document.title = `${vault} · vaultd`;
}

function showWork(jobs) {
  work.render(status, jobs);
  const busy = status.queue.running + status.queue.queued;
  state("here", busy ? `Working: ${counted(busy, "job")} to go` : "Up to date");
  document.body.toggleAttribute("data-busy", busy > 0);
}

function isLockedOut(error) {
  return error instanceof Refused && error.status === 401;
}

function state(name, text) {
  document.body.dataset.state = name;
  write(at("state"), text);
  at("again").hidden = at("wait").hidden = name !== "away";
  at("stranger").hidden = name !== "stranger";
}

function noticed(event) {
  work.note(event);
  const parts = event.kind === "reset" ? EVERYTHING : (PARTS[event.kind] ?? DOCUMENTS);
  parts.forEach((part) => gathered.add(part));
  timer ||= setTimeout(look, GATHER);
}

async function look() {
  const parts = gathered;
  gathered = new Set();
  try {
    await refresh(parts);
  } catch (error) {
    if (!(error instanceof Away || error instanceof Refused)) throw error; // the stream ends as well
    if (isLockedOut(error)) state("stranger", NO_KEY); // the stream goes on with the old key
  } finally {
    timer = 0;
    if (gathered.size) timer = setTimeout(look, GATHER);
  }
}

async function begin() {
  const { cursor } = await bridge.get("/v1/events");
  await refresh(DOCUMENTS);
  const past = await bridge.get(`/v1/events?since=${Math.max(0, cursor - HISTORY)}&wait=0`);
  work.recall(past.events.filter((event) => event.id <= cursor));
  search.again();
  await refresh(["reviews", "folders", "usage"]);
  return cursor;
}

/** Wait, counting down; the button, the network and a look at the page end it. */
async function pause(seconds) {
  const end = Date.now() + seconds * 1000;
  const tell = () => write(at("wait"), `Looking again in ${Math.ceil((end - Date.now()) / 1000)} s`);
  state("away", "vaultd is not running");
  tell();
  const ticking = setInterval(tell, 1000);
  await new Promise((resolve) => {
    wake = resolve;
    setTimeout(resolve, seconds * 1000);
  });
  clearInterval(ticking);
}

async function follow() {
  for (let wait = 1; ; wait = Math.min(wait * 2, LONGEST_WAIT)) {
    try {
      await bridge.pair();
      const cursor = await begin();
      wait = 0.5;
      await bridge.stream(`/v1/events/stream?since=${cursor}`, noticed);
    } catch (error) {
      if (isLockedOut(error)) return state("stranger", NO_KEY);
      if (!(error instanceof Away || error instanceof Refused)) throw error;
    }
    await pause(Math.max(1, wait));
  }
}

at("again").addEventListener("click", () => wake());
addEventListener("online", () => wake());
addEventListener("hashchange", () => location.reload());
document.addEventListener("visibilitychange", () => document.hidden || wake());
await follow();
