/** What a person can ask for about the vault as a whole. */

import { Notice } from "obsidian";
import type { App } from "obsidian";
import { attempt, attemptAloud } from "./attempt";
import { activityOf } from "./core/activity";
import { outcomeOf } from "./core/outcome";
import { isOffline, plural } from "./core/state";
import type { DaemonState } from "./core/state";
import type { Daemon } from "./daemon";
import type { Job } from "./protocol";
import { ConfirmModal } from "./views/confirm-modal";
import { CostsModal } from "./views/costs-modal";

const MOST_NAMED = 8; // held documents listed before they are tried again

export class Upkeep {
	constructor(
		private readonly app: App,
		private readonly daemon: Daemon,
	) {}

	/** Look over the wiki, then open the report. */
	readonly lookOver = (): void => {
		attemptAloud("Looking over the wiki …", async () => {
			const job = await this.daemon.bridge.call("POST /v1/lint", { body: {} });
			const { report } = job.result;
			if (job.state === "done" && typeof report === "string") await this.app.workspace.openLinkText(report, "", "tab");
			return outcomeOf(job, "The wiki was looked over.");
		});
	};

	readonly rebuild = (): void => {
		this.ask("Rebuild from the files?", "Rebuild", [
			"Records, indexes and listings are made anew from your notes and documents. No model is asked, no page is written anew.",
			"It can take minutes in a large vault. Search finds less until it is done; what else is queued waits.",
		], () => {
			attemptAloud("Rebuilding …", async () => outcomeOf(await this.daemon.bridge.call("POST /v1/rebuild", { body: {} }), "Everything is rebuilt."));
		});
	};

	/** Have the model write anew what was written without one. */
	readonly rewriteOffline = (): void => {
		this.whileOn(({ status }) => {
			if (isOffline(status)) {
				new Notice("No model is configured yet: set llm.model in .llm-wiki/config.toml first.");
				return;
			}
			this.ask("Rewrite what was written offline?", "Rewrite", [
				`${status.model.chat} reads every document again whose pages were written without a model. That costs calls; large documents wait for your word first.`,
				"What you wrote into the pages yourself stays.",
			], () => this.retry("offline"));
		});
	};

	/** Try everything again that is held, and allow what it may cost. */
	readonly retryHeld = (): void => {
		this.whileOn(({ status, jobs }) => {
			const held = activityOf(status, jobs).needsYou;
			if (held.length === 0) {
				new Notice("Nothing is held.");
				return;
			}
			const named = held.slice(0, MOST_NAMED).map((row) => (row.reason === "" ? row.title : `${row.title}: ${row.reason}`));
			const more = held.length > named.length ? [`And ${held.length - named.length} more.`] : [];
			this.ask("Try all of this again?", "Try again", [...named, ...more, "Costs that something waits for are allowed by that."], () => this.retry("held"));
		});
	};

	readonly estimate = (): void => {
		this.whileOn(({ status }) => new CostsModal(this.app, this.daemon, isOffline(status)).open());
	};

	/** Queue a document; where it would cost more than is spent without a word, ask for that word first. */
	ingest(path: string, name: string): void {
		attempt(async () => {
			const tokens = await this.tokensToAllow(path);
			if (tokens === 0) await this.queue(path, name);
			else {
				const text = `The model would take about ${tokens.toLocaleString()} tokens for it, more than is spent without your word.`;
				this.ask(`Turn ${name} into pages?`, "Go on", [text], () =>
					attempt(async () => this.allowWhenAsked(await this.queue(path, name))),
				);
			}
		});
	}

	private async queue(path: string, name: string): Promise<Job> {
		const job = await this.daemon.bridge.call("POST /v1/ingest", { body: { path } });
		new Notice(`${name} is queued.`);
		return job;
	}

	/** Return what the document would cost if that is more than is spent unasked, else 0. */
	private async tokensToAllow(path: string): Promise<number> {
		const { state, bridge } = this.daemon;
		if (state.kind === "on" && isOffline(state.status)) return 0;
		for await (const cost of bridge.follow("POST /v1/estimate", { body: { paths: [path] } }, new AbortController().signal)) {
			if (cost.waits) return cost.tokens;
		}
		return 0;
	}

	/** The person allowed it already: let the job go on when it comes to wait for that. */
	private allowWhenAsked(job: Job): void {
		let seen = false;
		this.daemon.watch((state) => {
			if (state.kind !== "on") return false;
			const now = state.jobs.find((each) => each.id === job.id);
			seen ||= now !== undefined;
			if (now?.state !== "waiting") return seen && now === undefined;
			attempt(async () => this.daemon.bridge.call("POST /v1/jobs/{id}/retry", { path: { id: job.id } }));
			return true;
		});
	}

	private retry(what: "held" | "offline"): void {
		attempt(async () => {
			const { jobs } = await this.daemon.bridge.call("POST /v1/retry", { body: { what } });
			new Notice(jobs.length === 0 ? "There was nothing to do." : `${plural(jobs.length, "job")} queued.`);
		});
	}

	private ask(title: string, yes: string, text: readonly string[], act: () => void): void {
		new ConfirmModal(this.app, { title, yes, text, act }).open();
	}

	private whileOn(act: (state: DaemonState & { kind: "on" }) => void): void {
		const { state } = this.daemon;
		if (state.kind === "on") act(state);
		else attempt(async () => this.daemon.bridge);
	}
}
