import * as z from 'zod/mini';
import { FunnelPath } from '../../../shared/funnels/paths.ts';
import { docsOnly, docText, withDocs } from '../../../shared/http/schema-docs.ts';
import { FAILED_ATTEMPTS_PER_DAY } from '../../../shared/verification/failed-attempt-limiter.ts';
import { leadCredentialsShape } from '../../../shared/verification/lead-credentials-shape.ts';
import { FAILED_ATTEMPTS_MAX, LOCKOUT_SECONDS } from '../../../shared/verification/verification-state.ts';
import { operation } from '../../define-operation.ts';
import { FUNNEL_ID, LEAD_ID, UPDATE_TOKEN } from '../../example-ids.ts';

export const checkVerificationCodeOperation = operation('funnel/mfa-check', {
  route: 'POST /api/v2/public/funnel/{id}/mfa/check',
  tag: 'Funnel',
  summary: 'Check the code that was sent to a contact field of a lead',
  description: docText(
    `The code tells which field it verifies. A code is used once, also by checks at the same time; a changed value is unverified, and its code is void. \`code_invalid\`: wrong digits, none outstanding, superseded by later sends; \`code_expired\`: digits of the last day that are no longer valid. Both count as wrong: after ${FAILED_ATTEMPTS_MAX} for a lead every check is \`too_many_attempts\` for ${LOCKOUT_SECONDS / 60} minutes, whatever is sent meanwhile, and so is every check of a destination after ${FAILED_ATTEMPTS_PER_DAY} in a UTC day, which are counted over all leads of the organization. With no code outstanding, the field that was last sent to (else the one that a send would choose) decides: is its value verified already, any digits are answered with success.`,
  ),
  auth: 'public',
  body: 'json',
  request: {
    path: FunnelPath,
    body: z.object({
      ...leadCredentialsShape,
      code: withDocs(
        z.string().check(z.minLength(1, 'is required')),
        docText('The 6 digits; spaces and dashes between them are ignored.'),
      ),
    }),
  },
  responses: {
    200: z.object({
      data: z.object({
        verified: z.boolean(),
        contact_field: withDocs(z.string(), docText('The key in `data` whose value is verified.')),
      }),
    }),
  },
  examples: docsOnly({
    request: { path: { id: FUNNEL_ID }, body: { lead_id: LEAD_ID, update_token: UPDATE_TOKEN, code: '123456' } },
    response: { data: { verified: true, contact_field: 'email' } },
  }),
  errors: [400, 403, 404, 429, 500, 503],
  grants: ['funnels:read', 'leads:verify', 'limits:consume', 'limits:read', 'hash-secret:read'],
  limits: {
    timeoutSeconds: 10,
    memoryMb: 512,
    wafPerMinutePerIp: 60,
    perClient: [{ limit: 30, windowSeconds: 60 }],
  },
});
