import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { onceAsync } from '../../../shared/platform/once.ts';
import { UserError } from '../../common/user-error.ts';
import { runAsFunction } from '../../policies/enforcement/running-function.ts';
import type { ProxyHandler } from '../gateway/request-listener.ts';
import { ROOT } from '../runtime/options.ts';
import { markStreaming } from './globals.ts';

/** Returns the handler of a function by its id. */
export type GetFunction = (id: string) => Handler;
export type Handler = ProxyHandler & ((event: unknown, context: unknown) => Promise<unknown>);

const bundlePath = (id: string) => join(ROOT, 'dist', id, 'index.mjs');

/** @throws UserError if a function has no bundle */
export function requireBundles(ids: readonly string[]): void {
  const missing = ids.find((id) => !existsSync(bundlePath(id)));
  if (missing === undefined) return;
  throw new UserError(`The function ${missing} is not built. Run "npm run build".`);
}

/** What `createFunctionLoader` needs of a declaration. */
type Loadable = { id: string; streamContentTypes?: readonly string[] | undefined };

/**
 * Creates the handlers. At its first invocation, a handler loads its bundle into this thread. Set the environment
 * variables before the first invocation, because some bundles read them when they are loaded. An invocation rejects if
 * the bundle cannot be loaded or exports no handler.
 */
export function createFunctionLoader(functions: readonly Loadable[]): GetFunction {
  const handlers = new Map(functions.map((declared) => [declared.id, lazyHandler(declared)]));
  return (id) => {
    const handler = handlers.get(id);
    if (handler === undefined) throw new Error(`functions/declarations.ts lists no function ${id}.`);
    return handler;
  };
}

function lazyHandler({ id, streamContentTypes }: Loadable): Handler {
  const load = onceAsync(() => loadFunction(id));
  const invoke = async (...args: Parameters<Handler>) => {
    const handler = await load();
    return handler(...args);
  };
  return (streamContentTypes === undefined ? invoke : markStreaming(invoke)) as Handler;
}

async function loadFunction(id: string): Promise<Handler> {
  const { handler }: { handler?: unknown } = await import(pathToFileURL(bundlePath(id)).href);
  if (typeof handler !== 'function')
    throw new Error(`functions/${id}/handler.ts exports no handler. Export it, and run "npm run build".`);
  return runAsFunction(id, handler as Handler);
}
