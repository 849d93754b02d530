import type { Logger } from '../../../shared/platform/logger.ts';
import { enforceOrganizationRetention } from '../../../shared/privacy/enforce-organization-retention.ts';
import type { RetentionOutcome } from '../../../shared/privacy/ports.ts';
import { UserError } from '../../common/user-error.ts';
import { requireOrganization } from '../organizations/dependencies.ts';
import { toUserMessage } from '../program/user-message.ts';
import { confirm } from '../terminal/confirm.ts';
import { formatFields } from '../terminal/format.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { operatorsVoice } from '../training/voice-provider.ts';
import { countDue } from './count-due.ts';
import { duePorts, retentionPorts } from './dependencies.ts';
import { dueText, isNothing } from './format.ts';

export type RunOptions = { stage?: string; dryRun?: true; yes?: true; json?: true };

/** Erases at once what an organization's periods let go. @throws FriendlyError when something could not be erased */
export async function runRetention(orgId: string, options: RunOptions, terminal: Terminal): Promise<void> {
  const { retention } = await requireOrganization(orgId);
  const due = await countDue(duePorts(), orgId, retention);
  if (options.dryRun) {
    await terminal.write(options.json ? `${JSON.stringify({ due })}\n` : `${dueText(due)} would go.\n`);
    return terminal.note('Nothing was changed.');
  }
  if (!isNothing(due)) await confirm(terminal, `Erase ${dueText(due)} for good?`, options.yes);
  const failures: unknown[] = [];
  const log: Logger = { ...SILENT, error: (_, cause) => void failures.push(cause) };
  const counts = new Map<RetentionOutcome, number>();
  const count = (what: RetentionOutcome) => void counts.set(what, (counts.get(what) ?? 0) + 1);
  const ports = retentionPorts(operatorsVoice(options.stage), log);
  await enforceOrganizationRetention(ports, { orgId, count, endMs: Number.POSITIVE_INFINITY });
  await terminal.write(options.json ? `${JSON.stringify(Object.fromEntries(counts))}\n` : countsText(counts));
  if (failures.length > 0) {
    throw new UserError(`Something could not be erased: run the command again. ${toUserMessage(failures[0])}`);
  }
}

const SILENT: Logger = {
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  recordMetric: () => undefined,
};

function countsText(counts: ReadonlyMap<RetentionOutcome, number>): string {
  const lines = [...counts].map(([what, times]) => [what.replaceAll('_', ' '), times.toLocaleString('en')] as const);
  return lines.length === 0 ? 'Nothing was due.\n' : formatFields(lines);
}
