import { requireSetting } from '../../../shared/platform/settings.ts';
import { presignAttachment } from '../../../shared/platform/signed-attachment.ts';
import { createDynamoCallReader } from '../../../shared/training/aws/dynamo-call-reader.ts';
import { createS3TranscriptReader } from '../../../shared/training/aws/s3-transcript-store.ts';
import type { CallStatus, TrainingCall } from '../../../shared/training/call.ts';
import type { CallWithStoredTranscript } from '../../../shared/training/read-call.ts';
import { readTranscript } from '../../../shared/training/transcripts.ts';
import { UserError } from '../../common/user-error.ts';
import { formatMinute, formatSecond } from '../terminal/format.ts';
import { printableJson, printableLine } from '../terminal/printable.ts';
import { formatTable } from '../terminal/table.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { CallSummary } from './call-lister.ts';
import { recordsFor } from './dependencies.ts';
import { createDynamoCallLister } from './dynamo-call-lister.ts';
import { clockOf, outcomeText, turnLine } from './rehearse-text.ts';

type Json = { json?: true };
export type CallListOptions = Json & { status?: CallStatus; user?: string; after?: string; limit: number };

/** An organization's calls, the newest first, and how to go on. */
export async function listCalls(orgId: string, options: CallListOptions, { columns, write, note }: Terminal) {
  const { status, user, after, limit, json } = options;
  const list = createDynamoCallLister(await recordsFor(orgId));
  const found: CallSummary[] = [];
  // One more than is shown tells whether there is more to come.
  for await (const call of list.listNewestFirst(orgId, { after, status, userId: user })) {
    found.push(call);
    if (found.length > limit) break;
  }
  const calls = found.slice(0, limit);
  const next = found.length > limit ? (calls.at(-1)?.id ?? null) : null;
  if (json) return write(`${printableJson(JSON.stringify({ calls, next }))}\n`);
  if (calls.length === 0) return note(after === undefined ? 'There are no such calls.' : 'There are no more calls.');
  const layout = { head: ['CALL AND USER', 'OPENED, UTC', 'CASE AND OUTCOME'], widths: [36, 16], columns };
  await write(formatTable(layout, calls.map(rowOf)));
  if (next !== null) note(`\nThe next ones: the same command with --after ${next}`);
}

const rowOf = (call: CallSummary): string[] => {
  const { id, createdAt, status, total, userId, caseName, failureReason } = call;
  const outcome = total === null ? status : `${status}, ${total} of 100${call.isProvisional ? ', provisional' : ''}`;
  return [
    `${id}\n${userId}`,
    formatMinute(createdAt),
    [caseName, failureReason === null ? outcome : `${outcome}: ${failureReason}`].map(printableLine).join('\n'),
  ];
};

/** Everything that is readable of a call: what was said, what came of it. @throws FriendlyError when there is no such call */
export async function showCall(orgId: string, callId: string, { json }: Json, { columns, write }: Terminal) {
  const { storedTranscript, ...found } = await callOf(orgId, callId);
  const transcript =
    storedTranscript === undefined ? null : await readTranscript(createS3TranscriptReader(), storedTranscript);
  const call = { ...found, transcript };
  if (json) return write(`${printableJson(JSON.stringify(call))}\n`);
  await write(outcomeText(call, columns, aboutOf(call)));
  if (transcript === null) return;
  await write('\nTRANSCRIPT\n');
  for (const { timeInCallSecs, ...turn } of transcript) {
    await write(turnLine({ ...turn, time_in_call_secs: timeInCallSecs }, columns));
  }
}

const aboutOf = (call: TrainingCall): [label: string, value: string][] => [
  ['opened', `${formatSecond(call.createdAt)} UTC`],
  ['user', call.userId],
  ['case', `${call.caseId}${call.caseSnapshot === null ? '' : ` ${printableLine(call.caseSnapshot.name)}`}`],
  ['persona', call.personaId],
  ['conversation', printableLine(call.conversationId ?? 'none')],
];

/** Makes a link to a call's recording. @throws FriendlyError when there is none, with why */
export async function linkRecording(orgId: string, callId: string, { json }: Json, { write, note }: Terminal) {
  const call = await callOf(orgId, callId);
  const { recordingKey: key, createdAt, durationSeconds } = call;
  if (key === null) throw new UserError(`The call has no recording: ${WITHOUT_RECORDING[call.status]}`);
  const name = `call-${createdAt.slice(0, 10)}-${callId.slice(-8)}${/\.\w+$/.exec(key)?.[0] ?? ''}`;
  const link = await presignAttachment({
    bucket: requireSetting('trainingBucket'),
    ...{ key, disposition: `attachment; filename="${name}"` },
  });
  if (json) return write(`${JSON.stringify({ ...link, name, durationSeconds })}\n`);
  await write(`${link.url}\n`);
  note(`${name}${durationSeconds === null ? '' : `, ${clockOf(durationSeconds)}`}; until ${link.expiresAt}.`);
}

const WITHOUT_RECORDING: Record<CallStatus, string> = {
  pending: 'nothing was told of its conversation yet.',
  processing: 'its analysis is under way; try again in some minutes.',
  ready: 'the voice provider has not given it out, or has none. It is asked again for a day.',
  failed: 'it failed.',
  abandoned: 'nobody talked.',
};

async function callOf(orgId: string, callId: string): Promise<CallWithStoredTranscript> {
  const call = await createDynamoCallReader().find({ orgId, callId });
  if (call === undefined) throw new UserError(`The organization has no call ${callId}.`);
  return call;
}
