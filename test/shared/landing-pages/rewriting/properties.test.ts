import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { aSource, HOST } from '../../../support/landing-pages/rewriting.ts';

type Source = ReturnType<typeof aSource>;

/** The ids of a source page, its blocks and its files. */
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

/** Realistic and malformed texts of editors. */
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

/** The structure and the numbers of a value, without property names and texts. */
function shapeOf(value: unknown): unknown {
  if (typeof value === 'string' || value === null) return 'text or null';
  if (Array.isArray(value)) return value.map(shapeOf);
  if (typeof value !== 'object') return value;
  return Object.values(value).map(shapeOf);
}

const foreign = aSource({ copyAssets: true });
const mapped = [...own(foreign), ...foreign.keys, ...foreign.keys.map((key) => `/assets/${key}`), foreign.ids.orgId];
const cleared = [foreign.ids.funnelId, foreign.ids.domainId, `https://${HOST}/x`, HOST];

test('if a page and its files are copied to another organization, no id of the source remains, and JSON stays valid', () => {
  fc.assert(
    fc.property(aValue([...mapped, ...cleared, foreign.ids.strangeId]), (value) => {
      const rewritten = foreign.body(JSON.stringify(value));
      for (const id of [...own(foreign), foreign.ids.orgId, foreign.ids.funnelId, foreign.ids.domainId]) {
        expect(rewritten.toLowerCase()).not.toContain(id);
      }
      expect(() => JSON.parse(rewritten)).not.toThrow();
    }),
    { numRuns: 2_000 },
  );
});

test('clearing references removes no list item and no object member, and changes no number', () => {
  fc.assert(
    fc.property(aValue([...mapped, ...cleared], [foreign.ids.strangeId]), (value) => {
      const sent = JSON.stringify(value);
      expect(shapeOf(JSON.parse(foreign.body(sent)))).toEqual(shapeOf(JSON.parse(sent)));
    }),
    { numRuns: 1_000 },
  );
});

test('if nothing is cleared, a copy equals its source except for the new ids', () => {
  fc.assert(
    fc.property(aValue([...mapped, foreign.ids.strangeId]), fc.nat(3), (value, spaces) => {
      const json = JSON.stringify(value, null, spaces);
      const copy = foreign.rewrite({
        ...foreign.whole,
        blocks: foreign.whole.blocks.map((block) => ({ ...block, body: json })),
      });
      const back = [
        [copy.page.id, foreign.ids.pageId],
        [foreign.target.orgId, foreign.ids.orgId],
        ...copy.blocks.map(({ id }, index) => [id, foreign.whole.blocks[index]?.id ?? '']),
        ...foreign.whole.assets.map(({ id }): string[] => {
          const copied = foreign.assets.get(id);
          return [copied === undefined || copied === 'missing' ? '' : copied.id, id];
        }),
      ] as [string, string][];
      for (const { body } of copy.blocks) {
        expect(back.reduce((text, [to, from]) => text.replaceAll(to, from), body)).toBe(json);
      }
    }),
    { numRuns: 2_000 },
  );
});

test('a text without references to the source stays unchanged', () => {
  fc.assert(
    fc.property(aValue([foreign.ids.strangeId, 'https://other.example/x']), (value) => {
      const json = JSON.stringify(value);
      expect(foreign.body(json)).toBe(json);
    }),
    { numRuns: 1_000 },
  );
});

test('if an organization copies its own page without files, ids of the source page and blocks stay only in file URLs', () => {
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

test('if malformed style sheets and HTML are copied to another organization, no id of the source remains', () => {
  const pieces = fc.constantFrom(
    ...['<a ', 'href=', '"', "'", '>', '</', '<!--', 'url(', ')', '\\', '/', '%2F', ' 1x', ',', '=', '\n', ' style='],
    ...[...mapped, ...cleared],
  );
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 40 }), (parts) => {
      const css = foreign.css(parts.join('')).toLowerCase();
      for (const id of [...own(foreign), foreign.ids.funnelId]) expect(css).not.toContain(id);
    }),
    { numRuns: 5_000 },
  );
});

test('adversarial texts of 500 KB are rewritten within the time limit of the test', () => {
  const long = (piece: string) => piece.repeat(Math.ceil(500_000 / piece.length));
  const { funnelId, orgId, one } = foreign.ids;
  const [key = ''] = foreign.keys;
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
    expect(foreign.css(`${text}${funnelId}`)).not.toContain(funnelId);
    expect(foreign.body(JSON.stringify([text, funnelId]))).not.toContain(funnelId);
    expect(foreign.body(`${text}"${funnelId}"`)).not.toContain(one);
  }
});
