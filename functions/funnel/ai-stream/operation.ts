import * as z from 'zod/mini';
import { FunnelPath } from '../../../shared/funnels/paths.ts';
import { docsOnly, docText, withDocs } from '../../../shared/http/schema-docs.ts';
import { humanText } from '../../../shared/http/schemas.ts';
import { operation } from '../../define-operation.ts';
import { FUNNEL_ID } from '../../example-ids.ts';

const PROMPT_CHARACTERS_MAX = 4_000;

const MessageOnly = withDocs(z.object({ error: z.object({ message: z.string() }) }), {
  id: 'ModelError',
  description: docText('The model failed before its first token; there is no code to switch on.'),
});

export const aiStreamOperation = operation('funnel/ai-stream', {
  route: 'POST /api/v2/public/funnel/{id}/ai-stream',
  tag: 'Funnel',
  summary: "Stream an AI reply to a visitor's prompt",
  description: docText(
    'Answers with plain text, written as the model gives it. With `Accept: text/event-stream` the answer is a UI message stream of the AI SDK (version 1, as `x-vercel-ai-ui-message-stream` says): its parts are `start`, `text-start`, `text-delta`, `text-end` and `finish`, then `[DONE]`; `messageMetadata.writer` is `builtin` where no language model is configured and the answer is put together from the texts of the page. Status and headers come with the first token. A failure after it breaks plain text off and is an `error` part in an event stream. Tokens are limited per funnel and per organization and UTC day; one address can use a tenth of a funnel’s. Prompts and answers are not kept.',
  ),
  auth: 'public',
  body: 'json',
  request: { path: FunnelPath, body: z.object({ prompt: humanText(1, PROMPT_CHARACTERS_MAX) }) },
  responses: { 200: z.string() },
  streamContentTypes: ['text/plain', 'text/event-stream'],
  examples: docsOnly({
    request: { path: { id: FUNNEL_ID }, body: { prompt: 'How long does the installation take?' } },
    response: 'The installation itself takes two to three days.',
  }),
  errors: [400, 403, 404, 413, 415, 429, 500, 502, 503],
  errorSchemas: docsOnly({ 502: MessageOnly }),
  grants: ['funnels:read', 'organizations:read', 'limits:consume', 'model:stream', 'ai-secret:read'],
  // The model has 60 s; what comes before it, and settling its bill, takes a few more.
  limits: {
    timeoutSeconds: 75,
    memoryMb: 512,
    reservedConcurrency: 100,
    wafPerMinutePerIp: 60,
    perClient: [{ limit: 10, windowSeconds: 60 }],
  },
});
