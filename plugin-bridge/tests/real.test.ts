// @vitest-environment node
import { afterAll, beforeAll, describe } from "vitest";
import { BridgeClient } from "../src/client";
import { openStream } from "../src/stream";
import { windowBehaves } from "./browser/window";
import { clientBehaves } from "./client";
import { RealDaemon, sendFromOutside, until } from "./daemon";

Object.assign(globalThis, { window: globalThis }); // the client takes its timers from the window

describe("beside a running daemon", () => {
	const real = new RealDaemon();

	beforeAll(async () => {
		await real.start();
		const client = new BridgeClient(real.address, real.token, sendFromOutside, openStream);
		const settled = async (): Promise<boolean> => {
			const [{ files }, { jobs }] = await Promise.all([client.call("GET /v1/status"), client.call("GET /v1/jobs")]);
			return files.length === 3 && jobs.length === 0 && files.every((file) => file.state === "done");
		};
		await until(settled, "the sample documents to be done", 100_000);
	}, 120_000);

	afterAll(async () => real.remove());

	describe("the client", () => clientBehaves(real));
	describe("the window", () => windowBehaves(real));
});
