import { domainToASCII } from 'node:url';
import type { Channel } from './message.ts';

/** Converts an e-mail address to lower case and NFC, and its domain to ASCII. Returns a phone number unchanged. */
export function normalizeDestination({ channel, destination }: { channel: Channel; destination: string }): string {
  if (channel === 'sms') return destination;
  const at = destination.lastIndexOf('@');
  const domain = destination.slice(at + 1);
  return `${destination.slice(0, at)}@${domainToASCII(domain) || domain}`.normalize('NFC').toLowerCase();
}
