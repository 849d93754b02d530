import { registerHooks } from 'node:module';
import { replacementOf } from './replaced.ts';

// Preloaded by NODE_OPTIONS into the processes that tests start, `npm start` for example.

registerHooks({
  resolve: (specifier, context, next) => {
    const resolved = next(specifier, context);
    const replacement = replacementOf(resolved.url);
    return replacement === undefined ? resolved : next(replacement.href, context);
  },
});
