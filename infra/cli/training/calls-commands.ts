import { requireSetting } from '../../../shared/platform/settings.ts';
import { createDynamoCallReader } from '../../../shared/training/aws/dynamo-call-reader.ts';
import { createS3TranscriptReader } from '../../../shared/training/aws/s3-transcript-store.ts';
import { CallStatus } from '../../../shared/training/call.ts';
import type { CallWithStoredTranscript } from '../../../shared/training/ports.ts';
import { readTranscript } from '../../../shared/training/transcripts.ts';
import { UserError } from '../../common/user-error.ts';
import { requireOrganization } from '../organizations/dynamo-organization-admin-repository.ts';
import { presignAttachment } from '../presigned-download.ts';
import { choice, command, group, option, optionWithDefault } from '../program/command.ts';
import { idArgument, organizationArgument, parseCount, parseUuid } from '../program/parameters.ts';
import { formatMinute, formatUtc } from '../terminal/format.ts';
import { Rendered, table } from '../terminal/output.ts';
import { erase } from './erase-calls.ts';
import { type CallSummary, listCalls } from './list-calls.ts';
import { clockOf, outcomeText, turnLine } from './rehearse-text.ts';

const callArgs = { orgId: organizationArgument, callId: idArgument('call') };

const list = command({
  name: 'list',
  description: 'Lists the calls of an organization, newest first.',
  args: { orgId: organizationArgument },
  options: {
    status: choice('--status <status>', 'only calls with this status', CallStatus.options),
    user: option('--user <id>', 'only calls of the user with this id; see "members list"', parseUuid('user')),
    limit: optionWithDefault('--limit <count>', 'maximum number of calls, 1 to 1000', parseCount(1, 1_000), 50),
    after: option(
      '--after <call>',
      'continue after the call with this id, the last call of an earlier list',
      parseUuid('call'),
    ),
  },
  json: 'one JSON object: `calls`, and `next` (the value for --after, or null at the end)',
  help: `The status of a call is one of:
  pending     The voice provider has not reported the conversation yet.
  processing  The service analyses the conversation.
  ready       The call has a score.
  failed      The call or its analysis failed.
  abandoned   The conversation had not ended six hours after the call was
              opened, or the voice provider was still unreachable 24 hours after
              the call was opened. If the result arrives later, the call is
              processed.`,
  run: async ({ orgId, status, user, limit, after }) => {
    const found: CallSummary[] = [];
    await requireOrganization(orgId);
    // Reads one more call than is shown, to detect whether there are more calls.
    for await (const call of listCalls(orgId, { after, status, userId: user })) {
      if (found.push(call) > limit) break;
    }
    const shown = found.slice(0, limit);
    const next = found.length > limit ? (shown.at(-1)?.id ?? null) : null;
    const text = table(
      shown,
      [
        { head: 'CALL AND USER', width: 36, value: ({ id, userId }) => [id, userId] },
        { head: 'OPENED, UTC', width: 16, value: ({ createdAt }) => formatMinute(createdAt) },
        { head: 'CASE AND OUTCOME', value: (call) => [call.caseName, describeOutcome(call)] },
      ],
      after === undefined ? 'No calls were found.' : 'There are no more calls.',
    );
    return {
      json: { calls: shown, next },
      text,
      hints: next === null ? [] : [`Next page: repeat the command with --after ${next}`],
    };
  },
});

function describeOutcome({ status, total, isProvisional, failureReason }: CallSummary): string {
  const outcome = total === null ? status : `${status}, ${total} of 100${isProvisional ? ', provisional' : ''}`;
  return failureReason === null ? outcome : `${outcome}: ${failureReason}`;
}

const show = command({
  name: 'show',
  description: 'Shows a call with its score, the evidence for the score, and the transcript.',
  args: callArgs,
  json: 'one JSON object: the call, as the API returns it',
  run: async (ids, { terminal: { columns } }) => {
    const { storedTranscript, ...found } = await requireCall(ids);
    const transcript =
      storedTranscript === undefined
        ? null
        : await readTranscript(createS3TranscriptReader(), storedTranscript, found.id);
    const call = { ...found, transcript };
    const about = [
      ['opened', formatUtc(call.createdAt)],
      ['user', call.userId],
      ['case', [call.caseId, call.caseSnapshot?.name].filter(Boolean).join(' ')],
      ['persona', call.personaId],
      ['conversation', call.conversationId ?? 'none'],
    ] as const;
    const turns = transcript?.map(({ timeInCallSecs, ...turn }) =>
      turnLine({ ...turn, time_in_call_secs: timeInCallSecs }, columns),
    );
    const text = `${outcomeText(call, columns, about)}${turns ? `\nTRANSCRIPT\n${turns.join('')}` : ''}`;
    return { json: call, text: new Rendered(text) };
  },
});

const WITHOUT_RECORDING: Record<CallStatus, string> = {
  pending: 'the voice provider has not reported its conversation yet.',
  processing: 'its analysis is in progress; try again in some minutes.',
  ready:
    'the retention period of recordings has ended, the voice provider has no recording, or the service has not ' +
    'received the recording yet. The service retries for about 30 hours.',
  failed: 'the call failed.',
  abandoned: 'there was no conversation.',
};

const recording = command({
  name: 'recording',
  description: 'Creates a link with which, for ten minutes, anyone can download the recording of a call.',
  args: callArgs,
  json: 'one JSON object: `url`, `expiresAt`, `name`, `durationSeconds`',
  run: async (ids) => {
    const { recordingKey: key, createdAt, durationSeconds, status } = await requireCall(ids);
    if (key === null) throw new UserError(`The call has no recording: ${WITHOUT_RECORDING[status]}`);
    const name = `call-${createdAt.slice(0, 10)}-${ids.callId.slice(-8)}${/\.\w+$/.exec(key)?.[0] ?? ''}`;
    const disposition = `attachment; filename="${name}"`;
    const link = await presignAttachment({ bucket: requireSetting('trainingBucket'), key, disposition });
    const duration = durationSeconds === null ? '' : `, ${clockOf(durationSeconds)}`;
    return {
      json: { ...link, name, durationSeconds },
      text: link.url,
      hints: [`${name}${duration}; the link expires at ${link.expiresAt}.`],
    };
  },
});

async function requireCall(ids: { orgId: string; callId: string }): Promise<CallWithStoredTranscript> {
  const call = await createDynamoCallReader().find(ids);
  if (call === undefined) throw new UserError(`The organization has no call ${ids.callId}: see "training calls list".`);
  return call;
}

export const calls = group(
  'calls',
  'Training calls: list and show them, create a download link for a recording, erase them.',
  [list, show, recording, erase],
);
