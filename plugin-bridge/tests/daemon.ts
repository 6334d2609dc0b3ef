/** A real daemon on a temporary copy of the sample vault, listening on any free port. */

import { execFileSync, spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pythonOf } from "../scripts/python.mjs";

const SAMPLE = join(import.meta.dirname, "../../sample-vault");
const PATIENCE_MS = 90_000;

export class RealDaemon {
	readonly vault: string;
	private process: ChildProcess | null = null;
	private said = "";

	constructor(private readonly settings: Record<string, string> = {}) {
		this.vault = mkdtempSync(join(tmpdir(), "vaultd-plugin-"));
		cpSync(SAMPLE, this.vault, { recursive: true });
		execFileSync(pythonOf(), ["-m", "vaultd", "init", "--vault", this.vault], { env: this.environment() });
	}

	/** Start it, with `settings` for this time, and wait until it says where it listens. */
	async start(settings: Record<string, string> = {}): Promise<void> {
		const env = { ...this.environment(), ...settings };
		this.process = spawn(pythonOf(), ["-m", "vaultd", "run", "--vault", this.vault], { env });
		this.process.stderr?.on("data", (piece: Buffer) => (this.said += piece.toString()));
		this.process.stdout?.on("data", (piece: Buffer) => (this.said += piece.toString()));
		await until(() => this.process?.exitCode !== null || this.isListening, "the daemon to listen");
		if (this.process.exitCode !== null) throw new Error(`The daemon ended: ${this.said}`);
	}

	/** Stop it as a person or the system does, and wait for its end. */
	async stop(): Promise<void> {
		const running = this.process;
		if (running === null || running.exitCode !== null) return;
		const ended = new Promise((resolve) => running.once("exit", resolve));
		running.kill("SIGTERM");
		await ended;
		this.process = null;
	}

	/** Processor time that it and its children have used, in milliseconds; for Linux. */
	get processorTime(): number {
		return this.process?.pid === undefined ? 0 : ticksOf(this.process.pid) * 10;
	}

	async remove(): Promise<void> {
		await this.stop();
		rmSync(this.vault, { recursive: true, force: true });
	}

	get isListening(): boolean {
		return existsSync(this.state("bridge.json"));
	}

	get address(): string {
		const { port } = JSON.parse(readFileSync(this.state("bridge.json"), "utf8")) as { port: number };
		return `http://127.0.0.1:${port}`;
	}

	get token(): string {
		return readFileSync(this.state("token"), "utf8").trim();
	}

	private state(name: string): string {
		return join(this.vault, ".llm-wiki", name);
	}

	private environment(): NodeJS.ProcessEnv {
		const kept = Object.entries(process.env).filter(([name]) => !name.startsWith("VAULTD_"));
		return {
			...Object.fromEntries(kept),
			VAULTD_BRIDGE__PORT: "0",
			VAULTD_INGEST__SETTLE_SECONDS: "0.05",
			VAULTD_WATCH__RESCAN_SECONDS: "1",
			...this.settings,
		};
	}
}

function ticksOf(pid: number): number {
	const numbers = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ").map(Number) ?? [];
	const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean);
	return (numbers[11] ?? 0) + (numbers[12] ?? 0) + children.reduce((sum, child) => sum + ticksOf(Number(child)), 0);
}

/** Wait until `holds` does, or fail naming what was waited for. */
export async function until(holds: () => unknown, what: string, patience = PATIENCE_MS): Promise<void> {
	const end = Date.now() + patience;
	while (!(await holds())) {
		if (Date.now() > end) throw new Error(`Waited in vain for ${what}.`);
		await pause(20);
	}
}

export async function pause(milliseconds: number): Promise<void> {
	await new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/** Send a request as Obsidian's `requestUrl` does: from outside any page, so without an origin. */
export async function sendFromOutside(request: {
	url: string;
	method?: string;
	contentType?: string;
	body?: string | ArrayBuffer;
	headers?: Record<string, string>;
}): Promise<{ status: number; text: string }> {
	const headers = { ...request.headers, ...(request.contentType ? { "content-type": request.contentType } : {}) };
	const answer = await nodeFetch(request.url, { method: request.method ?? "GET", headers, ...(request.body === undefined ? {} : { body: request.body }) });
	return { status: answer.status, text: await answer.text() };
}

const nodeFetch = globalThis.fetch;
