/** The daemon's open questions, and what the person answers. */

import { Component, ItemView, MarkdownRenderer, Notice } from "obsidian";
import type { WorkspaceLeaf } from "obsidian";
import { attempt, reasonOf } from "../attempt";
import { DaemonUnreachable } from "../client";
import { nameOf } from "../core/activity";
import { outcomeOf } from "../core/outcome";
import { proposalOf } from "../core/proposal";
import type { Daemon } from "../daemon";
import type { ReviewItem } from "../protocol";
import { addButton, addEmptyState, addFileLink } from "./elements";
import { drawDifference } from "./difference";
import { redraw } from "./redraw";

export const REVIEWS_VIEW = "vaultd-reviews";

const KINDS: Readonly<Record<string, string>> = {
	contradiction: "Contradiction",
	duplicate: "Duplicate",
	"missing-page": "Missing page",
	suggestion: "Suggestion",
	conflict: "Your edit and a new text",
	parked: "A document that waits",
	confirm: "Confirm",
};

export class ReviewsView extends ItemView {
	private readonly drafts = new Map<string, string>();
	private shown = "";
	private answering = false;
	private texts = this.addChild(new Component()); // rendered, for as long as they are shown

	constructor(
		leaf: WorkspaceLeaf,
		private readonly daemon: Daemon,
	) {
		super(leaf);
		this.icon = "message-circle-question";
	}

	override getViewType(): string {
		return REVIEWS_VIEW;
	}

	override getDisplayText(): string {
		return "Reviews";
	}

	override async onOpen(): Promise<void> {
		this.contentEl.addClass("vaultd-view");
		this.register(
			this.daemon.subscribe((state, events) => {
				const appeared = (state.kind === "on") !== this.answering;
				this.answering = state.kind === "on";
				if (appeared || events.some((event) => event.kind.includes("review") || event.kind === "job")) void this.refresh();
			}),
		);
		await this.refresh();
	}

	private async refresh(): Promise<void> {
		try {
			const { reviews } = await this.daemon.bridge.call("GET /v1/reviews");
			const texts = await Promise.all(reviews.map(async (review) => this.currentText(review)));
			const seen = JSON.stringify([reviews, texts]);
			if (seen === this.shown) return; // a redraw would take the person's cursor away
			this.shown = seen;
			redraw(this.contentEl, () => this.draw(reviews, texts));
		} catch (error) {
			this.shown = "";
			this.contentEl.empty();
			if (error instanceof DaemonUnreachable) {
				addEmptyState(this.contentEl, "moon-star", "The daemon is not running", "Reviews come back with it; nothing is lost.");
			} else {
				addEmptyState(this.contentEl, "circle-alert", "Reviews cannot be shown", reasonOf(error));
			}
		}
	}

	/** Return the page a proposal would replace as it is now, "" for a new page. */
	private async currentText(review: ReviewItem): Promise<string> {
		const proposal = proposalOf(review);
		const file = proposal === null ? null : this.app.vault.getFileByPath(proposal.path);
		return file === null ? "" : this.app.vault.cachedRead(file);
	}

	private draw(reviews: readonly ReviewItem[], texts: readonly string[]): void {
		this.removeChild(this.texts);
		this.texts = this.addChild(new Component());
		if (reviews.length === 0) {
			addEmptyState(this.contentEl, "circle-check", "No open reviews", "Questions about your documents appear here.");
			return;
		}
		for (const [place, review] of reviews.entries()) this.drawReview(review, texts[place] ?? "");
	}

	private drawReview(review: ReviewItem, current: string): void {
		const card = this.contentEl.createEl("section", { cls: "vaultd-card", attr: { "aria-label": review.title } });
		card.createDiv({ cls: "vaultd-kind", text: KINDS[review.kind] ?? review.kind });
		card.createDiv({ cls: "vaultd-card-title", text: review.title });
		const body = card.createDiv({ cls: "vaultd-card-body" });
		void MarkdownRenderer.render(this.app, review.text, body, review.note ?? "", this.texts);
		this.drawPlaces(card, review);
		const proposal = proposalOf(review);
		if (proposal !== null) {
			card.createDiv({ cls: "vaultd-faint", text: `What accepting would change in ${proposal.path}:` });
			drawDifference(card, current, proposal.text);
		}
		const choices = card.createDiv({ cls: "vaultd-choices" });
		for (const [place, option] of review.options.entries()) {
			addButton(choices, option, `${review.id}:${option}`, () => this.answer(review, option), place === 0 ? "primary" : "plain");
		}
		this.drawOwnWords(card, review);
	}

	private drawPlaces(card: HTMLElement, review: ReviewItem): void {
		const places = card.createDiv({ cls: "vaultd-pages" });
		for (const path of review.pages ?? []) addFileLink(places, this.app, path);
		for (const source of review.sources ?? []) addFileLink(places, this.app, `raw/${source}`, nameOf(source));
	}

	private drawOwnWords(card: HTMLElement, review: ReviewItem): void {
		const own = card.createDiv({ cls: "vaultd-own-words" });
		const words = own.createEl("textarea", {
			attr: { rows: "1", placeholder: "Or answer in your own words", "aria-label": `Answer to ${review.title}`, "data-key": `${review.id}:words` },
		});
		words.value = this.drafts.get(review.id) ?? "";
		words.addEventListener("input", () => this.drafts.set(review.id, words.value));
		const send = (): void => {
			if (words.value.trim() !== "") this.answer(review, "answer", words.value.trim());
		};
		words.addEventListener("keydown", (event) => {
			if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) send();
		});
		addButton(own, "Answer", `${review.id}:send`, send);
	}

	private answer(review: ReviewItem, action: string, text?: string): void {
		attempt(async () => {
			const body = text === undefined ? { action } : { action, text };
			const job = await this.daemon.bridge.call("POST /v1/reviews/{id}", { path: { id: review.id }, body });
			this.drafts.delete(review.id);
			new Notice(outcomeOf(job, `Answered: ${review.title}`));
			await this.refresh();
		});
	}
}
