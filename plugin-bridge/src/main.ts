/** Lifecycle only: build, register, let Obsidian clean up. */

import { FileSystemAdapter, Plugin, requestUrl } from "obsidian";
import { addCommands } from "./commands";
import { Daemon } from "./daemon";
import type { Found } from "./daemon";
import { findDaemon, thisMachine } from "./finding";
import { OpenNotes } from "./open-notes";
import { addViews, openIn } from "./opening";
import { BridgeSettingTab, KeptSettings } from "./settings";
import { openStream } from "./stream";
import { Upkeep } from "./upkeep";
import { FolderAbstracts } from "./views/folder-abstracts";
import { showStatusBar } from "./views/status-bar";
import { visible } from "./visible";
import { welcome } from "./welcome";

export default class VaultdBridge extends Plugin {
	private readonly kept = new KeptSettings(this);

	override async onload(): Promise<void> {
		await this.kept.load();
		const { app, kept } = this;
		const find = async (): Promise<Found | null> => findDaemon(app, kept.current);
		const daemon = new Daemon({ find, machine: thisMachine(app), send: requestUrl, openStream, visible });
		const open = openIn(app);
		const upkeep = new Upkeep(app, daemon);
		const { lookOver, rebuild, retryHeld } = upkeep;
		const { adapter } = app.vault;
		const vaultFolder = adapter instanceof FileSystemAdapter ? adapter.getBasePath() : app.vault.getName();
		const showDone = (): boolean => kept.current.doneDocuments;

		addViews(this, { daemon, vaultFolder, showDone, openReviews: open.reviews, openHealth: open.health, lookOver, rebuild, retryHeld });
		addCommands(this, { app, daemon, open, upkeep });
		this.addSettingTab(new BridgeSettingTab(app, this, kept));
		this.addChild(new OpenNotes(app, daemon));
		this.addChild(new FolderAbstracts(daemon, () => kept.current.folderAbstracts, app.workspace.containerEl));

		const line = this.addStatusBarItem();
		this.register(showStatusBar(line, daemon, open.activity));
		const showLine = (): void => void line.toggle(kept.current.statusBar);
		showLine();
		this.register(kept.onChange((changed) => {
			showLine();
			if (changed.includes("address") || changed.includes("tokenSecret")) daemon.startOver();
		}));
		this.register(() => daemon.close());
		app.workspace.onLayoutReady(() => {
			void daemon.run();
			welcome(daemon, kept, open);
		});
	}

	override async onExternalSettingsChange(): Promise<void> {
		await this.kept.load();
	}
}
