/** The line in the status bar. */

import { setTooltip } from "obsidian";
import type { Daemon } from "../daemon";
import { statusLine } from "../core/state";

/** Keep `el` up to date; select it, or press Enter on it, to `open` the activity view. */
export function showStatusBar(el: HTMLElement, daemon: Daemon, open: () => void): () => void {
	el.addClass("vaultd-status", "mod-clickable");
	el.setAttrs({ role: "button", tabindex: "0" });
	el.addEventListener("click", open);
	el.addEventListener("keydown", (event) => {
		if (event.key === "Enter" || event.key === " ") open();
	});
	const dot = el.createSpan({ cls: "vaultd-dot" });
	const text = el.createSpan();
	return daemon.subscribe((state) => {
		const line = statusLine(state);
		dot.dataset.mood = line.mood;
		if (text.getText() !== line.text) text.setText(line.text);
		setTooltip(el, line.detail, { placement: "top" });
	});
}
