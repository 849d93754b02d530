import { builtinModules } from 'node:module';
import type { Plugin } from 'rolldown';

/** Prefix of virtual module ids. The NUL keeps other plugins from treating them as files. */
const PREFIX = '\0builtin-modules:';

const BUILTIN = new RegExp(`^(?:node:)?(?:${builtinModules.join('|')})$`);

const moduleCode = (name: string): string => `process.getBuiltinModule('node:${name}')`;

/**
 * Returns the code of a module that loads the built-in module `module` when an export is accessed.
 *
 * @param valueCode source code of an expression that returns an export. It can use `name`, the name of the export, and
 *   `load()`, which returns the built-in module.
 */
const lazyModuleCode = (module: string, valueCode = 'load()[name]'): string => `const load=()=>${moduleCode(module)};
for(const name of ${JSON.stringify(Object.keys(process.getBuiltinModule(`node:${module}`) ?? {}))})
Object.defineProperty(exports,name,{enumerable:true,get:()=>${valueCode}});`;

const LAZY_MODULES: Readonly<Record<string, string>> = {
  // The SDK imports `node:http2`, but no function uses HTTP/2. During its initialization, the SDK accesses the object
  // `constants`, but reads no constant from it. Therefore, `constants` is a proxy, and only reading a constant loads
  // the module.
  http2: `const constants=new Proxy({},{get:(_,name)=>load().constants[name]});
${lazyModuleCode('http2', "name==='constants'?constants:load()[name]")}`,
  // Functions need `node:zlib` only when they read or write compressed data. Functions with an S3 client still load it
  // at their start, because the SDK accesses `crc32` then.
  zlib: lazyModuleCode('zlib'),
};

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
      return { code: LAZY_MODULES[name] ?? `module.exports=${moduleCode(name)}`, moduleType: 'js' };
    },
  },
};
