import { cpSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DEMO_IDS } from '../../../../infra/local/seed/demo-ids.ts';
import { PEOPLE } from '../../../../infra/local/seed/people.ts';
import {
  type BareFunction,
  bareMachine,
  type Started,
  startBare,
} from '../../../support/lambda-runtime/bare-function.ts';
import { localLayer, synthesizeReal } from '../../../support/lambda-runtime/deployed-functions.ts';
import { ISSUER_CONTEXT, startStandIns, withLocalIssuer } from '../../../support/lambda-runtime/stand-ins.ts';
import { type Lead, leadIn, requestEvent, SUBMIT } from './requests.ts';

/** Additional deployment settings, which become environment variables of functions. */
const CONTEXT = {
  ...ISSUER_CONTEXT,
  corsOrigins: 'https://app.example.com',
  mailFrom: 'codes@example.com',
  smsSender: 'phone-number/phone-0123456789abcdef',
  edgeDistribution: 'E1LOCALTRIBUTARY',
};

/** Returns the files that this code imports from its folder, statically or by `import()`. */
const filesAskedFor = (code: string): string[] =>
  [...code.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*["'`]\.\/([^"'`]+)["'`]/g)].map(([, file = '']) => file);

export type World = Awaited<ReturnType<typeof aWorld>>;

/**
 * Synthesizes the app and starts the AWS stand-ins with the demo data. Functions of the app run in processes that have
 * only what Lambda provides.
 */
export async function aWorld() {
  const machine = await bareMachine();
  const { templates, ...real } = synthesizeReal(CONTEXT, localLayer(machine.folder));
  const functions = withLocalIssuer(real.functions);
  const standIns = await startStandIns(join(machine.folder, 'stand-ins'), templates, functions);
  const start = (id: string, overrides: Partial<BareFunction>): Promise<Started> => {
    const deployed = functions.find((one) => one.id === id);
    if (deployed === undefined) throw new Error(`No template has the function ${id}.`);
    return startBare(machine, { ...deployed, ...overrides }, standIns.options);
  };
  /** Starts a function for one event. @param overrides replaces values of the function's template */
  const run = async (id: string, event: unknown, overrides: Partial<BareFunction> = {}) => {
    const bare = await start(id, overrides);
    const outcome = bare.init === 'ready' ? await bare.invoke(event) : bare.init;
    await bare.stop();
    return { bare, outcome };
  };
  /** Loads every file of an asset in a bare process, not only the files that the entry imports. */
  const load = async (id: string) => {
    const { asset = '' } = functions.find((one) => one.id === id) ?? {};
    const files = readdirSync(asset);
    const whole = mkdtempSync(join(machine.folder, 'whole-'));
    cpSync(asset, whole, { recursive: true });
    const imports = files.map((file) => `import('./${file}')`);
    const handler = `const all = await Promise.all([${imports}]); export const handler = async () => all.length;`;
    writeFileSync(join(whole, 'whole.mjs'), handler);
    const imported = files.flatMap((file) => filesAskedFor(readFileSync(join(asset, file), 'utf8')));
    return { ...(await run(id, {}, { asset: whole, handler: 'whole.handler' })), files, imported };
  };
  let lead: Promise<Lead> | undefined;
  const tokens = { admin: await standIns.issuer.sign(PEOPLE.adminAB.subject) };
  return {
    templates,
    functions,
    standIns,
    run,
    load,
    tokens,
    organization: DEMO_IDS.organizationA,
    /**
     * Returns the handle of a lead that `funnel/submit` saved in a bare process. Every call returns the same handle.
     */
    lead: () => {
      lead ??= run('funnel/submit', requestEvent('funnel/submit', SUBMIT)).then(({ outcome }) => leadIn(outcome));
      return lead;
    },
    end: async () => {
      await standIns.stop();
      machine.remove();
    },
  };
}
