import { optionsOf } from './configuration.ts';
import type * as FormModule from './form.d.mts';
import type { Funnel } from './funnel.d.mts';
import { createFunnel } from './funnel.ts';
import { importModule } from './import-module.ts';

/**
 * The classic script. Its element has the options as `data-` attributes. `data-version` and `data-organization` are for
 * forms, which the script binds if the page has any.
 */

type Call = (funnel: LoadedFunnel) => void;

type LoadedFunnel = Funnel & {
  push(call: Call): void;
  /** Loads a part of the page client, an ES module in the folder of this script. @param part for example `verification` */
  load(part: string): Promise<unknown>;
};

declare global {
  interface Window {
    /** Functions that wait for the script. Afterwards, the funnel, whose `push` calls a function immediately. */
    tributary?: Call[] | LoadedFunnel;
  }
}

const element = document.currentScript;
if (element instanceof HTMLScriptElement) {
  const { dataset, src } = element;
  // A cross-origin script has no base URL for imports.
  const urlOf = (part: string) => new URL(`${part}.mjs`, src).href;
  const calls = Array.isArray(window.tributary) ? window.tributary : [];
  const funnel: LoadedFunnel = {
    ...createFunnel(optionsOf(element)),
    push: (call) => call(funnel),
    load: (part) => import(urlOf(part)),
  };
  window.tributary = funnel;
  for (const call of calls) call(funnel);
  const bindForms = async () => {
    if (!document.querySelector('form[data-funnel-step]')) return;
    const form: typeof FormModule = await importModule(urlOf('form'));
    await form.bindForms(funnel, { version: dataset.version, organizationId: dataset.organization });
  };
  // Forms may follow the script.
  if (document.readyState === 'loading') addEventListener('DOMContentLoaded', bindForms);
  else void bindForms();
}
