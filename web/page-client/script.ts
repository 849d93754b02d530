import { optionsOf } from './configuration.ts';
import type * as FormModule from './form.d.mts';
import type { ScriptFunnel } from './funnel.d.mts';
import { createFunnel, NAME_PREFIX } from './funnel.ts';
import { importModule } from './import-module.ts';

/**
 * The classic script. Its element has the options as `data-` attributes. `data-version` and `data-organization` are for
 * forms, which the script binds if the page has any.
 *
 * During the load, a page has more important work. Therefore, the script creates the funnel a few seconds later. It
 * creates the funnel earlier if the page reads `window.tributary`, has queued calls, has forms or uses automatic steps,
 * or if earlier pages may have created a database (`startIfStored`).
 */

const LOAD_ATTEMPTS_MAX = 3;
const START_DELAY_MS = 5_000;

const landingUrl = document.URL;
// The list keeps the element even if the page removes it. The script reads the element later, because the first access
// to an element is slow.
const elements = document.querySelectorAll<HTMLScriptElement>('script[data-funnel]');
let funnel: ScriptFunnel | undefined;
// A cross-origin script has no base URL for imports.
const urlOf = (part: string) => new URL(`${part}.mjs`, elements[0]?.src).href;

/** @throws TypeError if the options of the script element are missing or invalid */
function start(): ScriptFunnel {
  if (funnel) return funnel;
  const [element] = elements;
  if (!element) throw new TypeError('The page client needs a script element with data-funnel, the id of a funnel.');
  const created: ScriptFunnel = {
    ...createFunnel(optionsOf(element), landingUrl),
    push: (call) => call(created),
    load: (part) => importModule(urlOf(part), LOAD_ATTEMPTS_MAX),
  };
  funnel = created;
  define(created);
  return created;
}

const define = (value: ScriptFunnel) =>
  Object.defineProperty(window, 'tributary', { value, writable: true, configurable: true, enumerable: true });

async function bindForms(): Promise<void> {
  if (!document.querySelector('form[data-funnel-step]')) return;
  const bound = start();
  const { version, organization } = elements[0]?.dataset ?? {};
  const form: typeof FormModule = await importModule(urlOf('form'));
  await form.bindForms(bound, { version, organizationId: organization });
}

/**
 * Starts immediately if an earlier page has created a database, or if the browser does not list its databases.
 * Otherwise starts after `START_DELAY_MS`. A page that ended early may have left data only in `localStorage`.
 * `createFunnel` finds such data after the delay, because reading `localStorage` blocks the page.
 */
async function startIfStored(): Promise<void> {
  try {
    const databases = await indexedDB.databases();
    if (!databases.some(({ name }) => name?.startsWith(NAME_PREFIX))) return void setTimeout(start, START_DELAY_MS);
  } catch {
    // Storage is blocked, or the list of databases is missing, as in Firefox before version 126.
  }
  start();
}

if ('tributary' in window) {
  const calls = Array.isArray(window.tributary) ? window.tributary : [];
  const created = start();
  for (const call of calls) {
    try {
      call(created);
    } catch (error) {
      // An error of the page must stop neither the other calls nor the forms.
      reportError(error);
    }
  }
} else {
  Object.defineProperty(window, 'tributary', { get: start, set: define, configurable: true, enumerable: true });
  if (document.querySelector('script[data-auto-steps]')) start();
  else setTimeout(startIfStored);
}
// Forms may follow the script element.
if (document.readyState === 'loading') addEventListener('DOMContentLoaded', bindForms);
else void bindForms();
