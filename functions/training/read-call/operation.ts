import * as z from 'zod/mini';
import { docsOnly, docText } from '../../../shared/http/schema-docs.ts';
import { uuid } from '../../../shared/http/schemas.ts';
import { TrainingCall } from '../../../shared/training/call.ts';
import { declareOperation } from '../../declare-operation.ts';
import { CALL_ID, CASE_ID, ORGANIZATION_ID, PERSONA_ID } from '../../example-ids.ts';

export const readCallOperation = declareOperation('training/read-call', {
  route: 'GET /api/v2/organizations/{orgId}/training/calls/{id}',
  tag: 'Training',
  summary: 'Read a training call',
  description: docText(
    'Available to the user of the call, and to admins and owners of the organization. A call is `pending` until its ' +
      'conversation has ended, `processing` until it is scored, and finally `ready`, `failed` (with `failureReason`) ' +
      'or `abandoned`. An abandoned call is still processed if its conversation arrives late. `transcript`, ' +
      '`analysis` and `score` are null until they exist. `caseSnapshot` is the case at the time when the session ' +
      'was opened. `transcript` has at most about 4 MB; the end of a longer one is omitted.',
  ),
  auth: { role: 'member' },
  body: 'none',
  request: { path: z.object({ orgId: uuid, id: uuid }) },
  responses: { 200: TrainingCall },
  examples: docsOnly({
    request: { path: { orgId: ORGANIZATION_ID, id: CALL_ID } },
    response: {
      id: CALL_ID,
      orgId: ORGANIZATION_ID,
      userId: '8f14e45f-ceea-5d67-8a1b-0c2d3e4f5a66',
      caseId: CASE_ID,
      personaId: PERSONA_ID,
      conversationId: 'conv_1',
      agentId: 'agent_1',
      status: 'ready',
      durationSeconds: 61,
      recordingKey: null,
      failureReason: null,
      createdAt: '2026-03-02T09:30:00.000Z',
      updatedAt: '2026-03-02T09:32:00.000Z',
      caseSnapshot: null,
      transcript: [{ role: 'user', message: 'What went wrong last time?', timeInCallSecs: 4 }],
      analysis: null,
      score: { total: 80, criteria: [{ id: 'dos', label: 'Dos', score: 40, max: 50, reason: '4 of 5 were covered.' }] },
    },
  }),
  errors: [400, 401, 403, 404, 429, 500],
  grants: ['calls:read'],
  limits: { timeoutSeconds: 20, memoryMb: 1_024, perMinutePerUser: 240 },
});
