/** What becomes of a failure: one sentence for the person, the rest in the console. */

import { Notice } from "obsidian";
import { DaemonRefused, DaemonUnreachable } from "./client";

const LINGER_MS = 4_000;

/** Return the sentence for the person. */
export function reasonOf(error: unknown): string {
	if (error instanceof DaemonUnreachable) return "The daemon is not running. See the activity view for how to start it.";
	if (error instanceof DaemonRefused) return error.message;
	console.error("vaultd", error);
	return "Something went wrong; the developer console says what.";
}

/** Do what a person asked for, and tell them if it cannot be done. */
export function attempt(work: () => Promise<unknown>): void {
	work().catch((error: unknown) => new Notice(reasonOf(error)));
}

/** Say what goes on while `work` does, then what became of it. */
export function attemptAloud(text: string, work: () => Promise<string>): void {
	const notice = new Notice(text, 0);
	void work()
		.catch(reasonOf)
		.then((outcome) => {
			notice.setMessage(outcome);
			window.setTimeout(() => notice.hide(), LINGER_MS);
		});
}
