import * as z from 'zod/mini';
import { IgnoredIdempotencyKeyHeaders } from '../../../shared/http/idempotency-key.ts';
import { docsOnly, docText } from '../../../shared/http/schema-docs.ts';
import { strictObject } from '../../../shared/http/schemas.ts';
import { OrganizationPath } from '../../../shared/organizations/paths.ts';
import { SESSIONS_PER_DAY } from '../../../shared/training/open-session.ts';
import { declareOperation } from '../../declare-operation.ts';
import { CASE_ID, ORGANIZATION_ID, PERSONA_ID } from '../../example-ids.ts';

const Id = z.string().check(z.minLength(1, 'must not be empty'));

export const openSessionOperation = declareOperation('training/open-session', {
  route: 'POST /api/v2/organizations/{orgId}/training/session',
  tag: 'Training',
  summary: 'Open a training session',
  description: docText(
    'Creates a call with the status `pending` and a snapshot of the case; later changes of the case do not ' +
      'affect the call. `token` is valid for a short time and for one connection to the voice provider. ' +
      '`systemPrompt` and `firstMessage` configure the simulated customer at the provider. They are written in the ' +
      'persona’s language. Of the case, they contain only the situation and the difficulty. The response is 404 for ' +
      'a case or persona that does not exist or belongs to another organization, for an archived case, and for an ' +
      `id that is not a UUID. By default, an organization can open at most ${SESSIONS_PER_DAY} sessions per UTC ` +
      'day. A session that could not be opened does not count.',
  ),
  auth: { role: 'member' },
  body: 'json',
  request: {
    path: OrganizationPath,
    headers: IgnoredIdempotencyKeyHeaders,
    body: strictObject({ caseId: Id, personaId: Id }),
  },
  responses: {
    201: z.object({
      token: z.string(),
      systemPrompt: z.string(),
      firstMessage: z.string(),
      trainingCallId: z.guid(),
    }),
  },
  examples: docsOnly({
    request: { path: { orgId: ORGANIZATION_ID }, body: { caseId: CASE_ID, personaId: PERSONA_ID } },
    response: {
      token: 'wss://api.elevenlabs.io/v1/convai/conversation?agent_id=agent_1&conversation_signature=example',
      systemPrompt: 'You are Alex Example, a careful homeowner.',
      firstMessage: 'Hello, this is Alex Example.',
      trainingCallId: '019cb000-0000-7000-8000-000000000001',
    },
  }),
  errors: [400, 401, 403, 404],
  grants: ['organizations:read', 'limits:consume', 'sessions:open', 'voice-secret:read'],
  limits: { timeoutSeconds: 25, memoryMb: 512, perMinutePerUser: 10 },
});
