import { errorCode, UserError } from '../friendly-error.ts';

/** What listens on a port that the person at the terminal chose. */
const LISTENERS = { api: 'for the API', pages: "for the pages (one above the API's)" };

/** One sentence with the port and what to pass instead, when the API's or the pages' port is not available. */
export function toPortError(error: unknown, listener: keyof typeof LISTENERS, port: number): unknown {
  const other = port === 8080 || port === 8081 ? 8090 : 8080;
  const advice = `choose another pair of ports with "npm start -- --port ${other}"`;
  const named = `Port ${port}, ${LISTENERS[listener]},`;
  if (errorCode(error) === 'EADDRINUSE') {
    return new UserError(`${named} is taken by another program: end it, or ${advice}.`, { cause: error });
  }
  if (errorCode(error) === 'EACCES') {
    return new UserError(`${named} needs more rights than this user has: ${advice}.`, { cause: error });
  }
  return error;
}
