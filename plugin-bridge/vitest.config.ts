import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

export default defineConfig({
	resolve: { alias: { obsidian: fileURLToPath(new URL("tests/obsidian/index.ts", import.meta.url)) } },
	test: { environment: "jsdom", include: ["tests/**/*.test.ts"], testTimeout: 20_000, hookTimeout: 60_000 },
});
