import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Answer } from './answer.ts';

const FOLDER = join(import.meta.dirname, 'browser');
const FILES: Record<string, readonly [name: string, type: string]> = {
  '/': ['mailbox.html', 'text/html'],
  '/mailbox.css': ['mailbox.css', 'text/css'],
  '/mailbox.js': ['mailbox.js', 'text/javascript'],
  '/icon.svg': ['icon.svg', 'image/svg+xml'],
};

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "frame-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

/** A file of the page for people; undefined when the path is none. */
export async function pageFile(path: string): Promise<Answer | undefined> {
  const [name, type] = FILES[path] ?? [];
  if (name === undefined) return undefined;
  return {
    status: 200,
    headers: {
      'Content-Type': `${type}; charset=utf-8`,
      'Content-Security-Policy': POLICY,
      'Cache-Control': 'no-store',
      'Referrer-Policy': 'no-referrer',
    },
    body: await readFile(join(FOLDER, name), 'utf8'),
  };
}
