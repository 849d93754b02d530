import { errorCode, UserError } from '../../common/user-error.ts';

const PURPOSES = { api: 'for the API', pages: "for the pages (the API's port + 1)" };

/** Turns the error of a port that is not available into a message with the port and what to do. */
export function toPortError(error: unknown, server: keyof typeof PURPOSES, port: number): unknown {
  const otherPort = port === 8080 || port === 8081 ? 8090 : 8080;
  const advice = `choose other ports with "npm start -- --port ${otherPort}"`;
  const subject = `Port ${port}, ${PURPOSES[server]},`;
  if (errorCode(error) === 'EADDRINUSE') {
    return new UserError(`${subject} is used by another program: stop it, or ${advice}.`, { cause: error });
  }
  if (errorCode(error) === 'EACCES') {
    return new UserError(`${subject} requires more permissions than this user has: ${advice}.`, { cause: error });
  }
  return error;
}
