/** How long a person waits between a keystroke and the first results after it. */

import { execFileSync } from "node:child_process";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { pythonOf } from "../../scripts/python.mjs";

export const WINDOWS = 20_000;
const BETWEEN_KEYS_MS = 110; // a practised typist

const QUESTIONS = ["bara ferena", "tiro kusa melu", "how warm should dough be", "salt and fermentation", "which mould grows on rice", "when is bread done", "泡菜 盐", "lactic acid bacteria"];

/** Fill the index of a stopped daemon's vault with made-up notes under the built-in embedder's name. */
export function fillIndex(vault: string): void {
	const fill = [
		"import asyncio, sys, numpy as np",
		"from scripts.benchmarks.search import PER_FILE, fill",
		"from vaultd.store.database import Database",
		"db = Database(sys.argv[1])",
		"asyncio.run(fill(db, np.random.default_rng(1), range(int(sys.argv[2]) // PER_FILE + 1)))",
		"db.close()",
	].join("\n");
	const place = join(vault, ".llm-wiki", "vaultd.db");
	execFileSync(pythonOf(), ["-c", fill, place, String(WINDOWS)], { cwd: join(import.meta.dirname, "../../.."), stdio: "pipe" });
}

/** Return how many windows the vault's index holds. */
export function windowsIn(vault: string): number {
	const ask = "import apsw, sys; print(apsw.Connection(sys.argv[1], flags=apsw.SQLITE_OPEN_READONLY).execute('select count(*) from windows').get)";
	return Number(execFileSync(pythonOf(), ["-c", ask, join(vault, ".llm-wiki", "vaultd.db")], { encoding: "utf8" }));
}

/** Type the questions and return the waits in milliseconds, shortest first. */
export async function waitsWhileTyping(page: Page): Promise<number[]> {
	await page.keyboard.type(QUESTIONS[0] ?? ""); // the daemon reads its vectors for the first question
	await page.locator(".suggestion-item").first().waitFor({ timeout: 60_000 });
	await page.waitForTimeout(2_000);
	await page.evaluate(() => {
		const waits: number[] = [];
		let since = 0;
		const results = document.querySelector(".prompt-results") as HTMLElement;
		document.querySelector(".prompt-input")?.addEventListener("input", () => (since ||= performance.now()), true);
		new MutationObserver(() => {
			if (since > 0 && results.querySelector(".suggestion-item")) {
				waits.push(performance.now() - since);
				since = 0;
			}
		}).observe(results, { childList: true });
		Object.assign(window, { waits });
	});
	for (const question of QUESTIONS) {
		await page.locator(".prompt-input").fill("");
		await page.keyboard.type(question, { delay: BETWEEN_KEYS_MS });
		await page.waitForTimeout(300);
	}
	return (await page.evaluate(() => (window as unknown as { waits: number[] }).waits)).sort((one, other) => one - other);
}
