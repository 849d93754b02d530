import { denials } from './enforce-in-tests.ts';

/** What functions were refused so far in this test, which meant it: else the test fails for it. */
export const takeDenials = (): string[] => denials.splice(0);
