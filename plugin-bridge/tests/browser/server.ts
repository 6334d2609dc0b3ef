/** Serves a window with the plugin to a browser, and carries its requests to a bridge. */

import { createServer } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import esbuild from "esbuild";
import type { OpenStream } from "../../src/client";
import { openStream } from "../../src/stream";

type Send = (request: never) => Promise<{ status: number; text: string }>;

const HERE = import.meta.dirname;
const PAGE = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Notes</title>
<link rel="stylesheet" href="/obsidian.css"><link rel="stylesheet" href="/styles.css">
<body class="theme-light"><div id="window"><nav id="files" aria-label="Files">
<div class="nav-folder-title" data-path="raw">raw</div><div class="nav-folder-title" data-path="wiki">wiki</div>
<div class="nav-folder-title" data-path="wiki/concepts">&nbsp;&nbsp;concepts</div>
<div class="nav-folder-title" data-path="wiki/sources">&nbsp;&nbsp;sources</div></nav>
<main id="main"><article id="note"><h1>Country loaf</h1>
<p>Mix 500 g of flour, 350 g of water, 100 g of starter and 10 g of salt. Fold every half hour for three hours.</p>
<p>In summer the dough is ready an hour earlier: watch the dough, not the clock.</p></article></main><aside id="right"></aside><div id="status"></div></div><script src="/page.js"></script></body></html>`;

export class WindowServer {
	send: Send | null = null;
	/** Returns a file of the vault, null when there is none. */
	read: (path: string) => string | null = () => null;
	/** Opens streams; the real way, unless a scripted bridge answers. */
	openStream: OpenStream = openStream;
	/** Writes a file of the vault in place, as Obsidian does. */
	write: (path: string, text: string) => void = () => undefined;
	private readonly server: Server = createServer((asked, answer) => void this.answer(asked, answer));
	private script = "";

	async start(): Promise<string> {
		const built = await esbuild.build({
			entryPoints: [join(HERE, "page.ts")],
			bundle: true,
			write: false,
			format: "iife",
			target: "es2022",
			alias: { obsidian: join(HERE, "../obsidian/index.ts") },
			plugins: [{ name: "streams", setup: (build) => build.onResolve({ filter: /^\.\/stream$/ }, () => ({ path: join(HERE, "stream.ts") })) }],
		});
		this.script = built.outputFiles[0]?.text ?? "";
		await new Promise<void>((resolve) => this.server.listen(0, "127.0.0.1", resolve));
		return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/`;
	}

	async stop(): Promise<void> {
		this.server.closeAllConnections();
		await new Promise((resolve) => this.server.close(resolve));
	}

	private async answer(asked: IncomingMessage, answer: ServerResponse): Promise<void> {
		const url = new URL(asked.url ?? "/", "http://here");
		switch (url.pathname) {
			case "/":
				return reply(answer, 200, PAGE, "text/html");
			case "/page.js":
				return reply(answer, 200, this.script, "text/javascript");
			case "/obsidian.css":
				return reply(answer, 200, readFileSync(join(HERE, "obsidian.css"), "utf8"), "text/css");
			case "/styles.css":
				return reply(answer, 200, readFileSync(join(HERE, "../../styles.css"), "utf8"), "text/css");
			case "/file": {
				const text = this.read(url.searchParams.get("path") ?? "");
				return reply(answer, text === null ? 204 : 200, text ?? "");
			}
			case "/write":
				this.write(url.searchParams.get("path") ?? "", await bodyOf(asked));
				return reply(answer, 200, "");
			case "/send":
				return this.carry(await bodyOf(asked), answer);
			case "/stream":
				return carryStream(this.openStream, await bodyOf(asked), answer);
			default:
				return reply(answer, 204, "");
		}
	}

	private async carry(body: string, answer: ServerResponse): Promise<void> {
		try {
			if (this.send === null) throw new Error("nothing listens");
			reply(answer, 200, JSON.stringify(await this.send(JSON.parse(body) as never)));
		} catch {
			reply(answer, 200, "null"); // the page takes it for a refused connection
		}
	}
}

async function carryStream(open: OpenStream, body: string, answer: ServerResponse): Promise<void> {
	const stop = new AbortController();
	answer.on("close", () => stop.abort());
	const { url, headers, body: sent } = JSON.parse(body) as { url: string; headers: Record<string, string>; body: string };
	const opened = await open({ url, headers, body: sent, signal: stop.signal });
	answer.writeHead(200, { "x-status": String(opened.status) });
	try {
		for await (const piece of opened.pieces) answer.write(piece);
	} catch (error) {
		if (!stop.signal.aborted) throw error;
	}
	answer.end();
}

function reply(answer: ServerResponse, status: number, text: string, type = "text/plain"): void {
	answer.writeHead(status, { "content-type": `${type}; charset=utf-8` }).end(text);
}

async function bodyOf(asked: IncomingMessage): Promise<string> {
	let text = "";
	for await (const piece of asked) text += String(piece);
	return text;
}
