import { OrganizationPath } from '../../organizations/paths.ts';
import type { Authorization } from '../authorizer.ts';
import type { Operation } from '../operation.ts';
import type { Middleware } from './middleware.ts';
import { validatePath } from './request-validation.ts';

/** 401, then 400 for the path, then 403 and 429: the order of decisions 2, so that nothing leaks to strangers. */
export function authorizeRequest(declared: Operation, gate: Authorization): Middleware {
  if (declared.auth === 'public') throw new Error(`${declared.id} is public: it has no gate.`);
  const { role } = declared.auth;
  const perMinute = declared.limits.perMinutePerUser;
  const { before: parsePath } = validatePath(declared);
  return {
    before: async (request) => {
      const { context: frame } = request.event;
      const userId = await gate.authenticate(frame.headers.authorization, frame.log);
      await parsePath?.(request);
      const { orgId } = OrganizationPath.parse(frame.path);
      frame.caller = await gate.authorize({ userId, orgId, role, operation: declared.id, perMinute, log: frame.log });
    },
  };
}
