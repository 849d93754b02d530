import { readFileSync } from 'node:fs';
import { errorCode } from '../friendly-error.ts';

/** What a file holds; nothing where there is none. */
export function readTextIfExists(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return '';
    throw error;
  }
}
