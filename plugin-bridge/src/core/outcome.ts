/** What became of something a person asked for. */

import type { Job } from "../protocol";

/** Return `done` when the job is over, its reason when it is held, else that it is under way. */
export function outcomeOf(job: Pick<Job, "state" | "reason">, done: string): string {
	if (job.state === "done") return done;
	if (job.reason !== "") return job.reason;
	return "It is queued; the activity view shows when it is done.";
}
