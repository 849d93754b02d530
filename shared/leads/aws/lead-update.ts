import { LEAD_BYTES_MAX, LEAD_STEPS_MAX, type LeadWrite } from '../lead.ts';
import { addedBytesMax, type ItemChange, toItemChange } from './lead-item.ts';
import { assertExpressionSize, createExpressionAliases } from './update-expression.ts';

type Aliases = ReturnType<typeof createExpressionAliases>;

/** The exact sizes of a lead once the submit is merged, and the count of submits for which they hold. */
export type ExactLeadSize = { submits: number; bytes: number; steps: number };

/**
 * The update of a submit and the condition under which it may happen.
 *
 * @param measured given after the lead was read: replaces the bounds by the exact sizes, as long as no other submit
 *   came between
 */
export function buildLeadUpdate(submit: LeadWrite, measured?: ExactLeadSize) {
  const aliases = createExpressionAliases();
  const change = toItemChange(submit);
  const condition = measured === undefined ? isWithinBounds(aliases, submit, change) : isUnchanged(aliases, measured);
  updateBounds(change, submit, measured);
  return {
    UpdateExpression: assertExpressionSize(updateOf(aliases, change)),
    ConditionExpression: assertExpressionSize(`${tokenIsValid(aliases, submit)} AND ${condition}`),
    ExpressionAttributeNames: aliases.names(),
    ExpressionAttributeValues: aliases.values(),
  };
}

/** A lead that does not exist has no token. Without `OR` and brackets, which cost the stand-in more than the write. */
const tokenIsValid = ({ name, value }: Aliases, { tokenHash, atMs }: LeadWrite): string =>
  `${name('tokenHash')} = ${value(tokenHash)} AND ${name('tokenExpiresAt')} > ${value(atMs)}`;

function isWithinBounds({ name, value }: Aliases, submit: LeadWrite, change: ItemChange): string {
  const room = `${name('bytesBound')} <= ${value(LEAD_BYTES_MAX - addedBytesMax(change))}`;
  return submit.stepId === undefined ? room : `${room} AND ${name('stepsBound')} < ${value(LEAD_STEPS_MAX)}`;
}

const isUnchanged = ({ name, value }: Aliases, { submits }: ExactLeadSize): string =>
  `${name('submits')} = ${value(submits)}`;

function updateBounds(change: ItemChange, { stepId }: LeadWrite, measured: ExactLeadSize | undefined): void {
  const added = addedBytesMax(change);
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
