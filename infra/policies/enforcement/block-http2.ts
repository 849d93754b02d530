import http2 from 'node:http2';
import { syncBuiltinESMExports } from 'node:module';
import type { BlockingHooks } from './hooks.ts';

/** Functions don't use HTTP/2, and requests over it would not be evaluated. */
export function blockHttp2({ runningFunction, deny }: BlockingHooks): void {
  const original = http2.connect;
  const connect = (...args: unknown[]): unknown => {
    const id = runningFunction();
    if (id !== undefined) deny(`The function ${id} uses HTTP/2, which is not evaluated by its policy here.`);
    return Reflect.apply(original, http2, args);
  };
  Object.assign(http2, { connect });
  syncBuiltinESMExports();
}
