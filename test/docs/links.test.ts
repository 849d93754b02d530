import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import { expect, test } from 'vitest';
import { DOCUMENTS, proseOf, readDocument, SOURCES } from '../support/documents.ts';

const ROOT = join(import.meta.dirname, '../..');

/** The anchors that GitHub generates for the headings of a document. A repeated heading gets a number. */
function anchorsOf(document: string): string[] {
  const seen = new Map<string, number>();
  return [...proseOf(document).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => {
    const anchor = heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-');
    const repeated = seen.get(anchor) ?? 0;
    seen.set(anchor, repeated + 1);
    return repeated === 0 ? anchor : `${anchor}-${repeated}`;
  });
}

/** Returns whether the path exists. Upper and lower case of its last name must match, as on Linux. */
const existsAsWritten = (path: string): boolean =>
  existsSync(path) && readdirSync(dirname(path)).includes(basename(path));

/** Returns why a link leads nowhere, or undefined. @param from path of the file that contains the link */
function brokenBy(from: string, link: string): string | undefined {
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? from : join(dirname(from), path);
  if (!existsAsWritten(join(ROOT, target))) return `${link}: there is no file ${target}`;
  if (anchor === undefined || extname(target) !== '.md') return undefined;
  return anchorsOf(target).includes(anchor) ? undefined : `${link}: ${target} has no heading for #${anchor}`;
}

test.each(DOCUMENTS)('%s: every internal link leads to an existing file and heading', (document) => {
  const links = [...proseOf(document).matchAll(/\]\((?!https?:|mailto:)([^)\s]*)\)/g)].map(([, link = '']) => link);
  expect(links.flatMap((link) => brokenBy(document, link) ?? [])).toEqual([]);
});

test('every document of docs/ is reachable by links from README.md', () => {
  const reached = new Set(['README.md']);
  for (const document of reached) {
    for (const [, link = ''] of proseOf(document).matchAll(/\]\((?!https?:|mailto:)([^)\s#]+\.md)[^)]*\)/g))
      reached.add(join(dirname(document), link));
  }
  expect(DOCUMENTS.filter((path) => path.startsWith('docs/') && !reached.has(path))).toEqual([]);
});

test('every document and heading named in code or in a message exists', () => {
  const named = [...SOURCES, 'biome.json'].flatMap((path) =>
    [...readDocument(path).matchAll(/\bdocs\/[\w/.-]+\.md(?:#[\w-]+)?/g)].map(([link]) => ({ path, link })),
  );
  expect(named.length).toBeGreaterThan(5);
  expect(named.flatMap(({ path, link }) => brokenBy('README.md', link)?.replace(/^/, `${path}: `) ?? [])).toEqual([]);
});
