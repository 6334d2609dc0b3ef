/** What a person can ask for by name or in the menu of a file: one function each. */

import { Notice, TFile, TFolder } from "obsidian";
import type { App, Menu, Plugin, TAbstractFile } from "obsidian";
import { attempt, attemptAloud } from "./attempt";
import { nameOf } from "./core/activity";
import { outcomeOf } from "./core/outcome";
import { isDocument, isSource, isWikiPage } from "./core/place";
import type { Daemon } from "./daemon";
import type { Open } from "./opening";
import type { Upkeep } from "./upkeep";
import { FolderModal } from "./views/folder-abstracts";
import { ForgetModal } from "./views/forget-modal";
import { HistoryModal } from "./views/history-modal";
import { PagesModal } from "./views/pages-modal";
import { SearchModal } from "./views/search-modal";
import { UsageModal } from "./views/usage-modal";

/** What commands work with. */
export interface Hands {
	readonly app: App;
	readonly daemon: Daemon;
	readonly open: Open;
	readonly upkeep: Upkeep;
}

/** Something to do with one file or folder; `fits` tells for which it is offered. */
interface Action {
	readonly id: string;
	readonly name: string;
	readonly icon: string;
	readonly fits: (file: TAbstractFile) => boolean;
	readonly run: (hands: Hands, file: TAbstractFile) => void;
}

const isFile = (file: TAbstractFile): boolean => file instanceof TFile && isDocument(file.path);
const isDropped = (file: TAbstractFile): boolean => file instanceof TFile && isSource(file.path);
const isPage = (file: TAbstractFile): boolean => file instanceof TFile && isWikiPage(file.path);
const isFolder = (file: TAbstractFile): boolean => file instanceof TFolder;

const ACTIONS: readonly Action[] = [
	{ id: "ingest-file", name: "Turn this document into pages now", icon: "file-input", fits: isFile, run: (hands, file) => hands.upkeep.ingest(file.path, file.name) },
	{ id: "read-together", name: "Read this document together", icon: "book-open-text", fits: isDropped, run: (hands, file) => hands.open.reading(file.path) },
	{ id: "show-pages", name: "Show the pages made from this document", icon: "files", fits: isDropped, run: showPages },
	{ id: "undo-ingest", name: "Take back what this document changed last", icon: "undo-2", fits: isDropped, run: undo },
	{ id: "forget-source", name: "Forget this document…", icon: "eraser", fits: isDropped, run: forget },
	{ id: "page-history", name: "Show the history of this page", icon: "history", fits: isPage, run: showHistory },
	{ id: "refresh-folder", name: "Refresh the note of this folder", icon: "refresh-cw", fits: isFolder, run: refreshFolder },
	{ id: "show-abstract", name: "Show what this folder holds", icon: "text-quote", fits: isFolder, run: showAbstract },
];

/** Something to do with the vault as a whole. */
type General = readonly [id: string, name: string, icon: string, run: (hands: Hands) => void];

const GENERAL: readonly General[] = [
	["search", "Search by meaning", "search", ({ app, daemon }) => new SearchModal(app, daemon).open()],
	["show-activity", "Show activity", "activity", ({ open }) => open.activity()],
	["show-related", "Show related notes", "waypoints", ({ open }) => open.related()],
	["show-reviews", "Answer reviews", "message-circle-question", ({ open }) => open.reviews()],
	["show-health", "Check health", "heart-pulse", ({ open }) => open.health()],
	["show-usage", "Show what models were asked", "chart-column", ({ app, daemon }) => new UsageModal(app, daemon).open()],
	["estimate", "Estimate what new documents would cost", "calculator", ({ upkeep }) => upkeep.estimate()],
	["rewrite-offline", "Have the model rewrite what was written offline…", "sparkles", ({ upkeep }) => upkeep.rewriteOffline()],
	["retry-held", "Try everything again that is held…", "rotate-cw", ({ upkeep }) => upkeep.retryHeld()],
	["look-over", "Look over the wiki", "list-checks", ({ upkeep }) => upkeep.lookOver()],
	["rebuild", "Rebuild from the files…", "hammer", ({ upkeep }) => upkeep.rebuild()],
];

/** Add all commands, and the entries in the menus of files and folders. */
export function addCommands(plugin: Plugin, hands: Hands): void {
	for (const [id, name, icon, run] of GENERAL) plugin.addCommand({ id, name, icon, callback: () => run(hands) });
	for (const action of ACTIONS) addAction(plugin, hands, action);
	plugin.registerEvent(hands.app.workspace.on("file-menu", (menu, file) => fillMenu(menu, hands, file)));
}

function addAction(plugin: Plugin, hands: Hands, action: Action): void {
	plugin.addCommand({
		id: action.id,
		name: action.name,
		icon: action.icon,
		checkCallback: (checking) => {
			const active = hands.app.workspace.getActiveFile();
			const file = isFolderAction(action) ? (active?.parent ?? null) : active;
			if (file === null || !action.fits(file)) return false;
			if (!checking) action.run(hands, file);
			return true;
		},
	});
}

function isFolderAction(action: Action): boolean {
	return action.fits === isFolder;
}

function fillMenu(menu: Menu, hands: Hands, file: TAbstractFile): void {
	for (const action of ACTIONS.filter((each) => each.fits(file))) {
		menu.addItem((item) =>
			item
				.setSection("vaultd")
				.setTitle(action.name)
				.setIcon(action.icon)
				.onClick(() => action.run(hands, file)),
		);
	}
}

function showPages(hands: Hands, file: TAbstractFile): void {
	attempt(async () => {
		const status = await hands.daemon.bridge.call("GET /v1/status");
		const pages = status.files.find((each) => each.path === file.path)?.pages ?? [];
		const [only] = pages;
		if (only === undefined) new Notice(`No pages were made from ${file.name} yet.`);
		else if (pages.length === 1) await hands.app.workspace.openLinkText(only, "", false);
		else new PagesModal(hands.app, pages).open();
	});
}

function undo(hands: Hands, file: TAbstractFile): void {
	attempt(async () => {
		const job = await hands.daemon.bridge.call("POST /v1/sources/undo", { body: { path: file.path } });
		new Notice(outcomeOf(job, `What ${file.name} changed last is taken back.`));
	});
}

function forget(hands: Hands, file: TAbstractFile): void {
	new ForgetModal(hands.app, hands.daemon, file.path).open();
}

function showHistory(hands: Hands, file: TAbstractFile): void {
	if (file instanceof TFile) new HistoryModal(hands.app, hands.daemon, file).open();
}

function showAbstract(hands: Hands, file: TAbstractFile): void {
	new FolderModal(hands.app, hands.daemon, folderPath(file)).open();
}

function refreshFolder(hands: Hands, file: TAbstractFile): void {
	const body = { path: folderPath(file) };
	const name = file.name === "" ? "the vault" : nameOf(file.path);
	attemptAloud(`Describing ${name} …`, async () => {
		let reason = "";
		const stream = hands.daemon.bridge.follow("POST /v1/folders/refresh", { body }, new AbortController().signal);
		for await (const job of stream) reason = job.reason;
		return reason === "" ? `The note of ${name} is fresh.` : reason;
	});
}

/** Return the folder's path as the bridge writes it: "." is the whole vault. */
function folderPath(file: TAbstractFile): string {
	return file.path === "/" || file.path === "" ? "." : file.path;
}
