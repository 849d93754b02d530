import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import type * as z from 'zod/mini';
import type { Faults } from '../../../infra/local/cloudfront/faults.ts';
import { startCloudFront } from '../../../infra/local/cloudfront/server.ts';
import { EDGE_DISTRIBUTION } from '../../../infra/local/cloudfront/settings.ts';
import type { CdnTimeouts } from '../../../shared/domains/aws/cloudfront-calls.ts';
import { createCloudFrontCdnProvider } from '../../../shared/domains/aws/cloudfront-cdn-provider.ts';
import type { CdnProvider } from '../../../shared/domains/cdn-provider.ts';

const HOST = '127.0.0.1';
const STEP_MS = 1_000;

/** A fault in the next requests of one operation, or of any operation. */
export type Fault = z.input<typeof Faults>[number];
export const anError = (code: string, status = 400): Fault['effect'] => ({ kind: 'error', code, status });

/** Starts the CloudFront stand-in for the tests of a file, with an adapter and a clock that only tests advance. */
export function useCloudFront() {
  const folder = mkdtempSync(join(tmpdir(), 'tributary-edge-'));
  let nowMs = Date.UTC(2026, 0, 1);
  let server: Awaited<ReturnType<typeof startCloudFront>>;
  const start = async () => {
    server = await startCloudFront(HOST, folder, STEP_MS, () => nowMs);
    const url = `http://${HOST}:${server.port}`;
    Object.assign(process.env, {
      AWS_ENDPOINT_URL_CLOUDFRONT: url,
      AWS_ENDPOINT_URL_ACM: url,
      AWS_ACCESS_KEY_ID: 'test',
      AWS_SECRET_ACCESS_KEY: 'test',
      AWS_EC2_METADATA_DISABLED: 'true',
    });
  };
  const faults = async (...list: Fault[]) => {
    const request = { method: 'PUT', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(list) };
    await fetch(`http://${HOST}:${server.port}/faults`, request);
  };
  beforeAll(start);
  beforeEach(() => faults());
  afterAll(() => {
    server.close();
    rmSync(folder, { recursive: true });
  });
  return {
    faults,
    url: () => `http://${HOST}:${server.port}`,
    adapter: (limits?: CdnTimeouts): CdnProvider =>
      createCloudFrontCdnProvider({ distributionId: EDGE_DISTRIBUTION }, limits),
    /** Advances the clock by this number of deployment steps. */
    pass: (steps = 1) => {
      nowMs += steps * STEP_MS;
    },
    /** Restarts the stand-in as after a kill: only its folder is kept. */
    restart: async () => {
      server.close();
      await start();
    },
  };
}

export const aHostname = (below = 'shop.example') => `h${randomUUID().slice(0, 8)}.${below}`;

/** Creates a hostname that the edge serves. */
export async function served(edge: CdnProvider, pass: () => void, hostname = aHostname()) {
  const domainId = randomUUID();
  await edge.create({ domainId, hostname });
  pass();
  await edge.create({ domainId, hostname });
  pass();
  const tenant = await edge.create({ domainId, hostname });
  return { domainId, hostname, ...tenant };
}
