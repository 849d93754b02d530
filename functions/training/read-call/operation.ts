import * as z from 'zod/mini';
import { doc } from '../../../shared/http/doc.ts';
import { operation } from '../../../shared/http/operation.ts';
import { uuid } from '../../../shared/http/schemas.ts';
import { TrainingCall } from '../../../shared/training/call.ts';

export const readCall = operation('training/read-call', {
  route: 'GET /api/v2/organizations/{orgId}/training/calls/{id}',
  tag: 'Training',
  summary: 'Read a training call',
  description: doc(
    'For the call’s own user, or an admin. `transcript`, `analysis` and `score` are null until there are any: a call is `pending` until its conversation is over, then `processing`, and in the end `ready`, `failed` (with `failureReason`) or `abandoned`. `caseSnapshot` is the case as it was when the session was opened. `transcript` has at most some 4 MB: of a longer one the end is left out.',
  ),
  auth: { role: 'member' },
  body: 'none',
  request: { path: z.object({ orgId: uuid, id: uuid }) },
  replies: { 200: TrainingCall },
  errors: [400, 401, 403, 404, 429, 500],
  grants: ['calls:read'],
  limits: { timeoutSeconds: 20, memoryMb: 1_024, perMinutePerUser: 240 },
});
