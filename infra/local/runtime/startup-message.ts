import type { Demo } from '../seed/demo-json.ts';
import type { StartOptions } from './options.ts';

const JSON_HEADER = "-H 'Content-Type: application/json'";

/** Prints the addresses of the demo, the file with its ids and tokens, and a note if rate limits are disabled. */
export function printAddresses(demo: Demo, { rateLimits, state }: StartOptions, print: (line: string) => void): void {
  const { baseUrl, pages, mailbox, webhookReceiver } = demo;
  print(`
  Funnel page    ${pages.funnel}
  Numbers page   ${pages.numbers}
  API page       ${pages.api}
  OpenAPI        ${baseUrl}/api/v2/openapi.json
  Mailbox        ${new URL('/', mailbox).href}
  Webhooks       ${webhookReceiver.page}
  Ids, tokens    ${state}/demo.json
${rateLimits ? '' : '  Rate limits are disabled: LOCAL_RATE_LIMITS=off\n'}`);
}

/** Prints commands that can be pasted into another terminal. */
export function printExamples(demo: Demo, { state }: Pick<StartOptions, 'state'>, print: (line: string) => void): void {
  print(`  Submit a lead, send an event, read the numbers, open a training session, read a scored call:

${curlCommands(demo, state).join('\n\n')}

  Rehearse a training case, from the session to the score:

npm run admin -- training rehearse ${demo.caseId} --state "${state}"
`);
}

function curlCommands({ baseUrl, funnel, organizations, ...demo }: Demo, state: string): string[] {
  const publicFunnel = `${baseUrl}/api/v2/public/funnel/${funnel.id}`;
  const organization = `${baseUrl}/api/v2/organizations/${organizations.a.id}`;
  const event = `{"eventId":"'$ID'","sessionId":"'$ID'","timestamp":"'$(date -u +%FT%TZ)'","payload":{"type":"start"}}`;
  const session = `{"caseId":"${demo.caseId}","personaId":"${demo.personaIds[0]}"}`;
  const token = `node -p 'JSON.parse(fs.readFileSync("${state}/demo.json")).tokens.memberA'`;
  const authorization = `-H "Authorization: Bearer $(${token})"`;
  return [
    `curl ${publicFunnel}/submit ${JSON_HEADER} \\\n  -d '{"data":{"name":"Ada Example","email":"ada@shop.example"}}'`,
    `ID=$(node -p 'crypto.randomUUID()'); curl ${publicFunnel}/analytics ${JSON_HEADER} \\\n  -d '{"events":[${event}]}'`,
    `curl '${organization}/funnels/${funnel.id}/analytics/overview?range=today' \\\n  ${authorization}`,
    `curl ${organization}/training/session ${JSON_HEADER} \\\n  -d '${session}' ${authorization}`,
    `curl ${organization}/training/calls/${demo.readyCallId} \\\n  ${authorization}`,
  ];
}
