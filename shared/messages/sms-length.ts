/**
 * GSM 03.38 basic character set. Each of its characters takes one septet, a character of the extension table takes two.
 */
const BASIC_CHARACTERS =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà';
const EXTENDED_CHARACTERS = '^{}\\[~]|€';
const SEPTETS_MAX = 160;
/** Maximum UTF-16 units of an SMS in UCS-2. One character outside the GSM tables makes the whole message UCS-2. */
const UCS2_UNITS_MAX = 70;

/** Whether a text fits into one SMS. A longer text is sent and billed as several SMS. */
export function fitsOneSms(text: string): boolean {
  let septets = 0;
  for (const character of text) {
    if (BASIC_CHARACTERS.includes(character)) septets += 1;
    else if (EXTENDED_CHARACTERS.includes(character)) septets += 2;
    else return text.length <= UCS2_UNITS_MAX;
  }
  return septets <= SEPTETS_MAX;
}
