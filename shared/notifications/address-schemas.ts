import * as z from 'zod/mini';
import { docText, withDocs } from '../http/schema-docs.ts';
import { changesObject, opaqueString, strictObject } from '../http/schemas.ts';
import { isTimeZone } from '../platform/time-zone.ts';
import { MAIL_LANGUAGES, MODES, type NotificationAddress } from './notification-address.ts';

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
  changesObject({
    mode: z.optional(Mode),
    timeZone: z.optional(TimeZone),
    language: z.optional(Language),
  }),
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
