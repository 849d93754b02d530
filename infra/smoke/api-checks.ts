import { randomUUID } from 'node:crypto';
import { formatCount } from '../cli/terminal/format.ts';
import { type Check, Skipped } from './check.ts';
import { expectError, requestIdOf, send } from './requests.ts';
import type { Target } from './target.ts';

/**
 * Minimum time from the first to the last piece of a streamed response. The pieces of a buffered response arrive almost
 * together.
 */
const STREAM_MS = 50;
const PROMPT = 'Please describe in several sentences what you offer and how it works.';

export const NO_FUNNEL = 'No funnel was given. Give the id of a published funnel with --funnel.';

export const unknownPaths = ({ api }: Target): Check => ({
  name: 'an unknown path returns 404, with and without a bearer token',
  advice:
    'Deploy the API stack again, because its gateway responses map unknown paths to 404, ' +
    'even with an Authorization header that API Gateway cannot read.',
  run: async () => {
    const path = `/api/v2/${randomUUID()}`;
    await expectError(await send(api, path), 404, 'not_found');
    await expectError(await send(api, path, { token: 'not-a-token' }), 404, 'not_found');
  },
});

export const foreignOrganization = ({ api, token, funnel }: Target): Check => ({
  name: 'an organization route returns 401 without a token and 403 to a user who is not a member',
  advice:
    'Check that the token is from the issuer of this deployment. Then search the log of the function ' +
    'analytics/overview for errors.',
  run: async () => {
    const path = `/api/v2/organizations/${randomUUID()}/funnels/${funnel?.id ?? randomUUID()}/analytics/overview`;
    await expectError(await send(api, path), 401, 'unauthorized');
    if (token === undefined)
      throw new Skipped('401 was returned. Checking 403 needs a token. Give one with --token or SMOKE_TOKEN.');
    await expectError(await send(api, path, { token }), 403, 'forbidden');
  },
});

export const streamedReply = ({ api, funnel }: Target): Check => ({
  name: 'an AI reply is streamed, not buffered',
  advice:
    'If the status is not 200, search the log of the function funnel/ai-stream for the request id. Otherwise, ' +
    'something between this machine and the function buffers the response. ' +
    'The integration of ai-stream needs the response transfer mode STREAM, ' +
    'and a CDN in front of the API must not buffer.',
  run: async () => {
    if (funnel === undefined) throw new Skipped(NO_FUNNEL);
    if (funnel.version.ai === undefined)
      throw new Skipped('The funnel has no AI block. With --funnel, give the id of a funnel with an AI block.');
    const response = await send(api, `/api/v2/public/funnel/${funnel.id}/ai-stream`, { body: { prompt: PROMPT } });
    if (response.status !== 200)
      throw new Error(`Expected status 200 from ai-stream, got ${response.status} (request ${requestIdOf(response)}).`);
    const times: number[] = [];
    for await (const bytes of response.body ?? []) if (bytes.length > 0) times.push(performance.now());
    const [first = 0] = times;
    if (times.length < 2 || (times.at(-1) ?? 0) - first < STREAM_MS)
      throw new Error(
        `The response was not streamed. It arrived within ${STREAM_MS} ms, in ${formatCount(times.length, 'piece')}.`,
      );
  },
});
