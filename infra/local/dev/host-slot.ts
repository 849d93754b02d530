import type { ReportError } from '../common/output.ts';
import type { BundleUrls } from './dev-bundles.ts';
import type { FunctionHost } from './function-host.ts';

/** The host that currently runs a group of functions. */
export type HostSlot = {
  /** Returns the current host. If there is none, for example after a crash, starts a host with the latest bundles. */
  current(): FunctionHost;
  /** Retires the current host. New invocations run in `host`. If `host` is undefined, `current` starts a new host. */
  replace(host: FunctionHost | undefined): void;
};

/**
 * @param latestUrls returns the URLs of the latest bundles
 * @param preloaded ids of bundles that a new host loads at its start
 */
export function createHostSlot(
  startHost: () => FunctionHost,
  latestUrls: () => BundleUrls,
  reportError: ReportError,
  preloaded: readonly string[] = [],
): HostSlot {
  let current: FunctionHost | undefined;
  const set = (host: FunctionHost) => {
    current = host;
    void host.ended.then(() => {
      if (current === host) current = undefined;
    });
    return host;
  };
  return {
    current: () => {
      if (current !== undefined) return current;
      const host = set(startHost());
      // Do not wait for `open`. The host processes commands in order, so the next invocation finds its bundle.
      const urls = latestUrls();
      host
        .open(
          urls,
          preloaded.filter((id) => id in urls),
        )
        .catch((error: unknown) => reportError('The functions could not be loaded', error));
      return host;
    },
    replace: (host) => {
      current?.retire();
      current = undefined;
      if (host !== undefined) set(host);
    },
  };
}
