// Writes src/protocol.ts from the daemon's own description of its interface.
//
//   npm run protocol              from the checkout's Python
//   node scripts/protocol.mjs -   from a description on standard input
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { pythonOf } from "./python.mjs";

const ASK = [
	"import json",
	"from vaultd.bridge.openapi import description",
	"from vaultd.bridge.routes import OPERATIONS",
	"print(json.dumps(description(OPERATIONS)))",
].join("\n");

/** Return the description that the checkout's code gives. */
export function described() {
	return JSON.parse(execFileSync(pythonOf(), ["-c", ASK], { encoding: "utf8", maxBuffer: 1 << 26 }));
}

/** Return the text of src/protocol.ts for a description in OpenAPI 3.1. */
export function protocolOf(api) {
	const shapes = Object.entries(api.components.schemas).map(([name, schema]) => declarationOf(name, schema));
	const operations = Object.entries(api.paths).flatMap(([path, methods]) =>
		Object.entries(methods).map(([method, operation]) => operationOf(`${method.toUpperCase()} ${path}`, operation)),
	);
	return [
		"/** The daemon's interface, written by scripts/protocol.mjs from its own description: not edited by hand. */",
		"",
		...shapes,
		"/** Every route, by method and path. */",
		"export interface Operations {",
		...operations,
		"}",
		"",
		"export type Operation = keyof Operations;",
		"",
	].join("\n");
}

function declarationOf(name, schema) {
	const about = schema.description ? `/** ${oneLine(schema.description)} */\n` : "";
	const body = schema.properties ? `interface ${name} ${objectOf(schema, "")}` : `type ${name} = ${typeOf(schema, "")};`;
	return `${about}export ${body}\n`;
}

function operationOf(name, operation) {
	const fields = (place) => (operation.parameters ?? []).filter((each) => each.in === place);
	const parameters = (place) => {
		const found = fields(place);
		if (found.length === 0) return "undefined";
		const properties = Object.fromEntries(found.map((each) => [each.name, each.schema]));
		return objectOf({ properties, required: found.filter((each) => each.required).map((each) => each.name) }, "\t\t");
	};
	const body = operation.requestBody?.content["application/json"].schema;
	const success = Object.entries(operation.responses).find(([status]) => status.startsWith("2"))[1].content;
	const stream = success["text/event-stream"];
	const answer = stream ? stream["x-data"] : success["application/json"]?.schema;
	return [
		`\t/** ${oneLine(operation.summary)}${stream ? " A stream." : ""} */`,
		`\t${JSON.stringify(name)}: {`,
		`\t\tpath: ${parameters("path")};`,
		`\t\tquery: ${parameters("query")};`,
		`\t\tbody: ${body ? objectOf({ ...body, properties: body.properties ?? {} }, "\t\t") : "undefined"};`,
		`\t\tanswer: ${answer ? typeOf(answer, "\t\t") : "null"};`,
		"\t};",
	].join("\n");
}

function objectOf(schema, indent) {
	const required = new Set(schema.required ?? []);
	const lines = Object.entries(schema.properties).map(([name, field]) => {
		const known = /^\w+$/.test(name) ? name : JSON.stringify(name);
		return `${indent}\t${known}${required.has(name) ? "" : "?"}: ${typeOf(field, `${indent}\t`)};`;
	});
	return lines.length === 0 ? "Record<string, never>" : `{\n${lines.join("\n")}\n${indent}}`;
}

function typeOf(schema, indent) {
	if (schema === true || Object.keys(schema).length === 0) return "unknown";
	if (schema.$ref) return schema.$ref.split("/").at(-1);
	if (schema.const !== undefined) return JSON.stringify(schema.const);
	if (schema.enum) return schema.enum.map((each) => JSON.stringify(each)).join(" | ");
	const choices = schema.anyOf ?? schema.oneOf;
	if (choices) return [...new Set(choices.map((each) => typeOf(each, indent)))].join(" | ");
	if (schema.allOf?.length === 1) return typeOf(schema.allOf[0], indent);
	switch (schema.type) {
		case "string":
		case "boolean":
		case "null":
			return schema.type;
		case "integer":
		case "number":
			return "number";
		case "array":
			return schema.prefixItems ? tupleOf(schema.prefixItems, indent) : arrayOf(typeOf(schema.items ?? true, indent));
		case "object":
			if (schema.properties) return objectOf(schema, indent);
			return `Record<string, ${typeOf(schema.additionalProperties ?? true, indent)}>`;
		default:
			return "unknown";
	}
}

function arrayOf(item) {
	return /[|\s]/.test(item) ? `(${item})[]` : `${item}[]`;
}

function tupleOf(items, indent) {
	return `[${items.map((each) => typeOf(each, indent)).join(", ")}]`;
}

function oneLine(text) {
	return text.replaceAll("*/", "* /").split(/\s+/).join(" ").trim();
}

if (process.argv[1]?.endsWith("protocol.mjs")) {
	const api = process.argv.includes("-") ? JSON.parse(readFileSync(0, "utf8")) : described();
	writeFileSync(new URL("../src/protocol.ts", import.meta.url), protocolOf(api));
}
