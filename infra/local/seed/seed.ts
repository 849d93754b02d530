import { systemClock } from '../../../shared/platform/clock.ts';
import { demoEvents } from './demo-events.ts';
import { DEMO_VISITS, demoVisits } from './demo-visits.ts';
import { seedDirectory } from './seed-directory.ts';
import { seedDomains } from './seed-domains.ts';
import { seedNotifications } from './seed-notifications.ts';
import { seedPages } from './seed-pages.ts';
import { seedRecording } from './seed-recording.ts';
import { seedSessions } from './seed-sessions.ts';
import { seedTraining } from './seed-training.ts';
import { seedWebhooks } from './seed-webhooks.ts';

export type SeedEnv = {
  /** The name of the token issuer. User ids are derived from it. */
  issuerUrl: string;
  buckets: { training: string };
  /** Whether to write no sessions. */
  empty: boolean;
  /** Called with a short description of each kind of demo data. */
  progress(text: string): void;
};

/**
 * Writes the demo data: organizations with members, funnels, a landing page, domains, training, webhook endpoints,
 * notification addresses, and ninety days of sessions unless `empty`. The environment variables of the SDK and of the
 * settings must be set. An interrupted seed can be repeated.
 */
export async function seed({ issuerUrl, buckets, empty, progress }: SeedEnv): Promise<void> {
  const nowMs = systemClock.now();
  progress('organizations, funnels, pages, training');
  await Promise.all([seedDemo(issuerUrl, buckets.training), seedDomains(nowMs)]);
  if (empty) return;
  progress(`${DEMO_VISITS.toLocaleString('en')} sessions of the last ninety days`);
  await seedSessions(demoEvents(demoVisits(nowMs), nowMs));
}

/**
 * Writes the demo data except domains and sessions. `npm run dev -- --reseed` must not write domains and sessions,
 * because background functions of the running service change them.
 */
export async function seedDemo(issuerUrl: string, trainingBucket: string): Promise<void> {
  const nowMs = systemClock.now();
  await Promise.all([
    seedDirectory(issuerUrl),
    seedPages(nowMs),
    seedTraining(issuerUrl, nowMs),
    seedWebhooks(nowMs),
    seedNotifications(nowMs),
    seedRecording(trainingBucket),
  ]);
}
