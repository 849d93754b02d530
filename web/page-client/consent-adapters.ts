import type { ConsentOptions } from './consent.d.mts';
import type { CookieConsent, Funnel } from './funnel.d.mts';

/** The consent part: `adoptConsent`. `funnel.js` does not contain it. */

type OptionsOf<Cmp> = Extract<ConsentOptions, { cmp: Cmp }>;
type Decide = (isGranted: boolean, record: CookieConsent) => void;

/** See `consent.d.mts`. @throws Error if `cmp` is `tcf` and the page has no `__tcfapi` function */
export function adoptConsent(funnel: Funnel, options: ConsentOptions): void {
  let current: boolean | undefined;
  const decide: Decide = (isGranted, record) => {
    funnel.consent.describe(record);
    if (isGranted === current) return;
    current = isGranted;
    if (isGranted) funnel.consent.grant();
    else funnel.consent.deny();
  };
  if (options.cmp === 'usercentrics') followUsercentrics(options, decide);
  else if (options.cmp === 'tcf') followTcf(options, decide);
  else followGoogle(decide);
}

type UsercentricsV3 = {
  isInitialized(): Promise<boolean>;
  isConsentRequired(): Promise<boolean | null>;
  getConsentDetails(): Promise<{
    consent: Record<string, unknown>;
    services: Record<string, { name: string; consent?: { given: boolean } }>;
  }>;
};

type UsercentricsV2 = {
  isInitialized(): boolean;
  isConsentRequired(): boolean | null;
  getControllerId(): string;
  getServicesBaseInfo(): readonly { id: string; name: string; consent: { status: boolean } }[];
};

/**
 * `UC_UI_INITIALIZED` reports that the platform is ready. The other events report that the visitor may have decided.
 * Version 2 has no event with a fixed name for a changed consent. It sends `UC_UI_CMP_EVENT` before the change and
 * `UC_UI_VIEW_CHANGED` after the change. The client reads the state after each event, so it finds the new state.
 */
const USERCENTRICS_EVENTS = ['UC_UI_INITIALIZED', 'UC_CONSENT', 'UC_UI_CMP_EVENT', 'UC_UI_VIEW_CHANGED'];

/**
 * Sources: usercentrics.com/docs/web/features/api (control functionality, interfaces) and .../events; for version 2
 * usercentrics.com/docs/web/features/v2.
 */
function followUsercentrics({ service }: OptionsOf<'usercentrics'>, decide: Decide): void {
  async function read(): Promise<void> {
    const { __ucCmp: v3, UC_UI: v2 } = window as { __ucCmp?: UsercentricsV3; UC_UI?: UsercentricsV2 };
    const cmp = v3 ?? v2;
    // `isConsentRequired` is true if the visitor has not decided, and null if this is not known yet.
    if (!(await cmp?.isInitialized()) || (await cmp?.isConsentRequired()) !== false) return;
    const { consent, services } = v3 ? await readV3(v3) : readV2(v2);
    const asked = services.filter(({ id, name }) => service === undefined || id === service || name === service);
    decide(asked.length > 0 && asked.every(({ given }) => given), {
      ...consent,
      cmp: 'usercentrics',
      services: Object.fromEntries(services.map(({ id, name, given }) => [id, { name, given }])),
    });
  }
  let last: Promise<void> | undefined;
  // The reads run one after another, so that the newest state is read last.
  const readDecision = () => {
    last = (last ?? Promise.resolve()).then(read, read);
  };
  for (const event of USERCENTRICS_EVENTS) addEventListener(event, readDecision);
  readDecision();
}

async function readV3(cmp: UsercentricsV3) {
  const { consent, services } = await cmp.getConsentDetails();
  const all = Object.entries(services);
  return { consent, services: all.map(([id, { name, consent: of }]) => ({ id, name, given: of?.given === true })) };
}

function readV2(cmp: UsercentricsV2 | undefined) {
  const services = cmp?.getServicesBaseInfo() ?? [];
  return {
    consent: { controllerId: cmp?.getControllerId() },
    services: services.map(({ id, name, consent }) => ({ id, name, given: consent.status })),
  };
}

type TcData = {
  tcString?: string;
  cmpId: number;
  cmpVersion: number;
  gdprApplies?: boolean;
  eventStatus?: string;
  purpose?: { consents: Record<number, boolean | undefined> };
};

type TcfApi = (
  command: 'addEventListener',
  version: 2,
  callback: (data: TcData | null, isSuccessful: boolean) => void,
) => void;

const DEFAULT_PURPOSES = [1, 8];

/** Source: IAB Tech Lab, CMP API v2 (TCF 2.2), `addEventListener` and `TCData`. */
function followTcf({ purposes = DEFAULT_PURPOSES, outsideGdpr }: OptionsOf<'tcf'>, decide: Decide): void {
  const { __tcfapi: tcfApi } = window as { __tcfapi?: TcfApi };
  if (!tcfApi) throw new Error('The page has no function __tcfapi. Load the consent platform or its stub first.');
  tcfApi('addEventListener', 2, (data, isSuccessful) => {
    if (!data || !isSuccessful) return;
    const { tcString, cmpId, cmpVersion, gdprApplies, eventStatus, purpose } = data;
    const setting = { id: `${cmpId}`, version: `${cmpVersion}` };
    const record = { cmp: 'tcf', setting, gdprApplies, tcString };
    if (gdprApplies === false) {
      if (outsideGdpr === 'granted') decide(true, record);
    } else if (eventStatus === 'tcloaded' || eventStatus === 'useractioncomplete')
      decide(purposes.length > 0 && purposes.every((id) => purpose?.consents[id] === true), record);
  });
}

/**
 * Reads the commands of the data layer, which is the only documented interface (developers.google.com/tag-platform,
 * consent mode). Does not read `google_tag_data.ics`, which is internal to Google's tags.
 */
function followGoogle(decide: Decide): void {
  const page = window as { dataLayer?: unknown[] };
  page.dataLayer ??= [];
  const layer = page.dataLayer;
  const services: Record<string, unknown> = {};
  const readDecision = (entry: unknown) => {
    // `gtag()` pushes its `arguments`, which is an array-like object and no array.
    const { 0: command, 1: action, 2: values } = Object(entry);
    if (command !== 'consent' || action !== 'update') return;
    Object.assign(services, values);
    const { analytics_storage: storage } = services;
    if (storage) decide(storage === 'granted', { cmp: 'google-consent-mode', services: { ...services } });
  };
  const { push } = layer;
  layer.push = function (...entries) {
    const length = push.apply(this, entries);
    for (const entry of entries) readDecision(entry);
    return length;
  };
  for (const entry of [...layer]) readDecision(entry);
}
