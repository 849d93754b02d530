import { afterEach, beforeEach, vi } from 'vitest';
import { extractPersonalTexts, takeRecordedIo } from '../deployed/function-io.ts';
import { findPersonalData } from './find-personal-data.ts';

/** Log lines of the current test. */
const lines: string[] = [];

/** Hides the functions' log lines on stdout, so that the test report stays readable. A failed test prints its lines. */
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

/** Fails the test if a log line contains data of a request or a response. */
afterEach(() => {
  const personal = findPersonalData(lines.splice(0), extractPersonalTexts(takeRecordedIo()));
  if (personal.length > 0) throw new Error(`The function's log lines contain personal data: ${personal.join(', ')}`);
});
