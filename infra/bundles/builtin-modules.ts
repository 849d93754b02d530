import { builtinModules } from 'node:module';
import type { Plugin } from 'rolldown';

/** Prefix of virtual module ids. The NUL keeps other plugins from treating them as files. */
const PREFIX = '\0builtin-modules:';

/**
 * An `import` of a built-in module evaluates all its exports, including lazy ones: `node:http` loads a WebSocket client
 * and with it `fetch`, half of a cold start; `node:crypto` loads the Web Crypto API; the others load unused streams,
 * reports and lists. `process.getBuiltinModule` evaluates no export.
 */
const TAKEN = /^(?:node:)?(?:https|crypto|fs|net|process|util)$/;

/**
 * Modules that are imported but rarely used, loaded on first access: the SDK's HTTP/1.1 handler imports the HTTP/2
 * handler, which no function uses; middy's streams check for web streams, which no response is; its errors take their
 * names from `node:http`, which the SDK does not need.
 */
const WHEN_READ = /^(?:node:)?(?:http|http2|stream\/web)$/;

const ANY = new RegExp(`^(?:node:)?(?:${builtinModules.join('|')})$`);

const taking = (path: string) => ({
  id: `${PREFIX}${path.replace(/^node:/, '')}`,
  moduleSideEffects: false,
});

const taken = (name: string): string => `process.getBuiltinModule('node:${name}')`;

/** The SDK references HTTP/2's `constants` when it is loaded, and reads one when it uses HTTP/2. */
const readLate = (name: string): string => `const load=()=>${taken(name)};
const constants=new Proxy({},{get:(_,name)=>load().constants[name]});
for(const name of ${JSON.stringify(Object.keys(process.getBuiltinModule(name) ?? {}))})
Object.defineProperty(exports,name,{enumerable:true,get:()=>name==='constants'?constants:load()[name]});`;

/** Makes bundles load Node's built-in modules without exports that no function uses. */
export const BUILTIN_MODULES: Plugin = {
  name: 'builtin-modules',
  resolveId: {
    filter: { id: ANY },
    handler(path, _importer, { kind }) {
      // Only requests that need the module run the `import()`.
      if (kind === 'dynamic-import') return undefined;
      // A CommonJS package uses `require`, which an ES module does not have.
      const takes = TAKEN.test(path) || WHEN_READ.test(path) || kind === 'require-call';
      return takes ? taking(path) : undefined;
    },
  },
  load: {
    filter: { id: new RegExp(`^${PREFIX}`) },
    handler(id) {
      const name = id.slice(PREFIX.length);
      return { code: WHEN_READ.test(name) ? readLate(name) : `module.exports=${taken(name)}`, moduleType: 'js' };
    },
  },
};
