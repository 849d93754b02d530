import { v5 } from 'uuid';
import * as z from 'zod/mini';
import { docText, withDocs } from '../http/schema-docs.ts';
import { opaqueString, strictObject } from '../http/schemas.ts';
import { normalizeDestination } from '../messages/destination.ts';
import { isTimeZone } from '../platform/time-zone.ts';

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

const Mode = z.enum(MODES);
const TimeZone = z.string().check(z.refine(isTimeZone, 'must be an IANA time zone such as Europe/Berlin'));
const Language = z.enum(MAIL_LANGUAGES);

/** The request body for a new address. `createAddress` checks the address further. */
export const NewNotificationAddress = withDocs(
  strictObject({
    address: withDocs(opaqueString(3, 254), { format: 'email' }),
    mode: Mode,
    timeZone: withDocs(z.optional(TimeZone), docText("Default: the organization's time zone.")),
    language: withDocs(z.optional(Language), docText('Language of the mails. Default: `de`.')),
  }),
  { id: 'NewNotificationAddress' },
);
export type NewNotificationAddress = z.output<typeof NewNotificationAddress>;

export const NotificationAddressChanges = withDocs(
  strictObject({
    mode: z.optional(Mode),
    timeZone: z.optional(TimeZone),
    language: z.optional(Language),
  }).check(z.refine((changes) => Object.keys(changes).length > 0, 'must have at least one property')),
  { id: 'NotificationAddressChanges' },
);
export type NotificationAddressChanges = z.output<typeof NotificationAddressChanges>;

export const NotificationAddressResponse = withDocs(
  z.object({
    id: z.string(),
    address: z.string(),
    mode: Mode,
    timeZone: z.string(),
    language: Language,
    status: withDocs(
      z.enum(['unconfirmed', 'confirmed', 'unsubscribed']),
      docText('Mails about leads are sent only to confirmed addresses.'),
    ),
    /** ISO 8601 UTC with milliseconds. */
    createdAt: z.string(),
    updatedAt: z.string(),
  }),
  { id: 'NotificationAddress' },
);
export type NotificationAddressResponse = z.output<typeof NotificationAddressResponse>;

/** Returns what callers of the API see of an address. */
export const describeAddress = ({
  linkBaseUrl: _base,
  confirmedAt,
  unsubscribedAt,
  ...address
}: NotificationAddress): NotificationAddressResponse => ({
  ...address,
  status: unsubscribedAt !== null ? 'unsubscribed' : confirmedAt !== null ? 'confirmed' : 'unconfirmed',
});

/** Whether mails about leads and webhook endpoints are sent to the address. */
export const isActive = ({ confirmedAt, unsubscribedAt }: NotificationAddress): boolean =>
  confirmedAt !== null && unsubscribedAt === null;

/** Any constant UUID as the namespace of version 5 (RFC 9562). */
const ID_NAMESPACE = '0d1c5e2e-8f0b-4b52-9d3a-6f6b1f0f7c55';

/** Returns the id of an address of an organization. Equal mailboxes have equal ids, so that none is stored twice. */
export const addressIdOf = (orgId: string, address: string): string =>
  v5(JSON.stringify([orgId, normalizeDestination({ channel: 'email', destination: address })]), ID_NAMESPACE);
