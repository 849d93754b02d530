import type { Crash } from './arbitraries.ts';

export type EffectInterceptor = <T>(effect: () => Promise<T>, method: string) => Promise<T>;

class Crashed extends Error {}

/** Ignores the error of a simulated crash, and rethrows any other error. */
export function ignoreCrash(cause: unknown): undefined {
  if (!(cause instanceof Crashed)) throw cause;
}

/** Methods that return no promise. */
const SYNCHRONOUS: ReadonlySet<string | symbol> = new Set(['prefetch', 'evictExcept', 'list']);

/** Returns ports that call `by` instead of an asynchronous method. `by` gets the call as a function. */
export function interceptEffects<P extends object>(ports: P, by: EffectInterceptor): P {
  const wrapped = <T>(port: T): T =>
    typeof port === 'object' && port !== null ? (new Proxy(port, { get: throughIt }) as T) : port;
  const throughIt = (target: object, method: string | symbol): unknown => {
    const effect: unknown = Reflect.get(target, method);
    if (typeof effect !== 'function' || SYNCHRONOUS.has(method)) return effect;
    return (...given: unknown[]) => by(() => effect(...given), String(method));
  };
  return Object.fromEntries(Object.entries(ports).map(([name, port]) => [name, wrapped(port)])) as P;
}

const WRITES: ReadonlySet<string> = new Set(['add', 'remove', 'replaceIfUnchanged', 'write', 'rewrite']);

/** Simulates a process that ends at an effect and has no later effects. `look` runs after each effect that writes. */
export function crashAtEffect(crash: Crash | null, look: () => Promise<void>): EffectInterceptor {
  const { at, when } = crash ?? { at: Number.POSITIVE_INFINITY, when: 'before' };
  let effects = 0;
  return async (effect, method) => {
    effects++;
    if (effects > at || (effects === at && when === 'before')) throw new Crashed();
    const reply = await effect();
    if (WRITES.has(method)) await look();
    if (effects >= at) throw new Crashed();
    return reply;
  };
}
