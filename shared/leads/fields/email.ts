import { domainToASCII } from 'node:url';
import * as z from 'zod/mini';
import { accept, reject, textValidator, tooLong } from './field-validator.ts';

const EMAIL_CHARACTERS_MAX = 254;
const LOCAL_PART_CHARACTERS_MAX = 64;
const EmailAddress = z.email();
/**
 * Matches a domain before its conversion to ASCII, because the conversion would silently remove a path or a line break.
 */
const DOMAIN = /^[\p{L}\p{M}\p{N}.-]+$/u;

export const validateEmail = textValidator((value) => {
  if (value.length > EMAIL_CHARACTERS_MAX) return tooLong(EMAIL_CHARACTERS_MAX);
  return isEmailAddress(value) ? accept(value) : reject('format', 'Must be an e-mail address.');
});

/** Whether the value is an e-mail address. Internationalized domains are validated in their ASCII form. */
export function isEmailAddress(value: string): boolean {
  const at = value.lastIndexOf('@');
  const [localPart, domain] = [value.slice(0, at), value.slice(at + 1)];
  if (at < 1 || at > LOCAL_PART_CHARACTERS_MAX || !DOMAIN.test(domain)) return false;
  return EmailAddress.safeParse(`${localPart}@${domainToASCII(domain)}`).success;
}
