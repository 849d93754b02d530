import { HttpError } from '../http/errors.ts';

export const unknownEndpoint = (): HttpError =>
  new HttpError(404, 'There is no webhook endpoint with this id in the organization (path.endpointId).');
