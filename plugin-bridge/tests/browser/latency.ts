/** How long a person waits between a keystroke and the first results after it. */

import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import type { RealDaemon } from "../daemon";
import { sendFromOutside } from "../daemon";
import { pythonOf } from "../../scripts/python.mjs";

export const WINDOWS = 20_000;
const NOTES = 700;
const PARAGRAPHS = 10; // about 850 characters each: one passage, three windows
const BETWEEN_KEYS_MS = 110; // a practised typist

const QUESTIONS = ["how warm should dough be", "salt and fermentation", "which mould grows on rice", "when is bread done", "泡菜 盐", "lactic acid bacteria"];
const WORDS = "salt rice mould dough warm water starter acid bread time heat crust flour yeast jar lid brine koji miso barley week month cool cellar taste sour sweet fold rest bake steam".split(" ");

/** Write notes of made-up sentences into the vault, enough for `WINDOWS` windows. */
export function writeNotes(vault: string): void {
	let seed = 11;
	const next = (below: number): number => (seed = (seed * 16_807) % 2_147_483_647) % below;
	const sentence = (): string => `${Array.from({ length: 9 + next(6) }, () => WORDS[next(WORDS.length)]).join(" ")} ${next(90_000)}.`;
	for (let note = 0; note < NOTES; note += 1) {
		const folder = join(vault, "Notes", String(note % 20));
		mkdirSync(folder, { recursive: true });
		const parts = Array.from({ length: PARAGRAPHS }, (_, part) => `## Part ${part}\n\n${Array.from({ length: 14 }, sentence).join(" ")}\n`);
		writeFileSync(join(folder, `Note ${note}.md`), `# Note ${note}\n\n${parts.join("\n")}`);
	}
}

/** Return how many windows the vault's index holds. */
export function windowsIn(vault: string): number {
	const ask = "import apsw, sys; print(apsw.Connection(sys.argv[1], flags=apsw.SQLITE_OPEN_READONLY).execute('select count(*) from windows').get)";
	return Number(execFileSync(pythonOf(), ["-c", ask, join(vault, ".llm-wiki", "vaultd.db")], { encoding: "utf8" }));
}

/** Tell whether nothing is left to do. */
export async function isIdle(real: RealDaemon): Promise<boolean> {
	const jobs = await sendFromOutside({ url: `${real.address}/v1/jobs`, headers: { authorization: `Bearer ${real.token}` } });
	return (JSON.parse(jobs.text) as { jobs: unknown[] }).jobs.length === 0;
}

/** Return the median and the 95th percentile of waits, rounded. */
export function sharesOf(waits: readonly number[]): { median: number; p95: number; number: number } {
	const sorted = waits.toSorted((one, other) => one - other);
	const nth = (share: number): number => Math.round(sorted[Math.floor(sorted.length * share)] ?? Infinity);
	return { median: nth(0.5), p95: nth(0.95), number: waits.length };
}

/** Type the questions; return, for each key, the wait in milliseconds for results that know of it. */
export async function waitsWhileTyping(page: Page): Promise<number[]> {
	await page.keyboard.type(QUESTIONS[0] ?? ""); // the daemon reads its vectors for the first question
	await page.locator(".suggestion-item").first().waitFor({ timeout: 60_000 });
	await page.waitForTimeout(2_000);
	await page.evaluate(() => {
		const waits: number[] = [];
		let keys: { line: string; at: number }[] = [];
		let answered = "";
		const results = document.querySelector(".prompt-results") as HTMLElement;
		const input = document.querySelector(".prompt-input") as HTMLInputElement;
		input.addEventListener(
			"input",
			(event) => {
				const line = input.value.trim();
				if (event.isTrusted && line !== "") keys.push({ line, at: performance.now() }); // emptying the line asks nothing
			},
			true,
		);
		const send = window.fetch;
		window.fetch = async (to, request) => {
			const answer = await send(to, request);
			const { url, body } = JSON.parse(String(request?.body ?? "{}")) as { url?: string; body?: string };
			if (url?.endsWith("/v1/search")) answered = (JSON.parse(body ?? "{}") as { query: string }).query;
			return answer;
		};
		new MutationObserver(() => {
			if (!results.querySelector(".suggestion-item")) return;
			for (const key of keys.filter((each) => answered.startsWith(each.line))) waits.push(performance.now() - key.at);
			keys = keys.filter((each) => !answered.startsWith(each.line));
		}).observe(results, { childList: true });
		Object.assign(window, { waits });
	});
	for (const question of QUESTIONS) {
		await page.locator(".prompt-input").fill("");
		await page.waitForTimeout(300);
		await page.keyboard.type(question, { delay: BETWEEN_KEYS_MS });
		await page.waitForTimeout(1_000);
	}
	return page.evaluate(() => (window as unknown as { waits: number[] }).waits);
}
