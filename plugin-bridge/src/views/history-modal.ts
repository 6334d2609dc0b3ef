/** The versions of a page that the daemon replaced: compare, and bring one back. */

import { Modal, Notice } from "obsidian";
import type { App, TFile } from "obsidian";
import { attempt, reasonOf } from "../attempt";
import { outcomeOf } from "../core/outcome";
import { timeSince } from "../core/since";
import type { Daemon } from "../daemon";
import type { KeptVersion } from "../protocol";
import { addButton } from "./elements";
import { drawDifference } from "./difference";

export class HistoryModal extends Modal {
	private readonly list: HTMLElement;
	private readonly detail: HTMLElement;
	private number = 0;

	constructor(
		app: App,
		private readonly daemon: Daemon,
		private readonly file: TFile,
	) {
		super(app);
		this.modalEl.addClass("vaultd-wide");
		this.setTitle(`History of ${file.basename}`);
		const columns = this.contentEl.createDiv({ cls: "vaultd-columns" });
		this.list = columns.createDiv({ cls: "vaultd-versions", attr: { role: "listbox", "aria-label": "Versions" } });
		this.detail = columns.createDiv({ cls: "vaultd-version" });
	}

	override onOpen(): void {
		this.load().catch((error: unknown) => this.detail.setText(reasonOf(error)));
	}

	private async load(): Promise<void> {
		const { versions } = await this.daemon.bridge.call("GET /v1/pages/history", { query: { path: this.file.path } });
		this.list.empty();
		for (const version of versions) this.drawVersion(version);
		const newest = versions[0];
		if (newest === undefined) this.detail.setText("No version of this note was ever replaced.");
		else await this.show(newest);
	}

	private drawVersion(version: KeptVersion): void {
		const when = new Date(version.at);
		const item = this.list.createEl("button", {
			cls: "vaultd-version-item",
			attr: { role: "option", "data-version": version.version, title: when.toLocaleString(), type: "button" },
		});
		item.createDiv({ text: timeSince(when, new Date()) });
		item.createDiv({ cls: "vaultd-faint", text: when.toLocaleString() });
		item.addEventListener("click", () => attempt(async () => this.show(version)));
	}

	private async show(version: KeptVersion): Promise<void> {
		this.number += 1;
		const number = this.number;
		for (const item of Array.from(this.list.querySelectorAll<HTMLElement>("[data-version]"))) {
			item.setAttr("aria-selected", String(item.dataset.version === version.version));
		}
		const query = { path: this.file.path, version: version.version };
		const [old, bytes] = await Promise.all([
			this.daemon.bridge.call("GET /v1/pages/version", { query }),
			this.app.vault.readBinary(this.file),
		]);
		if (number !== this.number) return;
		const now = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
		this.detail.empty();
		this.detail.createDiv({ cls: "vaultd-faint", text: "What restoring this version would change:" });
		drawDifference(this.detail, now, old.text);
		if (old.text !== now) {
			addButton(this.detail, "Restore this version", "restore", () => this.restore(version, bytes), "primary");
		}
	}

	/** Bring the version back, unless the note was changed since it was compared. */
	private restore(version: KeptVersion, seen: ArrayBuffer): void {
		attempt(async () => {
			const body = { path: this.file.path, version: version.version, if_match: await sha256Of(seen) };
			const job = await this.daemon.bridge.call("POST /v1/pages/restore", { body });
			new Notice(outcomeOf(job, `${this.file.basename} is restored.`));
			this.close();
		});
	}
}

/** Return the SHA-256 of a file's bytes in hexadecimal, as the bridge compares it. */
async function sha256Of(bytes: ArrayBuffer): Promise<string> {
	const digest = await crypto.subtle.digest("SHA-256", bytes);
	return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
