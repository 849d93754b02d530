import { parsePhoneNumberFromString } from 'libphonenumber-js/min';
import type { Funnel, FunnelVersion } from '../funnels/funnel.ts';
import { validateEmail } from '../leads/fields/email.ts';
import type { Channel } from '../messages/message.ts';
import type { ContactField } from './contact-fields.ts';
import { maskDestination } from './mask-destination.ts';

/** A contact field that a code can go to, and the destination as the answer shows it. */
export type CodeDestination = ContactField & { masked: string };

type DestinationRules = { funnel: Funnel; version: FunnelVersion; channels: ReadonlySet<Channel> };

/**
 * One contact field for each channel that a code can go through: the first that the funnel declares, e-mail first.
 *
 * @param sending `channels`: those that the deployment has a sender for
 */
export function selectDestinations(contacts: readonly ContactField[], sending: DestinationRules): CodeDestination[] {
  const taken = new Set<Channel>();
  return contacts.flatMap((contact) => {
    const { channel, destination } = contact;
    if (taken.has(channel) || !sending.channels.has(channel) || !isReachable(contact, sending)) return [];
    taken.add(channel);
    return [{ ...contact, masked: maskDestination(channel, destination) }];
  });
}

const isReachable = (contact: ContactField, sending: DestinationRules): boolean =>
  contact.channel === 'email' ? isValidEmail(contact) : isSmsAllowed(contact, sending);

/** Judged anew: an earlier version of the funnel may have declared the field otherwise, or not at all. */
function isValidEmail({ destination, declared }: ContactField): boolean {
  const json = JSON.stringify(destination);
  const verdict = validateEmail({ value: destination, json }, declared, undefined);
  return 'json' in verdict && verdict.json === json;
}

/** SMS go to countries that the funnel allows, else to the country of the field or the version alone: others cost most. */
function isSmsAllowed({ destination, declared }: ContactField, { funnel, version }: DestinationRules): boolean {
  const home = declared.country ?? version.country;
  const allowed = funnel.verification.smsCountries ?? (home === undefined ? [] : [home]);
  const number = parsePhoneNumberFromString(destination, { extract: false });
  if (number?.country === undefined || !number.isValid()) return false;
  return allowed.some((code) => code.toUpperCase() === number.country);
}
