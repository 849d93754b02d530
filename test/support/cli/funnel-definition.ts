import type { FunnelDefinition } from '../../../infra/cli/funnels/definition/funnel-definition.ts';
import { parseFunnelDefinition } from '../../../infra/cli/funnels/definition/parse-definition.ts';

/** A funnel file with one step, which has the fields name and e-mail address. */
export const aFunnelDefinition = (overrides: Partial<FunnelDefinition> = {}): FunnelDefinition => ({
  name: 'Cakes to order',
  country: 'DE',
  steps: [{ id: 'contact' }],
  fields: [
    { id: 'name', type: 'text', required: true, step: 'contact' },
    { id: 'email', type: 'email', step: 'contact', verifiable: true },
  ],
  ...overrides,
});

/** Parses a text as a funnel file. @returns the errors, each as `line:column path: message` */
export function issuesInText(text: string | Uint8Array): string[] {
  const reading = parseFunnelDefinition(typeof text === 'string' ? Buffer.from(text) : text);
  if ('file' in reading) return [];
  return reading.issues.map(({ line, column, path, message }) => `${line}:${column} ${path}: ${message}`);
}

/** Parses a value as a funnel file. @returns the errors, each as `path: message` */
export const issuesIn = (file: unknown): string[] =>
  issuesInText(JSON.stringify(file)).map((issue) => issue.replace(/^\S+ /, ''));
