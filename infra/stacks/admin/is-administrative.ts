import type { ServiceOperation } from '../../../functions/declare-operation.ts';

const TAGS: ReadonlySet<ServiceOperation['tag']> = new Set(['Webhooks', 'Notifications']);

/** Whether the function of an operation is in the stack `admin`. */
export const isAdministrative = ({ tag }: Pick<ServiceOperation, 'tag'>): boolean => TAGS.has(tag);
