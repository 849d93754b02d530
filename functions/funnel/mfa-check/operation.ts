import * as z from 'zod/mini';
import { FunnelPath } from '../../../shared/funnels/paths.ts';
import { docsOnly, docText, withDocs } from '../../../shared/http/schema-docs.ts';
import { FAILED_ATTEMPTS_PER_DAY } from '../../../shared/verification/failed-attempt-limiter.ts';
import { leadCredentialsShape } from '../../../shared/verification/lead-credentials-shape.ts';
import { FAILED_ATTEMPTS_MAX, LOCKOUT_SECONDS } from '../../../shared/verification/verification-state.ts';
import { declareOperation } from '../../declare-operation.ts';
import { FUNNEL_ID, LEAD_ID, UPDATE_TOKEN } from '../../example-ids.ts';

export const checkVerificationCodeOperation = declareOperation('funnel/mfa-check', {
  route: 'POST /api/v2/public/funnel/{id}/mfa/check',
  tag: 'Funnel',
  summary: 'Check the code that was sent to a contact field of a lead',
  description: docText(
    'The code determines which field is verified. A code can be used once, even by concurrent requests. When',
    'the value of a field changes, the field becomes unverified and its code invalid. `code_invalid`: the',
    'code is wrong, no code is outstanding, later sends have replaced the code, or a concurrent request used the',
    'code first. `code_expired`: the code expired within the last day. Each of these errors counts as a failed',
    'attempt, unless a concurrent request used the code first. After',
    `${FAILED_ATTEMPTS_MAX} failed attempts for a lead, every check of the lead fails with`,
    `\`too_many_attempts\` for ${LOCKOUT_SECONDS / 60} minutes, even if new codes are sent meanwhile. After`,
    `${FAILED_ATTEMPTS_PER_DAY} failed attempts for a destination in a UTC day, counted over all leads of the`,
    'organization, every check of the destination fails in the same way. When no code is outstanding, the',
    'check concerns the field to which a code was last sent, or else the field that a send would choose. If',
    'the value of that field is already verified, the check succeeds with any digits.',
  ),
  auth: 'public',
  body: 'json',
  request: {
    path: FunnelPath,
    body: z.object({
      ...leadCredentialsShape,
      code: withDocs(
        z.string().check(z.minLength(1, 'is required')),
        docText('The 6 digits. Spaces and dashes between them are ignored.'),
      ),
    }),
  },
  responses: {
    200: z.object({
      data: z.object({
        verified: z.boolean(),
        contact_field: withDocs(z.string(), docText('The key in `data` of the verified value.')),
      }),
    }),
  },
  examples: docsOnly({
    request: { path: { id: FUNNEL_ID }, body: { lead_id: LEAD_ID, update_token: UPDATE_TOKEN, code: '123456' } },
    response: { data: { verified: true, contact_field: 'email' } },
  }),
  errors: [400, 403, 404, 503],
  grants: ['funnels:read', 'leads:verify', 'limits:consume', 'limits:read', 'hash-secret:read'],
  limits: {
    timeoutSeconds: 10,
    memoryMb: 512,
    wafPerMinutePerIp: 60,
    perClient: [{ limit: 30, windowSeconds: 60 }],
  },
});
