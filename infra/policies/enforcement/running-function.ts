import { AsyncLocalStorage } from 'node:async_hooks';

type Handler = (...args: never[]) => unknown;
type ProcessState = { running: AsyncLocalStorage<string>; resultListener?: (id: string, result: unknown) => void };

const STATE_KEY = Symbol.for('tributary.running-function');

/** Returns the state of the process. If this module is loaded several times (source, bundles), all share one state. */
function processState(): ProcessState {
  const holder: { [STATE_KEY]?: ProcessState } = globalThis as object;
  holder[STATE_KEY] ??= { running: new AsyncLocalStorage() };
  return holder[STATE_KEY];
}

/** Returns the id of the function whose handler is running; undefined outside of functions. */
export const runningFunction = (): string | undefined => processState().running.getStore();

/** Wraps a handler. Everything that the handler does is attributed to the function `id`. */
export function runAsFunction<H extends Handler>(id: string, handler: H): H {
  const { running } = processState();
  return new Proxy(handler, {
    apply: (target, self, args) =>
      notifyListener(
        id,
        running.run(id, () => Reflect.apply(target, self, args)),
      ),
  });
}

/** Sets the listener that gets the results of asynchronous handlers, for example to check their presigned URLs. */
export function onFunctionResult(listener: (id: string, result: unknown) => void): void {
  processState().resultListener = listener;
}

function notifyListener<T>(id: string, result: T): T {
  const listener = processState().resultListener;
  if (listener === undefined) return result;
  if (result instanceof Promise) {
    return result.then((value: unknown) => {
      listener(id, value);
      return value;
    }) as T;
  }
  return result;
}

/** Runs `work` without attributing it to the running function. */
export const runOutsideFunction = <T>(work: () => T): T => processState().running.exit(work);
