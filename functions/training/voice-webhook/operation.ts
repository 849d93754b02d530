import * as z from 'zod/mini';
import { docsOnly, docText } from '../../../shared/http/schema-docs.ts';
import { VoiceEventBody } from '../../../shared/training/elevenlabs/events.ts';
import { declareOperation } from '../../declare-operation.ts';

export const voiceWebhookOperation = declareOperation('training/voice-webhook', {
  route: 'POST /api/v2/webhooks/voice',
  tag: 'Training',
  summary: 'Receive an event of the voice provider',
  description: docText(
    'Receives the voice provider’s events about conversations that have ended or failed. 200 means that the event’s ' +
      'data is stored, or that there is nothing to store: the conversation is unknown or has not ended, the event ' +
      'has another type, or it was received before. Events can be repeated, late or out of order. A conversation ' +
      'whose event is too large or never arrives is fetched from the provider later. Recordings are always fetched ' +
      'from the provider, so `post_call_audio` need not be enabled.',
  ),
  // Public, because no user calls this operation. `signedEndpoint` responds with 401 if the provider has not signed
  // the body.
  auth: 'public',
  signatureHeader: 'ElevenLabs-Signature',
  body: 'json',
  request: { path: z.object({}), body: VoiceEventBody },
  responses: { 200: z.object({ received: z.boolean() }) },
  examples: docsOnly({
    request: {
      headers: { 'ElevenLabs-Signature': 't=1772443800,v0=…' },
      body: {
        type: 'post_call_transcription',
        data: {
          agent_id: 'agent_1',
          conversation_id: 'conv_1',
          status: 'done',
          transcript: [{ role: 'user', message: 'What went wrong last time?', time_in_call_secs: 4 }],
          metadata: { start_time_unix_secs: 1_772_443_800, call_duration_secs: 61 },
        },
      },
    },
    response: { received: true },
  }),
  errors: [400, 401, 503],
  grants: ['calls:receive', 'analysis:start', 'voice-webhook-secret:read'],
  // 1 GB of memory, because Lambda assigns processor time in proportion to memory, and the function parses and
  // compresses megabytes while the provider waits.
  limits: { timeoutSeconds: 25, memoryMb: 1_024, wafPerMinutePerIp: 600, bodyBytesMax: 5_242_880 },
});
