import { enableCompileCache } from 'node:module';

// Must be the first import of a script. Node then keeps compiled code in the folder for temporary files, so that the
// next start of the script is faster. npm scripts that people wait for import this file.

enableCompileCache();
