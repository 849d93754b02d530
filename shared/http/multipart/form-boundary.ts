import { Problem } from '../problem.ts';
import { readHeaderValue } from './header-value.ts';

const BOUNDARY = /^[\w'()+,./:=? -]{0,69}[\w'()+,./:=?-]$/;

/** What the Content-Type says of a form's boundary; undefined when it is another type. @throws Problem 400 */
export function formBoundary(contentType: string): string | undefined {
  if (!/^multipart\/form-data(?:[\s;]|$)/i.test(contentType)) return undefined;
  const boundary = readHeaderValue(contentType)?.parameters.get('boundary');
  if (boundary === undefined || !BOUNDARY.test(boundary)) {
    throw new Problem(400, 'header.content-type must name a boundary of 1 to 70 characters (RFC 2046).');
  }
  return boundary;
}
