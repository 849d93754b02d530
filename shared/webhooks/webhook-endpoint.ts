import * as z from 'zod/mini';
import { docText, withDocs } from '../http/schema-docs.ts';
import { changesObject, humanText, opaqueString, strictObject } from '../http/schemas.ts';

/** Maximum number of webhook endpoints of an organization. */
export const ENDPOINTS_MAX = 10;

export const EVENT_TYPES = [
  'lead.created',
  'lead.updated',
  'lead.verified',
  'lead.completed',
  'lead.erased',
  'call.scored',
  'domain.active',
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

export type WebhookEndpointIds = { orgId: string; endpointId: string };

/** A URL of an organization to which the service sends messages. Times are ISO 8601 UTC with milliseconds. */
export type WebhookEndpoint = {
  id: string;
  url: string;
  eventTypes: EventType[];
  description: string | null;
  isEnabled: boolean;
  /** When the service stopped sending messages, because every attempt had failed since `failingSince`. */
  pausedAt: string | null;
  /** Start of the failures that led to the pause. Null unless the endpoint is paused. */
  failingSince: string | null;
  /**
   * The signing secret derives from the master secret, the endpoint's id and this UUID. Each rotation sets a random
   * UUID, so that no rotation produces an earlier secret, even after a restore of the table from a backup.
   */
  secretGeneration: string;
  previousSecretGeneration: string | null;
  secretRotatedAt: string | null;
  createdAt: string;
  updatedAt: string;
};

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
