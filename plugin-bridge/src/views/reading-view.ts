/** Reading a document together: its analysis, a talk about it, then its pages. */

import { Component, ItemView, MarkdownRenderer, Notice } from "obsidian";
import type { ViewStateResult, WorkspaceLeaf } from "obsidian";
import { attempt } from "../attempt";
import type { Daemon } from "../daemon";
import type { TalkEvent } from "../protocol";
import { nameOf } from "../core/activity";
import { addButton, addEmptyState, addFileLink } from "./elements";

export const READING_VIEW = "vaultd-reading";

interface Turn {
	readonly mine: boolean;
	text: string;
}

const NEAR_END_PX = 60;
const PERSON = "user"; // the role of the person's turns, as the daemon stores them

export class ReadingView extends ItemView {
	private path = "";
	private session = "";
	private turns: Turn[] = [];
	private running: AbortController | null = null;
	private written = false;
	private unsent = "";
	private texts = this.addChild(new Component()); // rendered, for as long as they are shown

	constructor(
		leaf: WorkspaceLeaf,
		private readonly daemon: Daemon,
	) {
		super(leaf);
		this.icon = "book-open-text";
		this.navigation = true;
	}

	override getViewType(): string {
		return READING_VIEW;
	}

	override getDisplayText(): string {
		return this.path === "" ? "Read together" : `Read ${nameOf(this.path)}`;
	}

	override getState(): Record<string, unknown> {
		return { path: this.path, session: this.session };
	}

	/** Begin with the document in `state`, or go on with the talk that the daemon kept. */
	override async setState(state: unknown, result: ViewStateResult): Promise<void> {
		const { path, session } = (state ?? {}) as Record<string, unknown>;
		this.path = typeof path === "string" ? path : "";
		this.session = typeof session === "string" ? session : "";
		this.turns = [];
		await super.setState(state, result);
		this.draw();
		if (this.session !== "") this.goOn();
		else if (this.path !== "") this.analyse();
	}

	override async onOpen(): Promise<void> {
		this.contentEl.addClass("vaultd-view", "vaultd-reading");
		this.draw();
	}

	override async onClose(): Promise<void> {
		this.running?.abort();
	}

	private analyse(): void {
		attempt(async () => this.listen("POST /v1/ingest/analysis", { body: { path: this.path } }));
	}

	/** Show the talk again as soon as the daemon is there, as after a restart of Obsidian. */
	private goOn(): void {
		const { session } = this;
		const stop = this.daemon.watch((state) => {
			if (this.session !== session || this.turns.length > 0) return true;
			if (state.kind !== "on") return false;
			attempt(async () => {
				const kept = await this.daemon.bridge.call("GET /v1/ingest/{session}", { path: { session } });
				this.turns = kept.turns.map((turn) => ({ mine: turn.role === PERSON, text: turn.text }));
				this.written = kept.state !== "open";
				this.draw();
			});
			return true;
		});
		this.register(stop);
	}

	private say(words: string): void {
		this.turns.push({ mine: true, text: words });
		const parts = { path: { session: this.session }, body: { text: words } };
		attempt(async () => this.listen("POST /v1/ingest/{session}/messages", parts));
	}

	/** Add what the stream says to a new turn, piece by piece. */
	private async listen(
		operation: "POST /v1/ingest/analysis" | "POST /v1/ingest/{session}/messages",
		parts: object,
	): Promise<void> {
		const turn: Turn = { mine: false, text: "" };
		this.turns.push(turn);
		const stopped = new AbortController();
		this.running = stopped;
		this.draw();
		const live = this.contentEl.querySelector<HTMLElement>(".vaultd-turn:last-of-type .vaultd-turn-text");
		try {
			for await (const event of this.daemon.bridge.follow(operation, parts, stopped.signal)) {
				this.take(event, turn, live);
			}
		} catch (error) {
			this.forgetHalf(turn);
			if (!stopped.signal.aborted) throw error;
		} finally {
			this.running = null;
			this.draw();
			this.app.workspace.requestSaveLayout();
		}
	}

	private take(event: TalkEvent, turn: Turn, live: HTMLElement | null): void {
		this.session = event.session;
		if (event.event !== "piece" || event.text === undefined) return;
		if (turn.text === "") live?.empty();
		turn.text += event.text;
		const talk = live?.closest(".vaultd-talk");
		const reads = talk && talk.scrollHeight - talk.scrollTop - talk.clientHeight > NEAR_END_PX; // further up
		live?.appendText(event.text);
		if (!reads) live?.scrollIntoView({ block: "end" });
	}

	/** Take back what was not said to its end: the daemon keeps whole turns only. */
	private forgetHalf(turn: Turn): void {
		this.turns = this.turns.slice(0, this.turns.indexOf(turn));
		if (this.turns.at(-1)?.mine === true) this.unsent = this.turns.pop()?.text ?? "";
		if (this.turns.length === 0) this.session = "";
	}

	private write(): void {
		attempt(async () => {
			await this.daemon.bridge.call("POST /v1/ingest/{session}/write", { path: { session: this.session }, body: {} });
			this.written = true;
			new Notice("The pages are being written; see the activity view.");
			this.draw();
		});
	}

	private draw(): void {
		this.removeChild(this.texts);
		this.texts = this.addChild(new Component());
		this.contentEl.empty();
		if (this.path === "") {
			addEmptyState(this.contentEl, "book-open-text", "Read a document together", "Choose this from the menu of a document in the raw folder.");
			return;
		}
		const head = this.contentEl.createDiv({ cls: "vaultd-summary" });
		addFileLink(head, this.app, this.path, nameOf(this.path));
		const talk = this.contentEl.createDiv({ cls: "vaultd-talk", attr: { role: "log", "aria-live": "polite" } });
		for (const turn of this.turns) this.drawTurn(talk, turn);
		if (this.turns.length === 0 && this.running === null) addButton(talk, "Read it", "read", () => this.analyse(), "primary");
		this.drawComposer();
		const last = talk.lastElementChild;
		if (this.turns.length > 1) last?.scrollIntoView({ block: "start" });
	}

	private drawTurn(parent: HTMLElement, turn: Turn): void {
		const el = parent.createDiv({ cls: `vaultd-turn ${turn.mine ? "is-person" : "is-daemon"}` });
		el.createDiv({ cls: "vaultd-kind", text: turn.mine ? "You" : "Reading" });
		const text = el.createDiv({ cls: "vaultd-turn-text" });
		if (turn.text === "") text.setText("Reading the document …");
		else if (this.running !== null && turn === this.turns.at(-1)) text.setText(turn.text);
		else void MarkdownRenderer.render(this.app, turn.text, text, this.path, this.texts);
	}

	private drawComposer(): void {
		const composer = this.contentEl.createDiv({ cls: "vaultd-composer" });
		if (this.running !== null) {
			addButton(composer, "Stop", "stop", () => this.running?.abort());
			return;
		}
		if (this.session === "" || this.written) return;
		const words = composer.createEl("textarea", {
			attr: { rows: "2", placeholder: "Ask, correct, or say what matters to you", "aria-label": "Your message", "data-key": "words" },
		});
		words.value = this.unsent;
		const send = (): void => {
			const said = words.value.trim();
			this.unsent = "";
			if (said !== "") this.say(said);
		};
		words.addEventListener("keydown", (event) => {
			if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
				event.preventDefault();
				send();
			}
		});
		addButton(composer, "Send", "send", send);
		addButton(composer, "Write the pages", "write", () => this.write(), "primary");
	}
}

