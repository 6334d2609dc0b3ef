/** What is known of the daemon, and the one line a status bar has room for. */

import type { Job, Status } from "../protocol";

export type DaemonState =
	| { readonly kind: "searching" }
	| { readonly kind: "off" }
	/** It runs on another computer, whose runtime file a sync tool brought here. */
	| { readonly kind: "elsewhere" }
	| { readonly kind: "refused"; readonly reason: string; readonly cause: "token" | "protocol" | "unknown" }
	| { readonly kind: "on"; readonly status: Status; readonly jobs: readonly Job[]; readonly address: string };

/** How the line looks: calm, at work, or waiting for the person. */
export type Mood = "off" | "idle" | "working" | "attention";

export interface StatusLine {
	readonly text: string;
	readonly mood: Mood;
	/** The same in whole sentences, for the tooltip and for screen readers. */
	readonly detail: string;
}

/** Return the line for the status bar: what needs the person first, then what is at work. */
export function statusLine(state: DaemonState): StatusLine {
	switch (state.kind) {
		case "searching":
			return { text: "vaultd …", mood: "off", detail: "Looking for the daemon." };
		case "off":
			return { text: "vaultd: not running", mood: "off", detail: "The daemon is not running. Select for how to start it." };
		case "elsewhere":
			return { text: "vaultd: on another computer", mood: "off", detail: "The daemon of this vault runs on another computer." };
		case "refused": {
			const text = state.cause === "protocol" ? "vaultd: update needed" : "vaultd: no access";
			return { text, mood: "attention", detail: state.reason };
		}
		case "on":
			return lineOf(state.status);
	}
}

function lineOf(status: Status): StatusLine {
	const { running = 0, queued = 0, waiting = 0, parked = 0 } = status.counts;
	const parts = [
		counted(running, "running"),
		counted(queued, "queued"),
		counted(waiting, "waiting"),
		counted(parked, "parked"),
		status.reviews_open === 0 ? "" : plural(status.reviews_open, "review"),
		status.problems.length === 0 ? "" : plural(status.problems.length, "problem"),
	].filter((part) => part !== "");
	const needsPerson = parked + waiting + status.reviews_open + status.problems.length > 0;
	const mood = running + queued > 0 ? "working" : needsPerson ? "attention" : "idle";
	const text = parts.length === 0 ? "vaultd: up to date" : `vaultd: ${parts.join(" · ")}`;
	return { text, mood, detail: detailOf(status) };
}

/** Tell whether pages are written without a model. */
export function isOffline(status: Pick<Status, "model">): boolean {
	return status.model.chat === "" || status.model.chat === "offline";
}

function detailOf(status: Status): string {
	const done = `${plural(status.counts.done ?? 0, "document")} done`;
	const author = isOffline(status) ? "written offline" : `written by ${status.model.chat}`;
	const problems = status.problems.map((problem) => problem.text);
	return [`${done}, ${author}.`, ...problems].join("\n");
}

function counted(number: number, word: string): string {
	return number === 0 ? "" : `${number} ${word}`;
}

/** Return "1 review" or "3 reviews". */
export function plural(number: number, word: string): string {
	return `${number} ${word}${number === 1 ? "" : "s"}`;
}
