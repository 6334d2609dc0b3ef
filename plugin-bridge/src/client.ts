/** Talks to vaultd on this machine. Knows HTTP, not views. */

import type { RequestUrlParam } from "obsidian";
import { EventReader } from "./core/server-events";
import type { Operation, Operations } from "./protocol";

/** Obsidian's `requestUrl`, or something of the same shape. */
export type Send = (request: RequestUrlParam) => Promise<{ status: number; text: string }>;

export interface StreamRequest {
	readonly url: string;
	readonly headers: Record<string, string>;
	readonly body: string;
	readonly signal: AbortSignal;
}

/** The answer of a stream: its status, then its text in pieces as they come. */
export interface StreamAnswer {
	readonly status: number;
	readonly pieces: AsyncIterable<string>;
}

export type OpenStream = (request: StreamRequest) => Promise<StreamAnswer>;

/** The daemon does not answer: a normal state, shown and never shouted. */
export class DaemonUnreachable extends Error {
	constructor(message = "The daemon is not running.", options?: ErrorOptions) {
		super(message, options);
		this.name = "DaemonUnreachable";
	}
}

/** The daemon answered that it will not; the message is its own and for the person. */
export class DaemonRefused extends Error {
	constructor(
		message: string,
		readonly status: number,
		readonly code: string,
	) {
		super(message);
		this.name = "DaemonRefused";
	}
}

export const ANSWER_MS = 40_000; // the bridge holds a call for events, or for a job's end, for up to 30 s

type Query<O extends Operation> = Operations[O]["query"];
type Body<O extends Operation> = Operations[O]["body"];
type Path<O extends Operation> = Operations[O]["path"];
type Answer<O extends Operation> = Operations[O]["answer"];

export interface CallParts<O extends Operation> {
	readonly path?: Path<O>;
	readonly query?: Query<O>;
	readonly body?: Body<O>;
}

export class BridgeClient {
	constructor(
		readonly address: string,
		private readonly token: string,
		private readonly send: Send,
		private readonly openStream: OpenStream,
	) {}

	/**
	 * Call one route, named as in the bridge's description, such as "GET /v1/status".
	 *
	 * "GET /health" is asked without the token: it tells whether a daemon listens there at all.
	 *
	 * @throws DaemonUnreachable when nothing answers in time.
	 * @throws DaemonRefused when the answer is a problem.
	 */
	async call<O extends Operation>(operation: O, parts: CallParts<O> = {}): Promise<Answer<O>> {
		const [method = "GET", route = ""] = operation.split(" ");
		const request: RequestUrlParam = {
			url: this.address + placeOf(route, parts.path, parts.query),
			method,
			headers: operation === "GET /health" ? {} : { authorization: `Bearer ${this.token}` },
			throw: false,
		};
		if (method === "POST") {
			request.contentType = "application/json";
			request.body = JSON.stringify(parts.body ?? {});
		}
		const answer = await inTime(this.send(request), ANSWER_MS);
		if (answer.status >= 400) throw refusalOf(answer.status, answer.text);
		return (answer.text === "" ? null : JSON.parse(answer.text)) as Answer<O>;
	}

	/**
	 * Call a route that answers with a stream, and yield each of its values.
	 *
	 * @throws DaemonUnreachable when nothing answers, or the stream breaks off.
	 * @throws DaemonRefused when the answer is a problem, at its start or on the way.
	 */
	async *follow<O extends Operation>(operation: O, parts: CallParts<O>, signal: AbortSignal): AsyncGenerator<Answer<O>> {
		const route = operation.split(" ")[1] ?? "";
		const answer = await this.openStream({
			url: this.address + placeOf(route, parts.path, parts.query),
			headers: { authorization: `Bearer ${this.token}`, "content-type": "application/json" },
			body: JSON.stringify(parts.body ?? {}),
			signal,
		}).catch((cause: unknown) => {
			throw new DaemonUnreachable(undefined, { cause });
		});
		if (answer.status >= 400) throw refusalOf(answer.status, await allOf(answer.pieces));
		const reader = new EventReader();
		for await (const piece of whole(answer.pieces)) {
			for (const event of reader.read(piece)) {
				if (event.name === "problem") throw refusalOf(0, event.data);
				yield JSON.parse(event.data) as Answer<O>;
			}
		}
	}
}

function placeOf(route: string, path?: unknown, query?: unknown): string {
	const names = (path ?? {}) as Record<string, string | number>;
	const place = route.replace(/\{(\w+)\}/gu, (_match, name: string) => encodeURIComponent(String(names[name] ?? "")));
	const asked = new URLSearchParams();
	for (const [name, value] of Object.entries((query ?? {}) as Record<string, unknown>)) {
		if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") {
			asked.set(name, String(value));
		}
	}
	return asked.size > 0 ? `${place}?${asked.toString()}` : place;
}

async function inTime<T>(work: Promise<T>, limit: number): Promise<T> {
	let timer = 0;
	const late = new Promise<never>((_resolve, reject) => {
		timer = window.setTimeout(() => reject(new Error(`no answer in ${limit / 1000} s`)), limit);
	});
	try {
		return await Promise.race([work, late]);
	} catch (cause) {
		throw new DaemonUnreachable(undefined, { cause });
	} finally {
		window.clearTimeout(timer);
	}
}

function refusalOf(status: number, text: string): DaemonRefused {
	let said: unknown = null;
	try {
		said = JSON.parse(text);
	} catch {
		// Something else listens there, or the answer was cut: the status is all there is.
	}
	const { detail, code } = (typeof said === "object" && said !== null ? said : {}) as Record<string, unknown>;
	return new DaemonRefused(
		typeof detail === "string" ? detail : `The daemon refused this (${status}).`,
		status,
		typeof code === "string" ? code : "",
	);
}

/** Pass the pieces on; a connection that breaks means that the daemon went away. */
async function* whole(pieces: AsyncIterable<string>): AsyncGenerator<string> {
	try {
		yield* pieces;
	} catch (cause) {
		throw new DaemonUnreachable(undefined, { cause });
	}
}

async function allOf(pieces: AsyncIterable<string>): Promise<string> {
	let text = "";
	for await (const piece of pieces) text += piece;
	return text;
}
