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
   * UUID. A counter could repeat an earlier secret after a restore of the table from a backup.
   */
  secretGeneration: string;
  previousSecretGeneration: string | null;
  secretRotatedAt: string | null;
  createdAt: string;
  updatedAt: string;
};
