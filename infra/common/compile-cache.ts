import { enableCompileCache } from 'node:module';

// The npm scripts that people wait for import this file first: Node then keeps compiled code in the folder for temporary
// files, which makes the next start of `npm start` and of the commands faster.

enableCompileCache();
