/** What documents that wait to be read would take of a model. */

import { Modal } from "obsidian";
import type { App } from "obsidian";
import { reasonOf } from "../attempt";
import { nameOf } from "../core/activity";
import type { Daemon } from "../daemon";
import type { Cost } from "../protocol";
import { addFileLink } from "./elements";

export class CostsModal extends Modal {
	private readonly stopped = new AbortController();

	constructor(
		app: App,
		private readonly daemon: Daemon,
		private readonly offline: boolean,
	) {
		super(app);
		this.modalEl.addClass("vaultd-wide");
		this.setTitle("What new documents would cost");
	}

	override onOpen(): void {
		this.load().catch((error: unknown) => {
			if (!this.stopped.signal.aborted) this.contentEl.setText(reasonOf(error));
		});
	}

	override onClose(): void {
		this.stopped.abort();
	}

	private async load(): Promise<void> {
		const total = this.contentEl.createEl("p", { text: "Reading the documents; no model is asked …", attr: { role: "status" } });
		const note = this.offline
			? "No model is configured: pages are written offline, for nothing. With a model they would take about this."
			: "An estimate, tokens in and out together. Documents whose pages are written already are not counted.";
		this.contentEl.createEl("p", { cls: "vaultd-faint", text: note });
		const rows = this.contentEl.createEl("table", { cls: "vaultd-table" }).createEl("tbody");
		let tokens = 0;
		let documents = 0;
		for await (const cost of this.daemon.bridge.follow("POST /v1/estimate", { body: {} }, this.stopped.signal)) {
			this.drawCost(rows, cost);
			tokens += cost.tokens;
			documents += 1;
			total.setText(`About ${tokens.toLocaleString()} tokens so far …`);
		}
		total.setText(documents === 0 ? "Every document was read already." : `About ${tokens.toLocaleString()} tokens in all.`);
	}

	private drawCost(rows: HTMLElement, cost: Cost): void {
		const row = rows.createEl("tr");
		addFileLink(row.createEl("td"), this.app, cost.path, nameOf(cost.path));
		const remark = cost.waits ? "waits for your word" : cost.reason;
		row.createEl("td", { cls: "vaultd-faint", text: remark });
		row.createEl("td", { cls: "vaultd-number", text: cost.reason === "" ? cost.tokens.toLocaleString() : "" });
	}
}
