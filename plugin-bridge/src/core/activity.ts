/** What the activity view lists, made from the daemon's status and jobs. */

import type { FileStatus, Job, Status } from "../protocol";

/** One document or job as a person sees it. */
export interface Row {
	readonly key: string;
	/** Vault path of the document, or what the job is about. */
	readonly path: string;
	readonly title: string;
	readonly reason: string;
	/** What is being done, in words; "" when nothing is. */
	readonly stage: string;
	/** Share of the stage that is done, 0 to 1; null when it has no steps. */
	readonly share: number | null;
	readonly jobId: number | null;
	readonly attempts: number;
	readonly pages: readonly string[];
	readonly canRetry: boolean;
	/** Whether it goes on at the person's word alone, as work that costs much. */
	readonly waits: boolean;
	readonly canCancel: boolean;
}

export interface Activity {
	readonly needsYou: readonly Row[];
	readonly atWork: readonly Row[];
	readonly queued: readonly Row[];
	readonly done: readonly Row[];
	readonly setAside: readonly Row[];
}

const WORK: Readonly<Record<string, string>> = {
	ingest: "Turning into pages",
	index: "Indexing",
	summarize: "Describing the folder",
	summarize_file: "Describing the file",
	drop_summaries: "Dropping summaries",
	write_session: "Writing the pages",
	review: "Acting on a review",
	move: "Following a move",
	retract: "Removing a vanished document",
	forget: "Forgetting",
	undo: "Taking back",
	restore: "Restoring",
	rebuild: "Rebuilding",
	lint: "Checking the wiki",
	upkeep: "Upkeep",
};

/** Sort everything into what a person looks for, each list in the daemon's order. */
export function activityOf(status: Status, jobs: readonly Job[]): Activity {
	const ofFile = new Map(jobs.filter((job) => job.kind === "ingest").map((job) => [job.subject, job]));
	const files = new Set(status.files.map((file) => file.path));
	const rows = status.files.map((file) => ({ state: file.state, row: rowOfFile(file, ofFile.get(file.path)) }));
	const others = jobs
		.filter((job) => job.kind !== "ingest" || !files.has(job.subject))
		.map((job) => ({ state: job.state === "paused" ? "waiting" : job.state, row: rowOfJob(job) }));
	const all = [...rows, ...others];
	const inState = (...states: string[]): Row[] => all.filter((each) => states.includes(each.state)).map((each) => each.row);
	return {
		needsYou: inState("parked", "waiting"),
		atWork: inState("running"),
		queued: inState("queued"),
		done: inState("done"),
		setAside: inState("skipped", "cancelled"),
	};
}

function rowOfFile(file: FileStatus, job: Job | undefined): Row {
	return {
		key: `file:${file.path}`,
		path: file.path,
		title: nameOf(file.path),
		reason: file.reason,
		attempts: file.attempts,
		pages: file.pages,
		jobId: job?.id ?? null,
		...progressOf(job),
		canRetry: ["parked", "waiting", "cancelled"].includes(file.state),
		waits: file.state === "waiting",
		canCancel: job !== undefined && ["queued", "running", "waiting", "paused"].includes(job.state),
	};
}

function rowOfJob(job: Job): Row {
	return {
		key: `job:${job.id}`,
		path: job.subject,
		title: job.subject === "." ? "The whole vault" : nameOf(job.subject),
		reason: job.reason,
		attempts: job.attempts,
		pages: [],
		jobId: job.id,
		...progressOf(job),
		canRetry: ["parked", "waiting", "paused"].includes(job.state),
		waits: job.state === "waiting",
		canCancel: true,
	};
}

function progressOf(job: Job | undefined): Pick<Row, "stage" | "share"> {
	if (job === undefined) return { stage: "", share: null };
	const work = WORK[job.kind] ?? job.kind;
	const stage = job.state === "running" && job.stage !== "" ? `${work}: ${job.stage.replaceAll("_", " ")}` : work;
	if (job.state !== "running" || job.total <= 0) return { stage, share: null };
	return { stage: `${stage} ${job.done} of ${job.total}`, share: Math.min(1, job.done / job.total) };
}

/** Return the last part of a path, without a final "/". */
export function nameOf(path: string): string {
	const parts = path.split("/").filter((part) => part !== "");
	return parts.at(-1) ?? path;
}
