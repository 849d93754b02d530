import { HttpError } from '../http/errors.ts';
import { type EndpointUrlOptions, parseEndpointUrl } from './endpoint-url.ts';

/** Returns the normalized URL of an endpoint. @throws HttpError 400 if the URL is not accepted */
export function requireEndpointUrl(text: string, options: EndpointUrlOptions): string {
  const parsed = parseEndpointUrl(text, options);
  if ('url' in parsed) return parsed.url;
  const { problem: why } = parsed;
  throw new HttpError(400, `body.url is not accepted. ${why}`);
}
