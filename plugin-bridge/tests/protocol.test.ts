// @vitest-environment node
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { described, protocolOf } from "../scripts/protocol.mjs";

it("the types are those of the daemon beside them: else `npm run protocol`", () => {
	const kept = readFileSync(new URL("../src/protocol.ts", import.meta.url), "utf8");

	expect(kept).toBe(protocolOf(described()));
});
