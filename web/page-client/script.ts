import { optionsOf } from './configuration.ts';
import type { Funnel } from './funnel.d.mts';
import { createFunnel } from './funnel.ts';

/** The classic script. Its element has the options as `data-` attributes. */

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
  const { src } = element;
  const calls = Array.isArray(window.tributary) ? window.tributary : [];
  const funnel: LoadedFunnel = {
    ...createFunnel(optionsOf(element)),
    push: (call) => call(funnel),
    load: (part) => import(new URL(`${part}.mjs`, src).href),
  };
  window.tributary = funnel;
  for (const call of calls) call(funnel);
}
