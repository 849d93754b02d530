import { formatBytes, formatCount, formatDuration, formatFields, formatTime } from '../terminal/format.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { knownFunnel, statusStores } from './dependencies.ts';
import { type AnalyticsStatus, readAnalyticsStatus } from './read-analytics-status.ts';

export async function showStatus(funnelId: string, { json }: { json?: true }, { write }: Terminal): Promise<void> {
  await knownFunnel(funnelId);
  const status = await readAnalyticsStatus(statusStores(), funnelId);
  await write(json ? `${JSON.stringify(status)}\n` : statusText(status, Date.now()));
}

function statusText(status: AnalyticsStatus, nowMs: number): string {
  const { fresh, completeUntilMs, unlisted } = status;
  const waits = fresh.oldestMs === null ? '' : `, the oldest for ${formatDuration(nowMs - fresh.oldestMs)}`;
  return formatFields([
    ['fresh facts', `${fresh.facts.toLocaleString('en')}${waits}`],
    ['amendments', levelText(status.amendments)],
    ['base', levelText(status.base)],
    ['complete until', completeUntilMs === null ? 'not known' : formatTime(completeUntilMs)],
    ['manifest', `version ${status.version}, generation ${status.generation}`],
    ['retired', `${formatCount(status.retired, 'file')} that no read begins with any more`],
    ['unlisted', `${formatCount(unlisted.files, 'file')}, ${formatBytes(unlisted.bytes)}`],
    ['erased', `${formatCount(status.erasedSessions, 'session')} whose late events are kept out`],
    [
      'dead letters',
      `${formatCount(status.setAside, 'record')} of all funnels, not counted: see analytics dead-letters list`,
    ],
    ['not kept', `${formatCount(status.unkept, 'object')} of all funnels, not among raw events`],
  ]);
}

function levelText({ files, sessions, bytes, lastMs }: AnalyticsStatus['base']): string {
  if (files === 0) return 'no files';
  return `${formatCount(files, 'file')}, ${formatCount(sessions, 'session')}, ${formatBytes(bytes)}; last written ${formatTime(lastMs)}`;
}
