import { LEAD_BYTES_MAX, LEAD_STEPS_MAX, type LeadSubmit } from './lead.ts';
import { assertFits, expressionAliases } from './lead-expression.ts';
import { bytesAdded, changeOf, type ItemChange } from './lead-item.ts';

type Aliases = ReturnType<typeof expressionAliases>;

/** The exact sizes of a lead once the submit is merged, and the count of submits for which they hold. */
export type Measured = { submits: number; bytes: number; steps: number };

/**
 * The update of a submit and the condition under which it may happen.
 *
 * @param measured given after the lead was read: replaces the bounds by the exact sizes, as long as no other submit
 *   came between
 */
export function leadUpdate(submit: LeadSubmit, measured?: Measured) {
  const aliases = expressionAliases();
  const change = changeOf(submit);
  const condition = measured === undefined ? withinBounds(aliases, submit, change) : unchanged(aliases, measured);
  keepBounds(change, submit, measured);
  return {
    UpdateExpression: assertFits(updateOf(aliases, change)),
    ConditionExpression: assertFits(`${admits(aliases, submit)} AND ${condition}`),
    ExpressionAttributeNames: aliases.names(),
    ExpressionAttributeValues: aliases.values(),
  };
}

/** A lead that does not exist has no token. Without `OR` and brackets, which cost the stand-in more than the write. */
const admits = ({ name, value }: Aliases, { tokenHash, atMs }: LeadSubmit): string =>
  `${name('tokenHash')} = ${value(tokenHash)} AND ${name('tokenExpiresAt')} > ${value(atMs)}`;

function withinBounds({ name, value }: Aliases, submit: LeadSubmit, change: ItemChange): string {
  const room = `${name('bytesBound')} <= ${value(LEAD_BYTES_MAX - bytesAdded(change))}`;
  return submit.stepId === undefined ? room : `${room} AND ${name('stepsBound')} < ${value(LEAD_STEPS_MAX)}`;
}

const unchanged = ({ name, value }: Aliases, { submits }: Measured): string => `${name('submits')} = ${value(submits)}`;

function keepBounds(change: ItemChange, { stepId }: LeadSubmit, measured: Measured | undefined): void {
  const added = bytesAdded(change);
  change.add.set('submits', 1);
  if (measured !== undefined) {
    change.set.set('bytesBound', measured.bytes).set('stepsBound', measured.steps);
    return;
  }
  change.add.set('bytesBound', added);
  if (stepId !== undefined) change.add.set('stepsBound', 1);
}

function updateOf({ name, value }: Aliases, { set, initial, add, remove }: ItemChange): string {
  const sets = [
    ...Array.from(set, ([attribute, to]) => `${name(attribute)}=${value(to)}`),
    ...Array.from(initial, ([attribute, to]) => `${name(attribute)}=if_not_exists(${name(attribute)},${value(to)})`),
  ];
  const adds = Array.from(add, ([attribute, by]) => `${name(attribute)} ${value(by)}`);
  const removes = remove.map(name);
  return `SET ${sets.join(',')} ADD ${adds.join(',')}${removes.length > 0 ? ` REMOVE ${removes.join(',')}` : ''}`;
}
