import * as z from 'zod/mini';
import { FunnelPath } from '../../../shared/funnels/paths.ts';
import { docsOnly, docText, withDocs } from '../../../shared/http/schema-docs.ts';
import { humanText } from '../../../shared/http/schemas.ts';
import { declareOperation } from '../../declare-operation.ts';
import { FUNNEL_ID } from '../../example-ids.ts';

const PROMPT_CHARACTERS_MAX = 4_000;

const MessageOnly = withDocs(z.object({ error: z.object({ message: z.string() }) }), {
  id: 'ModelError',
  description: docText('The model failed before its first token. This error has no `code`.'),
});

export const aiStreamOperation = declareOperation('funnel/ai-stream', {
  route: 'POST /api/v2/public/funnel/{id}/ai-stream',
  tag: 'Funnel',
  summary: "Stream an AI reply to a visitor's prompt",
  description: docText(
    'Responds with plain text, which is streamed as the model generates it. With `Accept: text/event-stream`,',
    'the response is a UI message stream of the AI SDK (version 1, as in the header',
    '`x-vercel-ai-ui-message-stream`). Its parts are `start`, `text-start`, `text-delta`, `text-end` and',
    '`finish`, then `[DONE]`. `messageMetadata.writer` is `builtin` if no language model is configured and',
    'the text is composed from texts of the funnel. Status and headers are sent with the first token. A',
    'failure after the first token aborts a plain-text response, and is an `error` part in an event stream.',
    'Tokens are limited per UTC day, for each funnel and each organization. A client address can use a tenth',
    'of a funnel’s tokens. Prompts and generated texts are not stored.',
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
  errors: [400, 403, 404, 502, 503],
  errorSchemas: docsOnly({ 502: MessageOnly }),
  grants: ['funnels:read', 'organizations:read', 'limits:consume', 'model:stream', 'ai-secret:read'],
  // The model has 60 s. The checks before the request to the model, and the refund of unused tokens after it, need a
  // few seconds more.
  limits: {
    timeoutSeconds: 75,
    memoryMb: 512,
    reservedConcurrency: 100,
    wafPerMinutePerIp: 60,
    perClient: [{ limit: 10, windowSeconds: 60 }],
  },
});
