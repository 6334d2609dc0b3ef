/** What a folder holds, in a sentence: beside the file explorer, or in a modal. */

import { MarkdownRenderer, Modal, Component, displayTooltip } from "obsidian";
import type { App } from "obsidian";
import { reasonOf } from "../attempt";
import { DaemonRefused, DaemonUnreachable } from "../client";
import type { Daemon } from "../daemon";
import type { FolderView } from "../protocol";
import { addFileLink } from "./elements";

const LINGER_MS = 500; // a pointer on its way somewhere else asks for nothing
const FRESH_MS = 60_000;
const FOLDER_TITLE = ".nav-folder-title[data-path]"; // the file explorer has no API for its rows

/** Shows abstracts while the pointer rests on a folder of the file explorer. */
export class FolderAbstracts extends Component {
	private readonly known = new Map<string, { abstract: string; at: number }>();
	private timer = 0;
	private over: Element | null = null;

	constructor(
		private readonly daemon: Daemon,
		private readonly wanted: () => boolean,
		private readonly root: HTMLElement,
	) {
		super();
	}

	override onload(): void {
		this.registerDomEvent(this.root, "mouseover", (event) => this.move(event.target));
		this.registerDomEvent(this.root, "mouseout", (event) => this.move(event.relatedTarget));
		this.register(() => window.clearTimeout(this.timer));
	}

	private move(target: EventTarget | null): void {
		const title = target instanceof Element ? target.closest<HTMLElement>(FOLDER_TITLE) : null;
		if (title === this.over) return;
		this.over = title;
		window.clearTimeout(this.timer);
		const path = title?.dataset.path;
		if (title === null || path === undefined || !this.wanted() || this.daemon.state.kind !== "on") return;
		this.timer = window.setTimeout(() => void this.show(title, path), LINGER_MS);
	}

	private async show(title: HTMLElement, path: string): Promise<void> {
		const abstract = await this.abstractOf(path);
		if (abstract !== "" && this.over === title) displayTooltip(title, abstract, { placement: "right", classes: ["vaultd-abstract"] });
	}

	/** Return the abstract, "" when there is none; a folder without one is no error on hover. */
	private async abstractOf(path: string): Promise<string> {
		const known = this.known.get(path);
		if (known !== undefined && Date.now() - known.at < FRESH_MS) return known.abstract;
		const abstract = await this.asked(path);
		this.known.set(path, { abstract, at: Date.now() });
		return abstract;
	}

	private async asked(path: string): Promise<string> {
		try {
			return (await this.daemon.bridge.call("GET /v1/folders", { query: { path } })).abstract;
		} catch (error) {
			if (error instanceof DaemonRefused || error instanceof DaemonUnreachable) return "";
			throw error;
		}
	}
}

/** The abstract and overview of one folder. */
export class FolderModal extends Modal {
	private readonly parts = new Component();

	constructor(
		app: App,
		private readonly daemon: Daemon,
		private readonly path: string,
	) {
		super(app);
		this.setTitle(path === "" || path === "/" ? "The whole vault" : path);
	}

	override onOpen(): void {
		this.parts.load();
		this.load().catch((error: unknown) => this.contentEl.setText(reasonOf(error)));
	}

	private async load(): Promise<void> {
		this.draw(await this.daemon.bridge.call("GET /v1/folders", { query: { path: this.path } }));
	}

	override onClose(): void {
		this.parts.unload();
	}

	private draw(folder: FolderView): void {
		this.contentEl.empty();
		this.contentEl.createEl("p", { text: folder.abstract === "" ? "This folder has no abstract yet." : folder.abstract });
		void MarkdownRenderer.render(this.app, folder.overview, this.contentEl.createDiv(), this.path, this.parts);
		if (folder.overview === "") this.drawChildren(folder);
	}

	private drawChildren(folder: FolderView): void {
		const list = this.contentEl.createEl("ul");
		for (const child of folder.children) {
			const item = list.createEl("li");
			if (child.kind === "file") addFileLink(item, this.app, child.path, child.title);
			else item.createEl("strong", { text: child.name });
			if (child.abstract !== "") item.createDiv({ cls: "vaultd-faint", text: child.abstract });
		}
	}
}
