import { builtinModules } from 'node:module';
import type { Plugin } from 'rolldown';

/** Prefix of virtual module ids. The NUL keeps other plugins from treating them as files. */
const PREFIX = '\0builtin-modules:';

const BUILTIN = new RegExp(`^(?:node:)?(?:${builtinModules.join('|')})$`);

const moduleCode = (name: string): string => `process.getBuiltinModule('node:${name}')`;

/**
 * Loads `node:http2` on first access, because the SDK imports this module, but no function uses HTTP/2. During its
 * initialization, the SDK accesses the object `constants`, but reads no constant from it. Therefore, `constants` is a
 * proxy, and only reading a constant loads the module.
 */
const LAZY_HTTP2 = `const load=()=>${moduleCode('http2')};
const constants=new Proxy({},{get:(_,name)=>load().constants[name]});
for(const name of ${JSON.stringify(Object.keys(process.getBuiltinModule('node:http2')))})
Object.defineProperty(exports,name,{enumerable:true,get:()=>name==='constants'?constants:load()[name]});`;

/**
 * Replaces imports of Node's built-in modules with `process.getBuiltinModule`, because it is faster. An `import` reads
 * all exports of the module, and thereby loads even lazy exports, such as the WebSocket client of `node:http`. ADR 0017
 * has the measurements.
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
