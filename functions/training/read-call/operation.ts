import * as z from 'zod/mini';
import { docsOnly, docText } from '../../../shared/http/schema-docs.ts';
import { uuid } from '../../../shared/http/schemas.ts';
import { TrainingCall } from '../../../shared/training/call.ts';
import { declareOperation } from '../../declare-operation.ts';
import { CALL_ID, ORGANIZATION_ID } from '../../example-ids.ts';
import { EXAMPLE_CALL } from './example-call.ts';

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
    response: EXAMPLE_CALL,
  }),
  errors: [400, 401, 403, 404],
  grants: ['calls:read'],
  limits: { timeoutSeconds: 20, memoryMb: 1_024, perMinutePerUser: 240 },
});
