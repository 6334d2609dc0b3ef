/** What a person can set, and the tab in which they do. */

import { PluginSettingTab, SecretComponent, Setting } from "obsidian";
import type { App, Plugin, SettingDefinitionItem, SettingDefinitionRender } from "obsidian";
import { addressIn } from "./core/runtime-file";

export interface BridgeSettings {
	/** Where the daemon listens; "" = what its runtime file says. */
	readonly address: string;
	/** Name of the secret that holds the token; "" = the file in the state folder. */
	readonly tokenSecret: string;
	readonly statusBar: boolean;
	readonly folderAbstracts: boolean;
	readonly doneDocuments: boolean;
	/** Whether the first-run view was shown. */
	readonly welcomed: boolean;
}

export const DEFAULT_SETTINGS: BridgeSettings = Object.freeze({
	address: "",
	tokenSecret: "",
	statusBar: true,
	folderAbstracts: true,
	doneDocuments: true,
	welcomed: false,
});

/** Return the settings in what was saved; what is missing or of another type has its default. */
export function settingsIn(saved: unknown): BridgeSettings {
	const kept = (typeof saved === "object" && saved !== null ? saved : {}) as Record<string, unknown>;
	const text = (name: "address" | "tokenSecret"): string => {
		const value = kept[name];
		return typeof value === "string" ? value : DEFAULT_SETTINGS[name];
	};
	const choice = (name: "statusBar" | "folderAbstracts" | "doneDocuments" | "welcomed"): boolean => {
		const value = kept[name];
		return typeof value === "boolean" ? value : DEFAULT_SETTINGS[name];
	};
	return {
		address: text("address"),
		tokenSecret: text("tokenSecret"),
		statusBar: choice("statusBar"),
		folderAbstracts: choice("folderAbstracts"),
		doneDocuments: choice("doneDocuments"),
		welcomed: choice("welcomed"),
	};
}

/** Holds the settings that count now; a change is saved and told. */
export class KeptSettings {
	current: BridgeSettings = DEFAULT_SETTINGS;
	private readonly listeners = new Set<(changed: readonly string[]) => void>();

	constructor(private readonly plugin: Pick<Plugin, "loadData" | "saveData">) {}

	/** Read what is saved, as at the start or after a sync; tell what differs. */
	async load(): Promise<void> {
		this.take(settingsIn(await this.plugin.loadData()));
	}

	async change(wanted: Partial<BridgeSettings>): Promise<void> {
		this.take({ ...this.current, ...wanted });
		await this.plugin.saveData(this.current);
	}

	/** Call `listener` with the names of changed settings after every change. */
	onChange(listener: (changed: readonly string[]) => void): () => void {
		this.listeners.add(listener);
		return () => this.listeners.delete(listener);
	}

	private take(next: BridgeSettings): void {
		const before = this.current;
		const names = Object.keys(next) as (keyof BridgeSettings)[];
		const changed = names.filter((name) => before[name] !== next[name]);
		this.current = next;
		if (changed.length > 0) for (const listener of this.listeners) listener(changed);
	}
}

const ADDRESS_DESC =
	"Leave it empty: the daemon says in the vault's state folder where it listens. Only addresses on this computer are used.";
const TOKEN_DESC =
	"Leave it empty to read the token from the vault's state folder. Otherwise choose a secret; secrets stay on this computer and are never synced.";

export class BridgeSettingTab extends PluginSettingTab {
	constructor(
		app: App,
		plugin: Plugin,
		private readonly settings: KeptSettings,
	) {
		super(app, plugin);
	}

	/** Described once: Obsidian 1.13 draws and searches them, `display` draws them before it. */
	override getSettingDefinitions(): (SettingDefinitionItem & SettingDefinitionRender)[] {
		return [
			{ name: "Address", desc: ADDRESS_DESC, render: (setting) => this.addAddress(setting) },
			{ name: "Token", desc: TOKEN_DESC, render: (setting) => this.addToken(setting) },
			this.toggle("statusBar", "Status bar", "Show what the daemon is doing in the status bar."),
			this.toggle("folderAbstracts", "Folder abstracts", "Show what a folder holds while the pointer rests on it in the file explorer."),
			this.toggle("doneDocuments", "Finished documents", "List finished documents and their pages in the activity view."),
		];
	}

	override display(): void {
		this.containerEl.empty();
		for (const definition of this.getSettingDefinitions()) {
			const setting = new Setting(this.containerEl).setName(definition.name);
			if (definition.desc !== undefined) setting.setDesc(definition.desc);
			definition.render(setting, undefined as never);
		}
	}

	private addAddress(setting: Setting): void {
		setting.addText((text) =>
			text
				.setPlaceholder("127.0.0.1:27331")
				.setValue(this.settings.current.address)
				.onChange((typed) => {
					const usable = typed.trim() === "" || addressIn(typed) !== null;
					text.inputEl.toggleClass("vaultd-invalid", !usable);
					if (usable) void this.settings.change({ address: typed.trim() });
				}),
		);
	}

	private addToken(setting: Setting): void {
		setting.addComponent((el) =>
			new SecretComponent(this.app, el)
				.setValue(this.settings.current.tokenSecret)
				.onChange((name) => void this.settings.change({ tokenSecret: name })),
		);
	}

	private toggle(key: "statusBar" | "folderAbstracts" | "doneDocuments", name: string, desc: string): SettingDefinitionRender {
		const render = (setting: Setting): void => {
			setting.addToggle((toggle) =>
				toggle.setValue(this.settings.current[key]).onChange((on) => void this.settings.change({ [key]: on })),
			);
		};
		return { name, desc, render };
	}
}
