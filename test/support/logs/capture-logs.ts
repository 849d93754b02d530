import { afterEach, beforeEach, vi } from 'vitest';
import { extractPersonalTexts, takeRecordedIo } from '../deployed/function-io.ts';
import { findPersonalData } from './find-personal-data.ts';

/** What was written since the test began. */
const lines: string[] = [];

/** Functions log to stdout. Between tests that expect failures those lines would drown the report: only a failed test shows its own. */
beforeEach(({ onTestFailed }) => {
  const written: string[] = [];
  const shown = process.stdout.write.bind(process.stdout);
  const spy = vi.spyOn(process.stdout, 'write').mockImplementation((line) => {
    written.push(String(line));
    lines.push(String(line));
    return true;
  });
  onTestFailed(() => void shown(written.join('')));
  return () => spy.mockRestore();
});

afterEach(() => void vi.unstubAllEnvs());

/** Whoever reads logs is told of functions, not of people: nothing that came with a request, or went out, stands there. */
afterEach(() => {
  const personal = findPersonalData(lines.splice(0), extractPersonalTexts(takeRecordedIo()));
  if (personal.length > 0) throw new Error(`The function's log lines hold what people sent: ${personal.join(', ')}`);
});
