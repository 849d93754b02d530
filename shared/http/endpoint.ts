import type { AddressGate } from './address-gate.ts';
import type { Call, HttpHandler, MemberCall, Reply } from './call.ts';
import type { Gate } from './gate.ts';
import type { Operation, OperationSpec } from './operation.ts';
import { addressStage } from './stack/address-stage.ts';
import { assemble } from './stack/assemble.ts';
import { bodyLimitStage, bodyStage } from './stack/body-stage.ts';
import { gateStage } from './stack/gate-stage.ts';
import { pathStage } from './stack/parse-stage.ts';

type WithBody = OperationSpec & { body: 'json' | 'json-beacon' };

/**
 * The stack of a public operation, in the order of decisions 2: 413, then 415 and 400, then what the handler finds.
 * The handler returns the reply's body or throws a `Problem`; its status comes from the declaration.
 */
export function publicEndpoint<S extends WithBody>(
  declared: Operation<S>,
  handle: (call: Call<S>) => Promise<Reply<S>>,
): HttpHandler {
  return assemble(declared, handle, [bodyLimitStage, ...parsing(declared)]);
}

/** The same for an operation that counts its calls by address: 429 comes right after 413. */
export function limitedEndpoint<S extends WithBody>(
  declared: Operation<S>,
  gate: AddressGate,
  handle: (call: Call<S>) => Promise<Reply<S>>,
): HttpHandler {
  return assemble(declared, handle, limitedAdmission(declared, gate));
}

/** What admits a request that is counted by address. */
export const limitedAdmission = (declared: Operation<WithBody>, gate: AddressGate) => [
  bodyLimitStage,
  addressStage(declared, gate),
  ...parsing(declared),
];

const parsing = (declared: Operation<WithBody>) => [
  pathStage(declared),
  bodyStage(declared.body, 'removed', declared.sideMatters),
];

/** The stack of an organization's write: 413, 401, 400 for the path, 403, 429, then 415 and 400, then the handler. */
export function memberEndpoint<S extends WithBody>(
  declared: Operation<S>,
  gate: Gate,
  handle: (call: MemberCall<S>) => Promise<Reply<S>>,
): HttpHandler {
  return assemble(declared, handle, [bodyLimitStage, gateStage(declared, gate), bodyStage(declared.body, 'refused')]);
}
