/** GSM 03.38: what a message of 160 characters can be written with; the letters of the second row take two places. */
const ONE_PLACE =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà';
const TWO_PLACES = '^{}\\[~]|€';
const PLACES_MAX = 160;
/** With any other character the whole message is written in UCS-2. */
const UCS2_UNITS_MAX = 70;

/** Whether a text goes as one SMS; a longer one is sent, and paid, as several. */
export function fitsOneSms(text: string): boolean {
  let places = 0;
  for (const character of text) {
    if (ONE_PLACE.includes(character)) places += 1;
    else if (TWO_PLACES.includes(character)) places += 2;
    else return text.length <= UCS2_UNITS_MAX;
  }
  return places <= PLACES_MAX;
}
