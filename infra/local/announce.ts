import type { StartOptions } from './options.ts';
import type { Demo } from './seed/demo-json.ts';

/** Tells where everything is, with lines to paste into another terminal. */
export function announce(demo: Demo, { rateLimits, state }: StartOptions, say: (line: string) => void): void {
  const { baseUrl, pages, funnel, organizations, mailbox } = demo;
  const api = `${baseUrl}/api/v2`;
  const publicFunnel = `${api}/public/funnel/${funnel.id}`;
  const json = "-H 'Content-Type: application/json'";
  const token = `$(node -p 'JSON.parse(fs.readFileSync("${state}/demo.json")).tokens.memberA')`;
  say(`
  Funnel page    ${pages.funnel}
  Numbers page   ${pages.numbers}
  API            ${api}/openapi.json
  Mailbox        ${mailbox}
  Ids, tokens    ${state}/demo.json
${rateLimits ? '' : '  Rate limits are lifted: LOCAL_RATE_LIMITS=off\n'}
  Submit a lead, send an event, read the numbers:

curl ${publicFunnel}/submit ${json} \\
  -d '{"data":{"first_name":"Ada"}}'

curl ${publicFunnel}/analytics ${json} \\
  -d '{"events":[{"eventId":"${crypto.randomUUID()}","sessionId":"${crypto.randomUUID()}","timestamp":"${new Date().toISOString()}","payload":{"type":"start"}}]}'

curl '${api}/organizations/${organizations.a.id}/funnels/${funnel.id}/analytics/overview?range=today' \\
  -H "Authorization: Bearer ${token}"
`);
}
