import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { HttpError } from '../../../../shared/http/errors.ts';
import { aTurn, initiationFailure, setUpWebhook, transcription } from '../../../support/training/voice-webhook.ts';

const unavailable = (): Promise<never> =>
  Promise.reject(new HttpError(503, 'The call cannot be changed.', { headers: { 'Retry-After': '1' } }));
const failWithError = (): Promise<never> => Promise.reject(new Error('secret-table-name'));
/** A transcript that is too large for a call's item, even if it is compressed. */
const longTranscript = { transcript: [aTurn({ message: randomBytes(300_000).toString('base64') })] };

/** Sets up the webhook with ports whose function `part` fails until `repair` is called. */
function setUpFailing(
  part: 'findIdsByConversation' | 'moveToProcessing' | 'failPending' | 'put',
  fail: () => Promise<never>,
) {
  const world = setUpWebhook();
  const put = async (key: string, compressed: Uint8Array) => void world.objects.set(key, compressed);
  const transcripts = { put };
  const { calls } = world;
  const { findIdsByConversation, moveToProcessing, failPending } = calls;
  if (part === 'put') transcripts.put = fail;
  else calls[part] = fail;
  const failing = setUpWebhook({
    ports: { calls, transcripts, invokeProcessCall: async (ids) => void world.invoked.push(ids) },
  });
  const repair = () => {
    Object.assign(calls, { findIdsByConversation, moveToProcessing, failPending });
    transcripts.put = put;
  };
  return { ...world, post: failing.post, repair };
}

test.each([
  ['findIdsByConversation', transcription],
  ['findIdsByConversation', initiationFailure],
  ['put', transcription],
  ['moveToProcessing', transcription],
  ['failPending', initiationFailure],
] as const)(
  '503: if %s is unavailable, the call does not change, and a later delivery of the event succeeds',
  async (part, make) => {
    const { aCall, at, post, repair, invoked } = setUpFailing(part, unavailable);
    const call = aCall();
    const event = make === transcription ? make(call.conversationId, longTranscript) : make(call.conversationId);
    const response = await post(event);
    expect(response).toMatchObject({ status: 503, body: { error: { code: 'service_unavailable' } } });
    expect(Number(response.headers['retry-after'])).toBeGreaterThan(0);
    expect(at(call)).toEqual(call);
    expect(invoked).toEqual([]);
    repair();
    expect((await post(event)).status).toBe(200);
    expect(at(call)?.status).toBe(make === transcription ? 'processing' : 'failed');
  },
);

test.each(['findIdsByConversation', 'put', 'moveToProcessing'] as const)(
  '500: if %s fails with an unknown error, the call does not change, and the response hides the error',
  async (part) => {
    const { aCall, at, post, invoked } = setUpFailing(part, failWithError);
    const call = aCall();
    const response = await post(transcription(call.conversationId, longTranscript));
    expect(response).toMatchObject({ status: 500, body: { error: { code: 'internal_error' } } });
    expect(response.text).not.toContain('secret-table-name');
    expect(at(call)).toEqual(call);
    expect(invoked).toEqual([]);
  },
);

test('503: changes nothing while the secret cannot be read, and returns Retry-After', async () => {
  const { aCall, at, post } = setUpWebhook({ secrets: { read: () => Promise.reject(new Error('down')) } });
  const call = aCall();
  const response = await post(transcription(call.conversationId));
  expect(response).toMatchObject({ status: 503, body: { error: { code: 'service_unavailable' } } });
  expect(response.headers).toHaveProperty('retry-after');
  expect(at(call)).toEqual(call);
});

test('200: if the response to a write was lost, the redelivery changes nothing and starts the analysis', async () => {
  const { aCall, at, calls, post, invoked } = setUpWebhook();
  const call = aCall();
  const { moveToProcessing } = calls;
  calls.moveToProcessing = async (...transition) => {
    await moveToProcessing(...transition);
    return unavailable();
  };
  expect((await post(transcription(call.conversationId))).status).toBe(503);
  const stored = at(call);
  expect(stored).toMatchObject({ status: 'processing', dueAtMs: expect.any(Number) });
  calls.moveToProcessing = moveToProcessing;
  expect((await post(transcription(call.conversationId))).status).toBe(200);
  expect(at(call)).toBe(stored);
  expect(invoked).toEqual([{ orgId: call.orgId, callId: call.callId }]);
});

test('200: if the SDK repeats a write whose response was lost, the repetition has no effect and the analysis starts', async () => {
  const { aCall, at, calls, post, invoked } = setUpWebhook();
  const call = aCall();
  const { moveToProcessing } = calls;
  calls.moveToProcessing = async (...transition) => {
    await moveToProcessing(...transition);
    return moveToProcessing(...transition);
  };
  expect((await post(transcription(call.conversationId))).status).toBe(200);
  expect(at(call)?.status).toBe('processing');
  expect(invoked).toEqual([{ orgId: call.orgId, callId: call.callId }]);
});
