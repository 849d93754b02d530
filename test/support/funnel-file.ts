import { readFunnelFile } from '../../shared/directory/funnel-file/read-funnel-file.ts';
import type { FunnelFile } from '../../shared/directory/funnel-file.ts';

/** A funnel file of one step with a name and an e-mail address. */
export const aFunnelFile = (said: Partial<FunnelFile> = {}): FunnelFile => ({
  name: 'Cakes to order',
  country: 'DE',
  steps: [{ id: 'contact' }],
  fields: [
    { id: 'name', type: 'text', required: true, step: 'contact' },
    { id: 'email', type: 'email', step: 'contact', verifiable: true },
  ],
  ...said,
});

/** What is wrong with a text, each as `line:column path: message`. */
export function faultsOf(text: string | Uint8Array): string[] {
  const reading = readFunnelFile(typeof text === 'string' ? Buffer.from(text) : text);
  if ('file' in reading) return [];
  return reading.faults.map(({ line, column, path, message }) => `${line}:${column} ${path}: ${message}`);
}

/** The same for a value, by path and message alone. */
export const faultsIn = (file: unknown): string[] =>
  faultsOf(JSON.stringify(file)).map((fault) => fault.replace(/^\S+ /, ''));
