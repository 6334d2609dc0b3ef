/** Search by meaning, as you type, from the keyboard. */

import { Keymap, Platform, SuggestModal } from "obsidian";
import type { App, Editor, TFile } from "obsidian";
import { reasonOf } from "../attempt";
import { askedIn, filterLabels } from "../core/asking";
import { placeLabel, subpathOf } from "../core/destination";
import { piecesOf } from "../core/snippet";
import type { Daemon } from "../daemon";
import type { Hit } from "../protocol";
import { addPlace, shownName } from "./elements";

const SHOWN = 20;
const HINT = "Type a question or a few words.";

/** Where a link is inserted: the editor that was active when the modal opened. */
interface Place {
	readonly editor: Editor;
	readonly file: TFile | null;
}

export class SearchModal extends SuggestModal<Hit> {
	private readonly place: Place | null;
	private readonly filters: HTMLElement;
	private wanted = ""; // the line as it is typed
	private answered = ""; // the line that `latest` was found for
	private asking = false;
	private latest: Hit[] = [];

	constructor(
		app: App,
		private readonly daemon: Daemon,
		private readonly start = "",
	) {
		super(app);
		const active = app.workspace.activeEditor;
		this.place = active?.editor ? { editor: active.editor, file: active.file } : null;
		this.modalEl.addClass("vaultd-search");
		this.filters = this.modalEl.createDiv({ cls: "vaultd-filters", attr: { role: "status" } });
		this.resultContainerEl.before(this.filters);
		this.setPlaceholder("Search your vault by meaning");
		this.emptyStateText = HINT;
		this.limit = SHOWN;
		const mod = Platform.isMacOS ? "⌘" : "Ctrl";
		this.setInstructions([
			{ command: "↵", purpose: "open" },
			{ command: `${mod} ↵`, purpose: "open in a new tab" },
			{ command: `${Platform.isMacOS ? "⌥" : "Alt"} ↵`, purpose: "open where else it stands" },
			...(this.place ? [{ command: "⇧ ↵", purpose: "insert a link" }] : []),
			{ command: "in: type: tag: after:", purpose: "narrow down" },
			{ command: "esc", purpose: "close" },
		]);
		this.scope.register(["Mod"], "Enter", (event) => this.choose(event));
		this.scope.register(["Shift"], "Enter", (event) => this.choose(event));
		this.scope.register(["Alt"], "Enter", (event) => this.choose(event));
	}

	override onOpen(): void {
		void super.onOpen();
		if (this.start === "") return;
		this.inputEl.value = this.start;
		this.inputEl.dispatchEvent(new Event("input"));
	}

	private choose(event: KeyboardEvent): boolean {
		if (event.isComposing) return true; // the key belongs to the input method
		this.selectActiveSuggestion(event);
		return false;
	}

	/**
	 * Return what was found last, at once; the newest line is asked for beside that.
	 *
	 * One question is under way at a time, lines in between are skipped, and every answer is
	 * drawn: whoever types faster than the daemon answers still sees results.
	 */
	override getSuggestions(line: string): Hit[] {
		this.wanted = line;
		const isEmpty = askedIn(line).query === "";
		if (isEmpty) this.latest = [];
		if (line !== this.answered) this.emptyStateText = isEmpty ? HINT : "Searching …";
		if (!this.asking && line !== this.answered) void this.askNewest();
		return this.latest;
	}

	private async askNewest(): Promise<void> {
		this.asking = true;
		while (this.answered !== this.wanted) {
			const line = this.wanted;
			this.latest = await this.ask(line);
			this.answered = line;
			this.inputEl.dispatchEvent(new Event("input")); // Obsidian draws anew
		}
		this.asking = false;
	}

	private async ask(line: string): Promise<Hit[]> {
		const asked = askedIn(line);
		this.drawFilters(filterLabels(asked));
		if (asked.query === "") return [];
		try {
			const answer = await this.daemon.bridge.call("POST /v1/search", { body: { ...asked, k: SHOWN, typing: true } });
			this.emptyStateText = "Nothing found. Try other words.";
			for (const note of answer.notes ?? []) this.filters.createSpan({ text: note });
			return answer.results;
		} catch (error) {
			this.emptyStateText = reasonOf(error);
			return [];
		}
	}

	private drawFilters(labels: readonly string[]): void {
		this.filters.empty();
		for (const label of labels) this.filters.createSpan({ cls: "vaultd-chip", text: label });
	}

	override renderSuggestion(hit: Hit, el: HTMLElement): void {
		el.addClass("vaultd-hit");
		const top = el.createDiv({ cls: "vaultd-hit-top" });
		top.createSpan({ cls: "vaultd-hit-title", text: hit.title === "" ? shownName(hit.path) : hit.title });
		if (hit.page !== null) top.createSpan({ cls: "vaultd-chip", text: `p. ${hit.page}` });
		const place = placeLabel({ ...hit, page: null });
		if (place !== "") addPlace(el.createDiv({ cls: "vaultd-faint vaultd-hit-place" }), place);
		const snippet = el.createDiv({ cls: "vaultd-snippet" });
		for (const piece of piecesOf(hit.snippet)) {
			if (piece.marked) snippet.createEl("mark", { text: piece.text });
			else snippet.appendText(piece.text);
		}
		this.drawAlso(hit, el);
	}

	/** Draw where else the same stands; the folder tells a page from the document that it quotes. */
	private drawAlso(hit: Hit, parent: HTMLElement): void {
		if (hit.also === undefined || hit.also.length === 0) return;
		const el = parent.createDiv({ cls: "vaultd-faint vaultd-hit-place", text: "Also in " });
		for (const [number, standing] of hit.also.entries()) {
			if (number > 0) el.appendText(", ");
			el.createEl("bdi", { text: standing.title });
			const place = placeLabel({ ...standing, heading: "" });
			if (place === "") continue;
			el.appendText(" (");
			addPlace(el, place);
			el.appendText(")");
		}
	}

	override onChooseSuggestion(hit: Hit, event: MouseEvent | KeyboardEvent): void {
		if (event.shiftKey && this.place !== null) {
			this.insertLink(hit, this.place);
			return;
		}
		const elsewhere = hit.also?.[0];
		if (event.altKey && elsewhere !== undefined) {
			void this.app.workspace.openLinkText(elsewhere.path + subpathOf({ ...elsewhere, heading: "" }), "", false);
			return;
		}
		const pane = Keymap.isModEvent(event);
		const subpath = subpathOf(hit);
		const state = subpath === "" && hit.path.endsWith(".md") && hit.line > 0 ? { eState: { line: hit.line - 1 } } : {};
		void this.app.workspace.openLinkText(hit.path + subpath, "", pane, state);
	}

	private insertLink(hit: Hit, place: Place): void {
		const file = this.app.vault.getFileByPath(hit.path);
		if (file === null) return;
		const shown = hit.page === null ? hit.title : `${hit.title}, p. ${hit.page}`;
		const source = place.file?.path ?? "";
		place.editor.replaceSelection(this.app.fileManager.generateMarkdownLink(file, source, subpathOf(hit), shown));
	}
}
