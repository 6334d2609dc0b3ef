/** A double of the `obsidian` module, which has types only: enough to draw and steer the plugin. */

import "./dom";
import { setIcon } from "./icons";
import type { StreamAnswer, StreamRequest } from "../../src/client";
import type { App, TFile, WorkspaceLeaf } from "./app";

export { App, FileSystemAdapter, MemoryTexts, TAbstractFile, TFile, TFolder, Vault, WorkspaceLeaf } from "./app";
export { setIcon };

export class Component {
	private readonly children: Component[] = [];
	private readonly ends: (() => unknown)[] = [];
	private loaded = false;

	onload(): void | Promise<void> {}
	onunload(): void {}

	load(): void {
		this.loaded = true;
		void this.onload();
		for (const child of this.children) child.load();
	}

	unload(): void {
		for (const child of this.children.splice(0)) child.unload();
		for (const end of this.ends.splice(0)) end();
		this.onunload();
		this.loaded = false;
	}

	addChild<T extends Component>(child: T): T {
		this.children.push(child);
		if (this.loaded) child.load();
		return child;
	}

	removeChild<T extends Component>(child: T): T {
		this.children.splice(this.children.indexOf(child), 1);
		child.unload();
		return child;
	}

	register(end: () => unknown): void {
		this.ends.push(end);
	}

	registerEvent(reference: { off: () => void }): void {
		this.register(() => reference.off());
	}

	registerDomEvent(el: HTMLElement, name: string, listener: EventListener): void {
		el.addEventListener(name, listener);
		this.register(() => el.removeEventListener(name, listener));
	}

	registerInterval(id: number): number {
		this.register(() => window.clearInterval(id));
		return id;
	}
}

export class Plugin extends Component {
	readonly commands = new Map<string, { id: string; name: string; callback?: () => void; checkCallback?: (checking: boolean) => boolean }>();
	readonly tabs: PluginSettingTab[] = [];
	readonly statusBar = document.createElement("div");
	saved: unknown = null;

	constructor(
		readonly app: App,
		readonly manifest: { id: string },
	) {
		super();
	}

	addCommand(command: { id: string; name: string }): void {
		this.commands.set(command.id, command);
	}

	addSettingTab(tab: PluginSettingTab): void {
		this.tabs.push(tab);
	}

	addStatusBarItem(): HTMLElement {
		this.statusBar.className = "status-bar-item";
		(this.app.places["status"] ?? document.body).append(this.statusBar);
		return this.statusBar;
	}

	registerView(type: string, make: (leaf: WorkspaceLeaf) => ItemView): void {
		this.app.views.set(type, make as never);
	}

	registerHoverLinkSource(): void {
		// Page preview is Obsidian's own.
	}

	async loadData(): Promise<unknown> {
		return this.saved;
	}

	async saveData(saved: unknown): Promise<void> {
		this.saved = saved;
	}
}

export class ItemView extends Component {
	readonly app: App;
	readonly containerEl = document.createElement("div");
	readonly contentEl: HTMLElement;
	icon = "";
	navigation = false;

	constructor(readonly leaf: WorkspaceLeaf) {
		super();
		this.app = leaf.app;
		this.containerEl.className = "workspace-leaf-content";
		const header = this.containerEl.createDiv({ cls: "view-header" });
		this.contentEl = this.containerEl.createDiv({ cls: "view-content" });
		this.register(this.app.workspace.on("title", () => header.setText(this.getDisplayText())).off);
	}

	getViewType(): string {
		return "";
	}

	getDisplayText(): string {
		return "";
	}

	async onOpen(): Promise<void> {}
	async onClose(): Promise<void> {}

	async setState(_state: unknown, _result: unknown): Promise<void> {
		this.app.workspace.trigger("title");
	}

	async open(): Promise<void> {
		this.load();
		await this.onOpen();
		this.app.workspace.trigger("title");
	}

	override unload(): void {
		void this.onClose();
		super.unload();
	}
}

/** A note in an editor: what was typed and is not saved yet differs from the file. */
export class MarkdownView extends ItemView {
	typed = "";
	readonly editor = { getValue: () => this.typed };
	file: TFile | null = null;

	override getViewType(): string {
		return "markdown";
	}
}

