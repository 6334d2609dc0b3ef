/** Lifecycle only: build, register, let Obsidian clean up. */

import { FileSystemAdapter, Plugin, requestUrl } from "obsidian";
import { addCommands } from "./commands";
import { Daemon } from "./daemon";
import type { Found } from "./daemon";
import { findDaemon, thisMachine } from "./finding";
import { openIn } from "./opening";
import { BridgeSettingTab, KeptSettings } from "./settings";
import { openStream } from "./stream";
import { ACTIVITY_VIEW, ActivityView } from "./views/activity-view";
import { FolderAbstracts } from "./views/folder-abstracts";
import { READING_VIEW, ReadingView } from "./views/reading-view";
import { RELATED_VIEW, RelatedView } from "./views/related-view";
import { REVIEWS_VIEW, ReviewsView } from "./views/reviews-view";
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
		const { adapter } = app.vault;
		const vaultFolder = adapter instanceof FileSystemAdapter ? adapter.getBasePath() : app.vault.getName();
		const parts = { daemon, vaultFolder, showDone: () => kept.current.doneDocuments, openReviews: open.reviews };

		this.registerView(ACTIVITY_VIEW, (leaf) => new ActivityView(leaf, parts));
		this.registerView(READING_VIEW, (leaf) => new ReadingView(leaf, daemon));
		this.registerView(RELATED_VIEW, (leaf) => new RelatedView(leaf, daemon));
		this.registerView(REVIEWS_VIEW, (leaf) => new ReviewsView(leaf, daemon));
		this.registerHoverLinkSource(RELATED_VIEW, { display: "Related notes", defaultMod: true });
		this.addSettingTab(new BridgeSettingTab(app, this, kept));
		this.addChild(new FolderAbstracts(daemon, () => kept.current.folderAbstracts, activeDocument.body));
		addCommands(this, { app, daemon, open });

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
