import type { FunnelDefinition } from '../../../infra/cli/funnels/definition/funnel-definition.ts';
import { parseFunnelDefinition } from '../../../infra/cli/funnels/definition/parse-definition.ts';

/** A funnel file of one step with a name and an e-mail address. */
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

/** The errors of a text, each as `line:column path: message`. */
export function issuesInText(text: string | Uint8Array): string[] {
  const reading = parseFunnelDefinition(typeof text === 'string' ? Buffer.from(text) : text);
  if ('file' in reading) return [];
  return reading.issues.map(({ line, column, path, message }) => `${line}:${column} ${path}: ${message}`);
}

/** The errors of a value, by path and message. */
export const issuesIn = (file: unknown): string[] =>
  issuesInText(JSON.stringify(file)).map((issue) => issue.replace(/^\S+ /, ''));