export class Scope {
	readonly keys: { modifiers: string[]; key: string; act: (event: KeyboardEvent) => unknown }[] = [];

	register(modifiers: string[], key: string, act: (event: KeyboardEvent) => unknown): void {
		this.keys.push({ modifiers, key, act });
	}

	/** Run what is registered for the key with exactly its modifiers; tell whether something was. */
	press(event: KeyboardEvent): boolean {
		const held = [...(event.ctrlKey || event.metaKey ? ["Mod"] : []), ...(event.shiftKey ? ["Shift"] : [])];
		const found = this.keys.find((each) => each.key === event.key && each.modifiers.join() === held.join());
		found?.act(event);
		return found !== undefined;
	}
}

export class Modal {
	readonly scope = new Scope();
	readonly containerEl = document.createElement("div");
	readonly modalEl: HTMLElement;
	readonly titleEl: HTMLElement;
	readonly contentEl: HTMLElement;
	private before: Element | null = null;

	constructor(readonly app: App) {
		this.containerEl.className = "modal-container";
		this.modalEl = this.containerEl.createDiv({ cls: "modal", attr: { role: "dialog", "aria-modal": "true", tabindex: "-1" } });
		this.titleEl = this.modalEl.createDiv({ cls: "modal-title" });
		this.contentEl = this.modalEl.createDiv({ cls: "modal-content" });
		this.containerEl.addEventListener("keydown", (event) => {
			if (event.key === "Escape") this.close();
		});
	}

	setTitle(title: string): this {
		this.titleEl.textContent = title;
		return this;
	}

	open(): void {
		this.before = document.activeElement;
		document.body.append(this.containerEl);
		this.modalEl.focus();
		void this.onOpen();
	}

	close(): void {
		this.containerEl.remove();
		this.onClose();
		if (this.before instanceof HTMLElement) this.before.focus();
	}

	onOpen(): void | Promise<void> {}
	onClose(): void {}
}

export abstract class SuggestModal<T> extends Modal {
	limit = 100;
	emptyStateText = "";
	readonly inputEl: HTMLInputElement;
	readonly resultContainerEl: HTMLElement;
	private shown: T[] = [];
	private selected = 0;
	private asked = 0;

	constructor(app: App) {
		super(app);
		this.modalEl.className = "prompt";
		this.modalEl.empty();
		const box = this.modalEl.createDiv({ cls: "prompt-input-container" });
		this.inputEl = box.createEl("input", { cls: "prompt-input", attr: { type: "text", spellcheck: "false" } }) as HTMLInputElement;
		this.resultContainerEl = this.modalEl.createDiv({ cls: "prompt-results" });
		this.inputEl.addEventListener("input", () => void this.update());
		this.inputEl.addEventListener("keydown", (event) => this.key(event));
	}

	abstract getSuggestions(line: string): T[] | Promise<T[]>;
	abstract renderSuggestion(value: T, el: HTMLElement): void;
	abstract onChooseSuggestion(value: T, event: MouseEvent | KeyboardEvent): void;

	setPlaceholder(text: string): void {
		this.inputEl.placeholder = text;
		this.inputEl.setAttribute("aria-label", text);
	}

	setInstructions(instructions: { command: string; purpose: string }[]): void {
		const line = this.modalEl.createDiv({ cls: "prompt-instructions" });
		for (const { command, purpose } of instructions) {
			const each = line.createDiv({ cls: "prompt-instruction" });
			each.createSpan({ cls: "prompt-instruction-command", text: command });
			each.createSpan({ text: purpose });
		}
	}

	override open(): void {
		super.open();
		this.inputEl.focus();
		void this.update();
	}

	override onOpen(): void | Promise<void> {}

	selectActiveSuggestion(event: MouseEvent | KeyboardEvent): void {
		const value = this.shown[this.selected];
		if (value === undefined) return;
		this.close();
		this.onChooseSuggestion(value, event);
	}

	private async update(): Promise<void> {
		this.asked += 1;
		const number = this.asked;
		const found = await this.getSuggestions(this.inputEl.value);
		if (number !== this.asked) return;
		this.shown = found.slice(0, this.limit);
		this.selected = 0;
		this.resultContainerEl.empty();
		for (const value of this.shown) {
			const item = this.resultContainerEl.createDiv({ cls: "suggestion-item" });
			this.renderSuggestion(value, item);
			item.addEventListener("click", (event) => {
				this.selected = this.shown.indexOf(value);
				this.selectActiveSuggestion(event);
			});
		}
		if (this.shown.length === 0) this.resultContainerEl.createDiv({ cls: "suggestion-empty", text: this.emptyStateText });
		this.mark();
	}

