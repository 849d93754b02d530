import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { runAsFunction } from '../../policies/enforcement/running-function.ts';
import { UserError } from '../friendly-error.ts';
import type { ProxyHandler } from '../gateway/request-listener.ts';
import { ROOT } from '../runtime/options.ts';

export type GetFunction = (id: string) => Handler;
type Handler = ProxyHandler & ((event: unknown, context: unknown) => Promise<unknown>);

const bundleOf = (id: string) => join(ROOT, 'dist', id, 'index.mjs');

/** @throws FriendlyError when a function has no bundle */
export function requireBundles(ids: readonly string[]): void {
  const missing = ids.find((id) => !existsSync(bundleOf(id)));
  if (missing === undefined) return;
  throw new UserError(
    `The function ${missing} is not built: "npm start" builds it, or run "node infra/bundles/bundle.ts".`,
  );
}

/** Loads the built functions into this process. Their environment must be set before: some read it when loaded. */
export async function loadFunctions(ids: readonly string[]): Promise<GetFunction> {
  const loaded = new Map(await Promise.all(ids.map(async (id) => [id, await load(id)] as const)));
  return (id) => {
    const handler = loaded.get(id);
    if (handler === undefined) throw new Error(`The function ${id} was not loaded.`);
    return handler;
  };
}

async function load(id: string): Promise<Handler> {
  const { handler }: { handler?: unknown } = await import(pathToFileURL(bundleOf(id)).href);
  if (typeof handler !== 'function') throw new UserError(`dist/${id}/index.mjs exports no handler.`);
  return runAsFunction(id, handler as Handler);
}
