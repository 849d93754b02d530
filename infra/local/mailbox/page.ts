import { join } from 'node:path';
import { type PageFiles, STAND_IN_STYLE_SHEETS } from '../common/page-files.ts';

const FOLDER = join(import.meta.dirname, 'browser');

export const MAILBOX_FILES: PageFiles = {
  '/': [join(FOLDER, 'mailbox.html'), 'text/html'],
  ...STAND_IN_STYLE_SHEETS,
  '/mailbox.css': [join(FOLDER, 'mailbox.css'), 'text/css'],
  '/mailbox.js': [join(FOLDER, 'mailbox.js'), 'text/javascript'],
  '/icon.svg': [join(FOLDER, 'icon.svg'), 'image/svg+xml'],
};

export const MAILBOX_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "frame-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
];
