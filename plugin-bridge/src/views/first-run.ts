/** What to do when no daemon answers. Nothing is installed or started from here. */

import { Notice } from "obsidian";
import type { DaemonState } from "../core/state";
import { addButton, addEmptyState } from "./elements";

interface Step {
	readonly text: string;
	readonly command: string;
}

const REMEDIES = {
	token: "Choose the token in the settings, or leave it empty to use the one in this vault's state folder.",
	protocol: "Nothing is asked of it until both understand each other.",
	unknown: "Look at the daemon's log, and check that this plugin and the daemon have the same version.",
} as const;

const MOVE: readonly Step[] = [
	{ text: "To let this computer write instead, stop the daemon there, and then here:", command: 'vaultd take-over --vault "{vault}"' },
	{ text: "Start it, and leave it running:", command: 'vaultd run --vault "{vault}"' },
];

const STEPS: readonly Step[] = [
	{ text: "Install it once, in a terminal, with Python 3.11 or newer, from a checkout of its repository:", command: "pipx install ." },
	{ text: "Make this folder a vault it may work on:", command: 'vaultd init --vault "{vault}"' },
	{ text: "Start it, and leave it running:", command: 'vaultd run --vault "{vault}"' },
	{ text: "Or let your system start it whenever you log in:", command: 'vaultd service install --vault "{vault}"' },
];

/** Draw the steps, with the vault's own folder in each command; `look` tries again now. */
export function drawFirstRun(parent: HTMLElement, state: DaemonState, vault: string, look: () => void): void {
	if (state.kind === "searching") {
		addEmptyState(parent, "radar", "Looking for the daemon", "This takes a moment after a start.");
		return;
	}
	if (state.kind === "refused") {
		const icon = state.cause === "protocol" ? "circle-arrow-up" : "key-round";
		const refused = addEmptyState(parent, icon, state.reason, REMEDIES[state.cause]);
		addButton(refused, "Try again", "look", look, "primary");
		return;
	}
	if (state.kind === "elsewhere") {
		const text = "What it writes reaches this vault by your sync. Search and reviews are at hand where it runs.";
		addButton(addEmptyState(parent, "monitor-smartphone", "The daemon runs on another computer", text), "Look again", "look", look);
		drawSteps(parent, MOVE, vault);
		return;
	}
	const empty = addEmptyState(
		parent,
		"moon-star",
		"The daemon is not running",
		"Your notes work as always. Pages, search by meaning and reviews come back by themselves once it runs.",
	);
	addButton(empty, "Look again", "look", look, "primary");
	drawSteps(parent, STEPS, vault);
	parent.createEl("p", {
		cls: "vaultd-faint",
		text: "This plugin never installs, updates or starts a program by itself.",
	});
}

function drawSteps(parent: HTMLElement, steps: readonly Step[], vault: string): void {
	const list = parent.createEl("ol", { cls: "vaultd-steps" });
	for (const [place, step] of steps.entries()) {
		const item = list.createEl("li");
		item.createDiv({ text: step.text });
		drawCommand(item, step.command.replace("{vault}", vault), place);
	}
}

function drawCommand(parent: HTMLElement, command: string, place: number): void {
	const line = parent.createDiv({ cls: "vaultd-command" });
	const code = line.createEl("code");
	for (const word of command.match(/\S+ ?/gu) ?? []) code.createSpan({ text: word });
	addButton(line, "Copy", `copy:${place}`, () => {
		void navigator.clipboard.writeText(command).then(() => new Notice("Copied."));
	});
}
