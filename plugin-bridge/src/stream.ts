/**
 * Opens an answer that arrives in pieces.
 *
 * `requestUrl` gives an answer only when it is whole. Node's own client is there on the
 * desktop, the only place this plugin runs, and stays on the loopback address.
 */

import { request } from "node:http";
import type { OpenStream, StreamAnswer, StreamRequest } from "./client";

export const openStream: OpenStream = async (asked: StreamRequest): Promise<StreamAnswer> => {
	return new Promise((resolve, reject) => {
		const call = request(
			asked.url,
			{ method: "POST", headers: asked.headers, signal: asked.signal },
			(answer) => {
				answer.setEncoding("utf8"); // keeps a character whole that two pieces share
				resolve({ status: answer.statusCode ?? 0, pieces: answer as AsyncIterable<string> });
			},
		);
		call.on("error", reject);
		call.end(asked.body);
	});
};
