import * as z from 'zod/mini';
import { IgnoredIdempotencyKeyHeaders } from '../../../shared/http/idempotency-key.ts';
import { docsOnly, docText } from '../../../shared/http/schema-docs.ts';
import { strictObject } from '../../../shared/http/schemas.ts';
import { OrganizationPath } from '../../../shared/organizations/paths.ts';
import { SESSIONS_PER_DAY } from '../../../shared/training/open-session.ts';
import { operation } from '../../define-operation.ts';
import { CASE_ID, ORGANIZATION_ID, PERSONA_ID } from '../../example-ids.ts';

const Id = z.string().check(z.minLength(1, 'must not be empty'));

export const openSessionOperation = operation('training/open-session', {
  route: 'POST /api/v2/organizations/{orgId}/training/session',
  tag: 'Training',
  summary: 'Open a training session',
  description: docText(
    `A call is created as \`pending\` with the case as it is now; later changes of the case do not reach it. \`token\` connects once and for a short time with the voice provider, \`systemPrompt\` and \`firstMessage\` are what the simulated customer is given there. They are written in the persona’s language and know of the case its situation and difficulty alone. A case or persona that does not exist, belongs to another organization or is archived is 404, also where the id is no UUID. At most ${SESSIONS_PER_DAY} sessions a UTC day for an organization; one that could not be opened is not counted.`,
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
  errors: [400, 401, 403, 404, 429, 500, 503],
  grants: ['organizations:read', 'limits:consume', 'sessions:open', 'voice-secret:read'],
  limits: { timeoutSeconds: 25, memoryMb: 512, perMinutePerUser: 10 },
});
