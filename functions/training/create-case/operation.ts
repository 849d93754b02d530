import { doc } from '../../../shared/http/doc.ts';
import { NeedlessIdempotencyKey } from '../../../shared/http/idempotency-key.ts';
import { operation } from '../../../shared/http/operation.ts';
import { OrgPath } from '../../../shared/http/organization-paths.ts';
import { NewTrainingCase, TrainingCase } from '../../../shared/training/training-case.ts';

export const createCase = operation('training/create-case', {
  route: 'POST /api/v2/organizations/{orgId}/training/cases',
  tag: 'Training',
  summary: 'Create a training case',
  description: doc(
    'Texts are trimmed and NFC; lengths count code points after that. `difficulty` defaults to `medium`. An item of `dos` without an `id` is given one; a duplicate `id` is refused.',
  ),
  auth: { role: 'admin' },
  body: 'json',
  request: { path: OrgPath, headers: NeedlessIdempotencyKey, body: NewTrainingCase },
  replies: { 201: TrainingCase },
  errors: [400, 401, 403, 429, 500],
  grants: ['cases:write'],
  limits: { timeoutSeconds: 10, memoryMb: 512, perMinutePerUser: 60 },
});
