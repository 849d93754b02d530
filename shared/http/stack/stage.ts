import type { StackRequest } from './frame.ts';

/** One step of the stack, as middy calls it: `before` in order, `after` and `onError` in reverse. */
export type Stage = {
  before?: (request: StackRequest) => void | Promise<void>;
  after?: (request: StackRequest) => void;
  onError?: (request: StackRequest) => void;
};
