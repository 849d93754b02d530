import { enableCompileCache } from 'node:module';

// The npm scripts that people wait for import this file first. Node then keeps compiled code in the folder for
// temporary files, so that the next start of such a script is faster.

enableCompileCache();
