import { describe, expect, test } from 'vitest';
import {
  ALIAS_FOLDER,
  RESPONSE_HEADERS,
  VERSION,
  VERSION_FOLDER,
  VERSIONED_KEYS,
} from '../../../../infra/page-client/delivery.ts';
import { matchesWildcards } from '../../../../infra/policies/evaluate-policy.ts';
import { synthesize, synthesizedStage } from '../../../support/stacks.ts';

type Synthesized = ReturnType<typeof synthesize>;

const prod = synthesizedStage('prod');
const dev = synthesizedStage();

const propertiesOf = ({ templates }: Synthesized, type: string) =>
  Object.values(templates.web.findResources(type)).map(({ Properties }) => Properties);
const only = (of: Synthesized, type: string) => {
  const [first, ...others] = propertiesOf(of, type);
  expect(others).toEqual([]);
  return first;
};
const distributionOf = (of: Synthesized) => only(of, 'AWS::CloudFront::Distribution').DistributionConfig;
const outputsOf = ({ templates }: Synthesized) => templates.web.findOutputs('*');

type Statement = { Effect: string; Action: string | string[]; Principal: object; Resource: object; Condition?: object };
const statementsOf = (of: Synthesized): Statement[] => only(of, 'AWS::S3::BucketPolicy').PolicyDocument.Statement;
const keysOf = (statement: Statement | undefined): string =>
  JSON.stringify(statement?.Resource).match(/"\/([^"]*)"\]/)?.[1] ?? '';

describe('the bucket', () => {
  test('is private, and only CloudFront on behalf of the distribution may read it', () => {
    expect(only(prod, 'AWS::S3::Bucket').PublicAccessBlockConfiguration).toEqual({
      BlockPublicAcls: true,
      BlockPublicPolicy: true,
      IgnorePublicAcls: true,
      RestrictPublicBuckets: true,
    });
    const [allowed, ...others] = statementsOf(prod).filter(({ Effect }) => Effect === 'Allow');
    expect(others).toEqual([]);
    expect(allowed).toMatchObject({ Action: 's3:GetObject', Principal: { Service: 'cloudfront.amazonaws.com' } });
    const [distribution] = Object.keys(prod.templates.web.findResources('AWS::CloudFront::Distribution'));
    expect(JSON.stringify(allowed?.Condition)).toMatch(
      new RegExp(`^{"StringEquals":{"AWS:SourceArn":.*":distribution/",{"Ref":"${distribution}"}`),
    );
  });

  test.each([
    ['prod', prod],
    ['dev', dev],
  ])('of %s rejects an upload without If-None-Match to the folder of a version', (_, of) => {
    const [denied, ...others] = statementsOf(of).filter(({ Action }) => Action === 's3:PutObject');
    expect(others).toEqual([]);
    expect(denied).toMatchObject({
      Effect: 'Deny',
      Principal: { AWS: '*' },
      Condition: { Null: { 's3:if-none-match': 'true' } },
    });
    expect(keysOf(denied)).toBe(VERSIONED_KEYS);
  });

  test('of prod rejects the deletion of a version’s files; the bucket of dev allows it, so that dev can be removed', () => {
    const deletion = ({ Action }: Statement) => [Action].flat().includes('s3:DeleteObject');
    const [denied] = statementsOf(prod).filter(deletion);
    expect(denied).toMatchObject({
      Effect: 'Deny',
      Action: ['s3:DeleteObject', 's3:DeleteObjectVersion'],
      Principal: { AWS: '*' },
    });
    expect(denied).not.toHaveProperty('Condition');
    expect(keysOf(denied)).toBe(VERSIONED_KEYS);
    expect(statementsOf(dev).filter(deletion)).toEqual([]);
  });
});

test('VERSIONED_KEYS matches files in the folder of a version, but no files in the folder of a major version', () => {
  for (const file of ['funnel.js', 'funnel.d.mts', 'a.b.c.js']) {
    expect(matchesWildcards(VERSIONED_KEYS, `${VERSION_FOLDER}/${file}`)).toBe(true);
    expect(matchesWildcards(VERSIONED_KEYS, `${ALIAS_FOLDER}/${file}`)).toBe(false);
  }
  expect([VERSION_FOLDER, ALIAS_FOLDER]).toEqual([`client/${VERSION}`, `client/${VERSION.split('.')[0]}`]);
});

