/**
 * For every response. HSTS names no subdomains: the API may stand on a hostname below one that others use. Browsers ignore it
 * where there is no TLS, as on a laptop.
 */
export const SECURITY_HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'Strict-Transport-Security': 'max-age=63072000',
} as const;
