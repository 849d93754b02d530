type Calls = Record<string, (...given: never[]) => Promise<unknown>>;

/**
 * Simulates a process that is killed before or after a call of a port. `dieAt` is the number of earlier calls. All
 * later calls throw.
 *
 * @returns `crashing`, which wraps a port, and `calls`, which returns the number of calls
 */
export function crashAtEffect(dieAt: number, when: 'before' | 'after') {
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
  const crashing = <T extends object>(port: T, names: readonly (keyof T & string)[]): T => {
    const calls = port as unknown as Calls;
    const own = names.flatMap((name) => (calls[name] === undefined ? [] : [[name, guarded(calls[name])] as const]));
    return { ...port, ...Object.fromEntries(own) };
  };
  return { crashing, calls: () => calls };
}
