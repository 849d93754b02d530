import bigList from 'big-list-of-naughty-strings/blns.json' with { type: 'json' };

/** The Big List of Naughty Strings, and strings with NUL, lone surrogates, combining characters and white space. */
export const NAUGHTY_STRINGS: readonly string[] = [
  ...bigList,
  '\0',
  'a\0b',
  '\ud800',
  'a\udc00b',
  'e\u0301',
  '\u212b',
  '  padded\t',
  '"',
  "'=1+1",
  ',;\t|',
  '\r\n',
];
