import { IgnoredIdempotencyKeyHeaders } from '../../../shared/http/idempotency-key.ts';
import { docsOnly, docText } from '../../../shared/http/schema-docs.ts';
import { OrganizationPath } from '../../../shared/organizations/paths.ts';
import { NewTrainingCase } from '../../../shared/training/new-training-case.ts';
import { TrainingCase } from '../../../shared/training/training-case.ts';
import { declareOperation } from '../../declare-operation.ts';
import { ORGANIZATION_ID } from '../../example-ids.ts';

const EXAMPLE_CASE = docsOnly({
  name: 'Price objection',
  description: 'The offer is too expensive',
  situation: 'Second call after an offer',
  objective: 'Keep the price',
  successCriteria: 'A date is agreed',
  difficulty: 'medium',
  dos: [{ id: 'name-next-step', label: 'Name the next step' }],
});

export const createCaseOperation = declareOperation('training/create-case', {
  route: 'POST /api/v2/organizations/{orgId}/training/cases',
  tag: 'Training',
  summary: 'Create a training case',
  description: docText(
    'Texts are trimmed and normalized to NFC; then their length is counted in code points. `difficulty` ' +
      'defaults to `medium`. An item of `dos` without an `id` gets a generated one. A duplicate `id` is rejected.',
  ),
  auth: { role: 'admin' },
  body: 'json',
  request: { path: OrganizationPath, headers: IgnoredIdempotencyKeyHeaders, body: NewTrainingCase },
  responses: { 201: TrainingCase },
  examples: docsOnly({
    request: {
      path: { orgId: ORGANIZATION_ID },
      body: EXAMPLE_CASE,
    },
    response: { ...EXAMPLE_CASE, id: 'e7b1d3a9-4c5f-4a6e-b2d8-9f0a1c3e5d77', archivedAt: null },
  }),
  errors: [400, 401, 403],
  grants: ['cases:write'],
  limits: { timeoutSeconds: 10, memoryMb: 512, perMinutePerUser: 60 },
});
