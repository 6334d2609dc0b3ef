// @vitest-environment node
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BridgeClient } from "../src/client";
import { Daemon } from "../src/daemon";
import type { DaemonState } from "../src/core/state";
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

describe("a daemon that comes and goes", () => {
	const rounds = process.env.VAULTD_FULL === "1" ? 20 : 2; // a real start takes seconds on a busy machine

	it(`is found again ${rounds} times without an error`, async () => {
		const real = new RealDaemon({ VAULTD_EMBEDDING__PROVIDER: "none" });
		const errors: unknown[] = [];
		const note = (error: unknown): void => void errors.push(error);
		process.on("unhandledRejection", note);
		const states: DaemonState["kind"][] = [];
		const daemon = new Daemon({
			find: async () => (real.isListening ? { address: real.address, protocol: 1, machine: "here", token: real.token } : null),
			machine: { recall: () => "here", keep: () => undefined },
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
		expect(states.filter((kind) => kind === "on").length).toBeGreaterThanOrEqual(rounds);
	}, 900_000);
});
