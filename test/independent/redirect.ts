import { registerHooks } from 'node:module';
import { replacementOf } from './replaced.ts';

// Replaces modules in the processes that tests start, for example `npm start`. NODE_OPTIONS loads this module first.

registerHooks({
  resolve: (specifier, context, next) => {
    const resolved = next(specifier, context);
    const replacement = replacementOf(resolved.url);
    return replacement === undefined ? resolved : next(replacement.href, context);
  },
});
