import { optionsOf } from './configuration.ts';
import type * as FormModule from './form.d.mts';
import type { ScriptFunnel } from './funnel.d.mts';
import { createFunnel } from './funnel.ts';
import { importModule } from './import-module.ts';

/**
 * The classic script. Its element has the options as `data-` attributes. `data-version` and `data-organization` are for
 * forms, which the script binds if the page has any.
 */

const LOAD_ATTEMPTS_MAX = 3;

const element = document.currentScript;
if (element instanceof HTMLScriptElement) {
  const { dataset, src } = element;
  // A cross-origin script has no base URL for imports.
  const urlOf = (part: string) => new URL(`${part}.mjs`, src).href;
  const calls = Array.isArray(window.tributary) ? window.tributary : [];
  const funnel: ScriptFunnel = {
    ...createFunnel(optionsOf(element)),
    push: (call) => call(funnel),
    load: (part) => importModule(urlOf(part), LOAD_ATTEMPTS_MAX),
  };
  window.tributary = funnel;
  for (const call of calls) {
    try {
      call(funnel);
    } catch (error) {
      // An error of the page must stop neither the other calls nor the forms.
      reportError(error);
    }
  }
  const bindForms = async () => {
    if (!document.querySelector('form[data-funnel-step]')) return;
    const form: typeof FormModule = await importModule(urlOf('form'));
    await form.bindForms(funnel, { version: dataset.version, organizationId: dataset.organization });
  };
  // Forms may follow the script element.
  if (document.readyState === 'loading') addEventListener('DOMContentLoaded', bindForms);
  else void bindForms();
}