describe('the distribution', () => {
  test('serves compressed files over TLS, and caches each file for the time in its Cache-Control header', () => {
    const { DefaultCacheBehavior: behavior, CacheBehaviors, Origins, HttpVersion } = distributionOf(prod);
    expect(behavior).toMatchObject({
      ViewerProtocolPolicy: 'redirect-to-https',
      Compress: true,
      // The managed policy CachingOptimized.
      CachePolicyId: '658327ea-f89d-4fab-a63d-7e88639e58f6',
      ResponseHeadersPolicyId: { Ref: expect.stringMatching(/^ResponseHeaders/) },
    });
    expect([CacheBehaviors, HttpVersion]).toEqual([undefined, 'http2and3']);
    expect(Origins).toMatchObject([{ OriginAccessControlId: { 'Fn::GetAtt': [expect.any(String), 'Id'] } }]);
    expect(Origins).toHaveLength(1);
  });

  test('adds the same headers as the local server to every response, and allows no credentials', () => {
    const policy = only(prod, 'AWS::CloudFront::ResponseHeadersPolicy').ResponseHeadersPolicyConfig;
    const { CorsConfig: cors, SecurityHeadersConfig: security, CustomHeadersConfig: custom } = policy;
    const { AccessControlMaxAgeSec, ...hsts } = security.StrictTransportSecurity;
    expect(hsts).toEqual({ Override: true });
    expect([cors.AccessControlAllowCredentials, cors.OriginOverride]).toEqual([false, true]);
    expect(Object.keys(security).toSorted()).toEqual(['ContentTypeOptions', 'StrictTransportSecurity']);
    expect({
      'Access-Control-Allow-Origin': cors.AccessControlAllowOrigins.Items.join(),
      ...Object.fromEntries(custom.Items.map(({ Header, Value }: Record<string, string>) => [Header, Value])),
      'Strict-Transport-Security': `max-age=${AccessControlMaxAgeSec}`,
      'X-Content-Type-Options': 'nosniff',
    }).toEqual(RESPONSE_HEADERS);
  });

  test('writes no logs, because they would contain addresses of visitors', () => {
    expect(distributionOf(prod).Logging).toBeUndefined();
    expect(propertiesOf(prod, 'AWS::Logs::DeliverySource')).toEqual([]);
  });

  test('names its access control and headers policy after the stage and the region', () => {
    const names = [
      only(dev, 'AWS::CloudFront::OriginAccessControl').OriginAccessControlConfig.Name,
      only(dev, 'AWS::CloudFront::ResponseHeadersPolicy').ResponseHeadersPolicyConfig.Name,
    ];
    for (const name of names) expect(name).toEqual({ 'Fn::Join': ['', ['tributary-dev-', { Ref: 'AWS::Region' }]] });
  });
});

describe('the address of the script', () => {
  const webCertificateArn = 'arn:aws:acm:us-east-1:111122223333:certificate/00000000-0000-4000-8000-000000000000';
  const own = { webDomain: 'cdn.example.com', webCertificateArn };

  test('is on the hostname of CloudFront by default', () => {
    expect(JSON.stringify(outputsOf(dev).PageClientAddress?.Value)).toMatch(
      /"https:\/\/",{"Fn::GetAtt":\["Distribution\w+","DomainName"\]},"\/client\/\d+\/funnel\.js"/,
    );
    expect(distributionOf(dev)).not.toHaveProperty('Aliases');
    expect(propertiesOf(dev, 'AWS::Route53::RecordSet')).toEqual([]);
    expect(outputsOf(dev).WebDomainTarget).toBeUndefined();
  });

  test('if webDomain is set, has this hostname; the distribution uses webCertificateArn and TLS 1.2', () => {
    const named = synthesize(own);
    expect(distributionOf(named)).toMatchObject({
      Aliases: ['cdn.example.com'],
      ViewerCertificate: {
        AcmCertificateArn: webCertificateArn,
        MinimumProtocolVersion: 'TLSv1.2_2021',
        SslSupportMethod: 'sni-only',
      },
    });
    expect(outputsOf(named).PageClientAddress?.Value).toBe(`https://cdn.example.com/${ALIAS_FOLDER}/funnel.js`);
    expect(outputsOf(named).WebDomainTarget?.Value['Fn::GetAtt'][1]).toBe('DomainName');
    expect(propertiesOf(named, 'AWS::Route53::RecordSet')).toEqual([]);
  });

  test('with a hosted zone, has DNS records for IPv4 and IPv6, and no output `WebDomainTarget`', () => {
    const zoned = synthesize({ ...own, hostedZoneId: 'Z0EXAMPLE', hostedZoneName: 'example.com' });
    expect(propertiesOf(zoned, 'AWS::Route53::RecordSet').map(({ Name, Type }) => [Name, Type])).toEqual([
      ['cdn.example.com.', 'A'],
      ['cdn.example.com.', 'AAAA'],
    ]);
    expect(outputsOf(zoned).WebDomainTarget).toBeUndefined();
  });
});
