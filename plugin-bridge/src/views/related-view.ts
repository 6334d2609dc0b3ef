/** Notes near in meaning to the one being read. */

import { ItemView, debounce } from "obsidian";
import type { TFile, WorkspaceLeaf } from "obsidian";
import { reasonOf } from "../attempt";
import { DaemonUnreachable } from "../client";
import type { Daemon } from "../daemon";
import type { Related } from "../protocol";
import { addEmptyState, addFileLink } from "./elements";

export const RELATED_VIEW = "vaultd-related";

const SHOWN = 12;
const NOTHING_NEAR = "No other note comes close in meaning, or this one is not indexed yet.";
const SETTLE_MS = 300; // people who page through notes ask for none of them

export class RelatedView extends ItemView {
	private file: TFile | null = null;
	private asked = 0;
	private answering = false;

	constructor(
		leaf: WorkspaceLeaf,
		private readonly daemon: Daemon,
	) {
		super(leaf);
		this.icon = "waypoints";
	}

	override getViewType(): string {
		return RELATED_VIEW;
	}

	override getDisplayText(): string {
		return "Related notes";
	}

	override async onOpen(): Promise<void> {
		this.contentEl.addClass("vaultd-view");
		const refresh = debounce(() => void this.refresh(), SETTLE_MS, true);
		this.registerEvent(this.app.workspace.on("file-open", refresh));
		this.register(
			this.daemon.subscribe((state, events) => {
				const appeared = (state.kind === "on") !== this.answering;
				this.answering = state.kind === "on";
				if (appeared || events.some((event) => event.kind === "source.published")) refresh();
			}),
		);
		await this.refresh();
	}

	private async refresh(): Promise<void> {
		this.file = this.app.workspace.getActiveFile();
		this.asked += 1;
		const number = this.asked;
		try {
			if (this.file === null) {
				this.say("file-question", "No note is open", "Open a note to see what is near it in meaning.");
				return;
			}
			const body = { path: this.file.path, k: SHOWN };
			const answer = await this.daemon.bridge.call("POST /v1/related", { body });
			if (number === this.asked) this.draw(answer.results, answer.notes);
		} catch (error) {
			if (number !== this.asked) return;
			if (error instanceof DaemonUnreachable) {
				this.say("moon-star", "The daemon is not running", "Related notes come back with it.");
			} else {
				this.say("circle-alert", "Nothing to show", reasonOf(error));
			}
		}
	}

	private draw(related: readonly Related[], notes: readonly string[]): void {
		if (related.length === 0) {
			this.say("waypoints", "Nothing near", notes.join(" ") || NOTHING_NEAR);
			return;
		}
		this.contentEl.empty();
		const best = Math.max(...related.map((each) => each.score));
		for (const each of related) {
			const row = this.contentEl.createDiv({ cls: "vaultd-row" });
			const text = row.createDiv({ cls: "vaultd-row-text" });
			const link = addFileLink(text, this.app, each.path, each.title);
			link.addEventListener("mouseover", (event) => {
				this.app.workspace.trigger("hover-link", {
					event,
					source: RELATED_VIEW,
					hoverParent: this,
					targetEl: link,
					linktext: each.path,
				});
			});
			text.createDiv({ cls: "vaultd-faint", text: each.path.split("/").slice(0, -1).join("/") });
			const share = best > 0 ? each.score / best : 0;
			row.createEl("meter", {
				cls: "vaultd-nearness",
				attr: { min: "0", max: "1", value: share.toFixed(2), "aria-label": `Nearness ${Math.round(share * 100)} of 100` },
			});
		}
	}

	private say(icon: string, title: string, text: string): void {
		this.contentEl.empty();
		addEmptyState(this.contentEl, icon, title, text);
	}
}
