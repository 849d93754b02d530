import type { Channel } from '../messages/message.ts';

/** Always as many, so that they tell no length. */
const STARS = '***';
const PHONE_STARS = '*****';
/** Of a national number that has fewer digits, the last two would be too much. */
const NATIONAL_DIGITS_MIN = 6;

/** Country calling codes of one and two digits (ITU-T E.164); all others have three. */
const CALLING_CODE = /^\+(?:[17]|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|\d{3})/;

/** A destination as its owner recognises it and nobody else learns it: `j***@e***.com`, `+49*****89`. */
export const maskDestination = (channel: Channel, destination: string): string =>
  channel === 'email' ? maskedEmail(destination) : maskedPhone(destination);

/** The first letters of name and domain, and the top-level domain. */
function maskedEmail(address: string): string {
  const at = address.lastIndexOf('@');
  const domain = address.slice(at + 1);
  const topLevel = domain.slice(domain.lastIndexOf('.') + 1);
  return `${firstOf(address)}${STARS}@${firstOf(domain)}${STARS}.${topLevel}`;
}

/** The first character with the marks that belong to it. */
const firstOf = (text: string): string => /^.\p{M}*/su.exec(text.slice(0, 8))?.[0] ?? '';

/** The country's calling code, and the last two digits where enough others are hidden. */
function maskedPhone(number: string): string {
  const callingCode = CALLING_CODE.exec(number)?.[0] ?? '+';
  const national = number.slice(callingCode.length);
  return `${callingCode}${PHONE_STARS}${national.length < NATIONAL_DIGITS_MIN ? '' : national.slice(-2)}`;
}
