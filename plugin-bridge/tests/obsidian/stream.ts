/** Streams in jsdom: the tests put what carries them beside what carries requests. */

import type { OpenStream } from "../../src/client";
import { network } from "./index";

export const openStream: OpenStream = async (asked) => network.openStream(asked);
