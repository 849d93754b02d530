import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { StandInResponse } from './stand-in-http.ts';

/** The files of a page, by the path of the request. */
export type PageFiles = Readonly<Record<string, readonly [file: string, type: string]>>;

/** Contains the style sheet of all pages. */
const PAGES_FOLDER = join(import.meta.dirname, '../example-page/browser');

/** The style sheet of all pages, as an entry of `PageFiles`. */
export const BASE_STYLE_SHEET: PageFiles[string] = [join(PAGES_FOLDER, 'base.css'), 'text/css'];

/** Returns a file of a page. Returns undefined for other paths. */
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
