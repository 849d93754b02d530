import { LEAD_BYTES_MAX, LEAD_STEPS_MAX } from '../lead.ts';
import type { LeadChange } from '../ports.ts';
import { type AttributeChanges, addedBytesMax, toAttributeChanges } from './lead-item.ts';
import { assertExpressionSize, createExpressionAliases, type ExpressionAliases } from './update-expression.ts';

/** The exact size of a lead after the submit is merged, valid while the lead still has this number of submits. */
export type ExactLeadSize = { submits: number; bytes: number; steps: number };

/**
 * Builds the update of a submit with its condition.
 *
 * @param exactSize replaces the upper bounds after the lead was read, on the condition that no other submit was merged
 *   in the meantime
 */
export function buildLeadUpdate(write: LeadChange, exactSize?: ExactLeadSize) {
  const aliases = createExpressionAliases();
  const change = toAttributeChanges(write);
  const condition =
    exactSize === undefined ? boundsCondition(aliases, write, change) : unchangedCondition(aliases, exactSize);
  updateBounds(change, write, exactSize);
  return {
    UpdateExpression: assertExpressionSize(updateExpression(aliases, change)),
    ConditionExpression: assertExpressionSize(`${tokenCondition(aliases, write)} AND ${condition}`),
    ExpressionAttributeNames: aliases.names(),
    ExpressionAttributeValues: aliases.values(),
  };
}

/** Also false for a lead that does not exist. Avoids `OR` and brackets, which are slow in the local stand-in. */
const tokenCondition = ({ name, value }: ExpressionAliases, { tokenHash, atMs }: LeadChange): string =>
  `${name('tokenHash')} = ${value(tokenHash)} AND ${name('tokenExpiresAt')} > ${value(atMs)}`;

function boundsCondition({ name, value }: ExpressionAliases, { stepId }: LeadChange, change: AttributeChanges): string {
  const fits = `${name('bytesBound')} <= ${value(LEAD_BYTES_MAX - addedBytesMax(change))}`;
  return stepId === undefined ? fits : `${fits} AND ${name('stepsBound')} < ${value(LEAD_STEPS_MAX)}`;
}

const unchangedCondition = ({ name, value }: ExpressionAliases, { submits }: ExactLeadSize): string =>
  `${name('submits')} = ${value(submits)}`;

function updateBounds(change: AttributeChanges, { stepId }: LeadChange, exactSize: ExactLeadSize | undefined): void {
  const addedBytes = addedBytesMax(change);
  change.add.set('submits', 1);
  if (exactSize !== undefined) {
    change.set.set('bytesBound', exactSize.bytes).set('stepsBound', exactSize.steps);
    return;
  }
  change.add.set('bytesBound', addedBytes);
  if (stepId !== undefined) change.add.set('stepsBound', 1);
}

function updateExpression({ name, value }: ExpressionAliases, { set, initial, add, remove }: AttributeChanges): string {
  const sets = [
    ...Array.from(set, ([attribute, to]) => `${name(attribute)}=${value(to)}`),
    ...Array.from(initial, ([attribute, to]) => `${name(attribute)}=if_not_exists(${name(attribute)},${value(to)})`),
  ];
  const adds = Array.from(add, ([attribute, by]) => `${name(attribute)} ${value(by)}`);
  const removes = remove.map(name);
  return `SET ${sets.join(',')} ADD ${adds.join(',')}${removes.length > 0 ? ` REMOVE ${removes.join(',')}` : ''}`;
}
