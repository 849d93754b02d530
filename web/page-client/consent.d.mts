/** The published types of the page client's consent part. The build copies this file. */
import type { Funnel } from './funnel.d.mts';

export type ConsentOptions =
  | {
      /** Usercentrics Web CMP, version 2 or 3. */
      cmp: 'usercentrics';
      /** Id or name of the service that the visitor must accept. Default: the visitor must accept all services. */
      service?: string | undefined;
    }
  | {
      /** A platform with the API of the IAB Transparency and Consent Framework 2.2. */
      cmp: 'tcf';
      /**
       * The visitor must consent to all these purposes. Default: 1 (store and access information on a device) and 8
       * (measure content performance). With an empty list, consent is denied.
       */
      purposes?: readonly number[] | undefined;
      /** Consent of visitors for whom `gdprApplies` is false. Default: `pending` */
      outsideGdpr?: 'granted' | 'pending' | undefined;
    }
  | {
      /**
       * Google Consent Mode: `gtag('consent', 'update', …)` with `analytics_storage`. Defaults are ignored, because
       * they are not a decision of the visitor.
       */
      cmp: 'google';
    };

/**
 * Adopts the visitor's decision from the page's consent platform, now and after each change: calls `consent.grant()`,
 * `consent.deny()` and `consent.describe()`. Calls nothing before the visitor has decided. Exception: with
 * `outsideGdpr: 'granted'`, visitors outside the GDPR need no decision.
 *
 * @throws Error if `cmp` is `tcf` and the page has no `__tcfapi` function, which platforms provide from the start
 */
export declare function adoptConsent(funnel: Funnel, options: ConsentOptions): void;
