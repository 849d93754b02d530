const GRAPHEMES = new Intl.Segmenter('en', { granularity: 'grapheme' });
/** East Asian characters and emojis take two columns of a terminal. */
const IS_WIDE = new RegExp(
  [
    /\p{Emoji_Presentation}|\ufe0f/u,
    /\p{scx=Han}|\p{scx=Hira}|\p{scx=Kana}|\p{scx=Hang}|\p{scx=Bopo}/u,
    /[\u3000-\u303f\uff01-\uff60\uffe0-\uffe6]/u,
  ]
    .map(({ source }) => source)
    .join('|'),
  'u',
);

const widthOf = (text: string): number => [...GRAPHEMES.segment(text)].reduce((sum, at) => sum + columnsOf(at), 0);
const columnsOf = ({ segment }: { segment: string }): number => (IS_WIDE.test(segment) ? 2 : 1);

/** Breaks a text into lines of at most `columns`: between words, and inside words that are longer than a line. */
export function wrapText(text: string, columns: number): string {
  return text
    .split('\n')
    .map((line) => (widthOf(line) <= columns ? line : linesOf(line, columns).join('\n')))
    .join('\n');
}

/** Puts a text after a prefix and indents further lines. @param columns width; undefined if lines must not be broken */
export function hangingIndent(prefix: string, text: string, columns: number | undefined): string {
  if (columns === undefined) return `${prefix}${text}\n`;
  return `${prefix}${wrapText(text, columns - prefix.length).replaceAll('\n', `\n${' '.repeat(prefix.length)}`)}\n`;
}

function linesOf(text: string, columns: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ').flatMap((whole) => pieces(whole, columns))) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (widthOf(longer) > columns) lines.push(line);
    line = widthOf(longer) > columns ? word : longer;
  }
  return [...lines, line];
}

function pieces(word: string, columns: number): string[] {
  const [cut, rest] = [[''], GRAPHEMES.segment(word)];
  for (const at of rest) {
    const last = cut.at(-1) ?? '';
    if (widthOf(last) + columnsOf(at) > columns) cut.push(at.segment);
    else cut.splice(-1, 1, last + at.segment);
  }
  return cut;
}
