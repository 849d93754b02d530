import { denials } from './enforce-in-tests.ts';

/** Returns and clears the denials of the current test. A test fails if denials remain at its end. */
export const takeDenials = (): string[] => denials.splice(0);
