import * as z from 'zod/mini';
import { FunnelPath } from '../../../shared/funnels/paths.ts';
import { docsOnly, docText, withDocs } from '../../../shared/http/schema-docs.ts';
import { CHANNELS } from '../../../shared/messages/message.ts';
import { leadCredentialsShape } from '../../../shared/verification/lead-credentials-shape.ts';
import {
  SEND_COOLDOWN_SECONDS,
  SENDS_PER_HOUR_AND_ADDRESS,
  SENDS_PER_HOUR_AND_DESTINATION,
  SENDS_PER_TEN_MINUTES_AND_LEAD,
  SMS_PER_DAY_AND_ORGANIZATION,
} from '../../../shared/verification/send-rate-limits.ts';
import { ACTIVE_CODES_MAX, CODE_MINUTES } from '../../../shared/verification/verification-state.ts';
import { declareOperation } from '../../declare-operation.ts';
import { FUNNEL_ID, LEAD_ID, UPDATE_TOKEN } from '../../example-ids.ts';

const Channel = z.enum(CHANNELS);

export const sendVerificationCodeOperation = declareOperation('funnel/mfa-send', {
  route: 'POST /api/v2/public/funnel/{id}/mfa/send',
  tag: 'Funnel',
  summary: 'Send a code to a contact field of a lead',
  description: docText(
    'A channel is available if the lead has a value in a field that the funnel declares verifiable; the first',
    'such field of each channel is used. SMS are sent only to the countries that the funnel allows. A code',
    `has 6 digits and is valid for ${CODE_MINUTES} minutes. The codes of the last ${ACTIVE_CODES_MAX} sends`,
    'are accepted. If the value is already verified, the response is the same and no message is sent. The',
    'message is written in a language of `Accept-Language` if there is a template for it. Limits: one send per',
    `${SEND_COOLDOWN_SECONDS} seconds and ${SENDS_PER_HOUR_AND_DESTINATION} per hour to a destination,`,
    `counted over all leads of the organization; ${SENDS_PER_TEN_MINUTES_AND_LEAD} per 10 minutes for a lead;`,
    `${SENDS_PER_HOUR_AND_ADDRESS} per hour for a client address; ${SMS_PER_DAY_AND_ORGANIZATION} SMS per UTC`,
    'day for an organization. A message that is not accepted for delivery does not count.',
  ),
  auth: 'public',
  body: 'json',
  request: {
    path: FunnelPath,
    body: z.object({
      ...leadCredentialsShape,
      channel: withDocs(
        z.optional(Channel),
        docText('One of `available_channels`. Default: e-mail if available, else SMS.'),
      ),
    }),
  },
  responses: {
    200: z.object({
      data: z.object({
        channel: Channel,
        masked_destination: withDocs(
          z.string(),
          docText('The destination with most characters hidden, for example `j***@e***.com` or `+49*****89`.'),
        ),
        available_channels: z.array(Channel),
      }),
    }),
  },
  examples: docsOnly({
    request: { path: { id: FUNNEL_ID }, body: { lead_id: LEAD_ID, update_token: UPDATE_TOKEN, channel: 'email' } },
    response: { data: { channel: 'email', masked_destination: 'a***@s***.example', available_channels: ['email'] } },
  }),
  errors: [400, 403, 404, 503],
  grants: [
    'funnels:read',
    'organizations:read',
    'leads:verify',
    'limits:consume',
    'limits:cooldown',
    'hash-secret:read',
    'cdn-secret:read',
    'messages:send',
  ],
  limits: { timeoutSeconds: 15, memoryMb: 512, wafPerMinutePerIp: 60 },
});
