// What things are called on this page. Pure: no page, no network.

const KINDS = {
  ingest: "document",
  index: "index",
  summarize: "folder notes",
  summarize_file: "summary",
  drop_summaries: "dropping summaries",
  write_session: "conversation",
  review: "answer",
  move: "move",
  retract: "vanished document",
  forget: "forgetting",
  undo: "undoing",
  restore: "restoring",
  rebuild: "rebuild",
  lint: "check of links",
  upkeep: "upkeep",
};

const STAGES = {
  reading: "Reading",
  captions: "Describing pictures",
  analysis: "Understanding",
  generation: "Writing pages",
  review: "Looking for open questions",
  publishing: "Publishing",
  embedding: "Embedding",
  folders: "Describing folders",
  summary: "Summarising",
  summaries: "Summarising",
  withdrawing: "Taking its part out of the pages",
  forgetting: "Forgetting",
  moving: "Following a move",
  restoring: "Restoring",
  upkeep: "Tidying up",
};

const REVIEWS = {
  contradiction: "Contradiction",
  duplicate: "Duplicate?",
  "missing-page": "Missing page",
  suggestion: "Suggestion",
  conflict: "Your edit and a new version",
  confirm: "Please confirm",
};

const STATES = {
  waiting: "waits",
  paused: "paused",
  parked: "parked",
};

/** Return the name of a file or folder, without the folders above it. */
export function nameOf(path) {
  return path.slice(path.lastIndexOf("/") + 1) || path;
}

/** Return the name of a page or document as links show it. */
export function pageName(path) {
  return nameOf(path).replace(/\.md$/, "");
}

/** Return the folders above a file, "" at the top. */
export function folderOf(path) {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}

/** Return what a job is about, in one line. */
export function titleOf(job) {
  if (job.kind === "ingest") return nameOf(job.subject);
  const about = job.subject === "." || job.kind === "review" ? "" : `: ${nameOf(job.subject)}`;
  const kind = KINDS[job.kind] ?? job.kind;
  return kind[0].toUpperCase() + kind.slice(1) + about;
}

/** Return how far a job has come, in one line. */
export function stepOf(job) {
  const stage = STAGES[job.stage] ?? job.stage;
  return stage && job.total > 1 ? `${stage}, ${count(job.done)} of ${count(job.total)}` : stage;
}

/** Return why a job is held back, in one line. */
export function reasonOf(job) {
  return job.reason || `It ${STATES[job.state] ?? "waits to be tried again"}.`;
}

/** Return what a review is about in two words. */
export function reviewKind(kind) {
  return REVIEWS[kind] ?? kind;
}

/** Return a number with thousands kept apart. */
export function count(number) {
  return number.toLocaleString("en");
}

/** Return "1 page", "2 pages". */
export function counted(number, word) {
  return `${count(number)} ${word}${number === 1 ? "" : "s"}`;
}

/** Return a large number in few characters: 950, 12k, 3.4M. */
export function short(number) {
  return Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 }).format(number);
}

/** Return "today 14:05", or the day for what is older. */
export function when(stamp, now = new Date()) {
  const moment = new Date(stamp);
  const time = moment.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
  if (moment.toDateString() === now.toDateString()) return time;
  return `${moment.toLocaleDateString([], { day: "numeric", month: "short" })}, ${time}`;
}

/** Return the address that opens a file in Obsidian. */
export function obsidian(vault, path) {
  const file = path.replace(/\.md$/, "");
  return `obsidian://open?vault=${encodeURIComponent(vault)}&file=${encodeURIComponent(file)}`;
}

/** Cut a snippet into what was found and what stands around it: `[text, isFound]`. */
export function pieces(snippet) {
  return snippet.split("**").map((text, number) => [text, number % 2 === 1]);
}
