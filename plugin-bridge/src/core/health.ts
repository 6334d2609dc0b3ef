/** What a look at the program and at the wiki found, in the order in which a person reads it. */

import type { Check, Finding, LintReport } from "../protocol";
import { plural } from "./state";

export interface FindingGroup {
	readonly key: string;
	readonly title: string;
	readonly findings: readonly Finding[];
}

const KINDS: Readonly<Record<string, string>> = {
	"broken-link": "Links that lead nowhere",
	"invalid-properties": "Properties that cannot be read",
	unread: "Documents that could not be read, or not wholly",
	stale: "Pages behind their documents",
	orphan: "Pages nothing links to",
	unlisted: "Pages missing from the index",
	duplicate: "Pages that may be one",
	"conflict-copy": "Conflict copies of sync tools",
	"same-name": "Pages that catch links to a note of yours",
	"odd-name": "Names that Obsidian cannot link to",
};
const WORST_FIRST: readonly Check["state"][] = ["failed", "warning", "ok"];

/** Return the checks with what has to be done first, else in the daemon's order. */
export function worstFirst(checks: readonly Check[]): Check[] {
	return WORST_FIRST.flatMap((state) => checks.filter((check) => check.state === state));
}

/** Return, in a sentence, whether all is well. */
export function verdictOn(checks: readonly Check[]): string {
	const failed = checks.filter((check) => check.state === "failed").length;
	const warned = checks.filter((check) => check.state === "warning").length;
	if (failed > 0) return `${plural(failed, "check")} failed.`;
	return warned > 0 ? `It works, with ${plural(warned, "warning")}.` : "All is well.";
}

/** Return the findings by kind, in the order of the report; kinds without any are left out. */
export function groupsOf(report: LintReport): FindingGroup[] {
	const kinds = [...new Set([...Object.keys(KINDS), ...report.findings.map((each) => each.kind)])];
	return kinds
		.map((key) => ({ key, title: KINDS[key] ?? key, findings: report.findings.filter((each) => each.kind === key) }))
		.filter((group) => group.findings.length > 0);
}
