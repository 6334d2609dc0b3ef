/** A window with the plugin in it, steered by the test through `window.desk`. */

import VaultdBridge from "../../src/main";
import { App, MarkdownView, network, Notice } from "../obsidian";
import type { Plugin, PluginSettingTab } from "../obsidian";

network.send = async (request) => {
	const answer = await fetch("/send", { method: "POST", body: JSON.stringify(request) });
	const carried = (await answer.json()) as { status: number; text: string } | null;
	if (carried === null) throw new Error("net::ERR_CONNECTION_REFUSED");
	return carried;
};

const texts = {
	async read(path: string): Promise<string | null> {
		const answer = await fetch(`/file?path=${encodeURIComponent(path)}`);
		return answer.status === 200 ? answer.text() : null;
	},
	async write(path: string, text: string): Promise<void> {
		await fetch(`/write?path=${encodeURIComponent(path)}`, { method: "POST", body: text });
	},
};

const app = new App(texts, "/home/ada/Notes");
for (const place of ["main", "right", "status"]) app.places[place] = document.getElementById(place) as HTMLElement;
const plugin = new (VaultdBridge as unknown as new (app: App, manifest: object) => Plugin)(app, { id: "vaultd-bridge" });

const desk = {
	app,
	plugin,
	load(machine: string): void {
		app.saveLocalStorage("vaultd-machine", machine);
		plugin.saved = { welcomed: true };
		plugin.load();
	},
	run(id: string): void {
		const command = plugin.commands.get(id);
		if (command?.callback) command.callback();
		else command?.checkCallback?.(false);
	},
	read(path: string): void {
		app.workspace.active = app.vault.add(path);
		app.workspace.trigger("file-open");
	},
	/** Show a note in an editor, as saved. */
	async edit(path: string): Promise<void> {
		app.views.set("markdown", (leaf) => new MarkdownView(leaf) as never);
		const leaf = app.workspace.getLeaf();
		await leaf.setViewState({ type: "markdown" });
		const view = leaf.view as unknown as MarkdownView;
		view.file = app.vault.add(path);
		view.typed = (await texts.read(path)) ?? "";
		app.workspace.trigger("layout-change");
	},
	know(...paths: string[]): void {
		for (const path of paths) app.vault.add(path);
	},
	notices: () => Notice.shown,
	settings(): void {
		const tab = plugin.tabs[0] as PluginSettingTab;
		tab.display();
		document.getElementById("main")?.replaceChildren(tab.containerEl);
	},
};

export type Desk = typeof desk;
Object.assign(window, { desk });
