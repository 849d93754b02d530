import type { Gate } from '../gate.ts';
import type { Operation } from '../operation.ts';
import { OrgPath } from '../organization-paths.ts';
import { pathStage } from './parse-stage.ts';
import type { Stage } from './stage.ts';

/** 401, then 400 for the path, then 403 and 429: the order of decisions 2, so that nothing leaks to strangers. */
export function gateStage(declared: Operation, gate: Gate): Stage {
  if (declared.auth === 'public') throw new Error(`${declared.id} is public: it has no gate.`);
  const { role } = declared.auth;
  const perMinute = declared.limits.perMinutePerUser;
  const { before: parsePath } = pathStage(declared);
  return {
    before: async (request) => {
      const { frame } = request.event;
      const userId = await gate.identify(frame.headers.authorization, frame.log);
      await parsePath?.(request);
      const { orgId } = OrgPath.parse(frame.path);
      frame.caller = await gate.admit({ userId, orgId, role, operation: declared.id, perMinute, log: frame.log });
    },
  };
}
