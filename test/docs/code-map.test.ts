import { statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readDocument } from '../support/documents.ts';

const ROOT = join(import.meta.dirname, '../..');
const LINK = /\]\(\.\.\/([^)#]+)\)/g;

const rows = ['docs/code-map.md', 'docs/code-map-infra.md'].flatMap((path) =>
  Array.from(readDocument(path).matchAll(/^\| (.+) \| (.+) \|$/gm), ([, what = '', where = '']) => ({
    path,
    what,
    where,
  })),
);

test('in each row of the code maps, the linked files contain the names in backquotes', () => {
  expect(rows.length).toBeGreaterThan(500);
  const missing = rows.flatMap(({ path, what, where }) => {
    const files = [...where.matchAll(LINK)]
      .map(([, file = '']) => file)
      .filter((file) => statSync(join(ROOT, file)).isFile());
    const names = [...where.matchAll(/`(\w+)`/g)].map(([, name = '']) => name);
    const texts = files.map((file) => readDocument(file));
    return names
      .filter((name) => files.length > 0 && !texts.some((text) => text.includes(name)))
      .map((name) => `${path}, ${what}: ${name}`);
  });
  expect(missing).toEqual([]);
});
