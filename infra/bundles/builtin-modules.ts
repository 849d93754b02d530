import { builtinModules } from 'node:module';
import type { Plugin } from 'rolldown';

/** Prefix of virtual module ids. The NUL keeps other plugins from treating them as files. */
const PREFIX = '\0builtin-modules:';

const BUILTIN = new RegExp(`^(?:node:)?(?:${builtinModules.join('|')})$`);

const moduleCode = (name: string): string => `process.getBuiltinModule('node:${name}')`;

/**
 * Loads `node:http2` on first access. The SDK reads the property `constants` during its own initialization. Therefore
 * `constants` is a proxy, which loads the module only when the SDK reads a constant, that is, when it uses HTTP/2.
 */
const LAZY_HTTP2 = `const load=()=>${moduleCode('http2')};
const constants=new Proxy({},{get:(_,name)=>load().constants[name]});
for(const name of ${JSON.stringify(Object.keys(process.getBuiltinModule('node:http2')))})
Object.defineProperty(exports,name,{enumerable:true,get:()=>name==='constants'?constants:load()[name]});`;

/**
 * Makes bundles load Node's built-in modules without evaluating unused exports. ADR 0017 has the measurements.
 *
 * An `import` of a built-in module evaluates all exports of the module, including lazy exports. For example,
 * `node:http` loads a WebSocket client and with it `fetch`, and `node:crypto` loads the Web Crypto API.
 * `process.getBuiltinModule` evaluates no export. `node:http2` is loaded on first access, because the SDK's HTTP/1.1
 * handler imports it although no function uses HTTP/2.
 */
export const BUILTIN_MODULES: Plugin = {
  name: 'builtin-modules',
  resolveId: {
    filter: { id: BUILTIN },
    handler(path, _importer, { kind }) {
      // An `import()` stays as it is, because it runs only in requests that need the module.
      if (kind === 'dynamic-import') return undefined;
      return { id: `${PREFIX}${path.replace(/^node:/, '')}`, moduleSideEffects: false };
    },
  },
  load: {
    filter: { id: new RegExp(`^${PREFIX}`) },
    handler(id) {
      const name = id.slice(PREFIX.length);
      return { code: name === 'http2' ? LAZY_HTTP2 : `module.exports=${moduleCode(name)}`, moduleType: 'js' };
    },
  },
};
