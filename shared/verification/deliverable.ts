import { parsePhoneNumberFromString } from 'libphonenumber-js/min';
import type { Funnel, FunnelVersion } from '../directory/funnel.ts';
import { email } from '../leads/fields/email.ts';
import type { Channel } from '../messages/message.ts';
import type { ContactField } from './contacts.ts';
import { maskedDestination } from './mask.ts';

/** A contact field that a code can go to, and the destination as the answer shows it. */
export type Deliverable = ContactField & { masked: string };

type Sending = { funnel: Funnel; version: FunnelVersion; channels: ReadonlySet<Channel> };

/**
 * One contact field for each channel that a code can go through: the first that the funnel declares, e-mail first.
 *
 * @param sending `channels`: those that the deployment has a sender for
 */
export function deliverable(contacts: readonly ContactField[], sending: Sending): Deliverable[] {
  const taken = new Set<Channel>();
  return contacts.flatMap((contact) => {
    const { channel, destination } = contact;
    if (taken.has(channel) || !sending.channels.has(channel) || !reaches(contact, sending)) return [];
    taken.add(channel);
    return [{ ...contact, masked: maskedDestination(channel, destination) }];
  });
}

const reaches = (contact: ContactField, sending: Sending): boolean =>
  contact.channel === 'email' ? isAddress(contact) : maySendTo(contact, sending);

/** Judged anew: an earlier version of the funnel may have declared the field otherwise, or not at all. */
function isAddress({ destination, declared }: ContactField): boolean {
  const json = JSON.stringify(destination);
  const verdict = email({ value: destination, json }, declared, undefined);
  return 'json' in verdict && verdict.json === json;
}

/** SMS go to countries that the funnel allows, else to the country of the field or the version alone: others cost most. */
function maySendTo({ destination, declared }: ContactField, { funnel, version }: Sending): boolean {
  const home = declared.country ?? version.country;
  const allowed = funnel.verification.smsCountries ?? (home === undefined ? [] : [home]);
  const number = parsePhoneNumberFromString(destination, { extract: false });
  if (number?.country === undefined || !number.isValid()) return false;
  return allowed.some((code) => code.toUpperCase() === number.country);
}
