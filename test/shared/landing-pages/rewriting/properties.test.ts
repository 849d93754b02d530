import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { aSource, HOST } from '../../../support/landing-pages/rewriting.ts';

type Source = ReturnType<typeof aSource>;

/** Ids that a copy must not name. */
const own = ({ ids, whole }: Source): string[] => [ids.pageId, ids.one, ids.two, ...whole.assets.map(({ id }) => id)];

const WRAPPERS: readonly ((inner: string) => string)[] = [
  (inner) => inner,
  (inner) => `url("${inner}")`,
  (inner) => `url('${inner}'), url( ${inner} )`,
  (inner) => `<a href="${inner}" style='background:url(${inner})'>${inner}</a>`,
  (inner) => `<img srcset="${inner} 1x, /logo.png 2x" src=${inner}>`,
  (inner) => `https://cdn.example${inner.startsWith('/') ? '' : '/'}${inner}?a=b#c`,
  (inner) => encodeURIComponent(inner),
  (inner) => JSON.stringify({ inner, list: [inner] }),
  (inner) => `See ${inner}, (${inner}) and "${inner}".`,
  (inner) => `${inner}${inner}`,
];

/** Texts as editors make them, and as nobody would. */
const aText = (references: readonly string[]): fc.Arbitrary<string> => {
  const noise = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 8 }),
    fc.constantFrom('<', '>', '"', "'", '\\', '/', 'url(', ')', '<p ', '=', ',', '%', '{', '[', ' ', '\n', '-', '0'),
  );
  const wrapped = fc
    .tuple(fc.constantFrom(...references), fc.array(fc.constantFrom(...WRAPPERS), { maxLength: 3 }))
    .map(([reference, wrappers]) => wrappers.reduce((inner, wrap) => wrap(inner), reference));
  return fc.array(fc.oneof(noise, wrapped), { maxLength: 6 }).map((parts) => parts.join(''));
};

const aValue = (references: readonly string[], inKeys = references) =>
  fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 5 },
      aText(references),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(fc.oneof(aText(inKeys), fc.constant('__proto__')), tie('value'), { maxKeys: 4 }),
    ),
  })).value;

/** The kinds of a value's parts, without what is in its texts. */
function shapeOf(value: unknown): unknown {
  if (typeof value === 'string' || value === null) return 'text or null';
  if (Array.isArray(value)) return value.map(shapeOf);
  if (typeof value !== 'object') return value;
  return Object.values(value).map(shapeOf);
}

const away = aSource({ copyAssets: true });
const mapped = [...own(away), ...away.keys, ...away.keys.map((key) => `/assets/${key}`), away.ids.orgId];
const cleared = [away.ids.funnelId, away.ids.domainId, `https://${HOST}/x`, HOST];

test('no id of the source is left in a copy, wherever it stood; a valid body stays valid', () => {
  fc.assert(
    fc.property(aValue([...mapped, ...cleared, away.ids.strangeId]), (value) => {
      const rewritten = away.body(JSON.stringify(value));
      for (const id of [...own(away), away.ids.orgId, away.ids.funnelId, away.ids.domainId]) {
        expect(rewritten.toLowerCase()).not.toContain(id);
      }
      expect(() => JSON.parse(rewritten)).not.toThrow();
    }),
    { numRuns: 2_000 },
  );
});

test('what is cleared leaves everything else in its place: the same lists, members and numbers', () => {
  fc.assert(
    fc.property(aValue([...mapped, ...cleared], [away.ids.strangeId]), (value) => {
      const sent = JSON.stringify(value);
      expect(shapeOf(JSON.parse(away.body(sent)))).toEqual(shapeOf(JSON.parse(sent)));
    }),
    { numRuns: 1_000 },
  );
});

