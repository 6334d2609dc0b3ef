/** The pages that came from one document. */

import { FuzzySuggestModal } from "obsidian";
import type { App } from "obsidian";

export class PagesModal extends FuzzySuggestModal<string> {
	constructor(
		app: App,
		private readonly paths: readonly string[],
	) {
		super(app);
		this.setPlaceholder("Pages made from this document");
	}

	override getItems(): string[] {
		return [...this.paths];
	}

	override getItemText(path: string): string {
		return path;
	}

	override onChooseItem(path: string, event: MouseEvent | KeyboardEvent): void {
		void this.app.workspace.openLinkText(path, "", event.ctrlKey || event.metaKey ? "tab" : false);
	}
}
