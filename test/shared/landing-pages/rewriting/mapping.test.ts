import { expect, test } from 'vitest';
import { aSource } from '../../../support/landing-pages/rewriting.ts';

const { ids, target, keys, copiedKeys, body, text, css, rewrite } = aSource({ copyAssets: true });
const [key = ''] = keys;
const [copy = ''] = copiedKeys;

test('URLs of assets become the URLs of the copied assets, in any escaping', () => {
  const spellings: [(path: string) => string][] = [
    [(path) => path],
    [(path) => `https://cdn.example${path}?w=200#x`],
    [(path) => `url("${path}") url('${path}') url(${path})`],
    [(path) => `<img src="${path}" srcset="${path} 1x, ${path}?w=2 2x">`],
    [(path) => encodeURIComponent(path)],
    [(path) => encodeURIComponent(encodeURIComponent(path))],
    [(path) => path.replaceAll('/', '\\/')],
    [(path) => path.replaceAll('/', '&#47;')],
    [(path) => JSON.stringify({ deep: JSON.stringify([path]) })],
  ];
  for (const [spelled] of spellings) expect(text(spelled(`/assets/${key}`))).toBe(spelled(`/assets/${copy}`));
});

test('ids of the source are replaced if they are in upper case, next to other text, or written with CSS escapes', () => {
  const { one } = ids;
  const mapped = String(text(one));
  expect(mapped).not.toBe(one);
  expect(text(one.toUpperCase())).toMatch(/^[0-9a-f-]{36}$/);
  expect(text(one.toUpperCase())).not.toBe(one);
  expect(text(`block-${one}_${one}a`)).not.toContain(one);
  const digit = aSource();
  const escaped = (id: string) => (/^\d/.test(id) ? `\\3${id.charAt(0)} ${id.slice(1)}` : id);
  for (const id of [digit.ids.one, digit.ids.two, digit.ids.pageId]) {
    const rewritten = digit.css(`#${escaped(id)}{color:red}`);
    expect(rewritten).not.toContain(id.slice(1));
    expect(rewritten).toMatch(/^#(?:\\3\d [0-9a-f]|[a-f][0-9a-f]|\d)[0-9a-f-]{34,35}\{color:red\}$/);
  }
});

test('in a copy, a CSS selector with the id of a block selects the copied block, even if the ids start with a digit', () => {
  for (const [first, selector] of [
    ['a', (id: string) => `#${id}`],
    ['1', (id: string) => `#\\3${id.charAt(0)} ${id.slice(1)}`],
  ] as const) {
    for (let round = 0; round < 20; round++) {
      const { whole, rewrite: copyOf } = aSource();
      const [block = whole.blocks[1], ...more] = whole.blocks;
      if (block === undefined) throw new Error('There are two blocks.');
      const id = `${first}${block.id.slice(1)}`;
      const page = { ...whole.page, css: `${selector(id)}{}` };
      const { blocks, ...copied } = copyOf({ ...whole, page, blocks: [{ ...block, id }, ...more] });
      expect(copied.page.css).toBe(`${selector(blocks[0]?.id ?? '')}{}`);
      expect(blocks[0]?.id).toMatch(new RegExp(`^${first}(?!${id.slice(1)})`));
    }
  }
});

test('an id is replaced even if the digits before it look like the beginning of another id', () => {
  const { one } = ids;
  const looksLike = `12345678-1234-1234-1234-1234${one}`;
  expect(text(looksLike)).not.toContain(one);
});

test('in a copy, cyclic references between blocks refer to the copied blocks', () => {
  const source = aSource();
  const [one, two] = source.whole.blocks;
  const blocks = [
    { id: source.ids.one, position: 0, kind: 'section', body: JSON.stringify({ next: two?.id, self: one?.id }) },
    { id: source.ids.two, position: 1, kind: 'section', body: JSON.stringify({ next: one?.id }) },
  ];
  const [first, second] = source.rewrite({ ...source.whole, blocks }).blocks;
  expect(JSON.parse(first?.body ?? '')).toEqual({ next: second?.id, self: first?.id });
  expect(JSON.parse(second?.body ?? '')).toEqual({ next: first?.id });
});

test('the id of the source organization becomes the id of the target organization, as a value and in a text', () => {
  expect(text(ids.orgId)).toBe(target.orgId);
  expect(text(`/orgs/${ids.orgId}/x`)).toBe(`/orgs/${target.orgId}/x`);
  expect(css(`.o-${ids.orgId}{}`)).toBe(`.o-${target.orgId}{}`);
});

test('the text around the ids in a block stays unchanged', () => {
  const json = `{ "big": 1e300,  "small":1.10,"long": 12345678901234567890, "__proto__": {"constructor": "${ids.one}"},
  "same": 1, "same": 2, "escaped": "\\u00e9\\/\\ud83d", "key ${ids.two}" : [true, null , {}] }`;
  const mapped = (id: string) => String(text(id));
  const rewritten = body(json);
  // The ids of blocks are new in each copy, so they are read from the result.
  const [one = '', two = ''] = rewritten.match(/[0-9a-f-]{36}/g) ?? [];
  expect(rewritten).toBe(json.replace(ids.one, one).replace(ids.two, two));
  expect(mapped(ids.pageId)).toBe(target.pageId);
});

test('ids in the settings of a page are replaced, and its name, slug and order of blocks stay', () => {
  const source = aSource();
  const page = { ...source.whole.page, settings: `{"id":"${source.ids.pageId}"}`, name: 'Solar', slug: 'solar' };
  const copyOf = source.rewrite({ ...source.whole, page });
  expect(copyOf.page).toMatchObject({ settings: `{"id":"${source.target.pageId}"}`, name: 'Solar', slug: 'solar' });
  expect(copyOf.blocks.map(({ position }) => position)).toEqual([0, 1]);
});

test('a body that is not JSON is rewritten as text', () => {
  for (const invalid of [`{"a": "${ids.one}`, `${ids.one}`, `{"a": "\\x ${ids.one}"}`, '"', '', '\\"']) {
    expect(() => body(invalid)).not.toThrow();
  }
  expect(body(`{"a": "\\x ${ids.one}"}`)).not.toContain(ids.one);
  expect(body(`{"a": "${ids.one}`)).not.toContain(ids.one);
});

test('a copy does not contain the id of its source page', () => {
  const first = rewrite();
  expect(JSON.stringify(first)).not.toContain(ids.pageId);
});
