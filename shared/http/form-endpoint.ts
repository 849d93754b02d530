import type * as z from 'zod/mini';
import type { AddressGate } from './address-gate.ts';
import type { Call, HttpHandler, Reply } from './call.ts';
import type { Operation, OperationSpec } from './operation.ts';
import { addressStage } from './stack/address-stage.ts';
import { assemble } from './stack/assemble.ts';
import { formLimitStage, formStage } from './stack/form-stage.ts';
import { pathStage } from './stack/parse-stage.ts';

type WithForm = OperationSpec & {
  body: 'multipart';
  request: { form: z.ZodMiniObject; body: z.ZodMiniType };
  limits: { formBytesMax: number; fileBytesMax: number };
};

/** A call whose body came as a form or as its JSON variant. */
export type FormCall<S extends WithForm> = Omit<Call<S>, 'body'> & {
  body: { form: z.output<S['request']['form']> } | { json: z.output<S['request']['body']> };
};

/**
 * The stack of a public operation that takes a form and counts its calls by address: 413, 429, then 415 and 400. Apart
 * from the others, so that only its bundle carries the parser.
 */
export function formEndpoint<S extends WithForm>(
  declared: Operation<S>,
  gate: AddressGate,
  handle: (call: FormCall<S>) => Promise<Reply<S>>,
): HttpHandler {
  const { body: _parsedByItsStage, ...request } = declared.request;
  return assemble({ ...declared, request }, handle, [
    formLimitStage(declared),
    addressStage(declared, gate),
    pathStage(declared),
    formStage(declared),
  ]);
}
