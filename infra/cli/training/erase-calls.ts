import { createDynamoCallDeliveriesEraser } from '../../../shared/deliveries/aws/dynamo-deliveries-erasers.ts';
import { systemClock } from '../../../shared/platform/clock.ts';
import { createDynamoCallErasureRepository } from '../../../shared/training/aws/dynamo-call-erasure-repository.ts';
import { createS3CallObjectStore } from '../../../shared/training/aws/s3-call-object-store.ts';
import { eraseCall, previewEraseCall } from '../../../shared/training/erase-call.ts';
import { recordsClient } from '../environment/record-table.ts';
import { parseIssuer, parseSubject, resolveUserId } from '../members/user-options.ts';
import { requireOrganization } from '../organizations/dynamo-organization-admin-repository.ts';
import { argument, command, option } from '../program/command.ts';
import { dryRun, organizationArgument, parseUuid, yes } from '../program/parameters.ts';
import { toUserMessage } from '../program/user-message.ts';
import { formatCount } from '../terminal/format.ts';
import { Fields } from '../terminal/output.ts';
import { NOTHING_CHANGED } from '../terminal/terminal.ts';
import { type EraseCallsReport, eraseCallsConcurrently } from './erase-calls-concurrently.ts';
import { listCallIdsOfUser } from './list-calls.ts';
import { operatorVoiceProvider, VOICE_KEY_HELP } from './voice-provider.ts';

const parseCall = parseUuid('call');

export const erase = command({
  name: 'erase',
  description: 'Erases calls permanently: transcripts, recordings, scores, and the data at the voice provider.',
  args: {
    orgId: organizationArgument,
    callIds: argument<string[] | undefined>(
      '[calls...]',
      'call ids; see "training calls list"',
      (given, before: string[] = []) => [...before, parseCall(given)],
    ),
  },
  options: {
    user: option(
      '--user <id>',
      'erase all calls of the user with this id (see "members list"), instead of calls with given ids',
      parseUuid('user'),
    ),
    subject: option(
      '--subject <sub>',
      'erase all calls of the user whose access tokens have this `sub` claim, instead of calls with given ids',
      parseSubject,
    ),
    issuer: option(
      '--issuer <url>',
      'with --subject: the `iss` claim of these access tokens (default: the issuer of the local environment or stage)',
      parseIssuer,
    ),
    dryRun,
    yes,
  },
  json:
    'one JSON object: the counts `calls`, `transcripts`, `recordings`, `conversations` of erased data, and the ids ' +
    'of calls that were not erased, in the lists `notEnded`, `unknown` (the organization has no such call) and ' +
    '`failed`',
  help: `Give one or more call ids, or --user, or --subject.
A call with the status pending or processing has not ended, so the command does
not erase it. Instead, the service erases it within a day of its end.
After a failure, run the same command again. If you give ids of calls that are
already erased, the command prints that the organization has no such calls, and
exits with 1.
${VOICE_KEY_HELP}`,
  check: ({ callIds = [], user, subject, issuer }) => {
    const selections = [callIds.length > 0, user !== undefined, subject !== undefined].filter(Boolean).length;
    if (selections !== 1) return 'give exactly one of call ids, --user and --subject';
    return issuer !== undefined && subject === undefined ? '--issuer needs --subject' : undefined;
  },
  run: async ({ orgId, callIds = [], dryRun: isDryRun, yes: isConfirmed, ...user }, { stage, confirm }) => {
    const userId = callIds.length > 0 ? undefined : resolveUserId(user);
    await requireOrganization(orgId);
    const selected = userId === undefined ? [...new Set(callIds)] : await listCallIdsOfUser(orgId, userId);
    const client = recordsClient();
    const stores = { erasures: createDynamoCallErasureRepository(() => client), objects: createS3CallObjectStore() };
    const eraseSelected = async () => {
      const deliveries = createDynamoCallDeliveriesEraser();
      const ports = { ...stores, deliveries, voice: operatorVoiceProvider(stage), clock: systemClock };
      const question = `Erase ${formatCount(selected.length, 'call')} permanently, here and at the voice provider?`;
      if (selected.length > 0) await confirm(question, isConfirmed);
      return eraseCallsConcurrently(selected, (callId) => eraseCall(ports, { orgId, callId }, { later: true }));
    };
    const report = isDryRun
      ? await eraseCallsConcurrently(selected, (callId) => previewEraseCall(stores, { orgId, callId }))
      : await eraseSelected();
    const { calls, notEnded, failed, unknown } = report;
    const isOnlyUnknown = unknown.length > 0 && calls + notEnded.length + failed.length === 0;
    const later = 'A call that has not ended is erased within a day of its end.';
    return {
      json: { ...report, failed: failed.map(({ callId }) => callId) },
      text: isOnlyUnknown ? undefined : reportFields(report),
      notes: isDryRun ? [NOTHING_CHANGED] : notEnded.length > 0 ? [later] : [],
      error: describeRest(report),
    };
  },
});

/** Describes the failed erasures; if none failed, the unknown calls. Returns undefined if there are neither. */
function describeRest({ unknown, failed: [first, ...more] }: EraseCallsReport): string | undefined {
  if (first !== undefined) {
    const count = formatCount(1 + more.length, 'call');
    return `${count} could not be erased: run the command again. ${toUserMessage(first.cause)}`;
  }
  if (unknown.length === 0) return undefined;
  return `The organization has no ${unknown.length === 1 ? 'call' : 'calls'} ${unknown.join(', ')}: see "training calls list".`;
}

const reportFields = ({ calls, transcripts, recordings, conversations, notEnded, failed }: EraseCallsReport) =>
  new Fields(
    ['calls', calls],
    ['transcripts', `${formatCount(transcripts, 'object')}; small transcripts are stored with their calls`],
    ['recordings', recordings],
    ['at the provider', formatCount(conversations, 'conversation')],
    ['not ended yet', notEnded],
    ['failed', failed.map(({ callId }) => callId)],
  );
