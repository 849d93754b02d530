import { registerHooks } from 'node:module';
import { replacementOf } from './replaced.ts';

// NODE_OPTIONS loads this module first in the processes that tests start, for example `npm start`.

registerHooks({
  resolve: (specifier, context, next) => {
    const resolved = next(specifier, context);
    const replacement = replacementOf(resolved.url);
    return replacement === undefined ? resolved : next(replacement.href, context);
  },
});
