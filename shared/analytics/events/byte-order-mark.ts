/** A text without U+FEFF before it: a mark, not a part of the text, and dropped by decoders of UTF-8. */
export const withoutByteOrderMark = (text: string): string => text.replace(/^\ufeff+/, '');
