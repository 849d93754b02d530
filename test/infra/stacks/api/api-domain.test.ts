import { describe, expect, test } from 'vitest';
import { synthesize, synthesizedStage } from '../../../support/stacks.ts';

const CERTIFICATE = 'arn:aws:acm:eu-central-1:111122223333:certificate/00000000-0000-4000-8000-000000000000';
const own = { apiDomain: 'api.example.com', apiCertificateArn: CERTIFICATE };

const propertiesOf = ({ templates }: ReturnType<typeof synthesize>, type: string) =>
  Object.values(templates.api.findResources(type)).map(({ Properties }) => Properties);
const outputsOf = ({ templates }: ReturnType<typeof synthesize>) => templates.api.findOutputs('*');

describe('without a custom hostname', () => {
  const dev = synthesizedStage();

  test('the output ApiAddress has the address of the default endpoint, with the stage at the end', () => {
    const outputs = outputsOf(dev);
    expect(Object.keys(outputs).filter((name) => name.startsWith('Api'))).toEqual(['ApiAddress']);
    const [, parts] = outputs.ApiAddress?.Value['Fn::Join'] ?? [];
    expect(parts[0]).toBe('https://');
    expect(parts.at(-1)).toBe('/dev');
    expect(propertiesOf(dev, 'AWS::ApiGateway::RestApi')[0].DisableExecuteApiEndpoint).toBe(false);
  });
});

describe('with a custom hostname', () => {
  const named = synthesize(own);

  test('the hostname maps to the stage and requires TLS 1.2, and the default endpoint stays enabled', () => {
    expect(propertiesOf(named, 'AWS::ApiGateway::DomainName')).toMatchObject([
      {
        DomainName: 'api.example.com',
        RegionalCertificateArn: CERTIFICATE,
        SecurityPolicy: 'TLS_1_2',
        EndpointConfiguration: { Types: ['REGIONAL'], IpAddressType: 'ipv4' },
      },
    ]);
    const [mapping, ...others] = propertiesOf(named, 'AWS::ApiGateway::BasePathMapping');
    expect(others).toEqual([]);
    expect(mapping.BasePath).toBeUndefined();
    expect(mapping.Stage.Ref).toMatch(/^ApiDeploymentStage/);
    expect(propertiesOf(named, 'AWS::ApiGateway::RestApi')[0].DisableExecuteApiEndpoint).toBe(false);
    expect(outputsOf(named).ApiAddress?.Value).toBe('https://api.example.com');
  });

  test('without a hosted zone, an output has the value for the DNS record, and no record is created', () => {
    expect(outputsOf(named).ApiDomainTarget?.Value['Fn::GetAtt'][1]).toBe('RegionalDomainName');
    expect(propertiesOf(named, 'AWS::Route53::RecordSet')).toEqual([]);
  });

  test('a rule of the template rejects a certificate of another region', () => {
    const { CertificateIsHere } = named.templates.api.toJSON().Rules;
    expect(CertificateIsHere.Assertions).toEqual([
      {
        Assert: { 'Fn::Equals': [{ Ref: 'AWS::Region' }, 'eu-central-1'] },
        AssertDescription: expect.stringMatching(/certificate .* eu-central-1/),
      },
    ]);
  });

  test('with a hosted zone, the DNS record is created, so there is no output with the value for it', () => {
    const zoned = synthesize({ ...own, hostedZoneId: 'Z0EXAMPLE', hostedZoneName: 'example.com' });
    expect(propertiesOf(zoned, 'AWS::Route53::RecordSet')).toMatchObject([
      { Name: 'api.example.com.', Type: 'A', HostedZoneId: 'Z0EXAMPLE', AliasTarget: {} },
    ]);
    expect(outputsOf(zoned).ApiDomainTarget).toBeUndefined();
  });
});
