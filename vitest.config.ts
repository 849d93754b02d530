import { availableParallelism } from 'node:os';
import { configDefaults, defineConfig } from 'vitest/config';
import { SlowFilesFirst } from './test/runner/slow-files-first.ts';
import { wrapHandlers } from './test/support/policies/wrap-handlers-plugin.ts';

/** Tests that synthesize stacks. */
const STACKS = [
  'test/infra/operations.test.ts',
  'test/infra/{settings,stacks}/**/*.test.ts',
  'test/infra/cli/{cost/fixed-costs,environment/outputs}.test.ts',
  'test/infra/functions/{grants,lambda-function,live-alias}.test.ts',
  'test/infra/policies/public-operations.test.ts',
];

/** Tests that share no process, because they measure time or memory, or observe all requests of the AWS clients. */
const ISOLATED = [
  'test/infra/cli/privacy/erase-crashes.test.ts',
  'test/shared/analytics/events/referrer.test.ts',
  'test/shared/http/multipart/scan-multipart.test.ts',
  'test/shared/training/analysis/long-texts.test.ts',
  'test/shared/uploads/content/{hostile-files,parsers-fuzz}.test.ts',
  'test/shared/uploads/file-name.test.ts',
];

/** Tests that borrow a running service (`useLocalRuntime`). They don't disturb each other. */
const SHARED_SERVICE = [
  'test/docs/page-client.test.ts',
  'test/end-to-end/{cli,openapi-examples,rehearsal,request-ids,submit-flow,training-sessions,uploads}.test.ts',
  'test/infra/local/common/loopback-host.test.ts',
  'test/infra/local/example-page/{api-page,whole-visit}.test.ts',
  'test/infra/local/runtime/startup-message.test.ts',
  'test/infra/smoke/smoke.test.ts',
  'test/web/page-client/parts.test.ts',
];

const SETUP = ['test/support/logs/capture-logs.ts', 'test/support/policies/enforce-in-tests.ts'];

/**
 * Tests that start processes and wait for them need more workers than there are processors. For other tests, each
 * worker costs processor time, because it loads the packages again. At most 8 workers fit into memory.
 */
const workers = (moreThanProcessors: number) => ({
  maxWorkers: Math.min(availableParallelism() + moreThanProcessors, 8),
});

export default defineConfig({
  root: import.meta.dirname,
  plugins: [wrapHandlers],
  test: {
    // The output of thousands of passing tests would hide that of the failing ones.
    silent: 'passed-only',
    globalSetup: ['test/support/policies/global-setup.ts', 'test/support/synthesis-folder.ts'],
    env: { VALIDATE_RESPONSES: 'on', TZ: 'UTC' },
    // Slower tests have their own timeouts. For all other tests, a timeout means that the test hangs.
    testTimeout: 60_000,
    // The default, a second, is too short on a busy machine.
    expect: { poll: { timeout: 30_000 } },
    hookTimeout: 60_000,
    sequence: { sequencer: SlowFilesFirst },
    // The projects run one after another (`groupOrder`).
    projects: [
      // This project runs first. If it ran last, only one worker would be busy at the end, with the slowest tests.
      {
        extends: true,
        test: {
          name: 'isolated',
          ...workers(2),
          sequence: { groupOrder: 0 },
          include: ['test/{docs,end-to-end,web}/**/*.test.ts', ...ISOLATED],
          exclude: [...configDefaults.exclude, ...SHARED_SERVICE],
          setupFiles: SETUP,
        },
      },
      // No other project runs at the same time. It would delay these files, and services are stopped after 20 s without
      // use.
      {
        extends: true,
        test: {
          name: 'shared-service',
          ...workers(2),
          include: SHARED_SERVICE,
          isolate: false,
          globalSetup: ['test/support/local/runtime-pool.ts'],
          setupFiles: ['test/support/fresh-modules.ts', ...SETUP],
          sequence: { setupFiles: 'list', groupOrder: 1 },
        },
      },
      // Starting a process and loading its packages take longer than most of these tests, so the files share processes.
      // The files share no state, because each file loads the modules of the repository again.
      {
        extends: true,
        test: {
          name: 'source',
          ...workers(1),
          include: ['test/!(docs|end-to-end|web)/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...ISOLATED, ...SHARED_SERVICE, ...STACKS],
          isolate: false,
          setupFiles: ['test/support/fresh-modules.ts', ...SETUP],
          sequence: { setupFiles: 'list', groupOrder: 2 },
        },
      },
      // Loading the CDK and the first synthesis take longer than most of these tests, so the files share processes and
      // synthesized stacks.
      {
        extends: true,
        test: {
          name: 'stacks',
          ...workers(0),
          sequence: { groupOrder: 3 },
          include: STACKS,
          isolate: false,
          setupFiles: SETUP,
        },
      },
    ],
  },
});
