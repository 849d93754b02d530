import { deriveUserId } from '../../../shared/organizations/user-id.ts';
import { systemClock } from '../../../shared/platform/clock.ts';
import { readSetting } from '../../../shared/platform/settings.ts';
import { createDynamoCallErasureRepository } from '../../../shared/training/aws/dynamo-call-erasure-repository.ts';
import { createS3CallObjectStore } from '../../../shared/training/aws/s3-call-object-store.ts';
import { eraseCall, previewEraseCall } from '../../../shared/training/erase-call.ts';
import { UserError } from '../../common/user-error.ts';
import { toUserMessage } from '../program/user-message.ts';
import { formatCount, formatFields } from '../terminal/format.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { confirm } from '../terminal/terminal.ts';
import { recordsFor } from './dependencies.ts';
import { listCallIdsOfUser } from './dynamo-call-lister.ts';
import { type EraseCallsReport, eraseCallsConcurrently } from './erase-calls-concurrently.ts';
import { operatorVoiceProvider } from './voice-provider.ts';

export type EraseOptions = {
  stage?: string;
  user?: string;
  subject?: string;
  issuer?: string;
  dryRun?: true;
  yes?: true;
  json?: true;
};

/** Erases calls that are named, or all of a user. @throws FriendlyError when some are left, or none were named */
export async function eraseCalls(
  orgId: string,
  callIds: readonly string[],
  options: EraseOptions,
  terminal: Terminal,
): Promise<void> {
  const user = userIn(callIds, options);
  const client = await recordsFor(orgId);
  const asked = user === undefined ? [...new Set(callIds)] : await idsOf(client, orgId, user);
  const erasures = createDynamoCallErasureRepository(() => client);
  const objects = createS3CallObjectStore();
  const report = await (options.dryRun
    ? eraseCallsConcurrently(asked, (callId) => previewEraseCall({ erasures, objects }, { orgId, callId }))
    : confirmed());
  if (options.json) await terminal.write(`${JSON.stringify(jsonOf(report))}\n`);
  else if (!isOnlyUnknown(report)) await terminal.write(reportText(report));
  if (options.dryRun) terminal.note('Nothing was changed.');
  else if (report.underWay.length > 0) terminal.note(UNDER_WAY);
  refuseLeft(report);

  async function confirmed(): Promise<EraseCallsReport> {
    const ports = { erasures, objects, voice: operatorVoiceProvider(options.stage), clock: systemClock };
    const question = `Erase ${formatCount(asked.length, 'call')} for good, here and at the voice provider?`;
    if (asked.length > 0) await confirm(terminal, question, options.yes);
    return eraseCallsConcurrently(asked, (callId) => eraseCall(ports, { orgId, callId }, { later: true }));
  }
}

/** Whose calls are meant; undefined: those that are named. @throws FriendlyError unless it is one or the other */
function userIn(callIds: readonly string[], { user, subject, issuer }: EraseOptions): string | undefined {
  const ways = [callIds.length > 0, user !== undefined, subject !== undefined].filter(Boolean).length;
  if (ways !== 1) throw new UserError('Give the ids of calls, or --user, or --subject: one of them.');
  if (issuer !== undefined && subject === undefined) throw new UserError('--issuer goes with --subject.');
  if (subject === undefined) return user;
  const from = issuer ?? readSetting('oidcIssuer');
  if (from === undefined) throw new UserError("Give the issuer of the user's tokens with --issuer.");
  return deriveUserId(from, subject);
}

async function idsOf(client: Awaited<ReturnType<typeof recordsFor>>, orgId: string, userId: string) {
  const ids: string[] = [];
  for await (const id of listCallIdsOfUser(client, orgId, userId)) ids.push(id);
  return ids;
}

/** Of which nothing is to be told but that. */
const isOnlyUnknown = ({ calls, underWay, failed, unknown }: EraseCallsReport): boolean =>
  unknown.length > 0 && calls + underWay.length + failed.length === 0;

const UNDER_WAY = 'A call that has not ended is erased within a day of its end.';

/** @throws FriendlyError when something is left that nobody will come back to */
function refuseLeft({ unknown, failed }: EraseCallsReport): void {
  const [first] = failed;
  if (first !== undefined) {
    throw new UserError(
      `${formatCount(failed.length, 'call')} could not be erased: run the command again. ${toUserMessage(first.cause)}`,
    );
  }
  const none = unknown.length === 1 ? `call ${unknown[0]}` : `such calls: ${unknown.join(', ')}`;
  if (unknown.length > 0) throw new UserError(`The organization has no ${none}.`);
}

const jsonOf = ({ failed, ...report }: EraseCallsReport) => ({ ...report, failed: failed.map(({ callId }) => callId) });

const reportText = ({ calls, transcripts, recordings, conversations, underWay, failed }: EraseCallsReport): string =>
  formatFields([
    ['calls', calls.toLocaleString('en')],
    ['transcripts', `${formatCount(transcripts, 'object')}; others stand in their calls`],
    ['recordings', recordings.toLocaleString('en')],
    ['at the provider', formatCount(conversations, 'conversation')],
    ...(underWay.length > 0 ? [['not ended yet', underWay.join('\n')] as const] : []),
    ...(failed.length > 0 ? [['failed', failed.map(({ callId }) => callId).join('\n')] as const] : []),
  ]);
