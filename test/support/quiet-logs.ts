import { afterEach, beforeEach, vi } from 'vitest';

/** Functions log to stdout. Between tests that expect failures those lines would drown the report: only a failed test shows its own. */
beforeEach(({ onTestFailed }) => {
  const lines: string[] = [];
  const shown = process.stdout.write.bind(process.stdout);
  const spy = vi.spyOn(process.stdout, 'write').mockImplementation((line) => {
    lines.push(String(line));
    return true;
  });
  onTestFailed(() => void shown(lines.join('')));
  return () => spy.mockRestore();
});

afterEach(() => void vi.unstubAllEnvs());
