import type { MiddlewareRequest } from './request-context.ts';

/** A middy middleware: `before` runs in order, `after` and `onError` in reverse order. */
export type Middleware = {
  before?: (request: MiddlewareRequest) => void | Promise<void>;
  after?: (request: MiddlewareRequest) => void;
  onError?: (request: MiddlewareRequest) => void;
};
