import type { Group } from '../admin.ts';

export const files: Group = () => undefined;
