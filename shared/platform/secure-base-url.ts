const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/**
 * A base URL that a key and people's words may be sent to: https, or http on this machine, without a password.
 *
 * @returns undefined for any other
 */
export function parseSecureBaseUrl(baseUrl: string): URL | undefined {
  const url = URL.parse(baseUrl);
  const secure = url?.protocol === 'https:' || (url?.protocol === 'http:' && LOOPBACK.test(url.hostname));
  return url === null || !secure || url.username !== '' || url.password !== '' ? undefined : url;
}
