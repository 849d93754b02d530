import * as z from 'zod/mini';
import { uuid } from './schemas.ts';

export const OrgPath = z.object({ orgId: uuid });
export const OrgFunnelPath = z.object({ orgId: uuid, funnelId: uuid });
