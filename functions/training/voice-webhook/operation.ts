import * as z from 'zod/mini';
import { docsOnly, docText } from '../../../shared/http/schema-docs.ts';
import { VoiceEventBody } from '../../../shared/training/elevenlabs/events.ts';
import { operation } from '../../define-operation.ts';

export const voiceWebhookOperation = operation('training/voice-webhook', {
  route: 'POST /api/v2/webhooks/voice',
  tag: 'Training',
  summary: 'Take an event of the voice provider',
  description: docText(
    "The provider's post-call events of calls that sessions were opened for. 200 means that what the event says of its call is kept, or that there is nothing to keep: an event of an unknown conversation, of another type, or one that came before. Sending an event again, late or in another order is harmless. What is too large or never arrives is asked for later, and so are recordings: `post_call_audio` need not be switched on.",
  ),
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
  errors: [400, 401, 413, 415, 429, 500, 503],
  grants: ['calls:receive', 'analysis:start', 'voice-webhook-secret:read'],
  // Megabytes are read and packed, and the provider waits: memory buys processor time. Each store has its own time.
  limits: { timeoutSeconds: 25, memoryMb: 1_024, wafPerMinutePerIp: 600, bodyBytesMax: 5_242_880 },
});
