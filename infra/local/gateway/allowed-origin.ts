/** Which pages may call organization routes on this machine. */
export type LocalOrigins = {
  /** Those that functions are configured with, the demo's own pages first. */
  configured: readonly string[];
  /** Also every page of this machine, so that a dev server needs no setting. A deployment never has this. */
  anyLoopback: boolean;
};

const LOOPBACK_ORIGIN = /^https?:\/\/(?:127\.0\.0\.1|localhost|(?:[\w-]+\.)+localhost|\[::1\])(?::\d{1,5})?$/;

/** The origin that a response on an organization route names. */
export function allowedOrigin({ configured, anyLoopback }: LocalOrigins, origin = ''): string {
  const isAllowed = configured.includes(origin) || (anyLoopback && LOOPBACK_ORIGIN.test(origin));
  return isAllowed ? origin : (configured[0] ?? '');
}
