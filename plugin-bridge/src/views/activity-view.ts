/** What the daemon is doing, what waits for the person, and why. */

import { ItemView } from "obsidian";
import type { WorkspaceLeaf } from "obsidian";
import { attempt } from "../attempt";
import { activityOf } from "../core/activity";
import type { Row } from "../core/activity";
import { isOffline, plural } from "../core/state";
import type { DaemonState } from "../core/state";
import { timeSince } from "../core/since";
import type { Daemon } from "../daemon";
import type { Event, Status } from "../protocol";
import { addButton, addFileLink, addIconButton, addProse } from "./elements";
import { drawFirstRun } from "./first-run";
import { redraw } from "./redraw";

export const ACTIVITY_VIEW = "vaultd-activity";

const MOST_ROWS = 200; // of one list; more is no list any more, and the search finds the rest
const RECENT = 8; // events told below the lists

/** What the view needs besides the daemon. */
export interface ActivityParts {
	readonly daemon: Daemon;
	readonly vaultFolder: string;
	readonly showDone: () => boolean;
	readonly openReviews: () => void;
	readonly openHealth: () => void;
	readonly retryHeld: () => void;
}

export class ActivityView extends ItemView {
	private recent: Event[] = [];

	constructor(
		leaf: WorkspaceLeaf,
		private readonly parts: ActivityParts,
	) {
		super(leaf);
		this.icon = "activity";
	}

	override getViewType(): string {
		return ACTIVITY_VIEW;
	}

	override getDisplayText(): string {
		return "Activity";
	}

	override async onOpen(): Promise<void> {
		this.contentEl.addClass("vaultd-view");
		this.register(
			this.parts.daemon.subscribe((state, events) => {
				this.recent = [...this.recent, ...events.filter(isTold)].slice(-RECENT);
				this.draw(state);
			}),
		);
	}

	private draw(state: DaemonState): void {
		redraw(this.contentEl, () => {
			if (state.kind === "on") this.drawActivity(state);
			else drawFirstRun(this.contentEl, state, this.parts.vaultFolder, () => this.parts.daemon.lookNow());
		});
	}

	private drawActivity(state: DaemonState & { kind: "on" }): void {
		const { status } = state;
		const lists = activityOf(status, state.jobs);
		this.drawSummary(status);
		this.drawProblems(status);
		this.drawList("Needs you", "needs", lists.needsYou, true);
		this.drawList("At work", "work", lists.atWork, true);
		this.drawList("Queued", "queued", lists.queued, true);
		if (lists.needsYou.length + lists.atWork.length + lists.queued.length === 0) {
			this.contentEl.createEl("p", { cls: "vaultd-faint", text: "Nothing to do. Drop documents into the raw folder." });
		}
		if (this.parts.showDone()) this.drawList("Done", "done", lists.done, false);
		this.drawList("Left out", "aside", lists.setAside, false);
		this.drawRecent();
	}

	private drawSummary(status: Status): void {
		const top = this.contentEl.createDiv({ cls: "vaultd-summary" });
		const { calls, input_tokens: asked, output_tokens: answered } = status.usage;
		const author = isOffline(status) ? "offline, without a model" : `by ${status.model.chat}`;
		top.createDiv({ text: `Pages are written ${author}.` });
		if (calls > 0) {
			const tokens = (asked + answered).toLocaleString();
			top.createDiv({ cls: "vaultd-faint", text: `${plural(calls, "call")} so far, ${tokens} tokens.` });
		}
		if (status.reviews_open > 0) {
			addButton(top, `Answer ${plural(status.reviews_open, "review")}`, "reviews", this.parts.openReviews, "primary");
		}
	}

	private drawProblems(status: Status): void {
		if (status.problems.length === 0) return;
		const box = this.contentEl.createDiv({ cls: "vaultd-problems", attr: { role: "alert" } });
		for (const problem of status.problems) addProse(box.createDiv(), problem.text);
		addButton(box, "What helps?", "health", this.parts.openHealth);
	}

