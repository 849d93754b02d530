import { systemClock } from '../../../shared/platform/clock.ts';
import { UserError } from '../../common/user-error.ts';
import { formatFields, formatMinute, formatSecond } from '../terminal/format.ts';
import { printable, printableJson, printableLine } from '../terminal/printable.ts';
import { formatTable } from '../terminal/table.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { CaseSummary, StoredCase } from './case-admin-repository.ts';
import { recordsFor } from './dependencies.ts';
import { createDynamoCaseAdminRepository } from './dynamo-case-admin-repository.ts';

type Json = { json?: true };

/** An organization's cases, the newest first; archived ones are marked. */
export async function listCases(orgId: string, { json }: Json, { columns, write, note }: Terminal): Promise<void> {
  const cases: CaseSummary[] = [];
  for await (const found of createDynamoCaseAdminRepository(await recordsFor(orgId)).list(orgId)) cases.push(found);
  cases.sort((one, other) => (one.createdAt > other.createdAt ? -1 : 1));
  if (json) return write(`${printableJson(JSON.stringify({ cases }))}\n`);
  if (cases.length === 0) return note('There are no cases yet.');
  const rows = cases.map(({ id, createdAt, difficulty, name, archivedAt }) => [
    ...[id, formatMinute(createdAt), difficulty],
    `${printableLine(name)}${archivedAt === null ? '' : ' (archived)'}`,
  ]);
  await write(formatTable({ head: ['CASE', 'MADE, UTC', 'LEVEL', 'NAME'], widths: [36, 16, 6], columns }, rows));
}

/** Everything that is kept of a case. @throws FriendlyError when there is no such case */
export async function showCase(orgId: string, caseId: string, { json }: Json, { write }: Terminal): Promise<void> {
  const found = await createDynamoCaseAdminRepository(await recordsFor(orgId)).find(orgId, caseId);
  if (found === undefined) throw noCase(caseId);
  await write(json ? `${printableJson(JSON.stringify(found))}\n` : caseText(found));
}

const caseText = ({ dos, archivedAt, createdAt, ...found }: StoredCase): string =>
  formatFields([
    ['id', found.id],
    ['name', printableLine(found.name)],
    ['description', printableLine(found.description)],
    ['situation', printableLine(found.situation)],
    ['objective', printableLine(found.objective)],
    ['success', printableLine(found.successCriteria)],
    ['difficulty', found.difficulty],
    ['made', `${formatSecond(createdAt)} UTC`],
    ['archived', archivedAt === null ? 'no' : `${formatSecond(archivedAt)} UTC`],
    ...dos.map(({ id, label }, at): [string, string] => [
      at === 0 ? 'dos' : '',
      printable(`${label} (${printableLine(id)})`),
    ]),
  ]);

/** Archives or restores a case; what is so already stays as it is. @throws FriendlyError when there is no such case */
export async function moveCase(
  orgId: string,
  caseId: string,
  to: 'archived' | 'active',
  { json }: Json,
  { write }: Terminal,
): Promise<void> {
  const cases = createDynamoCaseAdminRepository(await recordsFor(orgId));
  const moved = await (to === 'archived'
    ? cases.archive(orgId, caseId, systemClock.now())
    : cases.restore(orgId, caseId));
  if (moved === 'unknown') throw noCase(caseId);
  const changed = moved === 'done';
  if (json) return write(`${JSON.stringify({ id: caseId, archived: to === 'archived', changed })}\n`);
  const sentence = to === 'archived' ? 'No session can be opened with it.' : 'Sessions can be opened with it.';
  await write(`The case is ${to}${changed ? '' : ' already'}. ${sentence}\n`);
}

const noCase = (caseId: string) => new UserError(`The organization has no case ${caseId}.`);
