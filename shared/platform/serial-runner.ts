/** Runs one piece of work at a time, in the order of the calls. Resolves or rejects as the work does. */
export type SerialRunner = <T>(work: () => Promise<T>) => Promise<T>;

/** Creates a runner. If work fails, the runner continues with the next work. */
export function createSerialRunner(): SerialRunner {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const done = last.then(work);
    last = done.catch(() => undefined);
    return done;
  };
}
