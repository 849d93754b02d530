import type { EventType, WebhookEndpoint, WebhookEndpointIds } from './webhook-endpoint.ts';

/** Properties to replace. Omitted properties are kept. */
export type EndpointUpdate = {
  url?: string | undefined;
  eventTypes?: EventType[] | undefined;
  description?: string | null | undefined;
  isEnabled?: boolean | undefined;
  pausedAt?: string | null | undefined;
  failingSince?: string | null | undefined;
  updatedAt: string;
};

/** All methods throw UnavailableError while the table is unavailable. */
export type EndpointReader = {
  /** Oldest first. Strongly consistent. */
  list(orgId: string): Promise<WebhookEndpoint[]>;
  /** Strongly consistent. */
  find(ids: WebhookEndpointIds): Promise<WebhookEndpoint | undefined>;
};

type SecretRotation = {
  /** The current secret generation, as the caller read it. */
  seen: string;
  next: string;
  rotatedAt: string;
};

/**
 * Each change takes effect by one conditional write. All methods throw UnavailableError while the table is unavailable.
 */
export type EndpointRepository = {
  /** `full`: nothing was written, because the organization has `ENDPOINTS_MAX` endpoints. */
  add(orgId: string, endpoint: WebhookEndpoint): Promise<'added' | 'full'>;
  /**
   * Returns the changed endpoint. Returns undefined if the endpoint does not exist, or if `url` is passed and the
   * endpoint has another URL.
   */
  update(ids: WebhookEndpointIds, update: EndpointUpdate, url?: string): Promise<WebhookEndpoint | undefined>;
  /**
   * Replaces the secret generation `seen`, and keeps it as the previous generation. If another request has already
   * replaced `seen`, writes nothing and returns the stored endpoint. Returns undefined if the endpoint does not exist.
   */
  rotateSecret(ids: WebhookEndpointIds, rotation: SecretRotation): Promise<WebhookEndpoint | undefined>;
  /** Returns false if the endpoint does not exist. */
  remove(ids: WebhookEndpointIds): Promise<boolean>;
};
