import { errorCode, FriendlyError } from './friendly-error.ts';

/** Says how to mend it when the API's port can not be had. */
export function portFailure(error: unknown, port: number): unknown {
  const advice = `choose another one with "npm start -- --port ${port === 8080 ? 8090 : 8080}"`;
  if (errorCode(error) === 'EADDRINUSE') {
    return new FriendlyError(`Port ${port} is taken by another program: end it, or ${advice}.`, { cause: error });
  }
  if (errorCode(error) === 'EACCES') {
    return new FriendlyError(`Port ${port} needs more rights than this user has: ${advice}.`, { cause: error });
  }
  return error;
}
