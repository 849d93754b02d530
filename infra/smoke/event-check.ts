import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod/mini';
import { NO_FUNNEL } from './api-checks.ts';
import { type Check, Skipped } from './check.ts';
import { bodyOf, send } from './requests.ts';
import type { Target } from './target.ts';

const BETWEEN_READS_MS = 500;
const READABLE_MS = 15_000;

const Received = z.object({ received: z.literal(1) });
const Overview = z.object({ devices: z.array(z.object({ total: z.number() })) });

/**
 * Sends an event like a page, and reads it from the analytics. @param created receives the session as soon as it exists
 */
export const eventCheck = (
  { api, funnel, token }: Target,
  created: Map<string, string>,
  readableMs = READABLE_MS,
): Check => ({
  name: 'an event is counted',
  advice:
    'Look at the consumer of the stream (background/aggregate-events): its log, its iterator age, ' +
    'and "npm run admin -- analytics dead-letters list". ' +
    'Reads that return 401 or 403 need a token of a member of the organization.',
  run: async () => {
    if (funnel === undefined) throw new Skipped(NO_FUNNEL);
    if (token === undefined)
      throw new Skipped('Reading needs a token of a member of the organization: give one with --token or SMOKE_TOKEN.');
    const id = `smoke-${randomUUID()}`;
    const read = async () => {
      const numbers = `/api/v2/organizations/${funnel.orgId}/funnels/${funnel.id}/analytics/overview`;
      const response = await send(api, `${numbers}?range=7d&utmCampaign=${id}`, { token });
      const { devices } = await bodyOf(response, 200, Overview);
      return devices.reduce((sum, { total }) => sum + total, 0);
    };
    // Check the token first, so that an invalid one leaves nothing behind.
    await read();
    const timestamp = new Date().toISOString();
    const payload = { type: 'smoke' };
    const events = [{ eventId: randomUUID(), sessionId: id, timestamp, utmCampaign: id, payload }];
    await bodyOf(await send(api, `/api/v2/public/funnel/${funnel.id}/analytics`, { body: { events } }), 200, Received);
    created.set(`session ${id} of funnel ${funnel.id}`, 'stays, as one session without a start');
    const endsAtMs = Date.now() + readableMs;
    while ((await read()) !== 1) {
      if (Date.now() > endsAtMs)
        throw new Error(`The event was accepted, but not counted within ${readableMs / 1_000} s.`);
      await sleep(BETWEEN_READS_MS);
    }
  },
});
