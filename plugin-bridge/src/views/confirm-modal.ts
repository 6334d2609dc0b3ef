/** Asks before something that costs much or takes long. */

import { Modal } from "obsidian";
import type { App } from "obsidian";
import { addButton } from "./elements";

export interface Question {
	readonly title: string;
	/** Paragraphs: what would happen. */
	readonly text: readonly string[];
	readonly yes: string;
	readonly act: () => void;
}

export class ConfirmModal extends Modal {
	constructor(
		app: App,
		private readonly question: Question,
	) {
		super(app);
		this.setTitle(question.title);
	}

	override onOpen(): void {
		for (const text of this.question.text) this.contentEl.createEl("p", { text });
		const choices = this.contentEl.createDiv({ cls: "modal-button-container" });
		const act = (): void => {
			this.close();
			this.question.act();
		};
		addButton(choices, this.question.yes, "yes", act, "primary");
		addButton(choices, "Not now", "no", () => this.close()).focus();
	}
}
