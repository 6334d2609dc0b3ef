/** Opens the plugin's views, each at most once. */

import type { App, WorkspaceLeaf } from "obsidian";
import { ACTIVITY_VIEW } from "./views/activity-view";
import { READING_VIEW } from "./views/reading-view";
import { RELATED_VIEW } from "./views/related-view";
import { REVIEWS_VIEW } from "./views/reviews-view";

export interface Open {
	readonly activity: () => void;
	readonly related: () => void;
	readonly reviews: () => void;
	/** Begin reading the document at this vault path together. */
	readonly reading: (path: string) => void;
}

export function openIn(app: App): Open {
	return {
		activity: () => void reveal(app, ACTIVITY_VIEW, () => app.workspace.getRightLeaf(false)),
		related: () => void reveal(app, RELATED_VIEW, () => app.workspace.getRightLeaf(false)),
		reviews: () => void reveal(app, REVIEWS_VIEW, () => app.workspace.getLeaf("tab")),
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
