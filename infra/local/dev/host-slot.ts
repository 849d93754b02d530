import type { ReportError } from '../common/output.ts';
import type { BundleUrls } from './dev-bundles.ts';
import type { FunctionHost } from './function-host.ts';

/** Holds the host that runs a group of functions at the moment. */
export type HostSlot = {
  /** Returns the host. Starts one with the latest bundles if there is none, for example after a crash. */
  current(): FunctionHost;
  /** Uses another host for new invocations, and none with `undefined`. Retires the earlier host. */
  replace(host: FunctionHost | undefined): void;
};

/**
 * @param latestUrls returns the URLs of the latest bundles
 * @param preloaded ids of bundles that a new host loads before it needs them
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
      // Commands are processed in order, so an invocation that follows finds its bundle.
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
