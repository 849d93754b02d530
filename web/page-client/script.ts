import { optionsOf } from './configuration.ts';
import type { Funnel } from './funnel.d.mts';
import { createFunnel } from './funnel.ts';

/** The classic script. Its element has the options as `data-` attributes. */

type Call = (funnel: Funnel) => void;

declare global {
  interface Window {
    /** Functions that wait for the script. Afterwards, the funnel, whose `push` calls a function immediately. */
    tributary?: Call[] | (Funnel & { push(call: Call): void });
  }
}

const element = document.currentScript;
if (element instanceof HTMLScriptElement) {
  const funnel = createFunnel(optionsOf(element));
  const calls = Array.isArray(window.tributary) ? window.tributary : [];
  window.tributary = { ...funnel, push: (call: Call) => call(funnel) };
  for (const call of calls) call(funnel);
}
