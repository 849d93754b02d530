import { CfnOutput, Duration, Stack } from 'aws-cdk-lib';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import {
  CachePolicy,
  Distribution,
  HttpVersion,
  type IResponseHeadersPolicy,
  ResponseHeadersPolicy,
  S3OriginAccessControl,
  SecurityPolicyProtocol,
  ViewerProtocolPolicy,
} from 'aws-cdk-lib/aws-cloudfront';
import { S3BucketOrigin } from 'aws-cdk-lib/aws-cloudfront-origins';
import { AnyPrincipal, Effect, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { AaaaRecord, ARecord, HostedZone, RecordTarget } from 'aws-cdk-lib/aws-route53';
import { CloudFrontTarget } from 'aws-cdk-lib/aws-route53-targets';
import type { Bucket, IBucket } from 'aws-cdk-lib/aws-s3';
import type { Construct } from 'constructs';
import { explain } from '../../nag/acknowledge-findings.ts';
import { serviceName, stackName } from '../../names.ts';
import { PAGE_CLIENT_BUCKET_OUTPUT } from '../../outputs.ts';
import { ALIAS_FOLDER, HSTS_SECONDS, RESPONSE_HEADERS, VERSIONED_KEYS } from '../../page-client/delivery.ts';
import type { DomainSettings } from '../../settings/domain-settings.ts';
import type { Stage } from '../../settings/stages.ts';
import { bucket } from '../data/data-stack.ts';

/**
 * Creates the delivery of the page client: a private bucket and a CloudFront distribution. `npm run deploy` uploads the
 * files (docs/adr/0027-page-client-delivery.md).
 */
export function webStack(scope: Construct, stage: Stage): Stack {
  const stack = new Stack(scope, stackName(stage, 'web'), { terminationProtection: stage.keepsData });
  const files = bucket(stack, 'PageClient', stage);
  keepVersions(files, stage);
  const distribution = distributionOf(stack, stage, files);
  const { webDomain: domain } = stage;
  if (domain !== undefined) addRecords(stack, distribution, domain);
  new CfnOutput(stack, PAGE_CLIENT_BUCKET_OUTPUT, { value: files.bucketName });
  new CfnOutput(stack, 'PageClientAddress', {
    value: `https://${domain?.name ?? distribution.distributionDomainName}/${ALIAS_FOLDER}/funnel.js`,
    description: 'Address of the page client, for the attribute src of a script element.',
  });
  return stack;
}

/**
 * Denies replacing files of published versions. In stages that keep data, denies deleting them, too. S3 accepts a write
 * with `If-None-Match: *` only if there is no object with this key. Writes without this header are denied.
 */
function keepVersions(files: Bucket, { keepsData }: Stage): void {
  const shared = {
    effect: Effect.DENY,
    principals: [new AnyPrincipal()],
    resources: [files.arnForObjects(VERSIONED_KEYS)],
  };
  files.addToResourcePolicy(
    new PolicyStatement({
      ...shared,
      actions: ['s3:PutObject'],
      conditions: { Null: { 's3:if-none-match': 'true' } },
    }),
  );
  if (!keepsData) return;
  files.addToResourcePolicy(new PolicyStatement({ ...shared, actions: ['s3:DeleteObject', 's3:DeleteObjectVersion'] }));
}

function distributionOf(stack: Stack, stage: Stage, files: Bucket): Distribution {
  const { webDomain: domain } = stage;
  // CloudFront is global. If a stage is deployed in two regions, the names must differ.
  const name = `${serviceName(stage)}-${stack.region}`;
  const originAccessControl = new S3OriginAccessControl(stack, 'BucketAccess', { originAccessControlName: name });
  const distribution = new Distribution(stack, 'Distribution', {
    comment: `${serviceName(stage)}: page client`,
    httpVersion: HttpVersion.HTTP2_AND_3,
    minimumProtocolVersion: SecurityPolicyProtocol.TLS_V1_2_2021,
    ...(domain && {
      domainNames: [domain.name],
      certificate: Certificate.fromCertificateArn(stack, 'Certificate', domain.certificateArn),
    }),
    defaultBehavior: {
      // The cast is necessary because CDK's optional properties are not typed for `exactOptionalPropertyTypes`.
      origin: S3BucketOrigin.withOriginAccessControl(files as IBucket, { originAccessControl }),
      viewerProtocolPolicy: ViewerProtocolPolicy.REDIRECT_TO_HTTPS,
      // Uses the Cache-Control header of each object, compresses, and ignores cookies and query strings.
      cachePolicy: CachePolicy.CACHING_OPTIMIZED,
      responseHeadersPolicy: responseHeaders(stack, name),
    },
  });
  return explain(distribution, {
    CFR1: 'The page client must load wherever a visitor of a funnel page is, so no country is excluded.',
    CFR2:
      'The distribution serves public static files from a cache, and passes no request to the API. A firewall would cost ' +
      'more than the requests that it could block.',
    CFR3:
      'Access logs would contain the IP addresses of visitors, which the service promises not to store. Logs without ' +
      'addresses exist only in us-east-1. CloudFront has metrics of requests, bytes and errors without logs.',
    ...(domain === undefined && {
      CFR4:
        'CloudFront sets the TLS version of its own hostname and does not let a distribution raise it. A stage with ' +
        'webDomain requires TLS 1.2.',
    }),
  });
}

/** Adds the headers in `RESPONSE_HEADERS`. A test checks that none is missing. */
const responseHeaders = (stack: Stack, name: string): IResponseHeadersPolicy =>
  new ResponseHeadersPolicy(stack, 'ResponseHeaders', {
    responseHeadersPolicyName: name,
    corsBehavior: {
      accessControlAllowOrigins: [RESPONSE_HEADERS['Access-Control-Allow-Origin']],
      accessControlAllowMethods: ['GET', 'HEAD'],
      accessControlAllowHeaders: ['*'],
      accessControlAllowCredentials: false,
      originOverride: true,
    },
    customHeadersBehavior: {
      customHeaders: [
        {
          header: 'Cross-Origin-Resource-Policy',
          value: RESPONSE_HEADERS['Cross-Origin-Resource-Policy'],
          override: true,
        },
      ],
    },
    securityHeadersBehavior: {
      contentTypeOptions: { override: true },
      strictTransportSecurity: { accessControlMaxAge: Duration.seconds(HSTS_SECONDS), override: true },
    },
  });

/** Creates the DNS records of the hostname. Without a zone, adds an output for the record that the operator creates. */
function addRecords(stack: Stack, distribution: Distribution, { name, zone }: DomainSettings): void {
  if (zone === undefined) {
    new CfnOutput(stack, 'WebDomainTarget', {
      value: distribution.distributionDomainName,
      description: `Create a CNAME record for ${name} with this value. Until then, pages cannot load the page client.`,
    });
    return;
  }
  const record = {
    zone: HostedZone.fromHostedZoneAttributes(stack, 'Zone', { hostedZoneId: zone.id, zoneName: zone.name }),
    recordName: name,
    target: RecordTarget.fromAlias(new CloudFrontTarget(distribution)),
  };
  new ARecord(stack, 'Record', record);
  new AaaaRecord(stack, 'RecordOfIpv6', record);
}
