import { join } from 'node:path';

const HANDLER = /\/functions\/([\w-]+\/[\w-]+)\/handler\.ts$/;
const RUNNING_FUNCTION = join(import.meta.dirname, '../../../infra/policies/enforcement/running-function.ts');
const FUNCTION_IO = join(import.meta.dirname, '../deployed/function-io.ts');
const FACTORY = 'export const createHandler =';

/**
 * Wraps handlers that tests import. Then the policy of the function's role decides on requests to AWS, and log lines
 * are checked for personal data from the input and output of the handler.
 */
export const wrapHandlers = {
  name: 'wrap-handlers',
  enforce: 'pre' as const,
  transform(code: string, path: string): string | undefined {
    const [, id] = HANDLER.exec(path) ?? [];
    if (id === undefined) return undefined;
    if (!code.includes(FACTORY)) throw new Error(`functions/${id}/handler.ts must export a const createHandler.`);
    const wrapped = `import { runAsFunction } from ${JSON.stringify(RUNNING_FUNCTION)};
import { recordFunctionIo } from ${JSON.stringify(FUNCTION_IO)};
export function createHandler(...args) { return recordFunctionIo(runAsFunction('${id}', createOriginal(...args))); }`;
    return `${code.replace(FACTORY, 'const createOriginal =')}\n${wrapped}\n`;
  },
};
