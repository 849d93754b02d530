/** The ES module. */
export { createFunnel } from './funnel.ts';
