import type { Funnel } from '../../../web/page-client/funnel.d.mts';

declare global {
  interface Window {
    funnel: Funnel;
    /** Google Consent Mode, on `/consent-mode`. */
    gtag(...command: unknown[]): void;
    isAdopted?: boolean;
  }
}
