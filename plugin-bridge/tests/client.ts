import { beforeAll, expect, it } from "vitest";
import { BridgeClient, DaemonRefused, DaemonUnreachable } from "../src/client";
import { openStream } from "../src/stream";
import type { RealDaemon } from "./daemon";
import { sendFromOutside } from "./daemon";

const KOJI = "raw/Koji for beginners.md";

/** What the client and a running daemon do with each other. */
export function clientBehaves(real: RealDaemon): void {
	let client: BridgeClient;

	const clientWith = (token: string): BridgeClient => new BridgeClient(real.address, token, sendFromOutside, openStream);

	beforeAll(() => {
		client = clientWith(real.token);
	});

	it("speak the same protocol", async () => {
		expect(await client.call("GET /health")).toMatchObject({ name: "vaultd", protocol: 1 });
	});

	it("know the pages of every document", async () => {
		const { files } = await client.call("GET /v1/status");

		expect(files.find((file) => file.path === KOJI)?.pages).toContain("wiki/sources/Koji for beginners.md");
	});

	it("find what is meant, with filters", async () => {
		const answer = await client.call("POST /v1/search", { body: { query: "koji", k: 5, under: "wiki" } });

		expect(answer.results.length).toBeGreaterThan(0);
		expect(answer.results.every((hit) => hit.path.startsWith("wiki/"))).toBe(true);
	});

	it("tell what is near", async () => {
		const { results } = await client.call("POST /v1/related", { body: { path: KOJI, k: 3 } });

		expect(results.length).toBeGreaterThan(0);
	});

	it("refuse with a sentence for the person", async () => {
		const refused = client.call("POST /v1/ingest", { body: { path: "raw/no such file.pdf" } });

		await expect(refused).rejects.toThrow(DaemonRefused);
		await expect(refused).rejects.toMatchObject({ status: 404 });
	});

	it("let nobody in without the token", async () => {
		await expect(clientWith("wrong").call("GET /v1/status")).rejects.toMatchObject({ status: 401, code: "token" });
	});

	it("take what nobody answers for a daemon that does not run", async () => {
		const nobody = new BridgeClient("http://127.0.0.1:9", "", sendFromOutside, openStream);

		await expect(nobody.call("GET /health")).rejects.toThrow(DaemonUnreachable);
	});

	it("describe a folder anew, as a stream", async () => {
		const seen = [];
		const stream = client.follow("POST /v1/folders/refresh", { body: { path: "wiki" } }, new AbortController().signal);
		for await (const event of stream) seen.push(event);

		expect(seen.at(-1)).toMatchObject({ state: "done" });
		expect((await client.call("GET /v1/folders", { query: { path: "wiki" } })).abstract).not.toBe("");
	});

	it("keep the order of a stopped stream: it ends, nothing is thrown at anybody", async () => {
		const stop = new AbortController();
		const stream = client.follow("POST /v1/folders/refresh", { body: { path: "wiki" } }, stop.signal);
		stop.abort();

		await expect(stream.next()).rejects.toThrow(DaemonUnreachable);
	});
}
