import * as z from 'zod/mini';
import { declareOperation } from '../../functions/declare-operation.ts';
import { FunnelPath } from '../../shared/funnels/paths.ts';
import { humanText, jsonObject } from '../../shared/http/schemas.ts';
import { OrganizationPath } from '../../shared/organizations/paths.ts';

const limits = { timeoutSeconds: 5, memoryMb: 128 };

export const note = declareOperation('test/note', {
  route: 'POST /api/v2/public/funnel/{id}/note',
  tag: 'Funnel',
  summary: 'Takes a note',
  auth: 'public',
  body: 'json',
  request: {
    path: FunnelPath,
    headers: z.object({ 'idempotency-key': z.optional(z.uuid()) }),
    body: z.object({ said: z.optional(humanText(1, 50)), data: z.optional(jsonObject()) }),
  },
  responses: { 200: z.object({ data: z.unknown() }) },
  errors: [400, 404],
  grants: [],
  limits,
});

export const organizationNote = declareOperation('test/organization-note', {
  ...note,
  route: 'POST /api/v2/organizations/{orgId}/note',
  auth: { role: 'member' },
  request: { ...note.request, path: OrganizationPath },
  errors: [400, 401, 403, 429],
});

export const beacon = declareOperation('test/beacon', { ...note, body: 'json-beacon', credentialedCors: true });

export const list = declareOperation('test/list', {
  route: 'GET /api/v2/organizations/{orgId}/notes',
  tag: 'Training',
  summary: 'Lists notes',
  auth: { role: 'member' },
  body: 'none',
  request: { path: OrganizationPath, query: z.object({ since: z.optional(z.string().check(z.minLength(1))) }) },
  responses: { 200: z.object({ since: z.nullable(z.string()) }) },
  errors: [400, 401, 403],
  grants: [],
  limits,
});
