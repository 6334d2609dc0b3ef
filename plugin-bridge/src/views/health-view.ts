/** Whether all is well, what helps where it is not, and what a look over the wiki found. */

import { ItemView, setIcon } from "obsidian";
import type { WorkspaceLeaf } from "obsidian";
import { reasonOf } from "../attempt";
import { DaemonUnreachable } from "../client";
import { groupsOf, verdictOn, worstFirst } from "../core/health";
import type { FindingGroup } from "../core/health";
import { timeSince } from "../core/since";
import { plural } from "../core/state";
import type { Daemon } from "../daemon";
import type { Check, Event, LintReport } from "../protocol";
import { addButton, addEmptyState, addFileLink, addProse } from "./elements";
import { redraw } from "./redraw";

export const HEALTH_VIEW = "vaultd-health";

const ICONS = { ok: "circle-check", warning: "triangle-alert", failed: "circle-x" } as const;
const SPOKEN = { ok: "In order: ", warning: "Warning: ", failed: "Failed: " } as const;
const MOST_FINDINGS = 100; // of one kind; the report has them all

/** What the view needs besides the daemon. */
export interface HealthParts {
	readonly daemon: Daemon;
	readonly lookOver: () => void;
	readonly rebuild: () => void;
}

export class HealthView extends ItemView {
	private checks: readonly Check[] | null = null;
	private report: LintReport | null = null;
	private answering = false;

	constructor(
		leaf: WorkspaceLeaf,
		private readonly parts: HealthParts,
	) {
		super(leaf);
		this.icon = "heart-pulse";
	}

	override getViewType(): string {
		return HEALTH_VIEW;
	}

	override getDisplayText(): string {
		return "Health";
	}

	override async onOpen(): Promise<void> {
		this.contentEl.addClass("vaultd-view", "vaultd-health");
		this.register(
			this.parts.daemon.subscribe((state, events) => {
				const appeared = state.kind === "on" && !this.answering;
				const went = state.kind !== "on" && (this.answering || this.checks === null);
				this.answering = state.kind === "on";
				if (appeared || went) void this.look();
				else if (events.some(endsLook)) void this.readReport();
			}),
		);
	}

	/** Have everything checked anew; takes seconds. */
	private async look(): Promise<void> {
		this.checks = null;
		this.draw();
		await this.show(async () => {
			const { bridge } = this.parts.daemon;
			this.report = await bridge.call("GET /v1/lint");
			this.draw();
			this.checks = (await bridge.call("GET /v1/doctor")).checks;
		});
	}

	private async readReport(): Promise<void> {
		await this.show(async () => {
			this.report = await this.parts.daemon.bridge.call("GET /v1/lint");
		});
	}

	private async show(ask: () => Promise<void>): Promise<void> {
		try {
			await ask();
			this.draw();
		} catch (error) {
			this.contentEl.empty();
			if (error instanceof DaemonUnreachable) {
				addEmptyState(this.contentEl, "moon-star", "The daemon is not running", "Its health can be looked at once it runs.");
			} else {
				addEmptyState(this.contentEl, "circle-alert", "Nothing could be checked", reasonOf(error));
			}
		}
	}

	private draw(): void {
		redraw(this.contentEl, () => {
			this.drawChecks();
			if (this.report !== null) this.drawReport(this.report);
			this.drawRebuild();
		});
	}

	private drawChecks(): void {
		const section = this.addSection("Program and vault", this.checks === null ? "Checking …" : verdictOn(this.checks));
		for (const check of worstFirst(this.checks ?? [])) drawCheck(section, check);
		if (this.checks !== null) addButton(addChoices(section), "Check again", "check", () => void this.look());
	}

	private drawReport(report: LintReport): void {
		const section = this.addSection("The wiki", lookedOver(report));
		for (const group of groupsOf(report)) this.drawGroup(section, group);
		const choices = addChoices(section);
		addButton(choices, "Look over it now", "look-over", this.parts.lookOver);
		if (report.at === "") return;
		addButton(choices, "Open the report", "report", () => void this.app.workspace.openLinkText(report.report, "", "tab"));
	}

	private drawGroup(parent: HTMLElement, group: FindingGroup): void {
		const list = parent.createEl("details", { cls: "vaultd-section", attr: { "data-key": group.key } });
		list.createEl("summary", { text: group.title }).createSpan({ cls: "vaultd-count", text: String(group.findings.length) });
		for (const { path, text, suggestions } of group.findings.slice(0, MOST_FINDINGS)) {
			const row = list.createDiv({ cls: "vaultd-row" }).createDiv({ cls: "vaultd-row-text" });
			addFileLink(row, this.app, path);
			addProse(row.createDiv({ cls: "vaultd-faint" }), text);
			if (suggestions.length > 0) row.createDiv({ cls: "vaultd-faint", text: `Perhaps ${suggestions.join(" or ")}?` });
		}
		const rest = group.findings.length - MOST_FINDINGS;
		if (rest > 0) list.createDiv({ cls: "vaultd-faint", text: `And ${rest} more, in the report.` });
	}

	private drawRebuild(): void {
		const text = "Records, indexes and listings can be made anew from the notes and documents, for nothing. No text of yours is touched.";
		addButton(addChoices(this.addSection("Start over from the files", text)), "Rebuild…", "rebuild", this.parts.rebuild);
	}

	private addSection(title: string, text: string): HTMLElement {
		const section = this.contentEl.createEl("section", { cls: "vaultd-card", attr: { "aria-label": title } });
		section.createDiv({ cls: "vaultd-card-title", text: title });
		section.createDiv({ cls: "vaultd-faint", text });
		return section;
	}
}

function drawCheck(parent: HTMLElement, check: Check): void {
	const row = parent.createDiv({ cls: `vaultd-check is-${check.state}` });
	setIcon(row.createSpan({ cls: "vaultd-check-icon", attr: { "aria-label": SPOKEN[check.state] } }), ICONS[check.state]);
	const text = row.createDiv({ cls: "vaultd-row-text" });
	text.createDiv({ cls: "vaultd-kind vaultd-check-name", text: check.name });
	addProse(text.createDiv(), check.text);
	if (check.remedy !== undefined && check.remedy !== "") addProse(text.createDiv({ cls: "vaultd-remedy" }), check.remedy);
}

function addChoices(parent: HTMLElement): HTMLElement {
	return parent.createDiv({ cls: "vaultd-choices" });
}

function lookedOver(report: LintReport): string {
	if (report.at === "") return "Nobody looked over it yet: broken links, orphans, stale pages and duplicates are found by that.";
	const found = report.findings.length === 0 ? "nothing to look at" : plural(report.findings.length, "finding");
	return `Looked over ${timeSince(new Date(report.at), new Date())}: ${found}.`;
}

function endsLook(event: Event): boolean {
	return event.kind === "job" && event.payload["kind"] === "lint" && event.payload["state"] === "done";
}
