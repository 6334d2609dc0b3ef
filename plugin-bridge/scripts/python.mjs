// Finds the Python that has this checkout's vaultd installed.
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";

const CHECKOUT = resolve(import.meta.dirname, "../..");

/** Return the interpreter of the checkout's environment, the one that scripts/environment.sh makes. */
export function pythonOf() {
	const environment = resolve(CHECKOUT, process.env.VAULTD_VENV ?? ".venv");
	const places = [join(environment, "bin", "python"), join(environment, "Scripts", "python.exe")];
	const found = places.find((place) => existsSync(place));
	if (found === undefined) throw new Error(`There is no Python in ${environment}: run scripts/test once.`);
	return found;
}
