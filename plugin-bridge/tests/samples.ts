/** Values as the daemon gives them, to be changed where a test cares. */

import type { Hit, Job, Status } from "../src/protocol";

export function statusOf(changes: Partial<Status> = {}): Status {
	return {
		vault: "/home/ada/Notes",
		state: "running",
		counts: { done: 0, queued: 0, running: 0, waiting: 0, parked: 0, skipped: 0, cancelled: 0 },
		files: [],
		jobs: {},
		queue: {},
		model: { chat: "offline", embedding: "builtin" },
		reviews_open: 0,
		folders: { ok: 0, fallback: 0, stale: 0, failed: 0 },
		usage: { calls: 0, input_tokens: 0, output_tokens: 0 },
		problems: [],
		...changes,
	};
}

export function jobOf(changes: Partial<Job> = {}): Job {
	return {
		id: 1,
		kind: "ingest",
		subject: "raw/a.pdf",
		state: "queued",
		stage: "",
		done: 0,
		total: 0,
		attempts: 0,
		person: false,
		run_at: "",
		reason: "",
		code: "",
		result: {},
		...changes,
	};
}

export function hitOf(changes: Partial<Hit> = {}): Hit {
	return {
		id: "p1",
		path: "wiki/concepts/Koji.md",
		title: "Koji",
		heading: "Koji > Heat",
		line: 12,
		start: 0,
		end: 10,
		page: null,
		score: 1,
		snippet: "Koji grows at **thirty** degrees.",
		via: ["words"],
		link: "",
		also: [],
		...changes,
	};
}
