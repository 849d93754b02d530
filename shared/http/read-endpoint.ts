import type { HttpHandler, MemberCall, Reply } from './call.ts';
import type { Gate } from './gate.ts';
import type { Operation, OperationSpec } from './operation.ts';
import { assemble } from './stack/assemble.ts';
import { gateStage } from './stack/gate-stage.ts';
import { queryStage } from './stack/query-stage.ts';
import { notModifiedStage, tagStage } from './stack/revalidation.ts';

/**
 * The stack of an organization's operation without a body, apart from the others so that its bundle carries no
 * parser: 401, 400 for the path, 403, 429, 400 for the query, then the handler.
 */
export function memberReadEndpoint<S extends OperationSpec & { body: 'none' }>(
  declared: Operation<S>,
  gate: Gate,
  handle: (call: MemberCall<S>) => Promise<Reply<S>>,
): HttpHandler {
  const { revalidates } = declared;
  const admission = [gateStage(declared, gate), queryStage(declared)];
  if (revalidates === undefined) return assemble(declared, handle, admission);
  const stages = [...admission, tagStage(declared, revalidates.apartFrom)];
  return assemble(declared, handle, stages, [notModifiedStage]);
}
