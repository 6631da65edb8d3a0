/** Labels that say whose a container is. */

import { expect, test } from "bun:test";
import { isProcessGone, processLabel, throwawayLabels } from "../../../lib/environments/docker/container/labels.ts";

test("isProcessGone() is not deceived by another process that has the number now", () => {
	const label = throwawayLabels(true)[processLabel] ?? "";
	const [space, pid] = label.split("-");
	expect(isProcessGone(label)).toBe(false);
	// Labels of an older hermes have no start; of another machine nothing is known.
	expect(isProcessGone(`${space}-${pid}`)).toBe(false);
	expect(isProcessGone(`other-${pid}-0`)).toBe(false);
	// Without /proc the start is not known either.
	expect(isProcessGone(`${space}-${pid}-0`)).toBe(label.split("-").length === 3);
});
