/**
 * The daemon as seen from here: found, followed, lost and found again.
 *
 * One loop per plugin. Views subscribe and never ask on a timer of their own.
 */

import { BridgeClient, DaemonRefused, DaemonUnreachable } from "./client";
import type { OpenStream, Send } from "./client";
import { pauseAfter } from "./core/backoff";
import type { Endpoint } from "./core/runtime-file";
import type { DaemonState } from "./core/state";
import type { Event } from "./protocol";

/** Where to look, and with which token; null while there is no sign of a daemon. */
export interface Found {
	readonly endpoint: Endpoint;
	readonly token: string;
}

export interface Surroundings {
	readonly find: () => Promise<Found | null>;
	readonly send: Send;
	readonly openStream: OpenStream;
	/** Resolves once somebody can see the window. */
	readonly visible: () => Promise<void>;
}

/** Called after every change; `events` are new since the last call, empty when some were lost. */
export type Listener = (state: DaemonState, events: readonly Event[]) => void;

const BETWEEN_LOOKS_MS = 500; // progress of a running job, read often enough to look alive

export class Daemon {
	private listeners = new Set<Listener>();
	private closed = false;
	private client: BridgeClient | null = null;
	private wake: (() => void) | null = null;
	private current: DaemonState = { kind: "searching" };

	constructor(private readonly around: Surroundings) {}

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
		this.closed = true;
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
		await this.around.visible();
		const found = await this.around.find();
		if (found === null) throw new DaemonUnreachable();
		return new BridgeClient(found.endpoint, found.token, this.around.send, this.around.openStream);
	}

	private async follow(client: BridgeClient, answered: () => void): Promise<void> {
		let { cursor } = await client.call("GET /v1/events");
		this.client = client;
		await this.refresh(client, []);
		answered();
		while (!this.closed && this.client === client) {
			await this.around.visible();
			const page = await client.call("GET /v1/events", { query: { since: cursor } });
			cursor = page.cursor;
			if (page.reset || page.events.length > 0) {
				await this.refresh(client, page.events);
				await this.pause(BETWEEN_LOOKS_MS);
			}
		}
	}

	private async refresh(client: BridgeClient, events: readonly Event[]): Promise<void> {
		const [status, jobs] = await Promise.all([client.call("GET /v1/status"), client.call("GET /v1/jobs")]);
		if (this.client === client) this.tell({ kind: "on", status, jobs: jobs.jobs, address: client.address }, events);
	}

	private lose(error: unknown): void {
		this.client = null;
		if (error instanceof DaemonRefused) {
			this.tell({ kind: "refused", reason: error.message, wrongToken: error.status === 401 });
		} else if (error instanceof DaemonUnreachable) {
			this.tell({ kind: "off" });
		} else {
			console.error("vaultd: the answer was not understood", error);
			this.tell({ kind: "refused", reason: "The daemon's answer was not understood.", wrongToken: false });
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
