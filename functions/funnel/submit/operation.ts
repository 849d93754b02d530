import * as z from 'zod/mini';
import { FunnelPath } from '../../../shared/funnels/paths.ts';
import { docsOnly, docText, withDocs } from '../../../shared/http/schema-docs.ts';
import { uuid } from '../../../shared/http/schemas.ts';
import { LeadErrorBody, LeadHandleResponse, LeadOrApiErrorBody } from '../../../shared/leads/lead-response.ts';
import { OPTIONAL_METADATA_FIELDS, SubmitBody } from '../../../shared/leads/submit-body.ts';
import { LEAD_SUBMITS_PER_MINUTE } from '../../../shared/leads/submit-rate-limiter.ts';
import { declareOperation } from '../../declare-operation.ts';
import { FUNNEL_ID, LEAD_ID, UPDATE_TOKEN } from '../../example-ids.ts';

const IdempotencyKey = withDocs(
  z.optional(uuid),
  docText(
    'Makes a first submit repeatable: a repetition with the same body returns the same lead with a valid handle.',
  ),
);

export const submitOperation = declareOperation('funnel/submit', {
  route: 'POST /api/v2/public/funnel/{id}/submit',
  tag: 'Funnel',
  summary: 'Submit a funnel step: create or update a lead',
  description: docText(
    'Creates a lead if the request has no handle. A request with a wrong handle never creates a lead. Valid',
    'fields are saved even if others are invalid; 422 names the invalid fields. A lead accepts about',
    `${LEAD_SUBMITS_PER_MINUTE} submits per minute, unless the funnel configures another limit. A funnel that`,
    'lists its origins responds with 403 to a page of any other origin.',
  ),
  auth: 'public',
  body: 'json',
  optionalMetadata: OPTIONAL_METADATA_FIELDS,
  request: { path: FunnelPath, headers: z.object({ 'idempotency-key': IdempotencyKey }), body: SubmitBody },
  responses: { 200: z.object({ data: LeadHandleResponse }) },
  examples: docsOnly({
    request: {
      path: { id: FUNNEL_ID },
      headers: { 'idempotency-key': 'b5f4b4d2-8a55-4f6b-9f0e-6f1f6f7a1c22' },
      body: {
        step_id: 'contact',
        data: { name: 'Ada Example', email: 'ada@shop.example', consent: true },
        page_url: 'https://roofs.northlight.example/solar',
      },
    },
    response: { data: { id: LEAD_ID, update_token: UPDATE_TOKEN } },
  }),
  errors: [400, 403, 404, 422, 503],
  errorSchemas: docsOnly({
    413: LeadOrApiErrorBody,
    422: LeadErrorBody,
    500: LeadOrApiErrorBody,
    503: LeadOrApiErrorBody,
  }),
  grants: ['funnels:read', 'leads:write', 'lead-secret:read', 'uploads:attach'],
  limits: { timeoutSeconds: 10, memoryMb: 512, wafPerMinutePerIp: 600, wafPerFunnel: true },
});
