import { parsePhoneNumberFromString } from 'libphonenumber-js/min';
import type { Funnel, FunnelVersion } from '../funnels/funnel.ts';
import { validateEmail } from '../leads/fields/email.ts';
import type { Channel } from '../messages/message.ts';
import type { ContactField } from './contact-fields.ts';
import { maskDestination } from './mask-destination.ts';

/** A contact field to which a code can be sent. */
export type CodeDestination = ContactField & { masked: string };

type DestinationRules = {
  funnel: Funnel;
  version: FunnelVersion;
  /** The channels that the deployment can send through. */
  channels: ReadonlySet<Channel>;
};

/** Selects, for each channel, the first contact field to which a code can be sent. */
export function selectDestinations(contacts: readonly ContactField[], rules: DestinationRules): CodeDestination[] {
  const selected = new Map<Channel, CodeDestination>();
  for (const contact of contacts) {
    const { channel, destination } = contact;
    if (selected.has(channel) || !rules.channels.has(channel) || !isReachable(contact, rules)) continue;
    selected.set(channel, { ...contact, masked: maskDestination(channel, destination) });
  }
  return [...selected.values()];
}

const isReachable = (contact: ContactField, rules: DestinationRules): boolean =>
  contact.channel === 'email' ? isValidEmail(contact) : isSmsAllowed(contact, rules);

/**
 * Validates the stored value again, because an earlier funnel version may have declared the field differently, or not
 * at all.
 */
function isValidEmail({ destination, declared }: ContactField): boolean {
  const json = JSON.stringify(destination);
  const result = validateEmail({ value: destination, json }, declared, undefined);
  return 'json' in result && result.json === json;
}

/**
 * SMS are sent only to the countries that the funnel allows, because prices differ widely between countries. If the
 * funnel lists no countries, only the country of the field is allowed. If the field has no country, only the country of
 * the funnel version is allowed.
 */
function isSmsAllowed({ destination, declared }: ContactField, { funnel, version }: DestinationRules): boolean {
  const home = declared.country ?? version.country;
  const allowed = funnel.verification.smsCountries ?? (home === undefined ? [] : [home]);
  const number = parsePhoneNumberFromString(destination, { extract: false });
  if (number?.country === undefined || !number.isValid()) return false;
  return allowed.some((code) => code.toUpperCase() === number.country);
}
