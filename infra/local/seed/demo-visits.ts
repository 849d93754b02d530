import type { Browser, DeviceType, OperatingSystem } from '../../../shared/platform/device.ts';
import { createWeightedPicker, seededRandom } from './random.ts';

export const DEMO_DAYS = 90;
export const DEMO_VISITS = 20_000;

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const SEED = 20_260_101;

type Device = { deviceType: DeviceType; browser: Browser; os: OperatingSystem };
type Source = { referrer: string; utmSource: string; utmMedium: string; utmCampaign: string; appeal: number };

export type DemoVisit = Device &
  Source & {
    sessionId: string;
    /** Milliseconds since the epoch, UTC. */
    startMs: number;
    started: boolean;
    /** How many of the three steps the visitor submitted. */
    stepsSubmitted: 0 | 1 | 2 | 3;
  };

const device = (deviceType: DeviceType, browser: Browser, os: OperatingSystem): Device => ({ deviceType, browser, os });

const pickDevice = createWeightedPicker<Device>([
  [26, device('mobile', 'safari', 'ios')],
  [22, device('mobile', 'chrome', 'android')],
  [7, device('mobile', 'samsung', 'android')],
  [3, device('mobile', 'firefox', 'android')],
  [5, device('tablet', 'safari', 'ios')],
  [2, device('tablet', 'chrome', 'android')],
  [15, device('desktop', 'chrome', 'windows')],
  [8, device('desktop', 'edge', 'windows')],
  [6, device('desktop', 'safari', 'macos')],
  [4, device('desktop', 'firefox', 'linux')],
  [2, device('desktop', 'opera', 'windows')],
]);

/** The higher `appeal` is, the more visitors from this source start the funnel and continue after a step. */
const source = (referrer: string, utmSource = '', utmMedium = '', utmCampaign = '', appeal = 1): Source => ({
  referrer,
  utmSource,
  utmMedium,
  utmCampaign,
  appeal,
});

const pickSource = createWeightedPicker<Source>([
  [30, source('direct')],
  [24, source('search.example')],
  [14, source('search.example', 'search', 'cpc', 'roof-check', 1.15)],
  [11, source('social.example', 'social', 'paid', 'sunny-side', 0.7)],
  [6, source('social.example')],
  [7, source('direct', 'newsletter', 'email', 'spring-roofs', 1.4)],
  [5, source('energy-magazine.example', '', '', '', 1.2)],
  [3, source('neighbours.example', '', '', '', 1.3)],
]);

/** Picks an hour of the day (UTC), with weights for visitors in Central Europe. */
const pickHour = createWeightedPicker(
  [2, 1, 1, 1, 1, 3, 7, 11, 13, 14, 15, 15, 16, 14, 13, 14, 16, 19, 23, 24, 20, 13, 7, 4].map(
    (weight, hour) => [weight, hour] as const,
  ),
);
/** Visits on a Saturday or Sunday, divided by the visits on a weekday. */
const WEEKEND_SHARE = 0.72;

/**
 * Generates sessions of the ninety days that end at `nowMs`. The number of sessions grows with time, and is higher in
 * the evening and on weekdays. Each step is submitted by fewer visitors than the previous step. The same `nowMs` gives
 * the same sessions.
 */
export function demoVisits(nowMs: number, count = DEMO_VISITS): DemoVisit[] {
  const random = seededRandom(SEED);
  const firstMs = nowMs - DEMO_DAYS * DAY_MS;
  const pickDay = createWeightedPicker(listDays(firstMs, nowMs));
  const visits: DemoVisit[] = [];
  while (visits.length < count) {
    const startMs = pickDay(random()) + pickHour(random()) * HOUR_MS + Math.floor(random() * HOUR_MS);
    // Drop visits before the ninety days. Also drop visits of the last 15 minutes, because these visits could not be
    // complete yet.
    if (startMs < firstMs || startMs > nowMs - HOUR_MS / 4) continue;
    visits.push({ sessionId: `demo-${visits.length}`, startMs, ...createVisitor(random) });
  }
  return visits;
}

/** Lists the start of each UTC day in the period, with the weight of the day. */
function listDays(firstMs: number, nowMs: number): [weight: number, dayMs: number][] {
  const days: [number, number][] = [];
  for (let dayMs = Math.floor(firstMs / DAY_MS) * DAY_MS; dayMs <= nowMs; dayMs += DAY_MS) {
    const weekday = new Date(dayMs).getUTCDay();
    const growth = 1 + (dayMs - firstMs) / (nowMs - firstMs);
    days.push([growth * (weekday === 0 || weekday === 6 ? WEEKEND_SHARE : 1), dayMs]);
  }
  return days;
}

function createVisitor(random: () => number) {
  const visitSource = pickSource(random());
  const visitDevice = pickDevice(random());
  const continues = (share: number) => random() < share * (0.9 + visitSource.appeal / 10);
  const started = random() < 0.55 * visitSource.appeal * (visitDevice.deviceType === 'desktop' ? 1.1 : 0.97);
  const first = started && continues(0.7);
  const second = first && continues(0.64);
  const third = second && continues(0.7);
  const stepsSubmitted = third ? 3 : second ? 2 : first ? 1 : 0;
  return { ...visitSource, ...visitDevice, started, stepsSubmitted } as const;
}
