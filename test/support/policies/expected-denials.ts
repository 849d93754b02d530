import { denials } from './enforce-in-tests.ts';

/** Returns and clears the denials of the current test. Denials that a test does not take fail it. */
export const takeDenials = (): string[] => denials.splice(0);