	private key(event: KeyboardEvent): void {
		if (event.key === "ArrowDown" || event.key === "ArrowUp") {
			const step = event.key === "ArrowDown" ? 1 : this.shown.length - 1;
			if (this.shown.length > 0) this.selected = (this.selected + step) % this.shown.length;
			this.mark();
			event.preventDefault();
		} else if (!this.scope.press(event) && event.key === "Enter") {
			this.selectActiveSuggestion(event);
		}
	}

	private mark(): void {
		for (const [place, item] of Array.from(this.resultContainerEl.children).entries()) {
			item.classList.toggle("is-selected", place === this.selected && item.className.startsWith("suggestion-item"));
		}
		this.resultContainerEl.children[this.selected]?.scrollIntoView({ block: "nearest" });
	}
}

export abstract class FuzzySuggestModal<T> extends SuggestModal<T> {
	abstract getItems(): T[];
	abstract getItemText(item: T): string;
	abstract onChooseItem(item: T, event: MouseEvent | KeyboardEvent): void;

	override getSuggestions(line: string): T[] {
		return this.getItems().filter((item) => this.getItemText(item).toLowerCase().includes(line.toLowerCase()));
	}

	override renderSuggestion(item: T, el: HTMLElement): void {
		el.textContent = this.getItemText(item);
	}

	override onChooseSuggestion(item: T, event: MouseEvent | KeyboardEvent): void {
		this.onChooseItem(item, event);
	}
}

export class Notice {
	static readonly shown: string[] = [];
	readonly el = document.createElement("div");

	constructor(message: string) {
		Notice.shown.push(message);
		this.el.className = "notice";
		this.el.textContent = message;
		document.body.append(this.el);
		window.setTimeout(() => this.hide(), 5_000);
	}

	setMessage(message: string): this {
		this.el.textContent = message;
		return this;
	}

	hide(): void {
		this.el.remove();
	}
}

class TextControl {
	readonly inputEl: HTMLInputElement;

	constructor(parent: HTMLElement) {
		this.inputEl = parent.createEl("input", { attr: { type: "text" } }) as HTMLInputElement;
	}

	setPlaceholder(text: string): this {
		this.inputEl.placeholder = text;
		return this;
	}

	setValue(value: string): this {
		this.inputEl.value = value;
		return this;
	}

	onChange(changed: (value: string) => unknown): this {
		this.inputEl.addEventListener("input", () => changed(this.inputEl.value));
		return this;
	}
}

class ToggleControl {
	private readonly el: HTMLElement;
	private on = false;
	private changed: (on: boolean) => unknown = () => undefined;

	constructor(parent: HTMLElement) {
		this.el = parent.createDiv({ cls: "checkbox-container", attr: { role: "switch", tabindex: "0" } });
		this.el.addEventListener("click", () => {
			this.setValue(!this.on);
			this.changed(this.on);
		});
	}

	setValue(on: boolean): this {
		this.on = on;
		this.el.classList.toggle("is-enabled", on);
		this.el.setAttribute("aria-checked", String(on));
		return this;
	}

	onChange(changed: (on: boolean) => unknown): this {
		this.changed = changed;
		return this;
	}
}

export class SecretComponent {
	private readonly button: HTMLButtonElement;

	constructor(_app: App, parent: HTMLElement) {
		this.button = parent.createEl("button", { text: "Choose a secret" }) as HTMLButtonElement;
	}

	setValue(name: string): this {
		if (name !== "") this.button.textContent = name;
		return this;
	}

	onChange(changed: (name: string) => unknown): this {
		this.button.addEventListener("secret", (event) => changed(String((event as CustomEvent).detail)));
		return this;
	}
}

export class Setting {
	readonly settingEl: HTMLElement;
	private readonly nameEl: HTMLElement;
	private readonly descEl: HTMLElement;
	readonly controlEl: HTMLElement;

