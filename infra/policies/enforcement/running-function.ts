import { AsyncLocalStorage } from 'node:async_hooks';

type Handler = (...given: never[]) => unknown;
type Kept = { running: AsyncLocalStorage<string>; looksAtAnswer?: (id: string, answer: unknown) => void };

/** One for the process, however often this module is loaded. */
const KEY = Symbol.for('tributary.running-function');

function kept(): Kept {
  const there: { [KEY]?: Kept } = globalThis as object;
  there[KEY] ??= { running: new AsyncLocalStorage() };
  return there[KEY];
}

/** The function that a call comes from, by its id; undefined for what no function does. */
export const runningFunction = (): string | undefined => kept().running.getStore();

/** The handler, whose calls from now on are those of the function. */
export function runAsFunction<H extends Handler>(id: string, handler: H): H {
  const { running } = kept();
  return new Proxy(handler, {
    apply: (target, self, given) =>
      looking(
        id,
        running.run(id, () => Reflect.apply(target, self, given)),
      ),
  });
}

/** What a function hands out may have to be judged as well: links that are signed in its name. */
export function onFunctionResult(look: (id: string, answer: unknown) => void): void {
  kept().looksAtAnswer = look;
}

function looking<T>(id: string, answer: T): T {
  const look = kept().looksAtAnswer;
  if (look === undefined) return answer;
  if (answer instanceof Promise) {
    return answer.then((value: unknown) => {
      look(id, value);
      return value;
    }) as T;
  }
  return answer;
}

/** What others do while a function runs, in the same process: not the function's. */
export const runOutsideFunction = <T>(work: () => T): T => kept().running.exit(work);
