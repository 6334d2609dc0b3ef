/** Forgetting a document: first what it would do, then the button. */

import { Modal, Notice } from "obsidian";
import type { App } from "obsidian";
import { attempt, reasonOf } from "../attempt";
import { nameOf } from "../core/activity";
import { outcomeOf } from "../core/outcome";
import { sectionsOf } from "../core/withdrawal";
import type { Daemon } from "../daemon";
import type { Job } from "../protocol";
import { addButton, addFileLink } from "./elements";

export class ForgetModal extends Modal {
	constructor(
		app: App,
		private readonly daemon: Daemon,
		private readonly path: string,
	) {
		super(app);
		this.setTitle(`Forget ${nameOf(path)}?`);
	}

	override onOpen(): void {
		this.contentEl.setText("Looking at what it contributed …");
		this.load().catch((error: unknown) => this.contentEl.setText(reasonOf(error)));
	}

	private async load(): Promise<void> {
		const body = { path: this.path, dry_run: true };
		this.draw(await this.daemon.bridge.call("POST /v1/sources/forget", { body }));
	}

	private draw(preview: Job): void {
		this.contentEl.empty();
		if (preview.state !== "done") {
			this.contentEl.setText(outcomeOf(preview, ""));
			return;
		}
		const sections = sectionsOf(preview.result);
		for (const section of sections) this.drawPages(section.title, section.paths);
		if (sections.length === 0) this.contentEl.createEl("p", { text: "No page came from it." });
		const stays = `The document itself stays at ${this.path}, and is not read again until you ask for it or it changes.`;
		this.contentEl.createEl("p", { cls: "vaultd-faint", text: stays });
		const choices = this.contentEl.createDiv({ cls: "modal-button-container" });
		addButton(choices, "Forget it", "forget", () => this.forget(), "danger");
		addButton(choices, "Keep it", "keep", () => this.close()).focus();
	}

	private drawPages(title: string, paths: readonly string[]): void {
		if (paths.length === 0) return;
		this.contentEl.createEl("p", { text: title });
		const list = this.contentEl.createEl("ul");
		for (const path of paths) addFileLink(list.createEl("li"), this.app, path, path);
	}

	private forget(): void {
		attempt(async () => {
			const job = await this.daemon.bridge.call("POST /v1/sources/forget", { body: { path: this.path } });
			new Notice(outcomeOf(job, `${nameOf(this.path)} is forgotten.`));
			this.close();
		});
	}
}
