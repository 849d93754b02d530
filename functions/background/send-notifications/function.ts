import { declareBackgroundFunction } from '../../declare-background-function.ts';

export const sendNotificationsFunction = declareBackgroundFunction('background/send-notifications', {
  summary: 'Sends mails about new leads and paused webhook endpoints to notification addresses',
  trigger: { everyMinutes: 1, laptopSeconds: 2 },
  grants: [
    'notices:send',
    'notification-addresses:read',
    'notification-secret:read',
    'organizations:read',
    'funnels:read',
    'mail:send',
  ],
  limits: { timeoutSeconds: 80, memoryMb: 512 },
});
