import type { Channel } from '../messages/message.ts';

/** The number of stars is constant, so that the length of the destination stays hidden. */
const EMAIL_STARS = '***';
const PHONE_STARS = '*****';
/** A national number with fewer digits is masked completely, because two of its digits would reveal too much. */
const NATIONAL_DIGITS_MIN = 6;

/** Country calling codes of one and two digits (ITU-T E.164); all others have three. */
const CALLING_CODE = /^\+(?:[17]|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|\d{3})/;

/** Masks a destination so that only its owner recognizes it: `j***@e***.com`, `+49*****89`. */
export const maskDestination = (channel: Channel, destination: string): string =>
  channel === 'email' ? maskEmail(destination) : maskPhone(destination);

/** Keeps the first letters of local part and domain, and the top-level domain. */
function maskEmail(address: string): string {
  const at = address.lastIndexOf('@');
  const domain = address.slice(at + 1);
  const topLevel = domain.slice(domain.lastIndexOf('.') + 1);
  return `${firstCharacter(address)}${EMAIL_STARS}@${firstCharacter(domain)}${EMAIL_STARS}.${topLevel}`;
}

/** The first character with its combining marks. */
const firstCharacter = (text: string): string => /^.\p{M}*/su.exec(text.slice(0, 8))?.[0] ?? '';

/** Keeps the country calling code, and the last two digits if enough other digits stay hidden. */
function maskPhone(number: string): string {
  const callingCode = CALLING_CODE.exec(number)?.[0] ?? '+';
  const national = number.slice(callingCode.length);
  return `${callingCode}${PHONE_STARS}${national.length < NATIONAL_DIGITS_MIN ? '' : national.slice(-2)}`;
}
