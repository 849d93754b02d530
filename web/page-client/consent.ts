import type { DeviceState } from './device-state.ts';
import type { ConsentState } from './funnel.d.mts';

export type Consent = {
  state(): ConsentState;
  /** @returns false if Global Privacy Control forbids the grant */
  grant(): boolean;
  deny(): void;
  /**
   * Call this function when the transaction of a grant has ended. Until then, this page ignores a stored denial,
   * because the transaction deletes the denial.
   */
  grantStored(): void;
  /** Whether events may be stored and sent. Adopts a denial of another tab or an earlier page. */
  allows(state: DeviceState): boolean;
  /**
   * Receives denials of other tabs until `stopListening` is called. Until then, the open channel can prevent the page
   * from entering the back/forward cache.
   */
  listen(): void;
  stopListening(): void;
};

/**
 * The visitor's consent on this page. A grant is not stored, because each page states for itself whether consent is
 * granted. A denial is stored, and holds in all tabs. `consent.grant()` ends the denial for its own page and for pages
 * that load later.
 *
 * @param onDeny called after a denial on this page, in another tab or on an earlier page
 */
export function createConsent(
  name: string,
  initial: ConsentState,
  isGlobalPrivacyControlOn: boolean,
  onDeny: () => void,
): Consent {
  let current = isGlobalPrivacyControlOn ? 'denied' : initial;
  let unstoredGrants = 0;
  let channel: BroadcastChannel | undefined;
  const adoptDenial = () => {
    current = 'denied';
    onDeny();
  };
  return {
    state: () => current,
    grant() {
      if (isGlobalPrivacyControlOn) return false;
      current = 'granted';
      unstoredGrants += 1;
      return true;
    },
    deny() {
      channel?.postMessage(0);
      adoptDenial();
    },
    grantStored() {
      unstoredGrants -= 1;
    },
    allows({ isDenied }) {
      if (isDenied && unstoredGrants === 0 && current !== 'denied') adoptDenial();
      return !isDenied && current === 'granted';
    },
    listen() {
      try {
        channel = new BroadcastChannel(name);
        channel.onmessage = adoptDenial;
      } catch {
        // The browser blocks storage, and therefore also channels.
      }
    },
    stopListening() {
      channel?.close();
      // `postMessage` of a closed channel throws.
      channel = undefined;
    },
  };
}
