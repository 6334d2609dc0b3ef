// Bundles src/main.ts into main.js and puts the plugin's three files where `vaultd init --plugin` takes them from.
import { copyFile, mkdir, stat } from "node:fs/promises";
import esbuild from "esbuild";

const LARGEST = 150_000; // bytes of main.js; the store's scanner and a start of Obsidian read all of it
const SHIPPED = ["main.js", "manifest.json", "styles.css"];
const PACKAGE = "../vaultd/plugin";

const options = {
	entryPoints: ["src/main.ts"],
	outfile: "main.js",
	bundle: true,
	format: "cjs",
	platform: "browser",
	target: "es2022",
	external: ["obsidian", "electron", "node:http"],
	treeShaking: true,
	logLevel: "warning",
};

if (process.argv.includes("--watch")) {
	const context = await esbuild.context({ ...options, sourcemap: "inline" });
	await context.watch();
} else {
	await esbuild.build({ ...options, minify: true, legalComments: "none" });
	const { size } = await stat("main.js");
	if (size > LARGEST) throw new Error(`main.js has ${size} bytes, more than ${LARGEST}.`);
	await mkdir(PACKAGE, { recursive: true });
	await Promise.all(SHIPPED.map((name) => copyFile(name, `${PACKAGE}/${name}`)));
	process.stdout.write(`main.js: ${size} bytes\n`);
}
