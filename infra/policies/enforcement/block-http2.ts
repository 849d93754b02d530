import http2 from 'node:http2';
import { syncBuiltinESMExports } from 'node:module';
import type { BlockingHooks } from './hooks.ts';

/** Makes a function fail if it uses HTTP/2, because requests over HTTP/2 would not be evaluated. */
export function blockHttp2({ runningFunction, deny }: BlockingHooks): void {
  const original = http2.connect;
  const connect = (...args: unknown[]): unknown => {
    const id = runningFunction();
    if (id !== undefined) deny(`The function ${id} uses HTTP/2. Policies can be enforced only for HTTP/1.1.`);
    return Reflect.apply(original, http2, args);
  };
  Object.assign(http2, { connect });
  syncBuiltinESMExports();
}
