// The rules of the store's scanner, and the layers of this plugin.
import { defineConfig, globalIgnores } from "eslint/config";
import obsidianmd from "eslint-plugin-obsidianmd";

/** Refuse imports of the layers above: views know the client, never the other way round. */
function below(files, ...above) {
	return {
		files,
		rules: {
			"no-restricted-imports": ["error", { patterns: above.map((group) => ({ group: [group], message: "This layer is above." })) }],
		},
	};
}

export default defineConfig([
	globalIgnores(["main.js", "node_modules", "tests", "scripts", "*.mjs", "vitest.config.ts"]),
	...obsidianmd.configs.recommended,
	{
		languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
	},
	{
		files: ["src/**/*.ts"],
		rules: {
			"@typescript-eslint/explicit-function-return-type": ["error", { allowExpressions: true }],
			"@typescript-eslint/switch-exhaustiveness-check": "error",
			"max-lines": ["error", 300],
			"max-lines-per-function": ["error", 45],
		},
	},
	{ files: ["src/protocol.ts"], rules: { "max-lines": "off" } }, // written by scripts/protocol.mjs
	below(["src/core/**/*.ts"], "../views/*", "../client", "../daemon", "../commands", "../settings", "../main", "obsidian"),
	below(["src/client.ts", "src/daemon.ts", "src/stream.ts"], "./views/*", "./commands", "./settings", "./main", "./upkeep"),
	below(["src/views/**/*.ts"], "../commands", "../main", "../settings", "../opening", "../upkeep"),
]);
