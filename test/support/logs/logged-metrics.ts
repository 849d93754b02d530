import { vi } from 'vitest';

/** Sums the values of the metrics in the log lines of the current test, by name. */
export function countLoggedMetrics(): Record<string, number> {
  const lines = vi.mocked(process.stdout.write).mock.calls.flatMap(([line]) => String(line).split('\n'));
  const counts: Record<string, number> = {};
  for (const line of lines.filter((text) => text.includes('"CloudWatchMetrics"'))) {
    const logged = JSON.parse(line);
    const name: string = logged._aws.CloudWatchMetrics[0].Metrics[0].Name;
    counts[name] = (counts[name] ?? 0) + logged[name];
  }
  return counts;
}

export const loggedText = (): string =>
  vi
    .mocked(process.stdout.write)
    .mock.calls.map(([line]) => String(line))
    .join('');
