// @vitest-environment node
import { readdirSync, readFileSync } from "node:fs";
import { join, normalize, relative } from "node:path";
import { expect, it } from "vitest";

const SOURCE = join(import.meta.dirname, "../src");

function importsOf(file: string): string[] {
	const text = readFileSync(join(SOURCE, file), "utf8");
	return Array.from(text.matchAll(/^import (?!type).*? from "(\.[^"]+)";/gms), (match) => `${normalize(join(file, "..", match[1] ?? ""))}.ts`);
}

const FILES = readdirSync(SOURCE, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));
const GRAPH = new Map(FILES.map((file) => [relative(".", file), importsOf(file)]));

it("no module leads back to itself", () => {
	const circles: string[] = [];
	const walk = (file: string, path: string[]): void => {
		if (path.includes(file)) circles.push([...path.slice(path.indexOf(file)), file].join(" > "));
		else for (const next of GRAPH.get(file) ?? []) walk(next, [...path, file]);
	};
	for (const file of GRAPH.keys()) walk(file, []);

	expect(circles).toEqual([]);
});

it("every module that is imported exists", () => {
	expect([...GRAPH.values()].flat().filter((file) => !GRAPH.has(file))).toEqual([]);
});
