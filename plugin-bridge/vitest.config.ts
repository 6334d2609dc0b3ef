import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const placeOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

export default defineConfig({
	resolve: {
		alias: [
			{ find: "obsidian", replacement: placeOf("tests/obsidian/index.ts") },
			{ find: /^\.\/stream$/, replacement: placeOf("tests/obsidian/stream.ts") },
		],
	},
	test: { environment: "jsdom", include: ["tests/**/*.test.ts"], testTimeout: 20_000, hookTimeout: 60_000 },
});
