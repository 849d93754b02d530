import { type Status, statusOf } from '../../../shared/analytics/upkeep/status.ts';
import type { Terminal } from '../terminal.ts';
import { knownFunnel, statusStores } from './stores.ts';
import { bytesText, counted, durationText, linesText, timeText } from './words.ts';

export async function showStatus(funnelId: string, { json }: { json?: true }, { write }: Terminal): Promise<void> {
  await knownFunnel(funnelId);
  const status = await statusOf(statusStores(), funnelId);
  await write(json ? `${JSON.stringify(status)}\n` : statusText(status, Date.now()));
}

function statusText(status: Status, nowMs: number): string {
  const { fresh, completeUntilMs, unlisted } = status;
  const waits = fresh.oldestMs === null ? '' : `, the oldest for ${durationText(nowMs - fresh.oldestMs)}`;
  return linesText([
    ['fresh facts', `${fresh.facts.toLocaleString('en')}${waits}`],
    ['amendments', levelText(status.amendments)],
    ['base', levelText(status.base)],
    ['complete until', completeUntilMs === null ? 'not known' : timeText(completeUntilMs)],
    ['manifest', `version ${status.version}, generation ${status.generation}`],
    ['retired', `${counted(status.retired, 'file')} that no read begins with any more`],
    ['unlisted', `${counted(unlisted.files, 'file')}, ${bytesText(unlisted.bytes)}`],
    ['erased', `${counted(status.erasedSessions, 'session')} whose late events are kept out`],
    [
      'dead letters',
      `${counted(status.setAside, 'record')} of all funnels, not counted: see analytics dead-letters list`,
    ],
    ['not kept', `${counted(status.unkept, 'object')} of all funnels, not among raw events`],
  ]);
}

function levelText({ files, sessions, bytes, lastMs }: Status['base']): string {
  if (files === 0) return 'no files';
  return `${counted(files, 'file')}, ${counted(sessions, 'session')}, ${bytesText(bytes)}; last written ${timeText(lastMs)}`;
}
