import { join } from 'node:path';

const HANDLER = /\/functions\/([\w-]+\/[\w-]+)\/handler\.ts$/;
const RUNNING = join(import.meta.dirname, '..', '..', '..', 'infra', 'policies', 'enforcement', 'running-function.ts');
const NOTING = join(import.meta.dirname, '..', 'deployed', 'function-io.ts');
const MAKER = 'export const createHandler =';

/**
 * Handlers that tests import run as the functions that they are, whoever calls them: what they ask AWS for is judged by
 * the policy of their role, and what they log by what they were given.
 */
export const wrapHandlers = {
  name: 'handlers-run-as-their-functions',
  enforce: 'pre' as const,
  transform(code: string, path: string): string | undefined {
    const [, id] = HANDLER.exec(path) ?? [];
    if (id === undefined) return undefined;
    if (!code.includes(MAKER)) throw new Error(`functions/${id}/handler.ts exports no const createHandler.`);
    const wrapped = `import { runAsFunction } from ${JSON.stringify(RUNNING)};
import { recordFunctionIo } from ${JSON.stringify(NOTING)};
export function createHandler(...given) { return recordFunctionIo(runAsFunction('${id}', createItself(...given))); }`;
    return `${code.replace(MAKER, 'const createItself =')}\n${wrapped}\n`;
  },
};
