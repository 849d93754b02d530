import type { Field } from '../funnels/funnel.ts';
import { type FieldValueRef, hashFieldValue } from '../leads/field-value-hash.ts';
import type { LeadKey } from '../leads/lead.ts';
import { normalizeDestination } from '../messages/destination.ts';
import type { Channel } from '../messages/message.ts';

/** A verifiable contact field of a lead, and its value. */
export type ContactField = FieldValueRef & {
  channel: Channel;
  /** The stored value, to which messages are sent. */
  destination: string;
  declared: Field;
};

const CHANNEL_OF: Partial<Record<Field['type'], Channel>> = { email: 'email', phone: 'sms' };
const CHANNEL_ORDER: readonly Channel[] = ['email', 'sms'];

export const verifiableFields = (fields: readonly Field[]): Field[] =>
  fields.filter(({ type, verifiable }) => verifiable === true && CHANNEL_OF[type] !== undefined);

/**
 * Returns the contact fields that have a value. E-mail comes before SMS. Fields of one channel keep the order of
 * `fields`.
 */
export function findContactFields(
  key: LeadKey,
  fields: readonly Field[],
  values: ReadonlyMap<string, string>,
): ContactField[] {
  const contacts = fields.flatMap((declared): ContactField[] => {
    const { id, type } = declared;
    const [channel, json] = [CHANNEL_OF[type], values.get(id)];
    const destination = json === undefined ? undefined : JSON.parse(json);
    // A value that was stored before the field was declared, or while it had another type, can be any JSON.
    if (channel === undefined || json === undefined || typeof destination !== 'string' || destination === '') return [];
    return [{ channel, field: id, valueHash: hashFieldValue(key, id, json), destination, declared }];
  });
  return contacts.sort((one, other) => CHANNEL_ORDER.indexOf(one.channel) - CHANNEL_ORDER.indexOf(other.channel));
}

/**
 * E-mail providers that ignore some characters of the local part. A local part reaches the same mailbox in all
 * `domains` of its provider. Sources: Gmail (https://support.google.com/mail/answer/7436150; Google Workspace does not
 * ignore dots), Proton (https://proton.me/support/addresses-and-aliases).
 */
const PROVIDERS: readonly { domains: readonly string[]; ignored: RegExp }[] = [
  { domains: ['gmail.com', 'googlemail.com'], ignored: /\./g },
  { domains: ['proton.me', 'protonmail.com', 'protonmail.ch', 'pm.me'], ignored: /[._-]/g },
];

/**
 * Identifies the mailbox or phone that a destination reaches. Removes `+tag` and characters that the provider ignores,
 * so that all spellings of a mailbox share its rate limits. Use it only for keys of counters. Messages are sent to the
 * stored destination.
 */
export function normalizeRecipient(contact: Pick<ContactField, 'channel' | 'destination'>): string {
  const destination = normalizeDestination(contact);
  if (contact.channel === 'sms') return destination;
  const at = destination.lastIndexOf('@');
  const name = destination.slice(0, at).replace(/(?<=.)\+.*/s, '');
  const domain = destination.slice(at + 1);
  const provider = PROVIDERS.find(({ domains }) => domains.includes(domain));
  return provider === undefined
    ? `${name}@${domain}`
    : `${name.replace(provider.ignored, '') || name}@${provider.domains[0]}`;
}
