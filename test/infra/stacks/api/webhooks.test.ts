import { describe, expect, test } from 'vitest';
import { operations } from '../../../../functions/declarations.ts';
import { deployed, deployedFunctions, synthesize } from '../../../support/stacks.ts';

const certificate = (region: string) =>
  `arn:aws:acm:${region}:111122223333:certificate/00000000-0000-4000-8000-000000000000`;
const DISPATCHER = 'background/dispatch-messages';
const DOMAINS = {
  apiDomain: 'api.example.com',
  apiCertificateArn: certificate('eu-central-1'),
  webDomain: 'pages.example.com',
  webCertificateArn: certificate('us-east-1'),
};

/** Matches a reference to a resource of another stack. The pattern captures the logical id of the resource. */
const REFERENCE = /\{"Fn::GetStackOutput":\{[^{}]*\{[^{}]*\}[^{}]*"PublishOutputRef(\w+?)[0-9A-F]{8}"\}\}/g;

describe.each([{ stage: 'dev' }, { stage: 'prod', ...DOMAINS }, { stage: 'pr-123' }])(
  'with the settings %j',
  (context: Record<string, string>) => {
    const synthesized = synthesize(context);
    const variablesOf = (id: string): Record<string, unknown> =>
      deployed(synthesized, id).lambda.properties.Environment.Variables;

    test('every template allows webhook endpoints only at public addresses', () => {
      const templates = JSON.stringify(Object.values(synthesized.templates).map((template) => template.toJSON()));
      expect(templates).toContain('WEBHOOK_SECRET_ID');
      expect(templates).not.toContain('WEBHOOK_ALLOWED_ORIGINS');
    });

    test('the output WebhookOwnHostnames has the same hostnames as the setting of create-endpoint', () => {
      const { WebhookOwnHostnames: output } = synthesized.templates.api.findOutputs('*');
      const inAdmin = JSON.stringify(variablesOf('webhooks/create-endpoint').WEBHOOK_OWN_HOSTNAMES);
      expect(JSON.stringify(output?.Value)).toBe(inAdmin.replace(REFERENCE, (_, id) => `{"Ref":"${id}"}`));
    });

    test('only the dispatcher and the operations of webhooks get the domain names of the stage as a setting', () => {
      for (const { id } of deployedFunctions) {
        const own = JSON.stringify(variablesOf(id).WEBHOOK_OWN_HOSTNAMES) ?? '';
        if (!id.startsWith('webhooks/') && id !== DISPATCHER) expect([id, own]).toEqual([id, '']);
        else {
          // Operations reject URLs with API Gateway's own hostname. The dispatcher sends only to stored URLs, so it
          // does not need this hostname.
          if (id !== DISPATCHER) expect(own).toMatch(/PublishOutputRefApi\w+"\}\},"\.execute-api\./);
          for (const name of ['api.example.com', 'pages.example.com'])
            expect(own.includes(name)).toBe(Object.values(context).includes(name));
        }
      }
    });
  },
);

test('only the dispatcher and operations of admins can access webhook endpoints and the master secret', () => {
  const granted = deployedFunctions.filter(({ grants }) => grants.some((grant) => /^webhook(s:|-secret)/.test(grant)));
  const ofAdmins = operations.filter(({ auth }) => auth !== 'public' && auth.role === 'admin').map(({ id }) => id);
  const expected = [DISPATCHER, ...ofAdmins.filter((id) => id.startsWith('webhooks/'))];
  expect(granted.map(({ id }) => id).sort()).toEqual(expected.sort());
  expect(granted).toHaveLength(11);
});
