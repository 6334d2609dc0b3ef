/** What calls to models have cost, by day. */

import { Modal } from "obsidian";
import type { App } from "obsidian";
import { reasonOf } from "../attempt";
import type { Daemon } from "../daemon";
import type { UsageByDay } from "../protocol";

const DAYS = 30;
const COLUMNS = ["Day", "Model", "Stage", "Calls", "Tokens in", "Tokens out"] as const;

export class UsageModal extends Modal {
	constructor(
		app: App,
		private readonly daemon: Daemon,
	) {
		super(app);
		this.modalEl.addClass("vaultd-wide");
		this.setTitle("What models were asked");
	}

	override onOpen(): void {
		this.load().catch((error: unknown) => this.contentEl.setText(reasonOf(error)));
	}

	private async load(): Promise<void> {
		this.draw(await this.daemon.bridge.call("GET /v1/usage", { query: { days: DAYS } }));
	}

	private draw(usage: UsageByDay): void {
		this.contentEl.empty();
		if (usage.days.length === 0) {
			this.contentEl.setText(`No model was asked in the last ${DAYS} days.`);
			return;
		}
		const table = this.contentEl.createEl("table", { cls: "vaultd-table" });
		const head = table.createEl("thead").createEl("tr");
		for (const column of COLUMNS) head.createEl("th", { text: column });
		const body = table.createEl("tbody");
		for (const day of usage.days) {
			const row = body.createEl("tr");
			for (const word of [day.day, day.model, day.stage]) row.createEl("td", { text: word });
			for (const number of [day.calls, day.input_tokens, day.output_tokens]) {
				row.createEl("td", { cls: "vaultd-number", text: number.toLocaleString() });
			}
		}
	}
}
