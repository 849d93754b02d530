import type { MiddlewareRequest } from './request-context.ts';

/** One step of the stack, as middy calls it: `before` in order, `after` and `onError` in reverse. */
export type Middleware = {
  before?: (request: MiddlewareRequest) => void | Promise<void>;
  after?: (request: MiddlewareRequest) => void;
  onError?: (request: MiddlewareRequest) => void;
};
