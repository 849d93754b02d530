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
 * Sends the same event to each path of ingest, and waits until the analytics count the event once.
 *
 * @param created receives an entry for the session when all paths have accepted the event
 */
export const eventCheck = (
  { api, ingestPaths, funnel, token }: Target,
  created: Map<string, string>,
  readableMs = READABLE_MS,
): Check => ({
  name: 'an event is counted',
  advice:
    'Look at the log and the iterator age of the stream consumer (background/aggregate-events), ' +
    'and at the output of "npm run admin -- analytics dead-letters list". ' +
    'If a read returned 401 or 403, give a token of a member of the organization.',
  run: async () => {
    if (funnel === undefined) throw new Skipped(NO_FUNNEL);
    if (token === undefined)
      throw new Skipped('This check needs a token of an organization member. Give one with --token or SMOKE_TOKEN.');
    const id = `smoke-${randomUUID()}`;
    const read = async () => {
      const numbers = `/api/v2/organizations/${funnel.orgId}/funnels/${funnel.id}/analytics/overview`;
      const response = await send(api, `${numbers}?range=7d&utmCampaign=${id}`, { token });
      const { devices } = await bodyOf(response, 200, Overview);
      return devices.reduce((sum, { total }) => sum + total, 0);
    };
    // This read fails if the token is invalid. The event is then not sent, and no session remains.
    await read();
    const timestamp = new Date().toISOString();
    const payload = { type: 'smoke' };
    const events = [{ eventId: randomUUID(), sessionId: id, timestamp, utmCampaign: id, payload }];
    for (const path of ingestPaths)
      await bodyOf(await send(api, path.replace('{id}', funnel.id), { body: { events } }), 200, Received);
    created.set(`session ${id} of funnel ${funnel.id}`, 'kept: sessions of smoke tests are not erased');
    const endsAtMs = Date.now() + readableMs;
    while ((await read()) !== 1) {
      if (Date.now() > endsAtMs)
        throw new Error(`The event of the session ${id} was accepted, but not counted within ${readableMs / 1_000} s.`);
      await sleep(BETWEEN_READS_MS);
    }
  },
});
