import { LEAD_BYTES_MAX, LEAD_STEPS_MAX, type LeadKey } from '../lead.ts';
import type { LeadChange } from '../ports.ts';
import { type AttributeChanges, addedBytesMax, toAttributeChanges } from './lead-item.ts';
import { assertExpressionSize, createExpressionAliases, type ExpressionAliases } from './update-expression.ts';

/**
 * The exact size of a lead after the merge of a submit. It is valid only while the lead has `submitsBefore` submits.
 */
export type ExactLeadSize = { submitsBefore: number; bytes: number; steps: number };

/**
 * Builds the update of a submit with its condition.
 *
 * @param exactSize replaces the stored upper bounds of the lead's size. With this parameter, the update requires that
 *   no other submit was merged since the exact size was measured.
 */
export function buildLeadUpdate(key: LeadKey, change: LeadChange, exactSize?: ExactLeadSize) {
  const aliases = createExpressionAliases();
  const attributes = toAttributeChanges(key, change);
  const sizeCondition =
    exactSize === undefined
      ? boundsCondition(aliases, change.stepId, addedBytesMax(attributes))
      : unchangedCondition(aliases, exactSize);
  const counted = addCounters(attributes, change.stepId, exactSize);
  return {
    UpdateExpression: assertExpressionSize(updateExpression(aliases, counted)),
    ConditionExpression: assertExpressionSize(`${tokenCondition(aliases, change)} AND ${sizeCondition}`),
    ExpressionAttributeNames: aliases.names(),
    ExpressionAttributeValues: aliases.values(),
  };
}

/**
 * Returns the condition that corresponds to `isTokenValid`. It also fails for a lead that does not exist. It contains
 * no `OR` and no brackets, because these are slow in the local stand-in.
 */
const tokenCondition = ({ name, value }: ExpressionAliases, { tokenHash, atMs }: LeadChange): string =>
  `${name('tokenHash')} = ${value(tokenHash)} AND ${name('tokenExpiresAt')} > ${value(atMs)}`;

/** Returns the condition that the stored upper bounds stay within the limits of a lead. */
function boundsCondition({ name, value }: ExpressionAliases, stepId: string | undefined, addedBytes: number): string {
  const fits = `${name('bytesBound')} <= ${value(LEAD_BYTES_MAX - addedBytes)}`;
  return stepId === undefined ? fits : `${fits} AND ${name('stepsBound')} < ${value(LEAD_STEPS_MAX)}`;
}

/** Returns the condition that no other submit was merged since the exact size was measured. */
const unchangedCondition = ({ name, value }: ExpressionAliases, { submitsBefore: submits }: ExactLeadSize): string =>
  `${name('submits')} = ${value(submits)}`;

/** Increments the number of submits, and increases the two upper bounds or replaces them by the exact size. */
function addCounters(
  attributes: AttributeChanges,
  stepId: string | undefined,
  exactSize: ExactLeadSize | undefined,
): AttributeChanges {
  const set = new Map(attributes.set);
  const add = new Map(attributes.add).set('submits', 1);
  if (exactSize === undefined) {
    add.set('bytesBound', addedBytesMax(attributes));
    if (stepId !== undefined) add.set('stepsBound', 1);
  } else {
    set.set('bytesBound', exactSize.bytes).set('stepsBound', exactSize.steps);
  }
  return { ...attributes, set, add };
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