	constructor(parent: HTMLElement) {
		this.settingEl = parent.createDiv({ cls: "setting-item" });
		const about = this.settingEl.createDiv({ cls: "setting-item-info" });
		this.nameEl = about.createDiv({ cls: "setting-item-name" });
		this.descEl = about.createDiv({ cls: "setting-item-description" });
		this.controlEl = this.settingEl.createDiv({ cls: "setting-item-control" });
	}

	setName(name: string): this {
		this.nameEl.textContent = name;
		return this;
	}

	setDesc(text: string): this {
		this.descEl.textContent = text;
		return this;
	}

	addText(use: (control: TextControl) => unknown): this {
		use(new TextControl(this.controlEl));
		return this;
	}

	addToggle(use: (control: ToggleControl) => unknown): this {
		use(new ToggleControl(this.controlEl));
		return this;
	}

	addComponent(make: (el: HTMLElement) => unknown): this {
		make(this.controlEl);
		return this;
	}
}

export class PluginSettingTab {
	readonly containerEl = document.createElement("div");

	constructor(
		readonly app: App,
		readonly plugin: Plugin,
	) {
		this.containerEl.className = "vertical-tab-content";
	}

	display(): void {}
}

export const MarkdownRenderer = {
	/** Draw paragraphs, lists, headings, links and strong words: what the plugin's texts hold. */
	async render(_app: App, markdown: string, el: HTMLElement): Promise<void> {
		let list: HTMLElement | null = null;
		for (const line of markdown.split("\n")) {
			const item = /^\s*[-*] (.*)$/.exec(line);
			const heading = /^(#+) (.*)$/.exec(line);
			if (item) {
				list ??= el.createEl("ul");
				drawInline(list.createEl("li"), item[1] ?? "");
				continue;
			}
			list = null;
			if (heading) drawInline(el.createEl(`h${Math.min(6, heading[1]?.length ?? 1)}` as "h1"), heading[2] ?? "");
			else if (line.startsWith("> ")) drawInline(el.createEl("blockquote"), line.slice(2).replace(/^\[!\w+\] */, ""));
			else if (line.trim() !== "") drawInline(el.createEl("p"), line);
		}
	},
};

function drawInline(el: HTMLElement, text: string): void {
	for (const part of text.split(/(\*\*[^*]+\*\*|\[\[[^\]]+\]\])/)) {
		if (part.startsWith("**")) el.createEl("strong", { text: part.slice(2, -2) });
		else if (part.startsWith("[[")) el.createEl("a", { cls: "internal-link", text: part.slice(2, -2).split("|").at(-1) ?? "" });
		else el.appendText(part);
	}
}

export const Platform = { isDesktop: true, isDesktopApp: true, isMacOS: false };
export const Keymap = {
	isModEvent: (event: MouseEvent | KeyboardEvent) => (event.ctrlKey || event.metaKey ? "tab" : false),
};

export function setTooltip(el: HTMLElement, text: string): void {
	el.setAttribute("aria-label", text);
}

export function displayTooltip(el: HTMLElement, text: string, options: { classes?: string[] } = {}): void {
	document.querySelector(".tooltip")?.remove();
	const tip = document.body.createDiv({ cls: ["tooltip", ...(options.classes ?? [])].join(" "), text });
	const { right, top } = el.getBoundingClientRect();
	tip.style.left = `${right + 8}px`;
	tip.style.top = `${top}px`;
}

export function debounce(act: () => void, milliseconds: number, reset = false): () => void {
	let timer = 0;
	return () => {
		if (timer !== 0 && !reset) return;
		window.clearTimeout(timer);
		timer = window.setTimeout(() => {
			timer = 0;
			act();
		}, milliseconds);
	};
}

export function normalizePath(path: string): string {
	return path.replace(/\/+/g, "/").replace(/^\/|\/$/g, "").normalize("NFC");
}

/** Obsidian's requests have no origin: the tests put what carries them here. */
export const network = {
	send: async (_request: unknown): Promise<{ status: number; text: string }> => {
		throw new Error("net::ERR_CONNECTION_REFUSED");
	},
	openStream: async (_request: StreamRequest): Promise<StreamAnswer> => {
		throw new Error("net::ERR_CONNECTION_REFUSED");
	},
};

export async function requestUrl(request: unknown): Promise<{ status: number; text: string }> {
	return network.send(request);
}
