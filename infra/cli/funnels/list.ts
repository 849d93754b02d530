import { createDynamoFunnelHistoryRepository } from '../../../shared/funnels/aws/dynamo-funnel-history-repository.ts';
import { systemClock } from '../../../shared/platform/clock.ts';
import { requireOrganization } from '../organizations/dependencies.ts';
import { printableJson, printableLine } from '../terminal/printable.ts';
import { formatTable } from '../terminal/table.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { funnelsDesk } from './dependencies.ts';
import { stateText } from './format.ts';
import type { FunnelRecord } from './funnel-admin.ts';

/** So many are read at once. */
const BATCH = 25;

type Listed = { id: string; funnel: FunnelRecord | undefined };

/** An organization's funnels, the newest first. Without a funnel: its making did not end. */
export async function funnelsOf(orgId: string): Promise<Listed[]> {
  const desk = funnelsDesk();
  const ids = await createDynamoFunnelHistoryRepository().listFunnelIds(orgId);
  const found: Listed[] = [];
  for (let at = 0; at < ids.length; at += BATCH) {
    const batch = ids.slice(at, at + BATCH);
    found.push(...(await Promise.all(batch.map(async (id) => ({ id, funnel: await desk.find(id) })))));
  }
  const order = ({ id, funnel }: Listed) => `${funnel?.createdAt ?? ''} ${id}`;
  return found.sort((one, other) => (order(one) > order(other) ? -1 : 1));
}

/** An organization's funnels, the newest first, and how they stand. */
export async function list(
  orgId: string,
  { json }: { json?: true },
  { columns, write, note }: Terminal,
): Promise<void> {
  await requireOrganization(orgId);
  const found = await funnelsOf(orgId);
  const nowMs = systemClock.now();
  if (json) {
    const funnels = found.map(({ id, funnel }) => ({
      id,
      name: funnel?.name ?? null,
      state: funnel === undefined ? 'not made' : stateText(funnel, nowMs),
      publishedVersionId: funnel?.publishedVersionId ?? null,
      createdAt: funnel?.createdAt ?? null,
      publishedAt: funnel?.publishedAt ?? null,
    }));
    return write(`${printableJson(JSON.stringify({ funnels }))}\n`);
  }
  if (found.length === 0) return note('There are no funnels yet: see funnels create.');
  const rows = found.map(({ id, funnel }) => [
    id,
    funnel === undefined ? 'not made: the command did not end' : stateText(funnel, nowMs),
    printableLine(funnel?.name ?? '(no name)'),
  ]);
  await write(formatTable({ head: ['FUNNEL', 'STATE', 'NAME'], widths: [36, 17], columns }, rows));
}
