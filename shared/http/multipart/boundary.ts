import { HttpError } from '../errors.ts';
import { parseHeaderValue } from './header-value.ts';

const BOUNDARY = /^[\w'()+,./:=? -]{0,69}[\w'()+,./:=?-]$/;

/**
 * Returns the boundary in the Content-Type of a form. Returns undefined if the Content-Type is not that of a form.
 *
 * @throws HttpError 400 if a form has no valid boundary
 */
export function parseBoundary(contentType: string): string | undefined {
  if (!/^multipart\/form-data(?:[\s;]|$)/i.test(contentType)) return undefined;
  const boundary = parseHeaderValue(contentType)?.parameters.get('boundary');
  if (boundary === undefined || !BOUNDARY.test(boundary)) {
    throw new HttpError(400, 'header.content-type must name a valid boundary of 1 to 70 characters (RFC 2046).');
  }
  return boundary;
}
