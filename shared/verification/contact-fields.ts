import { domainToASCII } from 'node:url';
import type { Field } from '../funnels/funnel.ts';
import type { LeadKey } from '../leads/lead.ts';
import type { Channel } from '../messages/message.ts';
import { hashFieldValue } from './code.ts';
import type { FieldValueRef } from './verification-state.ts';

/** A contact field of a lead with what it holds. */
export type ContactField = FieldValueRef & {
  channel: Channel;
  /** Where a message goes: the value as the lead holds it. */
  destination: string;
  declared: Field;
};

const CHANNEL_OF: Partial<Record<Field['type'], Channel>> = { email: 'email', phone: 'sms' };
const CHANNEL_ORDER: readonly Channel[] = ['email', 'sms'];

export const verifiableFields = (fields: readonly Field[]): Field[] =>
  fields.filter(({ type, verifiable }) => verifiable === true && CHANNEL_OF[type] !== undefined);

/** The contact fields that hold something: e-mail before SMS, then as the funnel declares them. */
export function findContactFields(
  key: LeadKey,
  fields: readonly Field[],
  values: ReadonlyMap<string, string>,
): ContactField[] {
  const contacts = fields.flatMap((declared): ContactField[] => {
    const { id, type } = declared;
    const [channel, json] = [CHANNEL_OF[type], values.get(id)];
    const destination = json === undefined ? undefined : JSON.parse(json);
    // A value that was stored while the field was not declared, or declared as another type, can be anything.
    if (channel === undefined || json === undefined || typeof destination !== 'string' || destination === '') return [];
    return [{ channel, field: id, valueHash: hashFieldValue(key, id, json), destination, declared }];
  });
  return contacts.sort((one, other) => CHANNEL_ORDER.indexOf(one.channel) - CHANNEL_ORDER.indexOf(other.channel));
}

/** The destination in one spelling: of an e-mail address, case and the form of the domain make no difference. */
export function normalizeDestination({ channel, destination }: Pick<ContactField, 'channel' | 'destination'>): string {
  if (channel === 'sms') return destination;
  const at = destination.lastIndexOf('@');
  const domain = destination.slice(at + 1);
  return `${destination.slice(0, at)}@${domainToASCII(domain) || domain}`.normalize('NFC').toLowerCase();
}

/**
 * Providers that ignore some characters of a mailbox's name, and their domains of the same mailbox.
 * Gmail ignores dots (https://support.google.com/mail/answer/7436150), not in addresses of other domains that it hosts.
 * Proton also ignores hyphens and underscores, and gives a name to one account in all of its domains
 * (https://proton.me/support/addresses-and-aliases).
 */
const PROVIDERS: readonly { domains: readonly string[]; ignored: RegExp }[] = [
  { domains: ['gmail.com', 'googlemail.com'], ignored: /\./g },
  { domains: ['proton.me', 'protonmail.com', 'protonmail.ch', 'pm.me'], ignored: /[._-]/g },
];

/**
 * The mailbox or phone that messages to a destination reach. A `+tag`, or characters that the provider ignores, must not
 * give a client fresh limits for the same mailbox. Use it only as a counter's key: messages go to the address as given.
 */
export function normalizeRecipient(contact: Pick<ContactField, 'channel' | 'destination'>): string {
  const destination = normalizeDestination(contact);
  if (contact.channel === 'sms') return destination;
  const at = destination.lastIndexOf('@');
  const [name = '', domain] = [destination.slice(0, at).replace(/(?<=.)\+.*/s, ''), destination.slice(at + 1)];
  const provider = PROVIDERS.find(({ domains }) => domains.includes(domain));
  return provider === undefined
    ? `${name}@${domain}`
    : `${name.replace(provider.ignored, '') || name}@${provider.domains[0]}`;
}
