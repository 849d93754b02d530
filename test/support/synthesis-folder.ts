import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

export const SYNTHESIS_FOLDER = 'TRIBUTARY_SYNTHESIS_FOLDER';

/** Creates the folder of all syntheses of a run. Test files do not remove it, because they share its contents. */
export default function setup(project: TestProject): (() => void) | undefined {
  if (process.env[SYNTHESIS_FOLDER] !== undefined) return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'tributary-synth-'));
  process.env[SYNTHESIS_FOLDER] = folder;
  // Vitest reruns tests in watch mode after sources have changed, so the deployments are outdated.
  project.onTestsRerun(() => rmSync(deploymentsFolder(), { recursive: true, force: true }));
  return () => rmSync(folder, { recursive: true });
}

export function synthesisFolder(): string {
  const folder = process.env[SYNTHESIS_FOLDER];
  if (folder === undefined) throw new Error(`${SYNTHESIS_FOLDER} is not set. Run the test with Vitest.`);
  return folder;
}

/** The folder through which workers share deployments, because a synthesis takes seconds. */
export const deploymentsFolder = (): string => join(synthesisFolder(), 'deployments');
