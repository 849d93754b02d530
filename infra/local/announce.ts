import type { StartOptions } from './options.ts';
import type { Demo } from './seed/demo-json.ts';

const JSON_TYPE = "-H 'Content-Type: application/json'";

/** Tells where everything is, with lines to paste into another terminal. */
export function announce(demo: Demo, { rateLimits, state }: StartOptions, say: (line: string) => void): void {
  const { baseUrl, pages, mailbox } = demo;
  say(`
  Funnel page    ${pages.funnel}
  Numbers page   ${pages.numbers}
  API            ${baseUrl}/api/v2/openapi.json
  Mailbox        ${new URL('/', mailbox).href}
  Ids, tokens    ${state}/demo.json
${rateLimits ? '' : '  Rate limits are lifted: LOCAL_RATE_LIMITS=off\n'}
  Submit a lead, send an event, read the numbers:

${curlLines(demo, state).join('\n\n')}
`);
}

function curlLines({ baseUrl, funnel, organizations }: Demo, state: string): string[] {
  const publicFunnel = `${baseUrl}/api/v2/public/funnel/${funnel.id}`;
  const analytics = `${baseUrl}/api/v2/organizations/${organizations.a.id}/funnels/${funnel.id}/analytics`;
  const event = `{"eventId":"'$ID'","sessionId":"'$ID'","timestamp":"'$(date -u +%FT%TZ)'","payload":{"type":"start"}}`;
  const token = `node -p 'JSON.parse(fs.readFileSync("${state}/demo.json")).tokens.memberA'`;
  return [
    `curl ${publicFunnel}/submit ${JSON_TYPE} \\\n  -d '{"data":{"name":"Ada Example","email":"ada@shop.example"}}'`,
    `ID=$(node -p 'crypto.randomUUID()'); curl ${publicFunnel}/analytics ${JSON_TYPE} \\\n  -d '{"events":[${event}]}'`,
    `curl '${analytics}/overview?range=today' \\\n  -H "Authorization: Bearer $(${token})"`,
  ];
}
