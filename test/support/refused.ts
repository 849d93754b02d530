import { refusals } from './under-policy.ts';

/** What functions were refused so far in this test, which meant it: else the test fails for it. */
export const refusedSoFar = (): string[] => refusals.splice(0);
