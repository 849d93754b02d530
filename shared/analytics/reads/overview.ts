import * as z from 'zod';
import { doc } from '../../http/doc.ts';
import { DEVICE_TYPES } from '../events/dimensions.ts';
import type { Filters } from './filters.ts';
import { boundsOf, type Range } from './range.ts';
import { type SnapshotPorts, takeSnapshot, tallySessions } from './snapshot.ts';

const count = z.number().int().nonnegative();

export const Overview = z.object({
  overview: z.object({
    totalStarts: count,
    totalCompletions: count,
    conversionRate: z
      .number()
      .min(0)
      .max(100)
      .describe(doc('Percent, 2 decimals: completions of starts; 0 without starts.')),
  }),
  devices: z
    .array(z.object({ deviceType: z.enum(DEVICE_TYPES), total: count, starts: count, completions: count }))
    .describe(doc('Always mobile, tablet, desktop. `total` counts sessions.')),
});
export type Overview = z.infer<typeof Overview>;

/** How a funnel did: the sessions of a range that pass the filters, by device and together. */
export async function readOverview(
  ports: SnapshotPorts,
  funnelId: string,
  { range, filters }: { range: Range; filters: Filters },
): Promise<Overview> {
  const snapshot = await takeSnapshot(ports, funnelId);
  const selection = { ...boundsOf(range, snapshot.firstSessionMs), filters };
  const { deviceType: counts } = await tallySessions(ports.files, snapshot, selection, ['deviceType']);
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

/** Percent with 2 decimals; 0 without starts. */
export const conversionRate = (starts: number, completions: number): number =>
  starts === 0 ? 0 : Math.round((10_000 * completions) / starts) / 100;
