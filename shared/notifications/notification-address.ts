import { v5 } from 'uuid';
import { normalizeDestination } from '../messages/destination.ts';

/** Maximum number of notification addresses of an organization. */
export const ADDRESSES_MAX = 10;
export const MODES = ['each_lead', 'daily_digest'] as const;
export const MAIL_LANGUAGES = ['de', 'en'] as const;
export type MailLanguage = (typeof MAIL_LANGUAGES)[number];

export type AddressIds = { orgId: string; addressId: string };

/** An e-mail address that receives mails about the leads of an organization. Times are ISO 8601 UTC. */
export type NotificationAddress = {
  id: string;
  address: string;
  mode: (typeof MODES)[number];
  /** IANA name. A digest is sent at 08:00 in this zone, and mails show times in it. */
  timeZone: string;
  language: MailLanguage;
  /** Base URL of the API for the links in mails. Stored, because background functions do not know the URL. */
  linkBaseUrl: string;
  confirmedAt: string | null;
  unsubscribedAt: string | null;
  createdAt: string;
  updatedAt: string;
};

/** Whether mails about leads and webhook endpoints are sent to the address. */
export const isActive = ({ confirmedAt, unsubscribedAt }: NotificationAddress): boolean =>
  confirmedAt !== null && unsubscribedAt === null;

/** Namespace of the version 5 UUIDs (RFC 9562) of addresses. Changing it would change the ids of all addresses. */
const ID_NAMESPACE = '0d1c5e2e-8f0b-4b52-9d3a-6f6b1f0f7c55';

/** Returns the id of an address in an organization. The id ignores case, so that no address is stored twice. */
export const addressIdOf = (orgId: string, address: string): string =>
  v5(JSON.stringify([orgId, normalizeDestination({ channel: 'email', destination: address })]), ID_NAMESPACE);
