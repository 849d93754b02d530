import { builtinModules } from 'node:module';
import type { Plugin } from 'rolldown';

/** Names modules that the bundler itself makes; with a NUL, as no other plugin takes them for files. */
const PREFIX = '\0builtin-modules:';

/**
 * An `import` of one of Node's own modules reads all that it exports, also what is made on first use: that of
 * `node:http` loads a WebSocket client and with it `fetch`, half of a cold start; that of `node:crypto` the Web Crypto
 * API, those of the others streams, reports and lists that nobody asks for. `process.getBuiltinModule` reads nothing.
 */
const TAKEN = /^(?:node:)?(?:https|crypto|fs|net|process|util)$/;

/**
 * What comes along and is loaded when it is first read: the SDK's HTTP/1.1 handler brings its HTTP/2 one, which no
 * function speaks, middy's streams ask whether a reply is one of the web's, which none is, and its errors are named by
 * `node:http`, which the SDK does without.
 */
const WHEN_READ = /^(?:node:)?(?:http|http2|stream\/web)$/;

const ANY = new RegExp(`^(?:node:)?(?:${builtinModules.join('|')})$`);

const taking = (path: string) => ({
  id: `${PREFIX}${path.replace(/^node:/, '')}`,
  moduleSideEffects: false,
});

const taken = (name: string): string => `process.getBuiltinModule('node:${name}')`;

/** The SDK takes HTTP/2's `constants` when it is loaded, and reads one when it speaks HTTP/2. */
const readLate = (name: string): string => `const load=()=>${taken(name)};
const constants=new Proxy({},{get:(_,name)=>load().constants[name]});
for(const name of ${JSON.stringify(Object.keys(process.getBuiltinModule(name) ?? {}))})
Object.defineProperty(exports,name,{enumerable:true,get:()=>name==='constants'?constants:load()[name]});`;

/** Has bundles take Node's own modules without what no function asks of them. */
export const BUILTIN_MODULES: Plugin = {
  name: 'builtin-modules',
  resolveId: {
    filter: { id: ANY },
    handler(path, _importer, { kind }) {
      // What an `import()` leads to is read by the requests that ask for it.
      if (kind === 'dynamic-import') return undefined;
      // A CommonJS package asks by `require`, which an ES module has none of.
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
