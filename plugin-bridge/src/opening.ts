/** Registers the plugin's views, and opens each at most once. */

import type { App, Plugin, WorkspaceLeaf } from "obsidian";
import { ACTIVITY_VIEW, ActivityView } from "./views/activity-view";
import type { ActivityParts } from "./views/activity-view";
import { HEALTH_VIEW, HealthView } from "./views/health-view";
import type { HealthParts } from "./views/health-view";
import { READING_VIEW, ReadingView } from "./views/reading-view";
import { RELATED_VIEW, RelatedView } from "./views/related-view";
import { REVIEWS_VIEW, ReviewsView } from "./views/reviews-view";

export interface Open {
	readonly activity: () => void;
	readonly related: () => void;
	readonly reviews: () => void;
	readonly health: () => void;
	/** Begin reading the document at this vault path together. */
	readonly reading: (path: string) => void;
}

/** Register every view, with the parts that they work with. */
export function addViews(plugin: Plugin, parts: ActivityParts & HealthParts): void {
	const { daemon } = parts;
	plugin.registerView(ACTIVITY_VIEW, (leaf) => new ActivityView(leaf, parts));
	plugin.registerView(HEALTH_VIEW, (leaf) => new HealthView(leaf, parts));
	plugin.registerView(READING_VIEW, (leaf) => new ReadingView(leaf, daemon));
	plugin.registerView(RELATED_VIEW, (leaf) => new RelatedView(leaf, daemon));
	plugin.registerView(REVIEWS_VIEW, (leaf) => new ReviewsView(leaf, daemon));
	plugin.registerHoverLinkSource(RELATED_VIEW, { display: "Related notes", defaultMod: true });
}

export function openIn(app: App): Open {
	return {
		activity: () => void reveal(app, ACTIVITY_VIEW, () => app.workspace.getRightLeaf(false)),
		related: () => void reveal(app, RELATED_VIEW, () => app.workspace.getRightLeaf(false)),
		reviews: () => void reveal(app, REVIEWS_VIEW, () => app.workspace.getLeaf("tab")),
		health: () => void reveal(app, HEALTH_VIEW, () => app.workspace.getLeaf("tab")),
		reading: (path) => void openReading(app, path),
	};
}

async function reveal(app: App, type: string, make: () => WorkspaceLeaf | null): Promise<void> {
	const leaf = app.workspace.getLeavesOfType(type)[0] ?? make();
	if (leaf === null) return;
	if (leaf.view.getViewType() !== type) await leaf.setViewState({ type, active: true });
	await app.workspace.revealLeaf(leaf);
}

async function openReading(app: App, path: string): Promise<void> {
	const leaf = app.workspace.getLeaf("tab");
	await leaf.setViewState({ type: READING_VIEW, active: true, state: { path } });
	await app.workspace.revealLeaf(leaf);
}
