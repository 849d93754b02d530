import * as z from 'zod/mini';
import { docText, withDocs } from '../../http/schema-docs.ts';
import { DEVICE_TYPES } from '../../platform/device.ts';
import { conversionRate, countSchema, percentageSchema } from './conversion-rate.ts';
import { type AnalyticsCriteria, resolveCriteria } from './resolve-criteria.ts';
import { countSessions, type SnapshotPorts, takeSnapshot } from './snapshot.ts';

export const Overview = withDocs(
  z.object({
    overview: z.object({ totalStarts: countSchema, totalCompletions: countSchema, conversionRate: percentageSchema }),
    devices: withDocs(
      z.array(
        z.object({
          deviceType: z.enum(DEVICE_TYPES),
          total: countSchema,
          starts: countSchema,
          completions: countSchema,
        }),
      ),
      docText('Always contains mobile, tablet and desktop. `total` is the number of sessions.'),
    ),
  }),
  { id: 'AnalyticsOverview' },
);
export type Overview = z.infer<typeof Overview>;

export async function readOverview(
  ports: SnapshotPorts,
  funnelId: string,
  criteria: AnalyticsCriteria,
): Promise<Overview> {
  const snapshot = await takeSnapshot(ports, funnelId);
  const resolved = resolveCriteria(criteria, snapshot.firstSessionMs);
  const { deviceType: counts } = await countSessions(ports.factReader, snapshot, resolved, ['deviceType']);
  // Every session has one of these device types (`EventRow`), so the sums over the types are the totals.
  const devices = DEVICE_TYPES.map((deviceType) => {
    const { sessions = 0, starts = 0, completions = 0 } = counts.get(deviceType) ?? {};
    return { deviceType, total: sessions, starts, completions };
  });
  const totalStarts = sum(devices.map(({ starts }) => starts));
  const totalCompletions = sum(devices.map(({ completions }) => completions));
  return {
    overview: { totalStarts, totalCompletions, conversionRate: conversionRate(totalStarts, totalCompletions) },
    devices,
  };
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
