/** A vault in memory and a workspace that remembers what was asked of it. */

export class Events {
	private readonly listeners = new Map<string, Set<(...told: never[]) => unknown>>();

	on(name: string, listener: (...told: never[]) => unknown): { off: () => void } {
		const all = this.listeners.get(name) ?? new Set();
		all.add(listener);
		this.listeners.set(name, all);
		return { off: () => all.delete(listener) };
	}

	trigger(name: string, ...told: unknown[]): void {
		for (const listener of this.listeners.get(name) ?? []) listener(...(told as never[]));
	}
}

export class TAbstractFile {
	parent: TFolder | null = null;

	constructor(readonly path: string) {}

	get name(): string {
		return this.path.split("/").at(-1) ?? "";
	}
}

export class TFile extends TAbstractFile {
	get extension(): string {
		return this.name.split(".").at(-1) ?? "";
	}

	get basename(): string {
		return this.name.replace(/\.[^.]+$/, "");
	}
}

export class TFolder extends TAbstractFile {}

/** Where files are read from; the tests choose memory or the disk behind a server. */
export interface Texts {
	read(path: string): Promise<string | null>;
	write(path: string, text: string): Promise<void>;
}

export class MemoryTexts implements Texts {
	readonly texts = new Map<string, string>();

	async read(path: string): Promise<string | null> {
		return this.texts.get(path) ?? null;
	}

	async write(path: string, text: string): Promise<void> {
		this.texts.set(path, text);
	}
}

export class FileSystemAdapter {
	constructor(
		private readonly texts: Texts,
		private readonly root: string,
	) {}

	getBasePath(): string {
		return this.root;
	}

	async write(path: string, text: string): Promise<void> {
		await this.texts.write(path, text);
	}

	async exists(path: string): Promise<boolean> {
		return (await this.texts.read(path)) !== null;
	}

	async read(path: string): Promise<string> {
		const text = await this.texts.read(path);
		if (text === null) throw new Error(`ENOENT: ${path}`);
		return text;
	}
}

export class Vault extends Events {
	readonly adapter: FileSystemAdapter;
	readonly known = new Map<string, TFile>();

	constructor(texts: Texts, root = "/home/ada/Notes") {
		super();
		this.adapter = new FileSystemAdapter(texts, root);
	}

	getName(): string {
		return "Notes";
	}

	/** Make the vault know a file, whose text comes from the adapter. */
	add(path: string): TFile {
		const file = new TFile(path);
		file.parent = new TFolder(path.split("/").slice(0, -1).join("/") || "/");
		this.known.set(path, file);
		return file;
	}

	getFileByPath(path: string): TFile | null {
		return this.known.get(path) ?? null;
	}

	async read(file: TFile): Promise<string> {
		return this.adapter.read(file.path);
	}

	async readBinary(file: TFile): Promise<ArrayBuffer> {
		return new TextEncoder().encode(await this.read(file)).buffer as ArrayBuffer;
	}

	async process(file: TFile, change: (text: string) => string): Promise<string> {
		const text = change(await this.read(file));
		await this.adapter.write(file.path, text);
		return text;
	}

	async cachedRead(file: TFile): Promise<string> {
		return this.read(file);
	}
}

interface LeafView {
	containerEl: HTMLElement;
	getViewType(): string;
	getDisplayText(): string;
	open(): Promise<void>;
	unload(): void;
	setState(state: unknown, result: unknown): Promise<void>;
}

export class WorkspaceLeaf {
	view: LeafView = { getViewType: () => "empty" } as LeafView;

	constructor(
		readonly app: App,
		readonly area: string,
	) {}

	async setViewState(wanted: { type: string; state?: unknown }): Promise<void> {
		const make = this.app.views.get(wanted.type);
		if (make === undefined) throw new Error(`no view ${wanted.type}`);
		this.view = make(this);
		this.app.places[this.area]?.replaceChildren(this.view.containerEl);
		await this.view.open();
		await this.view.setState(wanted.state ?? {}, {});
	}

	detach(): void {
		this.view.unload();
		this.view.containerEl.remove();
		this.app.workspace.leaves.delete(this);
	}
}

export class Workspace extends Events {
	readonly containerEl = document.body;
	readonly leaves = new Set<WorkspaceLeaf>();
	readonly opened: { path: string; pane: unknown; state: unknown }[] = [];
	active: TFile | null = null;
	activeEditor: { editor: { replaceSelection(text: string): void }; file: TFile | null } | null = null;

	constructor(private readonly app: App) {
		super();
	}

	onLayoutReady(ready: () => void): void {
		ready();
	}

	getActiveFile(): TFile | null {
		return this.active;
	}

	getLeavesOfType(type: string): WorkspaceLeaf[] {
		return [...this.leaves].filter((leaf) => leaf.view.getViewType() === type);
	}

	getRightLeaf(): WorkspaceLeaf {
		return this.leafIn("right");
	}

	getLeaf(): WorkspaceLeaf {
		return this.leafIn("main");
	}

	async revealLeaf(): Promise<void> {
		// Every leaf of this workspace can be seen.
	}

	requestSaveLayout(): void {
		// The layout lives as long as the test.
	}

	async openLinkText(path: string, _source: string, pane: unknown, state: unknown): Promise<void> {
		this.opened.push({ path, pane, state });
	}

	private leafIn(area: string): WorkspaceLeaf {
		const leaf = new WorkspaceLeaf(this.app, area);
		this.leaves.add(leaf);
		return leaf;
	}
}

export class App {
	readonly views = new Map<string, (leaf: WorkspaceLeaf) => LeafView>();
	readonly places: Record<string, HTMLElement | undefined> = {};
	readonly secrets = new Map<string, string>();
	readonly vault: Vault;
	readonly workspace = new Workspace(this);
	readonly fileManager = {
		generateMarkdownLink: (file: TFile, _source: string, subpath = "", alias = "") =>
			`[[${file.path}${subpath}${alias === "" ? "" : `|${alias}`}]]`,
	};
	readonly secretStorage = {
		getSecret: (id: string) => this.secrets.get(id) ?? null,
		setSecret: (id: string, secret: string) => void this.secrets.set(id, secret),
		listSecrets: () => [...this.secrets.keys()],
	};

	private readonly local = new Map<string, unknown>();

	constructor(texts: Texts = new MemoryTexts(), root?: string) {
		this.vault = new Vault(texts, root);
	}

	loadLocalStorage(key: string): unknown {
		return this.local.get(key) ?? null;
	}

	saveLocalStorage(key: string, kept: unknown): void {
		this.local.set(key, kept);
	}
}
