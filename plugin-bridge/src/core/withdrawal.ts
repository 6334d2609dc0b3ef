/** What forgetting a document would do, in the words of the person who decides. */

import type { Job } from "../protocol";

export interface Section {
	readonly title: string;
	readonly paths: readonly string[];
}

const TITLES: readonly (readonly [string, string])[] = [
	["removed", "These pages come from it alone and go to the trash:"],
	["rewritten", "These pages lose its part and keep the rest:"],
	["kept", "These pages hold your own words and stay as they are:"],
	["unlinked", "In these notes, links to removed pages become plain text:"],
	["pictures", "These pictures go to the trash:"],
];

/** Return what the daemon says would happen, without what would not. */
export function sectionsOf(result: Job["result"]): Section[] {
	return TITLES.map(([key, title]) => ({ title, paths: textsIn(result[key]) })).filter((section) => section.paths.length > 0);
}

function textsIn(value: unknown): string[] {
	return Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
}
