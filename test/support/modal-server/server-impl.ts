/** What an implementation of a service is, without the thousand types of the real ones. */

import type { CallContext, CompatServiceDefinition } from "nice-grpc";

/** A method: one answer, or a stream of them. */
// biome-ignore lint/suspicious/noExplicitAny: the messages of a method are known to whoever writes it
export type Method = (request: any, context: CallContext) => unknown;

/** A service with the methods that the library calls. */
export interface ServerImpl {
	readonly definition: CompatServiceDefinition;
	readonly methods: Readonly<Record<string, Method>>;
}
