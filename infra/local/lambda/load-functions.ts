import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { UserError } from '../../common/user-error.ts';
import { runAsFunction } from '../../policies/enforcement/running-function.ts';
import type { ProxyHandler } from '../gateway/request-listener.ts';
import { ROOT } from '../runtime/options.ts';

/** Returns the handler of a loaded function by its id. */
export type GetFunction = (id: string) => Handler;
export type Handler = ProxyHandler & ((event: unknown, context: unknown) => Promise<unknown>);

const bundlePath = (id: string) => join(ROOT, 'dist', id, 'index.mjs');

/** @throws UserError if a function has no bundle */
export function requireBundles(ids: readonly string[]): void {
  const missing = ids.find((id) => !existsSync(bundlePath(id)));
  if (missing === undefined) return;
  throw new UserError(`The function ${missing} is not built. Run "npm run build".`);
}

/**
 * Loads the bundles into this thread. Set the environment variables first, because some functions read them when they
 * are loaded. The returned function throws an Error for a function that was not loaded.
 *
 * @throws UserError if a bundle exports no handler
 */
export async function loadFunctions(ids: readonly string[]): Promise<GetFunction> {
  const handlers = new Map(await Promise.all(ids.map(async (id) => [id, await loadFunction(id)] as const)));
  return (id) => {
    const handler = handlers.get(id);
    if (handler === undefined)
      throw new Error(`The function ${id} was not loaded, because loadFunctions did not get its id.`);
    return handler;
  };
}

async function loadFunction(id: string): Promise<Handler> {
  const { handler }: { handler?: unknown } = await import(pathToFileURL(bundlePath(id)).href);
  if (typeof handler !== 'function')
    throw new UserError(`functions/${id}/handler.ts exports no handler. Export it, and run "npm run build".`);
  return runAsFunction(id, handler as Handler);
}