	private drawList(title: string, key: string, rows: readonly Row[], open: boolean): void {
		if (rows.length === 0) return;
		const section = this.contentEl.createEl("details", { cls: "vaultd-section", attr: { "data-key": key } });
		section.open = open;
		section.createEl("summary", { text: title }).createSpan({ cls: "vaultd-count", text: String(rows.length) });
		for (const row of rows.slice(0, MOST_ROWS)) this.drawRow(section, row);
		if (rows.length > MOST_ROWS) {
			section.createDiv({ cls: "vaultd-faint", text: `And ${rows.length - MOST_ROWS} more.` });
		}
		if (key === "needs" && rows.length > 1) {
			addButton(section.createDiv({ cls: "vaultd-choices" }), "Try all again…", "retry-all", this.parts.retryHeld);
		}
	}

	private drawRow(parent: HTMLElement, row: Row): void {
		const el = parent.createDiv({ cls: "vaultd-row" });
		const text = el.createDiv({ cls: "vaultd-row-text" });
		if (row.path === ".") text.createDiv({ text: row.title });
		else addFileLink(text, this.app, row.path, row.title).dataset.key = `${row.key}:open`;
		const tries = row.attempts > 1 && row.reason !== "" ? ` (${row.attempts} tries)` : "";
		if (row.reason !== "") addProse(text.createDiv({ cls: "vaultd-reason" }), row.reason + tries);
		else if (row.stage !== "") text.createDiv({ cls: "vaultd-faint", text: row.stage });
		if (row.share !== null) {
			text.createEl("progress", { attr: { max: "1", value: String(row.share), "aria-label": row.stage } });
		}
		if (row.pages.length > 0) {
			const pages = text.createDiv({ cls: "vaultd-pages" });
			for (const page of row.pages) addFileLink(pages, this.app, page);
		}
		this.drawRowActions(el, row);
	}

	private drawRowActions(el: HTMLElement, row: Row): void {
		const actions = el.createDiv({ cls: "vaultd-row-actions" });
		const retry = (): void => attempt(async () => this.retry(row));
		if (row.canRetry && row.waits) addButton(actions, "Go on", `${row.key}:retry`, retry);
		else if (row.canRetry) addIconButton(actions, "rotate-cw", `Try ${row.title} again`, `${row.key}:retry`, retry);
		if (row.canCancel && row.jobId !== null) {
			const path = { id: row.jobId };
			addIconButton(actions, "x", `Stop work on ${row.title}`, `${row.key}:cancel`, () =>
				attempt(async () => this.parts.daemon.bridge.call("DELETE /v1/jobs/{id}", { path })),
			);
		}
	}

	private async retry(row: Row): Promise<void> {
		const { bridge } = this.parts.daemon;
		if (row.jobId !== null) await bridge.call("POST /v1/jobs/{id}/retry", { path: { id: row.jobId } });
		else await bridge.call("POST /v1/ingest", { body: { path: row.path } });
	}

	private drawRecent(): void {
		if (this.recent.length === 0) return;
		const section = this.contentEl.createEl("details", { cls: "vaultd-section", attr: { "data-key": "recent" } });
		section.createEl("summary", { text: "Lately" });
		for (const event of this.recent.toReversed()) {
			const line = section.createDiv({ cls: "vaultd-event" });
			line.createSpan({ text: toldAs(event) });
			line.createSpan({ cls: "vaultd-faint", text: timeSince(new Date(event.at), new Date()) });
		}
	}
}

const TOLD: Readonly<Record<string, string>> = {
	"source.published": "Pages written from",
	"page.kept": "Your edit was kept in",
	"review.answered": "Review answered:",
	problem: "Problem:",
	paused: "Paused:",
	resumed: "Going on:",
	folder: "Folder described:",
};

function isTold(event: Event): boolean {
	return event.kind in TOLD;
}

function toldAs(event: Event): string {
	const { path, text, reason, action, need, folder } = event.payload;
	const subject = [path, folder, text, reason, action, need].find((each) => typeof each === "string");
	return `${TOLD[event.kind] ?? event.kind} ${typeof subject === "string" ? subject : ""}`.trim();
}
