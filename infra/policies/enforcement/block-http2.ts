import http2 from 'node:http2';
import { syncBuiltinESMExports } from 'node:module';
import type { BlockingHooks } from './hooks.ts';

/** No function speaks HTTP/2: what one does that way would be judged by nobody. */
export function blockHttp2({ runningFunction: running, deny: refuse }: BlockingHooks): void {
  const real = http2.connect;
  const connect = (...given: unknown[]): unknown => {
    const id = running();
    if (id !== undefined) refuse(`The function ${id} speaks HTTP/2, which is not judged by its policy here.`);
    return Reflect.apply(real, http2, given);
  };
  Object.assign(http2, { connect });
  syncBuiltinESMExports();
}
