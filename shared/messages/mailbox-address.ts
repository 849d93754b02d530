import { domainToASCII } from 'node:url';

/**
 * Maximum bytes of text in one encoded word. An encoded word of 45 bytes has 72 characters. RFC 2047, section 2, allows
 * 75 characters.
 */
const WORD_BYTES_MAX = 45;

/** Returns the address with its domain in ASCII, because SES and other mail systems do not support SMTPUTF8. */
export function asciiAddress(address: string): string {
  const at = address.lastIndexOf('@');
  return `${address.slice(0, at)}@${domainToASCII(address.slice(at + 1))}`;
}

/**
 * Formats `"Name" <address>` for a mail header, or only the address if the name is empty. A name that is not printable
 * ASCII, or that contains `=?`, is written as encoded words.
 */
export function formatMailbox(name: string, address: string): string {
  const ascii = asciiAddress(address);
  if (name === '') return ascii;
  const isPlain = /^[ -~]+$/.test(name) && !name.includes('=?');
  const phrase = isPlain ? `"${name.replace(/["\\]/g, '\\$&')}"` : encodedWords(name);
  return `${phrase} <${ascii}>`;
}

/** Clients decode each encoded word separately, so a character must not be split. */
function encodedWords(text: string): string {
  const words: string[] = [''];
  for (const character of text.replace(/[\p{C}]/gu, ' ')) {
    const word = `${words.at(-1)}${character}`;
    if (Buffer.byteLength(word) <= WORD_BYTES_MAX) words[words.length - 1] = word;
    else words.push(character);
  }
  return words.map((word) => `=?UTF-8?B?${Buffer.from(word).toString('base64')}?=`).join(' ');
}
