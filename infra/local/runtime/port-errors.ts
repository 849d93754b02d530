import { errorCode, UserError } from '../../common/user-error.ts';

const PURPOSES = {
  api: 'for the API',
  pages: "for the pages (the API's port + 1)",
  webhookReceiver: "for the webhook receiver (the API's port + 2)",
};

/**
 * Turns the error of a port that cannot be used into a UserError that names the port and says what to do. Returns other
 * errors unchanged.
 */
export function toPortError(error: unknown, server: keyof typeof PURPOSES, port: number): unknown {
  const otherPort = port >= 8080 && port <= 8082 ? 8090 : 8080;
  const otherPorts = `other ports with the option --port, for example --port ${otherPort}`;
  const subject = `Port ${port}, ${PURPOSES[server]},`;
  if (errorCode(error) === 'EADDRINUSE') {
    const message = `${subject} is used by another program. Stop that program, or choose ${otherPorts}.`;
    return new UserError(message, { cause: error });
  }
  if (errorCode(error) === 'EACCES') {
    const message = `${subject} requires more permissions than this user has. Choose ${otherPorts}.`;
    return new UserError(message, { cause: error });
  }
  return error;
}
