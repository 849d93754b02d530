const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/**
 * Parses a base URL to which API keys and personal data may be sent. The scheme must be https, or http if the host is
 * this machine. The URL must not contain credentials.
 *
 * @returns undefined for any other URL
 */
export function parseSecureBaseUrl(baseUrl: string): URL | undefined {
  const url = URL.parse(baseUrl);
  const isSecure = url?.protocol === 'https:' || (url?.protocol === 'http:' && LOOPBACK.test(url.hostname));
  return url === null || !isSecure || url.username !== '' || url.password !== '' ? undefined : url;
}
