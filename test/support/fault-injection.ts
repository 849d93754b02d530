type Calls = Record<string, (...given: never[]) => Promise<unknown>>;

/**
 * A process that is killed at its nth effect, before it or right behind it: what it calls from then on is not done.
 *
 * @returns `mortal` makes a port of it; `calls` tells how many effects there were
 */
export function crashAtEffect(dieAt: number, when: 'before' | 'behind') {
  let calls = 0;
  let dead = false;
  const die = () => {
    dead = true;
    throw new Error('killed');
  };
  const guarded =
    (call: Calls[string]): Calls[string] =>
    async (...given) => {
      if (dead) throw new Error('killed');
      const isLast = calls++ === dieAt;
      if (isLast && when === 'before') die();
      const answer = await call(...given);
      return isLast ? die() : answer;
    };
  const mortal = <T extends object>(port: T, names: readonly (keyof T & string)[]): T => {
    const calls = port as unknown as Calls;
    const own = names.flatMap((name) => (calls[name] === undefined ? [] : [[name, guarded(calls[name])] as const]));
    return { ...port, ...Object.fromEntries(own) };
  };
  return { mortal, calls: () => calls };
}
