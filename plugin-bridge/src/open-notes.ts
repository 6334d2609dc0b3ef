/**
 * Writes what the daemon wants to write into notes that are open in an editor.
 *
 * Obsidian then knows of the change and leaves the cursor where it is. The daemon waits for an
 * answer for seconds only and looks at the file itself, so that nothing depends on this.
 */

import { Component, debounce, MarkdownView } from "obsidian";
import type { App } from "obsidian";
import { DaemonRefused, DaemonUnreachable } from "./client";
import type { Daemon } from "./daemon";
import type { Offer } from "./protocol";
import { visible } from "./visible";

const HASTE_MS = 3_000;
const SETTLE_MS = 300; // people who page through notes tell of none of them

export class OpenNotes extends Component {
	private readonly end = new AbortController();
	private notes: readonly string[] = [];
	private round = 0;
	private answering = false;

	constructor(
		private readonly app: App,
		private readonly daemon: Daemon,
	) {
		super();
	}

	override onload(): void {
		const look = debounce(() => this.look(false), SETTLE_MS, true);
		this.registerEvent(this.app.workspace.on("layout-change", look));
		this.registerEvent(this.app.workspace.on("file-open", look));
		this.register(
			this.daemon.subscribe((state) => {
				const appeared = state.kind === "on" && !this.answering;
				this.answering = state.kind === "on";
				if (appeared) this.look(true);
			}),
		);
		this.register(() => this.end.abort());
	}

	/** Tell the daemon which notes are open, if they are others than before or it is a new one. */
	private look(anew: boolean): void {
		const open = this.editors().flatMap((view) => view.file?.path ?? []);
		const notes = [...new Set(open)].sort();
		if (!this.answering || (!anew && notes.join("\n") === this.notes.join("\n"))) return;
		this.notes = notes;
		this.round += 1;
		this.attend(this.round).catch((error: unknown) => {
			if (error instanceof DaemonUnreachable || error instanceof DaemonRefused) return; // told again when it is back
			console.error("vaultd: an open note was not written", error);
		});
	}

	/** Wait for offers, and answer each, until other notes are open. */
	private async attend(round: number): Promise<void> {
		let answered = 0;
		for (;;) {
			await visible(this.end.signal);
			const waits = round === this.round && this.notes.length > 0 && !this.end.signal.aborted;
			if (!waits && answered === 0) return;
			const began = Date.now();
			const body = waits ? { notes: [...this.notes], answered } : { answered, wait: 0 };
			const { offer } = await this.daemon.bridge.call("POST /v1/pages/open", { body });
			if (offer !== null) await this.take(offer);
			answered = offer?.id ?? 0;
			const sentAway = offer === null && round === this.round && Date.now() - began < HASTE_MS; // it stops, or another asks
			if (waits && sentAway) await new Promise((resolve) => window.setTimeout(resolve, HASTE_MS));
		}
	}

	/** Write the note, unless it is no longer what the daemon read, or holds what is not saved yet. */
	private async take(offer: Offer): Promise<void> {
		const file = this.app.vault.getFileByPath(offer.path);
		const saved = offer.before.replaceAll("\r\n", "\n"); // an editor knows one kind of line end
		const unsaved = this.editors().some((view) => view.file?.path === offer.path && view.editor.getValue() !== saved);
		if (file === null || unsaved) return;
		await this.app.vault.process(file, (text) => (text === offer.before ? offer.after : text));
	}

	private editors(): MarkdownView[] {
		const views = this.app.workspace.getLeavesOfType("markdown").map((leaf) => leaf.view);
		return views.filter((view) => view instanceof MarkdownView);
	}
}
