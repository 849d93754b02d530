import { domainToASCII } from 'node:url';

/** What one encoded word may hold (RFC 2047, 2: at most 75 characters with its frame), in bytes before base64. */
const WORD_BYTES_MAX = 45;

/** The address as mail systems without SMTPUTF8 take it, SES among them: the domain in ASCII. */
export function asciiAddress(address: string): string {
  const at = address.lastIndexOf('@');
  return `${address.slice(0, at)}@${domainToASCII(address.slice(at + 1))}`;
}

/** `"Name" <address>` for a header: a name beyond ASCII as encoded words. */
export function formatMailbox(name: string, address: string): string {
  const ascii = asciiAddress(address);
  if (name === '') return ascii;
  const isPlain = /^[ -~]+$/.test(name) && !name.includes('=?');
  const phrase = isPlain ? `"${name.replace(/["\\]/g, '\\$&')}"` : encodedWords(name);
  return `${phrase} <${ascii}>`;
}

/** Whole characters to each word, as a reader decodes them one by one. */
function encodedWords(text: string): string {
  const words: string[] = [''];
  for (const character of text.replace(/[\p{C}]/gu, ' ')) {
    const word = `${words.at(-1)}${character}`;
    if (Buffer.byteLength(word) <= WORD_BYTES_MAX) words[words.length - 1] = word;
    else words.push(character);
  }
  return words.map((word) => `=?UTF-8?B?${Buffer.from(word).toString('base64')}?=`).join(' ');
}
