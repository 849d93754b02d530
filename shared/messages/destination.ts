import { domainToASCII } from 'node:url';
import type { Channel } from './message.ts';

/** Normalizes a destination: e-mail addresses are compared without case, and with their domain in ASCII form. */
export function normalizeDestination({ channel, destination }: { channel: Channel; destination: string }): string {
  if (channel === 'sms') return destination;
  const at = destination.lastIndexOf('@');
  const domain = destination.slice(at + 1);
  return `${destination.slice(0, at)}@${domainToASCII(domain) || domain}`.normalize('NFC').toLowerCase();
}
