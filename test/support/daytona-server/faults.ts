/** What can be made to go wrong at the far side, while it runs. */

/** The switches. All are off at first. */
export interface Faults {
	/** Every answer comes so much later. */
	latencyMs: number;
	/** So many of the next requests for a new sandbox are refused for now. */
	throttled: number;
	/** What such a refusal asks us to wait for. */
	retryAfterSeconds: number;
	/** So many of the next requests are answered with an error of the service, before anything is done. */
	failing: number;
	/** The next sandbox is created, but nobody is told. */
	isCreationLost: boolean;
	/** The next connections to terminals are cut without a word after so many bytes, one after the other. */
	cutAfterBytes: number[];
	/** So many of the next terminals lose what is typed into them. */
	deafTerminals: number;
	/** Terminals refuse connections. */
	isUnreachable: boolean;
	/** Nothing is accepted from the holder of the key. */
	isRevoked: boolean;
	/** Why no stopped sandbox can be started. */
	startFailure: string | undefined;
	/** A sandbox comes up without the files that it had. */
	losesFiles: boolean;
	/** The clock of the service is wrong by so much. */
	clockSkewMs: number;
	/** A sandbox takes so long to come up, or to stop. */
	changeMs: number;
}

/** Nothing goes wrong. */
export function noFaults(): Faults {
	return {
		latencyMs: 0,
		throttled: 0,
		retryAfterSeconds: 0,
		failing: 0,
		isCreationLost: false,
		cutAfterBytes: [],
		deafTerminals: 0,
		isUnreachable: false,
		isRevoked: false,
		startFailure: undefined,
		losesFiles: false,
		clockSkewMs: 0,
		changeMs: 20,
	};
}
