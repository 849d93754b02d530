/**
 * Headers of every response. HSTS does not include subdomains, because the API can run on a hostname whose subdomains
 * belong to other services. Browsers ignore HSTS without TLS, for example in responses of the local server.
 */
export const SECURITY_HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'Strict-Transport-Security': 'max-age=63072000',
} as const;
