/**
 * The daemon as seen from here: found, followed, lost and found again.
 *
 * One loop per plugin. Views subscribe and never ask on a timer of their own.
 */

import { BridgeClient, DaemonRefused, DaemonUnreachable } from "./client";
import type { OpenStream, Send } from "./client";
import { pauseAfter } from "./core/backoff";
import { protocolProblem } from "./core/compatible";
import type { RuntimeFile } from "./core/runtime-file";
import type { DaemonState } from "./core/state";
import type { Event, Health } from "./protocol";

/** Where to look, with which token, and what a daemon told of itself there. */
export interface Found extends RuntimeFile {
	readonly token: string;
}

/** Remembers the id of this computer; "" before a daemon of this vault ever answered on it. */
export interface Machine {
	readonly recall: () => string;
	readonly keep: (id: string) => void;
}

export interface Surroundings {
	/** Returns null while there is no sign of a daemon. */
	readonly find: () => Promise<Found | null>;
	readonly machine: Machine;
	readonly send: Send;
	readonly openStream: OpenStream;
	/** Resolves once somebody can see the window, or when `end` comes. */
	readonly visible: (end: AbortSignal) => Promise<void>;
}

/** Called after every change; `events` are new since the last call, empty when some were lost. */
export type Listener = (state: DaemonState, events: readonly Event[]) => void;

const OTHER_PROTOCOL = "protocol";
const REST_PER_LOOK = 9; // a large vault takes the daemon a while to list: at most a tenth of its time
const BETWEEN_LOOKS_MS = 500; // progress of a running job, read often enough to look alive

export class Daemon {
	private readonly listeners = new Set<Listener>();
	private readonly end = new AbortController();
	private client: BridgeClient | null = null;
	private machine = ""; // where the daemon that was looked for last says it runs
	private wake: (() => void) | null = null;
	private current: DaemonState = { kind: "searching" };

	constructor(private readonly around: Surroundings) {}

	private get closed(): boolean {
		return this.end.signal.aborted;
	}

	get state(): DaemonState {
		return this.current;
	}

	/**
	 * Return the client of the daemon that answered last.
	 *
	 * @throws DaemonUnreachable when none does.
	 */
	get bridge(): BridgeClient {
		if (this.client === null) throw new DaemonUnreachable();
		return this.client;
	}

	/** Call `listener` now and after every change, until the returned function is called. */
	subscribe(listener: Listener): () => void {
		this.listeners.add(listener);
		listener(this.current, []);
		return () => this.listeners.delete(listener);
	}

	/** Call `seen` now and after every change, until it returns true or the returned function is called. */
	watch(seen: (state: DaemonState) => boolean): () => void {
		const listener = (state: DaemonState): void => {
			if (this.listeners.has(listener) && seen(state)) this.listeners.delete(listener);
		};
		return this.subscribe(listener);
	}

	/** Look for the daemon now instead of at the end of the pause. */
	lookNow(): void {
		this.wake?.();
	}

	/** Forget the present connection, since the address or the token was changed. */
	startOver(): void {
		this.client = null;
		this.tell({ kind: "searching" });
		this.lookNow();
	}

	close(): void {
		this.end.abort();
		this.listeners.clear();
		this.wake?.();
	}

	/** Find and follow the daemon until `close`; an absent daemon is waited for, ever longer. */
	async run(): Promise<void> {
		let failures = 0;
		while (!this.closed) {
			try {
				const client = await this.found();
				await this.follow(client, () => {
					failures = 0;
				});
			} catch (error) {
				this.lose(error);
			}
			failures += 1;
			await this.pause(pauseAfter(failures));
		}
	}

	private async found(): Promise<BridgeClient> {
		await this.around.visible(this.end.signal);
		const found = await this.around.find();
		this.machine = found?.machine ?? "";
		if (found === null) throw new DaemonUnreachable();
		checkProtocol(found.protocol);
		const client = new BridgeClient(found.address, found.token, this.around.send, this.around.openStream);
		const health: Partial<Health> | null = await client.call("GET /health");
		if (health?.name !== "vaultd") throw new DaemonUnreachable(); // another program took the port
		checkProtocol(health.protocol ?? null);
		return client;
	}

	/** Tell whether the runtime file was made on another computer, and came here by a sync tool. */
	private get isElsewhere(): boolean {
		const here = this.around.machine.recall();
		return here !== "" && this.machine !== "" && this.machine !== here;
	}

	private async follow(client: BridgeClient, answered: () => void): Promise<void> {
		let { cursor } = await client.call("GET /v1/events");
		if (this.machine !== "") this.around.machine.keep(this.machine); // the token opened it: it runs here
		this.client = client;
		await this.refresh(client, []);
		answered();
		while (!this.closed && this.client === client) {
			await this.around.visible(this.end.signal);
			const page = await client.call("GET /v1/events", { query: { since: cursor } });
			cursor = page.cursor;
			if (page.reset || page.events.length > 0) {
				const began = Date.now();
				await this.refresh(client, page.events);
				await this.pause(Math.max(BETWEEN_LOOKS_MS, (Date.now() - began) * REST_PER_LOOK));
			}
		}
	}

	private async refresh(client: BridgeClient, events: readonly Event[]): Promise<void> {
		const known = events.length > 0 && events.every((event) => event.kind === "progress") && this.current.kind === "on" ? this.current.status.files : null;
		const query = known === null ? {} : { files: 0 };
		const [status, { jobs }] = await Promise.all([client.call("GET /v1/status", { query }), client.call("GET /v1/jobs")]);
		const whole = known === null ? status : { ...status, files: known };
		if (this.client === client) this.tell({ kind: "on", status: whole, jobs, address: client.address }, events);
	}

	private lose(error: unknown): void {
		this.client = null;
		const wrongToken = error instanceof DaemonRefused && error.status === 401;
		if (error instanceof DaemonUnreachable || (wrongToken && this.isElsewhere)) {
			this.tell({ kind: this.isElsewhere ? "elsewhere" : "off" });
		} else if (error instanceof DaemonRefused) {
			const cause = wrongToken ? "token" : error.code === OTHER_PROTOCOL ? "protocol" : "unknown";
			this.tell({ kind: "refused", reason: error.message, cause });
		} else {
			console.error("vaultd: the answer was not understood", error);
			this.tell({ kind: "refused", reason: "The daemon's answer was not understood.", cause: "unknown" });
		}
	}

	private tell(state: DaemonState, events: readonly Event[] = []): void {
		if (this.closed) return;
		this.current = state;
		for (const listener of [...this.listeners]) listener(state, events);
	}

	private async pause(milliseconds: number): Promise<void> {
		if (this.closed) return;
		await new Promise<void>((resolve) => {
			const timer = window.setTimeout(resolve, milliseconds);
			this.wake = () => {
				window.clearTimeout(timer);
				resolve();
			};
		});
		this.wake = null;
	}
}

function checkProtocol(protocol: number | null): void {
	const problem = protocol === null ? "" : protocolProblem(protocol);
	if (problem !== "") throw new DaemonRefused(problem, 0, OTHER_PROTOCOL);
}
