import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { StandInResponse } from '../common/stand-in-http.ts';

const FOLDER = join(import.meta.dirname, 'browser');
/** Contains the style sheet that the mailbox shares with the example pages. */
const PAGES_FOLDER = join(import.meta.dirname, '../example-page/browser');
const FILES: Record<string, readonly [path: string, type: string]> = {
  '/': [join(FOLDER, 'mailbox.html'), 'text/html'],
  '/base.css': [join(PAGES_FOLDER, 'base.css'), 'text/css'],
  '/mailbox.css': [join(FOLDER, 'mailbox.css'), 'text/css'],
  '/mailbox.js': [join(FOLDER, 'mailbox.js'), 'text/javascript'],
  '/icon.svg': [join(FOLDER, 'icon.svg'), 'image/svg+xml'],
};

const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "frame-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

/** Returns a file of the mailbox page. Returns undefined for other paths. */
export async function readPageFile(path: string): Promise<StandInResponse | undefined> {
  const [file, type] = FILES[path] ?? [];
  if (file === undefined) return undefined;
  return {
    status: 200,
    headers: {
      'Content-Type': `${type}; charset=utf-8`,
      'Content-Security-Policy': CONTENT_SECURITY_POLICY,
      'Cache-Control': 'no-store',
      'Referrer-Policy': 'no-referrer',
    },
    body: await readFile(file, 'utf8'),
  };
}
