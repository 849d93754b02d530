import * as z from 'zod/mini';
import { withDocs } from '../../shared/http/schema-docs.ts';
import { ConsentProof } from '../../shared/leads/lead.ts';
import { Score, TrainingCall } from '../../shared/training/call.ts';
import { EVENT_TYPES, type EventType } from '../../shared/webhooks/webhook-endpoint.ts';
import type { Json, SchemaComponents } from './schema-components.ts';

/** Times are ISO 8601 UTC with milliseconds. */
const time = z.iso.datetime({ precision: 3 });
const uuid = z.guid();
const seq = withDocs(
  z.int(),
  'Never decreases from one message about the same lead to the next. 1 in messages about a call or a domain.',
);

const LeadOfMessage = withDocs(
  z.strictObject({
    lead_id: z.string(),
    funnel_id: z.string(),
    first_submitted_at: time,
    last_submitted_at: time,
    completed_at: z.nullable(time),
    submits: z.int(),
    expires_at: withDocs(z.nullable(z.string()), 'Null if the funnel has no retention period.'),
    data: withDocs(z.record(z.string(), z.unknown()), 'The submitted values, by field.'),
    verified: z.array(z.strictObject({ field: z.string(), at: z.string() })),
    consents: z.array(
      z.strictObject({
        field: z.string(),
        given: z.nullable(z.strictObject(consentProof())),
        withdrawn: z.nullable(z.strictObject(consentProof())),
      }),
    ),
    steps: z.array(z.strictObject({ id: z.string(), first_at: z.string(), last_at: z.string(), count: z.int() })),
    page_url: z.nullable(z.string()),
    device_class: z.nullable(z.string()),
    webcomponent_args: withDocs(z.unknown(), 'As the page sent it, or null.'),
    cookie_consent: withDocs(z.unknown(), 'As the page sent it, or null.'),
  }),
  { id: 'WebhookLead', description: 'The current state of a lead.' },
);

function consentProof() {
  const { at, text } = ConsentProof.shape;
  return { at, text, version_id: z.string() };
}

const { userId, caseId, personaId, durationSeconds } = TrainingCall.shape;
const CallOfMessage = withDocs(
  z.strictObject({
    userId,
    caseId,
    personaId,
    status: z.literal('ready'),
    durationSeconds,
    createdAt: time,
    scoredAt: time,
    score: z.strictObject({
      total: Score.shape.total,
      criteria: z.array(z.strictObject({ id: z.string(), label: z.string(), score: z.number(), max: z.number() })),
    }),
  }),
  { id: 'WebhookCall', description: 'The result of a training call, without what was said.' },
);

const DomainOfMessage = withDocs(
  z.strictObject({
    hostname: z.string(),
    pageIds: withDocs(z.array(z.string()), 'The landing pages that the domain shows.'),
    status: z.literal('active'),
    createdAt: time,
    activatedAt: time,
  }),
  { id: 'WebhookDomain', description: 'A custom domain that became active.' },
);

const version = withDocs(z.literal(1), 'Version of the properties of `data`.');
const leadIds = { version, orgId: uuid, funnelId: uuid, leadId: uuid, seq };
const leadData = z.strictObject({ ...leadIds, lead: LeadOfMessage });

const messageOf = (type: EventType, data: z.ZodMiniType): z.ZodMiniType =>
  z.strictObject({ type: z.literal(type), timestamp: time, data });

/** The schema of the JSON body of each type of message. Tests validate each message that is sent. */
export const WEBHOOK_MESSAGES: Record<EventType, z.ZodMiniType> = {
  'lead.created': messageOf('lead.created', leadData),
  'lead.updated': messageOf('lead.updated', leadData),
  'lead.verified': messageOf('lead.verified', leadData),
  'lead.completed': messageOf('lead.completed', leadData),
  'lead.erased': messageOf('lead.erased', z.strictObject(leadIds)),
  'call.scored': messageOf(
    'call.scored',
    z.strictObject({ version, orgId: uuid, callId: uuid, seq, call: CallOfMessage }),
  ),
  'domain.active': messageOf(
    'domain.active',
    z.strictObject({ version, orgId: uuid, domainId: uuid, seq, domain: DomainOfMessage }),
  ),
};

const SUMMARIES: Record<EventType, string> = {
  'lead.created': 'A lead was created',
  'lead.updated': 'A lead was changed',
  'lead.verified': 'A contact field of a lead was verified',
  'lead.completed': 'The last step of the funnel of a lead was submitted',
  'lead.erased': 'A lead was erased',
  'call.scored': 'A training call was scored',
  'domain.active': 'A custom domain became active',
};

const HEADERS = [
  ['webhook-id', 'Identifies the message. A message that is repeated has the same id.'],
  ['webhook-timestamp', 'Time of the request, in seconds since 1970.'],
  ['webhook-signature', 'One or more signatures (`v1,…`) of id, timestamp and body, separated by spaces.'],
] as const;

const DESCRIPTION =
  'A signed POST to the URL of a webhook endpoint with this type of event, in the format of ' +
  '[Standard Webhooks](https://www.standardwebhooks.com/). It can arrive more than once.';

/** Returns the section `webhooks` of the OpenAPI document: what the service sends to webhook endpoints. */
export const describeWebhooks = (components: SchemaComponents): Json =>
  Object.fromEntries(EVENT_TYPES.map((type) => [type, { post: describeMessage(type, components) }]));

function describeMessage(type: EventType, components: SchemaComponents): Json {
  const name = `${type.replace(/(?:^|\.)(\w)/g, (_, letter: string) => letter.toUpperCase())}Message`;
  return {
    operationId: `on${name}`,
    tags: ['Webhooks'],
    summary: SUMMARIES[type],
    description: DESCRIPTION,
    security: [],
    parameters: HEADERS.map(([header, description]) => ({
      name: header,
      in: 'header',
      required: true,
      description,
      schema: { type: 'string' },
    })),
    requestBody: {
      required: true,
      content: { 'application/json': { schema: components.named(name, WEBHOOK_MESSAGES[type], 'output') } },
    },
    responses: {
      '2XX': { description: 'The message is accepted. This response must arrive within 10 seconds.' },
      '410': { description: 'The receiver wants no more messages. The service disables the endpoint.' },
      default: {
        description: 'The message is sent again until it is accepted, for 72 hours. Redirects are not followed.',
      },
    },
  };
}