test('where nothing is cleared, mapping the new ids back gives the source, byte for byte', () => {
  fc.assert(
    fc.property(aValue([...mapped, away.ids.strangeId]), fc.nat(3), (value, spaces) => {
      const json = JSON.stringify(value, null, spaces);
      const copy = away.rewrite({
        ...away.whole,
        blocks: away.whole.blocks.map((block) => ({ ...block, body: json })),
      });
      const back = [
        [copy.page.id, away.ids.pageId],
        [away.target.orgId, away.ids.orgId],
        ...copy.blocks.map(({ id }, index) => [id, away.whole.blocks[index]?.id ?? '']),
        ...away.whole.assets.map(({ id }): string[] => {
          const fate = away.assets.get(id);
          return [fate === undefined || fate === 'missing' ? '' : fate.id, id];
        }),
      ] as [string, string][];
      for (const { body } of copy.blocks) {
        expect(back.reduce((text, [to, from]) => text.replaceAll(to, from), body)).toBe(json);
      }
    }),
    { numRuns: 2_000 },
  );
});

test('a text that refers to nothing of the source is the same text', () => {
  fc.assert(
    fc.property(aValue([away.ids.strangeId, 'https://other.example/x']), (value) => {
      const json = JSON.stringify(value);
      expect(away.body(json)).toBe(json);
    }),
    { numRuns: 1_000 },
  );
});

test('within one organization no id of page and blocks is left but in the addresses of files that stay', () => {
  const within = aSource({ within: true });
  const references = [...own(within), ...within.keys.map((key) => `https://cdn.example/assets/${key}?w=1`)];
  fc.assert(
    fc.property(aValue(references), (value) => {
      let rewritten = within.body(JSON.stringify(value));
      for (const slash of ['/', '\\/', '%2F', '%252F', '%25252F']) {
        for (const key of within.keys) rewritten = rewritten.replaceAll(key.replaceAll('/', slash), '');
      }
      for (const id of [within.ids.pageId, within.ids.one, within.ids.two]) expect(rewritten).not.toContain(id);
    }),
    { numRuns: 1_000 },
  );
});

test('any text at all is rewritten without a fault: style sheets, HTML, halves of both', () => {
  const pieces = fc.constantFrom(
    ...['<a ', 'href=', '"', "'", '>', '</', '<!--', 'url(', ')', '\\', '/', '%2F', ' 1x', ',', '=', '\n', ' style='],
    ...[...mapped, ...cleared],
  );
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 40 }), (parts) => {
      const css = away.css(parts.join('')).toLowerCase();
      for (const id of [...own(away), away.ids.funnelId]) expect(css).not.toContain(id);
    }),
    { numRuns: 5_000 },
  );
});

test('texts that are made to take long are rewritten in a time linear in their length', () => {
  const long = (piece: string) => piece.repeat(Math.ceil(500_000 / piece.length));
  const { funnelId, orgId, one } = away.ids;
  const [key = ''] = away.keys;
  const texts = [
    ...[
      '<a ',
      '<a b="',
      "<a b='c",
      'url(',
      'url("',
      "url('\\",
      'url( ',
      '\\',
      '"',
      '{"',
      '[',
      'a',
      '0',
      '-',
      '%25',
      '.',
    ],
    ...[
      '12345678-',
      '12345678-1234-1234-1234-',
      `${orgId}/`,
      `${orgId}\\\\/`,
      `${orgId}%2525252f`,
      ' 1x,',
      'a.',
      '=',
      ' ',
    ],
    ...[
      `${funnelId}`,
      `${funnelId} `,
      `${funnelId}-`,
      `${one}/`,
      `${HOST}/`,
      `${HOST}.`,
      `%2F${HOST}`,
      `/assets/${key},`,
    ],
    ...[`<a b=${funnelId}`, `url(${funnelId}`, `"${funnelId}\\`, `<img srcset="${key} 1x,`],
  ];
  for (const piece of texts) {
    const text = long(piece);
    expect(away.css(`${text}${funnelId}`)).not.toContain(funnelId);
    expect(away.body(JSON.stringify([text, funnelId]))).not.toContain(funnelId);
    expect(away.body(`${text}"${funnelId}"`)).not.toContain(one);
  }
});
