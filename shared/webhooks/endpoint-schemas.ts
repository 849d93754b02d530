import * as z from 'zod/mini';
import { docText, withDocs } from '../http/schema-docs.ts';
import { changesObject, humanText, opaqueString, strictObject } from '../http/schemas.ts';
import { EVENT_TYPES, type WebhookEndpoint } from './webhook-endpoint.ts';

// Bodies of the requests and responses about webhook endpoints. If these schemas were in `webhook-endpoint.ts`, the
// dispatcher would create them at its start without using them.

const EventTypes = withDocs(
  z.array(z.enum(EVENT_TYPES)).check(
    z.minLength(1, 'must have at least one element'),
    z.refine((types) => new Set(types).size === types.length, 'must not contain duplicates'),
  ),
  { uniqueItems: true },
);
/** `parseEndpointUrl` checks the URL further. */
const Url = withDocs(opaqueString(1, 2_048), { format: 'uri' });
const Description = humanText(1, 200);

export const NewWebhookEndpoint = withDocs(
  strictObject({ url: Url, eventTypes: EventTypes, description: z.optional(Description) }),
  { id: 'NewWebhookEndpoint' },
);
export type NewWebhookEndpoint = z.output<typeof NewWebhookEndpoint>;

/** `description: null` removes the description. */
export const WebhookEndpointChanges = withDocs(
  changesObject({
    url: z.optional(Url),
    eventTypes: z.optional(EventTypes),
    description: z.optional(z.nullable(Description)),
    enabled: z.optional(z.boolean()),
  }),
  { id: 'WebhookEndpointChanges' },
);
export type WebhookEndpointChanges = z.output<typeof WebhookEndpointChanges>;

const endpointResponse = {
  id: z.string(),
  url: z.string(),
  eventTypes: z.array(z.enum(EVENT_TYPES)),
  description: z.nullable(z.string()),
  enabled: z.boolean(),
  pausedAt: withDocs(
    z.nullable(z.string()),
    docText(
      'When the service stopped sending messages, because every attempt had failed since `failingSince`. Set `enabled`',
      'to true to resume.',
    ),
  ),
  failingSince: withDocs(
    z.nullable(z.string()),
    docText('Start of the failures that led to the pause. Null unless the endpoint is paused.'),
  ),
  /** ISO 8601 UTC with milliseconds. */
  createdAt: z.string(),
  updatedAt: z.string(),
  secretRotatedAt: z.nullable(z.string()),
};

export const WebhookEndpointResponse = withDocs(z.object(endpointResponse), { id: 'WebhookEndpoint' });
export type WebhookEndpointResponse = z.output<typeof WebhookEndpointResponse>;

export const WebhookEndpointWithSecret = withDocs(
  z.object({
    ...endpointResponse,
    secret: withDocs(
      z.string(),
      docText('The signing secret, which only this response contains. Store it where the receiver can read it.'),
    ),
  }),
  { id: 'WebhookEndpointWithSecret' },
);

/** Returns what callers of the API see of an endpoint. */
export const describeEndpoint = ({
  isEnabled,
  secretGeneration: _current,
  previousSecretGeneration: _previous,
  ...endpoint
}: WebhookEndpoint): WebhookEndpointResponse => ({ ...endpoint, enabled: isEnabled });
