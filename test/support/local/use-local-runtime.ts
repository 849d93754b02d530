import { afterAll, beforeAll } from 'vitest';
import type { LocalRuntime } from './runtime.ts';
import { type Loan, POOL_URL } from './runtime-pool.ts';

type BorrowedRuntime = Pick<LocalRuntime, 'demo' | 'state'> & {
  /** Everything that the service has printed since its start. */
  output(): Promise<string>;
};

/**
 * Borrows a running `npm start --empty` for the tests of a file. Earlier files may have added leads, events and calls
 * to the demo. The file must be in the project `shared-service` (`vitest.config.ts`).
 *
 * @param isNew whether the tests need a service that no other file has used
 * @param isChanged whether later files must not use the service, because the tests change or delete objects of the demo
 */
export function useLocalRuntime({ isNew = false, isChanged = false } = {}): BorrowedRuntime {
  let loan: Loan;
  beforeAll(async () => {
    loan = await ask<Loan>('/lend', { isNew });
  }, 120_000);
  afterAll(async () => {
    if (loan !== undefined) await ask<null>('/take-back', { id: loan.id, isChanged });
  });
  return {
    get demo() {
      return loan.demo;
    },
    get state() {
      return loan.state;
    },
    output: () => ask<string>('/output', { id: loan.id }),
  };
}

async function ask<T>(path: string, body: object): Promise<T> {
  const url = process.env[POOL_URL];
  if (url === undefined) throw new Error('Add the test file to the project `shared-service` in vitest.config.ts.');
  const response = await fetch(url + path, { method: 'POST', body: JSON.stringify(body) });
  if (!response.ok) throw new Error(await response.text());
  return (await response.json()) as T;
}
