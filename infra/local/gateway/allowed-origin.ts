/** The origins of pages that may call organization routes on this machine. */
export type LocalOrigins = {
  /** The origins that the functions are configured with. The first one is the origin of the demo's pages. */
  configured: readonly string[];
  /**
   * Whether all pages of this machine are allowed, too, so that a front end's development server needs no setting. A
   * deployment allows only the configured origins.
   */
  anyLoopback: boolean;
};

const LOOPBACK_ORIGIN = /^https?:\/\/(?:127\.0\.0\.1|localhost|(?:[\w-]+\.)+localhost|\[::1\])(?::\d{1,5})?$/;

/** Returns the value of Access-Control-Allow-Origin for a response of an organization route. */
export function allowedOrigin({ configured, anyLoopback }: LocalOrigins, origin = ''): string {
  const isAllowed = configured.includes(origin) || (anyLoopback && LOOPBACK_ORIGIN.test(origin));
  return isAllowed ? origin : (configured[0] ?? '');
}
