/** Two texts, drawn as what one changes in the other. */

import { hunksOf, lineDiff } from "../core/difference";
import type { DiffLine } from "../core/difference";
import { plural } from "../core/state";

const SIGNS = { same: " ", added: "+", removed: "−" } as const;
const SPOKEN = { same: "", added: "added: ", removed: "removed: " } as const;

/** Draw the changes from `before` to `after`, or say that there are none. */
export function drawDifference(parent: HTMLElement, before: string, after: string): void {
	const hunks = hunksOf(lineDiff(before, after));
	const el = parent.createDiv({ cls: "vaultd-diff" });
	if (hunks.length === 0) {
		el.createDiv({ cls: "vaultd-faint", text: "Both texts are the same." });
		return;
	}
	for (const hunk of hunks) {
		if (hunk.skipped > 0) el.createDiv({ cls: "vaultd-diff-gap", text: plural(hunk.skipped, "unchanged line") });
		for (const line of hunk.lines) drawLine(el, line);
	}
}

function drawLine(parent: HTMLElement, line: DiffLine): void {
	const row = parent.createDiv({ cls: `vaultd-diff-line is-${line.kind}` });
	row.createSpan({ cls: "vaultd-diff-sign", text: SIGNS[line.kind], attr: { "aria-hidden": "true" } });
	row.createSpan({ cls: "vaultd-diff-text", text: line.text, attr: { "aria-label": SPOKEN[line.kind] + line.text } });
}
