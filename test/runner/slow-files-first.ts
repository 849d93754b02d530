import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Small test files that take over half a minute, in the Vitest projects with few files. In a first run, Vitest knows no
 * durations and starts the largest files first. Without this list, these files would start last, and most workers would
 * have to wait for them.
 */
export const SLOW_FILES = new Set([
  'test/docs/contributing.test.ts',
  'test/end-to-end/kill-and-restart.test.ts',
  'test/end-to-end/readme.test.ts',
  'test/end-to-end/sql-query.test.ts',
  'test/end-to-end/uploads.test.ts',
  'test/end-to-end/webhook-kills.test.ts',
  'test/web/page-client/consent-matrix.test.ts',
]);

/** Starts the slow files of each project before its other files. */
export class SlowFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { root } = this.ctx.config;
    const rank = ({ project, moduleId }: TestSpecification) =>
      2 * project.config.sequence.groupOrder + (SLOW_FILES.has(relative(root, moduleId)) ? 0 : 1);
    return (await super.sort(files)).toSorted((one, other) => rank(one) - rank(other));
  }
}
