import { synthesizePolicies } from './synthesize-policies.ts';

// Prints the policies of the functions in stage prod as JSON. The CDK prints to standard error.

process.stdout.write(JSON.stringify(synthesizePolicies('prod')));
