import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { StandInResponse } from './stand-in-http.ts';

/** The files of a page, by the path of the request. */
export type PageFiles = Readonly<Record<string, readonly [file: string, type: string]>>;

/** Contains `base.css`, the style sheet of all pages. */
const PAGES_FOLDER = join(import.meta.dirname, '../example-page/browser');

/** The style sheets that the pages of stand-ins share. */
export const STAND_IN_STYLE_SHEETS: PageFiles = {
  '/base.css': [join(PAGES_FOLDER, 'base.css'), 'text/css'],
  '/stand-in.css': [join(import.meta.dirname, 'stand-in.css'), 'text/css'],
};

/** Returns a response with the file at `path`. Returns undefined if the page has no such file. */
export async function readPageFile(
  files: PageFiles,
  path: string,
  contentSecurityPolicy: readonly string[],
): Promise<StandInResponse | undefined> {
  const [file, type] = files[path] ?? [];
  if (file === undefined) return undefined;
  return {
    status: 200,
    headers: {
      'Content-Type': `${type}; charset=utf-8`,
      'Content-Security-Policy': contentSecurityPolicy.join('; '),
      'Cache-Control': 'no-store',
      'Referrer-Policy': 'no-referrer',
    },
    body: await readFile(file, 'utf8'),
  };
}
