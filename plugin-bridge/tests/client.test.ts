import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BridgeClient, DaemonRefused, DaemonUnreachable } from "../src/client";
import { Daemon } from "../src/daemon";
import type { DaemonState } from "../src/core/state";
import { openStream } from "../src/stream";
import { RealDaemon, sendFromOutside, until } from "./daemon";
import { Notice } from "./obsidian";

const KOJI = "raw/Koji for beginners.md";

describe("the client and the real daemon", () => {
	const real = new RealDaemon();
	let client: BridgeClient;

	const clientWith = (token: string): BridgeClient => new BridgeClient({ address: real.address, folder: "" }, token, sendFromOutside, openStream);

	beforeAll(async () => {
		await real.start();
		client = clientWith(real.token);
		await until(async () => {
			const status = await client.call("GET /v1/status");
			return status.files.length > 3 && status.files.every((file) => file.state === "done");
		}, "the sample documents to be done");
	});

	afterAll(async () => real.remove());

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
		const nobody = new BridgeClient({ address: "http://127.0.0.1:9", folder: "" }, "", sendFromOutside, openStream);

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
});

describe("a daemon that comes and goes", () => {
	const rounds = process.env.VAULTD_FULL === "1" ? 20 : 2; // a real start takes seconds on a busy machine

	it(`is found again ${rounds} times, without an error and with at most one notice`, async () => {
		const real = new RealDaemon({ VAULTD_EMBEDDING__PROVIDER: "none" });
		const errors: unknown[] = [];
		const note = (error: unknown): void => void errors.push(error);
		process.on("unhandledRejection", note);
		const notices = Notice.shown.length;
		const states: DaemonState["kind"][] = [];
		const daemon = new Daemon({
			find: async () => (real.isListening ? { endpoint: { address: real.address, folder: "" }, token: real.token } : null),
			send: sendFromOutside,
			openStream,
			visible: async () => undefined,
		});
		daemon.subscribe((state) => states.push(state.kind));
		const following = daemon.run();
		try {
			for (let round = 0; round < rounds; round += 1) {
				await real.start();
				daemon.lookNow();
				await until(() => daemon.state.kind === "on" || void daemon.lookNow(), "the daemon to be found");
				await real.stop();
				await until(() => daemon.state.kind !== "on", "its end to be seen");
			}
		} finally {
			daemon.close();
			await following;
			process.off("unhandledRejection", note);
			await real.remove();
		}

		expect(errors).toEqual([]);
		expect(Notice.shown.length - notices).toBeLessThanOrEqual(1);
		expect(states.filter((kind) => kind === "on").length).toBeGreaterThanOrEqual(rounds);
	}, 300_000);
});
